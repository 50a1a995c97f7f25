# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Check and mend: from a job to a report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from kvlint import progress
from kvlint.checking import Run
from kvlint.errors import KvlintError
from kvlint.findings import Edit, Failure, Finding, Safety
from kvlint.model.syntax import UnparsableError, parse
from kvlint.reports import Change, Job, Report
from kvlint.sources import Source
from kvlint.targets import find_targets, merged

_MOST_PASSES = 10


def check(job: Job) -> Report:
    """Return the findings of a job.

    Raises:
        KvlintError: There is no vLLM where somebody said it is, or no such release.
    """
    return Runs(job).report()


def mend(job: Job, *, unsafe: bool) -> Report:
    """Return the findings that remain after fixes, and the changed files.

    Args:
        job: What to look at.
        unsafe: Whether unsafe fixes are applied too.

    Raises:
        KvlintError: As ``check`` does.
    """
    return mended(Runs(job), unsafe=unsafe)


def mended(run: Runs, *, unsafe: bool) -> Report:
    """Return what ``mend`` does, of runs whose files stay mended then.

    Args:
        run: The runs.
        unsafe: Whether unsafe fixes are applied too.
    """
    report = run.report()
    failures: list[Failure] = []
    done: list[Finding] = []
    before: dict[Path, Source] = {}
    given_up: set[tuple[Path, str]] = set()
    for _ in range(_MOST_PASSES):
        wanted = [
            finding
            for finding in report.findings
            if finding.fix is not None
            and (unsafe or finding.fix.safety is Safety.SAFE)
            and (finding.place.path, finding.code) not in given_up
        ]
        if not wanted:
            break
        for path, findings in _by_path(wanted).items():
            source = run.source(path)
            applied, after, failure = _apply(source, findings)
            if failure is not None:
                failures.append(failure)
                given_up |= {(path, finding.code) for finding in findings}
                continue
            before.setdefault(path, source)
            done += applied
            run.put(after)
        report = run.report()
    else:
        failures += [
            Failure("fixes do not come to an end; please report this", path)
            for path in before
        ]
        for source in before.values():
            run.put(source)
        done, before = [], {}
        report = run.report()
    changes = [Change(source, run.source(path)) for path, source in before.items()]
    return replace(
        report,
        failures=(*report.failures, *failures),
        changes=tuple(each for each in changes if each.before.text != each.after.text),
        mended=tuple(done),
    )


class Runs:
    """A run against each release that a project is for, kept from report to report.

    Args:
        job: What to look at.

    Raises:
        KvlintError: As ``check`` does.
    """

    def __init__(self, job: Job) -> None:
        """Find out which releases those are; read nothing yet."""
        self._sifts = job.sifts
        self._targets = find_targets(job)
        targets = self._targets
        self._runs = [Run(job, each, targets.releases) for each in targets.contracts]

    def report(self, is_stale: Callable[[], bool] = lambda: False) -> Report:
        """Check once.

        Args:
            is_stale: Tells whether the report is still wanted.

        Raises:
            StaleError: It is not.
        """
        reports = []
        names = self._targets.releases or [""]  # for sources on disk
        for number, (name, run) in enumerate(zip(names, self._runs, strict=True), 1):
            with progress.counted(name and f"vLLM {name}", number, len(names)):
                run.is_stale = is_stale
                reports.append(run.report())
        report = merged(self._targets, reports, [run.may_run for run in self._runs])
        for sift in self._sifts:
            report = sift(report)
        return report

    def source(self, path: Path) -> Source:
        """Return a file's text.

        Raises:
            KvlintError: It cannot be read or decoded.
        """
        return self._runs[0].workspace.source(path)

    def put(self, source: Source) -> None:
        """Let a text stand in for its file from the next report on."""
        for run in self._runs:
            run.put(source)

    def forget(self, path: Path) -> None:
        """Let a file count as it is on disk, from the next report on."""
        for run in self._runs:
            run.forget(path)

    def look_at(self, files: Sequence[Path]) -> None:
        """Report on some files of the project alone, from the next report on."""
        for run in self._runs:
            run.look_at(files, files)


def _by_path(findings: Iterable[Finding]) -> dict[Path, list[Finding]]:
    by_path: dict[Path, list[Finding]] = {}
    for finding in findings:
        by_path.setdefault(finding.place.path, []).append(finding)
    return by_path


def _apply(
    source: Source, findings: Sequence[Finding]
) -> tuple[list[Finding], Source, Failure | None]:
    """Apply the fixes of one pass; those that meet others wait for the next."""
    applied: list[Finding] = []
    edits: list[Edit] = []
    for finding in findings:
        assert finding.fix is not None
        fresh = [each for each in finding.fix.edits if each not in edits]
        if not any(_meet(one, other) for one in fresh for other in edits):
            edits += fresh
            applied.append(finding)
    codes = ", ".join(sorted({finding.code for finding in applied}))
    try:
        after = source.edited(edits)
        parse(after)
    except UnparsableError as error:
        message = f"{source.path}: the fix of {codes} would break it: {error.reason}"
        return [], source, Failure(f"{message}; please report this", source.path, codes)
    except KvlintError as error:
        return [], source, Failure(str(error), source.path, codes)
    return applied, after, None


def _meet(one: Edit, other: Edit) -> bool:
    return one.start == other.start or (one.start < other.end and other.start < one.end)
