# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Check and mend: from a job to a report."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kvlint import catalogue, suppressions
from kvlint.config import Config
from kvlint.contract import Contract
from kvlint.descendants import find_hierarchy
from kvlint.discovery import is_test_file
from kvlint.environment import vllm_folders
from kvlint.errors import KvlintError
from kvlint.findings import Edit, Failure, Finding, Place, Safety, Severity
from kvlint.hierarchy import Hierarchy
from kvlint.model.resolution import Resolver
from kvlint.model.syntax import UnparsableError, parse, python_error
from kvlint.model.workspace import Workspace
from kvlint.project import Project
from kvlint.registry import checks
from kvlint.sources import Source

_MOST_PASSES = 10
_RECURSION_LIMIT = 10_000
"""Trees are walked by recursion: a sum of a thousand terms is that deep."""
_SMALL_TREE = 1_000_000
"""Bytes up to which every file of a tree is parsed, for its syntax alone."""


@dataclass(frozen=True)
class Job:
    """What to look at.

    Attributes:
        files: The files whose findings are wanted.
        named: Those of them that the user named outright: also test code is checked.
        project_files: Every Python file of the project, for the hierarchy.
        root: The project's folder.
        config: What is in force.
        buffers: Texts that stand in for files, such as standard input.
    """

    files: tuple[Path, ...]
    named: frozenset[Path]
    project_files: tuple[Path, ...]
    root: Path
    config: Config
    buffers: Mapping[Path, Source] = field(default_factory=dict)


@dataclass(frozen=True)
class Change:
    """A file before and after its fixes; nothing is written yet."""

    before: Source
    after: Source


@dataclass(frozen=True)
class Report:
    """What came of a job.

    Attributes:
        findings: What remains, sorted by place.
        failures: What could not be done.
        notes: What ``--verbose`` tells, such as bases that could not be resolved.
        files_checked: How many files were looked at.
        unknown_bases: How many base classes of specs could not be found.
        changes: Files with fixes applied, for ``mend`` only.
        mended: The findings that those fixes removed.
        sources: The text of each file that a finding or a related place names.
    """

    findings: tuple[Finding, ...]
    failures: tuple[Failure, ...]
    notes: tuple[str, ...]
    files_checked: int
    unknown_bases: int = 0
    changes: tuple[Change, ...] = ()
    mended: tuple[Finding, ...] = ()
    sources: Mapping[Path, Source] = field(default_factory=dict)


def check(job: Job) -> Report:
    """Return the findings of a job."""
    return _Run(job).report()


def mend(job: Job, *, unsafe: bool) -> Report:
    """Return the findings that remain after fixes, and the changed files.

    Args:
        job: What to look at.
        unsafe: Whether unsafe fixes are applied too.
    """
    run = _Run(job)
    report = run.report()
    failures: list[Failure] = []
    mended: list[Finding] = []
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
            source = run.workspace.source(path)
            applied, after, failure = _apply(source, findings)
            if failure is not None:
                failures.append(failure)
                given_up |= {(path, finding.code) for finding in findings}
                continue
            before.setdefault(path, source)
            mended += applied
            run.workspace.replace(after)
        report = run.report()
    else:
        failures += [
            Failure("fixes do not come to an end; please report this", path)
            for path in before
        ]
        mended, before = [], {}
        report = check(job)
    changes = [
        Change(source, run.workspace.source(path)) for path, source in before.items()
    ]
    return replace(
        report,
        failures=(*report.failures, *failures),
        changes=tuple(each for each in changes if each.before.text != each.after.text),
        mended=tuple(mended),
    )


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


