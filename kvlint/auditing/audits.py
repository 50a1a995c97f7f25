# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Check distributions that were brought, each against the vLLM that it asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kvlint import engine, progress
from kvlint.auditing.distributions import Distribution
from kvlint.config import Config
from kvlint.errors import KvlintError
from kvlint.findings import Failure
from kvlint.reports import Job, Report
from kvlint.walking import SUFFIXES


@dataclass(frozen=True)
class Audited:
    """What came of one distribution.

    Attributes:
        distribution: Which one.
        report: What was found in it.
    """

    distribution: Distribution
    report: Report


@dataclass(frozen=True)
class Audit:
    """What came of all.

    Attributes:
        audited: The distributions, in the order in which they were asked for.
        failures: What could not be brought.
    """

    audited: tuple[Audited, ...]
    failures: tuple[Failure, ...] = ()

    @property
    def all_failures(self) -> list[Failure]:
        """What could not be brought, read or checked."""
        inside = [each for one in self.audited for each in one.report.failures]
        return [*self.failures, *inside]


def audit(distributions: Sequence[Distribution], config: Config) -> list[Audited]:
    """Return what is found in distributions.

    Every Python file counts, whatever its folder is called: it was published. Test
    code gives findings only if the configuration says so.

    Args:
        distributions: What to check.
        config: What is in force; no distribution's own configuration is read.
    """
    audited = []
    for number, each in enumerate(distributions, 1):
        with progress.counted(f"Checking {each}", number, len(distributions)):
            audited.append(Audited(each, _report(each, config)))
    return audited


def _report(distribution: Distribution, config: Config) -> Report:
    folder = distribution.folder
    files = tuple(
        sorted(
            path
            for suffix in SUFFIXES
            for path in folder.rglob(f"*{suffix}")
            if path.is_file()
        )
    )
    # What is installed here says nothing of what this distribution asks for.
    job = Job(files, frozenset(), files, folder, config, installed=False)
    try:
        return engine.check(job)
    except KvlintError as error:
        return Report((), (Failure(str(error), folder),), (), 0)
