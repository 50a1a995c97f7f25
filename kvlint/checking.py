# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""One look at a project: every check, suppressions, files that do not parse."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from pathlib import Path

from kvlint import catalogue, suppressions
from kvlint.contracts.at_hand import found, known
from kvlint.contracts.facts import ContractFacts
from kvlint.contracts.skeleton import skeletons
from kvlint.discovery import is_test_file
from kvlint.environment import vllm_folders
from kvlint.errors import KvlintError
from kvlint.findings import Failure, Finding, Place, Severity
from kvlint.guards.guards import Guards
from kvlint.guards.installed import Installed
from kvlint.looks import look
from kvlint.model.reach import Reach
from kvlint.model.resolution import Resolver
from kvlint.model.syntax import UnparsableError, deep_trees
from kvlint.model.workspace import Workspace
from kvlint.project import Project
from kvlint.reports import Job, Report
from kvlint.sharing import helpers_at_hand, shared
from kvlint.sources import Source
from kvlint.specs.candidates import Idle
from kvlint.specs.contract import Contract
from kvlint.specs.descendants import find_hierarchy
from kvlint.specs.hierarchy import VLLM_ROOT, Hierarchy

_OF_TEXTS = frozenset({"KV900", "KV902"})
"""Rules on what a file says, not on what is run."""
_WORTH_SHARING = 2000
"""Files from which on copies of this process help to look through them."""
_SMALL_TREE = 1_000_000
"""Bytes up to which every file of a tree is parsed, for its syntax alone."""


