# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A project with files open in an editor, checked again as they change."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kvlint import baselines, catalogue, config, discovery
from kvlint.checking import unparsable
from kvlint.engine import Runs, mended
from kvlint.findings import Failure, Finding
from kvlint.model.acceptance import Accepted, accepted
from kvlint.model.syntax import UnparsableError, deep_trees, parse
from kvlint.reports import Job
from kvlint.sources import Source

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Settings:
    """What the editor says, in place of options on the command line.

    Attributes:
        select: Rules to report.
        ignore: Rules to leave out.
        preview: Whether rules in preview count.
        vllm_path: The folder of vLLM's sources, relative to the project.
        vllm_version: Which releases of vLLM are meant.
        config_file: The configuration to read, relative to the project.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    preview: bool = False
    vllm_path: str = ""
    vllm_version: tuple[str, ...] = ()
    config_file: str = ""


@dataclass(frozen=True)
class Checked:
    """What is known of an open file.

    Attributes:
        source: The text that was checked.
        findings: Its findings.
        sources: The texts of other files that the findings name.
    """

    source: Source
    findings: tuple[Finding, ...] = ()
    sources: Mapping[Path, Source] = field(default_factory=dict)


class LiveProject:
    """A project, as it is on disk but for what is open.

    Text that does not parse counts for its own file alone: for others the last text
    that did stays in force, so that they do not change with every bracket.

    Args:
        root: Its folder.
        settings: What the editor says.
        opened: The open files, which need not be of this project.

    Raises:
        KvlintError: The configuration is wrong, or there is no vLLM where somebody said
            it is.
    """

    def __init__(
        self, root: Path, settings: Settings, opened: Mapping[Path, Source]
    ) -> None:
        """Find the files, and read nothing yet."""
        self.root = root
        self.config = config.load(
            catalogue.names(),
            start=root,
            path=root / settings.config_file if settings.config_file else None,
            select=settings.select,
            ignore=settings.ignore,
            vllm_path=root / settings.vllm_path if settings.vllm_path else None,
            vllm_version=settings.vllm_version,
            previews=catalogue.previews(),
            preview=settings.preview,
        )
        own = [path for path in opened if project_root(path) == root]
        found = self._discover(own)
        unsaved = {path for path in own if not path.exists()}
        self._files = frozenset({*found.project_files, *unsaved})
        self._checked = frozenset({*found.files, *unsaved})
        job = Job((), frozenset(), tuple(sorted(self._files)), root, self.config)
        if self.config.baseline is not None:
            job = replace(job, sifts=(baselines.read(self.config.baseline, job),))
        self._runs = Runs(job)
        self._accepted: dict[Path, Accepted] = {}
        self._broken: dict[Path, tuple[Source, Finding]] = {}
        self._failures: set[Failure] = set()
        for source in opened.values():
            self.put(source)

    def _discover(self, paths: Sequence[Path]) -> discovery.Found:
        """The files of the project; of a folder that is none, files beside some."""
        if any((self.root / each).exists() for each in discovery.ROOT_MARKERS):
            paths = [self.root]
        existing = [path for path in paths if path.exists()]
        if not existing:
            return discovery.Found((), frozenset(), (), ())
        return discovery.discover(existing, self.config, self.root)

    def lacks(self, path: Path) -> bool:
        """Return whether a file is of the project by now that was none of it."""
        if path in self._checked:
            return False
        return not path.exists() or path in self._discover([path]).files

    def covers(self, path: Path) -> bool:
        """Return whether findings in a file are wanted."""
        if not self.config.check_tests and discovery.is_test_file(path, self.root):
            return False
        return path in self._checked

    def is_broken(self, path: Path) -> bool:
        """Return whether the text of a file does not parse."""
        return path in self._broken

    @deep_trees()
    def put(self, source: Source) -> None:
        """Let a text stand in for its file."""
        path = source.path
        self._broken.pop(path, None)
        fine = accepted(source, self._accepted.get(path))
        if fine is not None:
            self._accepted[path] = fine
        else:
            try:
                parse(source)
            except UnparsableError as error:
                self._broken[path] = source, unparsable(path, error)
                return
        self._runs.put(source)

    def forget(self, path: Path) -> None:
        """Let a file count as it is on disk."""
        self._accepted.pop(path, None)
        self._broken.pop(path, None)
        self._runs.forget(path)

    def check(
        self, paths: Iterable[Path], is_stale: Callable[[], bool] = lambda: False
    ) -> dict[Path, Checked]:
        """Return what is found in open files.

        Args:
            paths: The files.
            is_stale: Tells whether the answer is still wanted.

        Raises:
            StaleError: It is not.
        """
        checked = {
            path: self._broken_one(path) for path in paths if self.is_broken(path)
        }
        whole = [path for path in paths if path not in checked]
        wanted = [path for path in whole if self.covers(path)]
        self._runs.look_at(wanted)
        report = self._runs.report(is_stale) if wanted else None
        if report is not None:
            self._log(report.failures)
        for path in whole:
            found = report.findings if report is not None else ()
            checked[path] = Checked(
                self._runs.source(path),
                tuple(each for each in found if each.place.path == path),
                report.sources if report is not None else {},
            )
        return checked

    def _log(self, failures: Iterable[Failure]) -> None:
        """Tell once of each thing that could not be done."""
        for each in dict.fromkeys(failures):
            if each not in self._failures:
                logger.warning("%s", each.message)
                self._failures.add(each)

    def _broken_one(self, path: Path) -> Checked:
        source, finding = self._broken[path]
        is_wanted = self.covers(path) and self.config.selects(finding.code, path)
        return Checked(source, (finding,) if is_wanted else ())

    def mended(self, path: Path) -> Source:
        """Return the text of a file after all safe fixes.

        Args:
            path: A file that is open.
        """
        before = self._runs.source(path)
        if self.is_broken(path) or not self.covers(path):
            return before
        self._runs.look_at([path])
        report = mended(self._runs, unsafe=False)
        for change in report.changes:
            self._runs.put(change.before)
        return next((x.after for x in report.changes if x.after.path == path), before)


def project_root(path: Path) -> Path:
    """Return the folder of the project that a file belongs to, there or not."""
    folder = path.parent
    while not folder.is_dir():
        folder = folder.parent
    return discovery.project_root([folder])