class _Run:
    """A job's workspace and what is known of its files, kept from pass to pass."""

    def __init__(self, job: Job) -> None:
        self._job = job
        folders = vllm_folders(job.config.vllm_path, job.root)
        search = [job.root, job.root / "src", *folders]
        self.workspace = Workspace(search, job.buffers)
        self._failures: list[Failure] = []
        self._candidates: Sequence[Path] | None = None
        self._untested: list[Path] = []
        self._kept_count = -1
        self._silent: dict[Path, bool] = {}

    def report(self) -> Report:
        """Check once, as the workspace now stands."""
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
        try:
            return self._report()
        finally:
            sys.setrecursionlimit(limit)

    def _report(self) -> Report:
        job = self._job
        self._failures = []
        hierarchy = self._hierarchy()
        contract = Contract(hierarchy, self._is_test)
        checked = [path for path in job.files if not self._is_silent(path)]
        project = Project(
            contract,
            self.workspace,
            job.config,
            job.root,
            frozenset(checked),
            frozenset(job.project_files),
            self._readers,
        )
        findings = [*self._run_checks(project), *self._unparsable(checked)]
        findings = self._without_suppressed(findings, checked)
        findings.sort(key=lambda each: (each.place, each.code, each.symbol))
        return Report(
            tuple(findings),
            tuple(self._failures),
            tuple(hierarchy.notes),
            len(job.files),
            hierarchy.unknown_bases,
            sources=self._sources(findings),
        )

    def _hierarchy(self) -> Hierarchy:
        job = self._job
        first = self._candidates is None
        files = job.project_files if self._candidates is None else self._candidates
        hierarchy = find_hierarchy(
            self.workspace,
            Resolver(self.workspace),
            files,
            job.config.roots,
            self._is_silent,
        )
        if first:
            # A fix makes no other file a candidate, so later passes look at these only.
            parsed = {spec.file.path for spec in hierarchy.specs}
            known = dict.fromkeys([*self.workspace.kept, *parsed])
            self._candidates = [path for path in job.project_files if path in known]
        return hierarchy

    def _is_test(self, path: Path) -> bool:
        return is_test_file(path, self._job.root)

    def _is_silent(self, path: Path) -> bool:
        """Whether a file gives no findings because it is test code."""
        job = self._job
        return (
            not job.config.check_tests and path not in job.named and self._is_test(path)
        )

    def _readers(self) -> list[Path]:
        """Files in which group specs are read: the project's, and vLLM's own."""
        kept = self.workspace.kept
        if len(kept) != self._kept_count:
            self._kept_count = len(kept)
            self._untested = [path for path in kept if not self._is_test(path)]
        return self._untested

    def _run_checks(self, project: Project) -> list[Finding]:
        found: list[Finding] = []
        for code, run_check in checks().items():
            try:
                found += [
                    self._trusted(finding)
                    for finding in run_check(project)
                    if self._job.config.selects(code, finding.place.path)
                ]
            except Exception as error:  # a faulty check must not stop the others
                what = f"{type(error).__name__}: {error}"
                message = f"the check of {code} crashed ({what}); please report this"
                self._failures.append(Failure(message, code=code))
        return found

    def _trusted(self, finding: Finding) -> Finding:
        """A finding without its fix where the tree is not the file to the letter."""
        if finding.fix is None:
            return finding
        file = self.workspace.file(finding.place.path)
        if file is not None and file.tree.is_exact:
            return finding
        reason = "libcst does not give this file back unchanged"
        return replace(finding, fix=None, unfixable=reason)

    def _unparsable(self, checked: Sequence[Path]) -> list[Finding]:
        """Findings for files that do not parse; failures for those without a text."""
        for path in self._worth_parsing(checked):
            self.workspace.file(path)
        found = []
        for path in checked:
            error = self.workspace.failures.get(path)
            if isinstance(error, UnparsableError):
                place = Place(path, error.line, error.column, error.line, error.column)
                message = f"cannot be parsed: {error.reason}"
                if self._job.config.selects("KV900", path):
                    found.append(Finding("KV900", Severity.ERROR, message, place, ""))
                    self._failures.append(Failure(message, path, "KV900"))
            elif error is not None:
                self._failures.append(Failure(str(error), path))
        return found

    def _worth_parsing(self, checked: Sequence[Path]) -> Iterable[Path]:
        """Files that nothing else has parsed but whose syntax is looked at."""
        suspects: Iterable[Path] = checked
        if self._is_large(checked):
            suspects = self._job.named.intersection(checked)
        for path in suspects:
            if python_error(self.workspace.content(path)) is not None:
                yield path

    def _is_large(self, paths: Iterable[Path]) -> bool:
        size = 0
        for path in paths:
            with contextlib.suppress(OSError):
                size += path.stat().st_size
            if size > _SMALL_TREE:
                return True
        return False

    def _without_suppressed(
        self, findings: Sequence[Finding], checked: Sequence[Path]
    ) -> list[Finding]:
        sources = {}
        for path in self.workspace.kept:
            if suppressions.mentions(self.workspace.content(path)):
                with contextlib.suppress(KvlintError):
                    sources[path] = self.workspace.source(path)
        return suppressions.apply(
            findings,
            sources,
            checked,
            known=catalogue.names(),
            selects=self._job.config.selects,
        )

    def _sources(self, findings: Iterable[Finding]) -> dict[Path, Source]:
        paths = {
            place.path
            for finding in findings
            for place in (finding.place, *(each.place for each in finding.related))
        }
        return {path: self.workspace.source(path) for path in paths}
