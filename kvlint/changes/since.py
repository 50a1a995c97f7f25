# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``--since REV``: only what a change brought is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kvlint import progress
from kvlint.changes.earlier import report_before
from kvlint.changes.novelty import novel
from kvlint.changes.repository import Repository
from kvlint.errors import KvlintError
from kvlint.findings import Failure, Finding
from kvlint.reports import Job, Report
from kvlint.suppressions import UNUSED

_UNPARSABLE = "KV900"


class Since:
    """Takes out of a report what was there before a change.

    Args:
        job: What is looked at; its other sifts do not matter here.
        revision: What the change may go into: it began where the two have their last
            commit in common.
        settings: The configuration file, if it says which releases of vLLM are meant.

    Raises:
        KvlintError: There is no repository or no such commit, or git cannot be run.
    """

    def __init__(self, job: Job, revision: str, settings: Path | None = None) -> None:
        """Ask git what the change touches."""
        self._job, self._revision, self._settings = job, revision, settings
        repository = Repository(job.root)
        self._top = repository.top
        self._base = repository.merge_base(revision)
        self._before = repository.changes(self._base)
        for path in job.buffers:
            # A text that stands in for a file is a change of its own.
            held = path.read_bytes() if path.is_file() else None
            self._before.setdefault(path, held)
        self._then = Report((), (), (), 0)
        self._asked: set[str] = set()

    def __call__(self, report: Report) -> Report:
        """Return a report without what was there before."""
        kept: list[Finding] = []
        others: list[Finding] = []
        for each in report.findings:
            (kept if self._is_unreadable_now(each) else others).append(each)
        if others and self._before:
            self._ask({each.code for each in others})
            kept += novel(replace(report, findings=tuple(others)), self._then)
        kept.sort(key=lambda each: each.key)
        left_out = len(report.findings) - len(kept)
        note = (
            f"--since {self._revision}: left out {left_out} that {self._base[:12]} has "
            "too, where the change began"
        )
        return replace(
            report,
            findings=tuple(kept),
            failures=(*filter(self._is_ours, report.failures), *self._then.failures),
            notes=(*report.notes, note),
        )

    def _is_unreadable_now(self, finding: Finding) -> bool:
        """Whether it is about a file that the change touches and that does not parse.

        What else there is to say of such a file, nobody knows.
        """
        return finding.code == _UNPARSABLE and finding.place.path in self._before

    def _is_ours(self, failure: Failure) -> bool:
        """Whether a failure is not about a file that the change leaves alone."""
        return failure.path is None or failure.path in self._before

    def _ask(self, codes: set[str]) -> None:
        """Look at the files of the base, with the rules that found something now."""
        fresh = codes - self._asked
        if not fresh:
            return
        self._asked |= fresh
        config = self._job.config
        if UNUSED not in fresh:  # whether a comment is of use depends on all others
            config = replace(config, select=tuple(sorted(fresh)))
        job = replace(self._job, config=config)
        try:
            with progress.Step("what was there before"):
                found = report_before(job, self._top, self._before, self._settings)
        except KvlintError as error:
            told = f"--since: the base {self._base[:12]} cannot be checked: {error}"
            raise KvlintError(told) from error
        crashes = [
            replace(each, message=f"in the base {self._base[:12]}: {each.message}")
            for each in found.failures
            if each.path is None
        ]
        known = [each for each in found.findings if each.code in fresh]
        self._then = replace(
            self._then,
            findings=(*self._then.findings, *known),
            failures=(*self._then.failures, *crashes),
            sources={**self._then.sources, **found.sources},
        )