class Run:
    """A job's workspace and what is known of its files, kept from pass to pass.

    Args:
        job: What to look at.
        facts: What is known of vLLM where its sources are not at hand.
        releases: All releases that the project is checked against.

    Attributes:
        workspace: The files.
        is_stale: Tells whether the report that is being made is still wanted.
    """

    def __init__(
        self,
        job: Job,
        facts: ContractFacts | None = None,
        releases: Sequence[str] = (),
    ) -> None:
        """Look up where vLLM may be; read nothing yet."""
        self._job, self._facts, self._releases = job, facts, releases
        holding = folders_of_roots(job)
        self._vllm_itself = [each / "vllm" for each in holding]
        search = [job.root, job.root / "src", *holding]
        bundled: dict[str, Source] = {}
        if facts is None and job.installed:
            search += vllm_folders(job.config.vllm_path, job.root)
        if facts is not None:
            bundled = skeletons(facts)
        self.workspace = Workspace(search, job.buffers, bundled)
        self._own_files = frozenset(job.project_files)
        self._guards = self._judge()
        self._failures: list[Failure] = []
        self._idle = Idle()
        self._untested: list[Path] = []
        self._kept_count = -1
        self._tests: dict[Path, bool] = {}
        self.is_stale: Callable[[], bool] = lambda: False

    def _judge(self) -> Guards:
        guards = Guards(self.workspace, self._installed(), self._own_files.__contains__)
        self.workspace.judge = guards
        return guards

    def _installed(self) -> Installed:
        if self._facts is not None:
            return known(self._facts)
        files = self._job.project_files
        return found(self.workspace, files[0] if files else self._job.root)

    def put(self, source: Source) -> None:
        """Let a text stand in for its file from the next report on."""
        self.workspace.replace(source)
        self._has_changed(source.path)

    def forget(self, path: Path) -> None:
        """Let a file count as it is on disk, from the next report on."""
        self.workspace.forget(path)
        self._has_changed(path)

    def _has_changed(self, path: Path) -> None:
        self._idle.wake(path)
        if self._guards.depend_on(path):
            self.workspace.forget_models()
            self._guards = self._judge()

    def look_at(self, files: Iterable[Path], named: Iterable[Path]) -> None:
        """Report on other files of the project from the next report on.

        Args:
            files: The files.
            named: Those of them whose syntax is looked at in a large project too.
        """
        self._job = replace(self._job, files=tuple(files), named=frozenset(named))

    @deep_trees()
    def report(self) -> Report:
        """Check once, as the workspace now stands.

        Raises:
            StaleError: The report is not wanted any more; the next one is not harmed.
        """
        self._failures = []
        project = self.project()
        hierarchy = project.contract.hierarchy
        checked = self._checked()
        findings = [*self._looked_for(project), *self._unparsable(checked)]
        findings = self._without_suppressed(findings, checked)
        findings = [each for each in findings if self._is_reached(each)]
        findings.sort(key=attrgetter("key"))
        return Report(
            tuple(findings),
            tuple(self._failures),
            tuple(hierarchy.notes),
            len(self._job.files),
            hierarchy.unknown_bases,
            sources=self._sources(findings),
        )

    @deep_trees()
    def may_run(self, place: Place) -> bool:
        """Return whether the release at hand may run the code at a place."""
        return self._guards.at(place) is not Reach.NEVER

    @deep_trees()
    def project(self) -> Project:
        """Return what checks see, as the workspace now stands."""
        job = self._job
        self.workspace.let_go()
        self._kept_count = -1
        return Project(
            Contract(self._hierarchy(), self._is_test),
            self.workspace,
            job.config,
            job.root,
            frozenset(self._checked()),
            self._own_files,
            self._readers,
            self._facts,
            self._releases,
        )

    def _checked(self) -> list[Path]:
        return [path for path in self._job.files if not self._is_silent(path)]

    def _hierarchy(self) -> Hierarchy:
        job = self._job
        is_worth_it = len(job.project_files) >= _WORTH_SHARING
        return find_hierarchy(
            self.workspace,
            Resolver(self.workspace),
            job.project_files,
            job.config.roots,
            self._is_silent,
            self._idle,
            partial(shared, helpers=helpers_at_hand() if is_worth_it else 0),
        )

    def _is_test(self, path: Path) -> bool:
        told = self._tests.get(path)
        if told is None:
            told = self._tests[path] = is_test_file(path, self._job.root)
        return told

    def _is_silent(self, path: Path) -> bool:
        """Whether a file gives no findings because it is test code."""
        job = self._job
        return (
            self._is_test(path) and not job.config.check_tests and path not in job.named
        )

    def _readers(self) -> list[Path]:
        """Files in which group specs are read: the project's, and vLLM's own."""
        kept = self.workspace.kept
        if len(kept) != self._kept_count:
            self._kept_count = len(kept)
            self._untested = [
                path for path in kept if path.is_absolute() and not self._is_test(path)
            ]
        return self._untested

    def _looked_for(self, project: Project) -> list[Finding]:
        seen = look(project, self.is_stale)
        for path in seen.unread:
            self.workspace.file(path)  # also here it fails, and says why
        crashes = [crash for _, crash in seen.outcomes.values() if crash is not None]
        self._failures += crashes
        return [each for found, _ in seen.outcomes.values() for each in found]

    def _is_reached(self, finding: Finding) -> bool:
        """Whether the release at hand runs a finding's code for sure."""
        if finding.code in _OF_TEXTS:
            return True
        if any(map(finding.place.path.is_relative_to, self._vllm_itself)):
            return True  # vLLM is always there for itself
        return self._guards.at(finding.place) is Reach.REACHED

    def _unparsable(self, checked: Sequence[Path]) -> list[Finding]:
        """Findings for files that do not parse; failures for those without a text."""
        for path in self._worth_parsing(checked):
            self.workspace.file(path)
        found = []
        for path in checked:
            error = self.workspace.failures.get(path)
            if isinstance(error, UnparsableError):
                if self._job.config.selects("KV900", path):
                    found.append(unparsable(path, error))
                    message = found[-1].message
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
            if not self.workspace.is_accepted(path):
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
            look = partial(suppressions.mentions, self.workspace.content(path))
            if self.workspace.known(path, "mentions suppressions", look):
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
        on_disk = {path for path in paths if path.is_absolute()}
        return {path: self.workspace.source(path) for path in on_disk}


def unparsable(path: Path, error: UnparsableError) -> Finding:
    """Return the finding that a file does not parse."""
    place = Place(path, error.line, error.column, error.line, error.column)
    message = f"cannot be parsed: {error.reason}"
    return Finding("KV900", Severity.ERROR, message, place, "")


def folders_of_roots(job: Job) -> list[Path]:
    """Return the folders of a project that hold vLLM's package."""
    tail = VLLM_ROOT.rpartition(".")[0].replace(".", "/") + ".py"
    found = [path for path in job.project_files if str(path).endswith(f"/{tail}")]
    return [path.parents[tail.count("/")] for path in found]
