# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A job as it was before a change: the files that differ, and links to all others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from kvlint import catalogue, engine
from kvlint.changes.repository import is_read
from kvlint.discovery import may_be_found
from kvlint.errors import KvlintError
from kvlint.findings import Place
from kvlint.reports import Job, Report
from kvlint.settings import Reader

Before = Mapping[Path, bytes | None]
"""What files held that a change touches; None where there was no such file."""


def report_before(
    job: Job, top: Path, before: Before, settings: Path | None = None
) -> Report:
    """Return what was found before a change, in the paths of today.

    The configuration is today's, but for the releases of vLLM that the project is for:
    those are the ones that it was for at the time.

    Args:
        job: What is looked at today. Of files that the change touches, all are looked
            at: what stands in one may have come out of another.
        top: The folder of the repository.
        before: The files that the change touches.
        settings: The configuration file, if it says which releases are meant.

    Raises:
        KvlintError: The releases of that time are not to be had, or the system refuses
            to make links.
    """
    try:
        with _tree(job, top, before) as tree:
            return tree.home(engine.check(tree.job(settings)))
    except OSError as error:
        told = f"cannot write the files of the base: {error.strerror}"
        raise KvlintError(f"--since: {told}") from error


class _Tree:
    """A folder that stands for the repository as it was, outside of it.

    Args:
        job: What is looked at today.
        anchor: The folder of today that the new one stands for.
        folder: The new one.
        before: The files that the change touches.
    """

    def __init__(self, job: Job, anchor: Path, folder: Path, before: Before) -> None:
        self._job, self._before = job, before
        self._anchor, self._folder = anchor, folder

    def there(self, path: Path) -> Path:
        """Return where a path of today is in the tree."""
        if not path.is_relative_to(self._anchor):
            return path
        return self._folder / path.relative_to(self._anchor)

    def _here(self, path: Path) -> Path:
        """Return the path of today of one in the tree."""
        if not path.is_relative_to(self._folder):
            return path
        return self._anchor / path.relative_to(self._folder)

    def build(self, top: Path) -> None:
        """Write the files that differ; make a link to every other file or folder."""
        # Only folders on the way to a file that differs are folders here.
        ways = {top}
        for path in self._before:
            ways.update(each for each in path.parents if each.is_relative_to(top))
        # What is a folder now may have been a file.
        ways -= {path for path, content in self._before.items() if content is not None}
        for folder in sorted(ways):
            there = self.there(folder)
            there.mkdir(parents=True, exist_ok=True)
            for entry in os.scandir(folder) if folder.is_dir() else ():
                path = folder / entry.name
                if path in ways or path in self._before:
                    continue
                if entry.is_dir() or is_read(entry.path):
                    os.symlink(entry.path, there / entry.name)
        for path, content in self._before.items():
            if content is not None:
                self.there(path).write_bytes(content)

    def job(self, settings: Path | None) -> Job:
        """Return the job as it was."""
        job, config = self._job, self._job.config
        files = self._moved(job.files)
        project_files = self._moved(job.project_files)
        held = [path for path, content in self._before.items() if content is not None]
        for path in held:
            if not path.is_file() and may_be_found(path, config, job.root):
                project_files.append(self.there(path))
        touched = {*map(self.there, held)}
        files += touched.intersection(project_files)
        vllm_path = config.vllm_path
        return replace(
            job,
            files=tuple(sorted({*files})),
            named=frozenset(self._moved(job.named)),
            project_files=tuple(sorted({*project_files})),
            root=self.there(job.root),
            config=replace(
                config,
                root=self.there(config.root),
                vllm_path=vllm_path and self.there(vllm_path),
                vllm_version=self._vllm_version(settings),
            ),
            buffers={},
            sifts=(),
        )

    def _moved(self, paths: Iterable[Path]) -> list[Path]:
        absent = {path for path, content in self._before.items() if content is None}
        return [self.there(path) for path in paths if path not in absent]

    def _vllm_version(self, settings: Path | None) -> tuple[str, ...]:
        now = self._job.config.vllm_version
        if settings is None or settings not in self._before:
            return now
        if self._before[settings] is None:
            return ()
        reader = Reader(catalogue.names())
        reader.read(self.there(settings), required=False)
        found: tuple[str, ...] = reader.values.get("vllm_version", ())
        return now if reader.mistakes else found

    def home(self, report: Report) -> Report:
        """Return a report with the places and texts of findings under today's paths."""
        return replace(
            report,
            findings=tuple(
                replace(each, place=self._home(each.place)) for each in report.findings
            ),
            sources={self._here(path): x for path, x in report.sources.items()},
        )

    def _home(self, place: Place) -> Place:
        return replace(place, path=self._here(place.path))


@contextmanager
def _tree(job: Job, top: Path, before: Before) -> Iterator[_Tree]:
    """Give the tree as it was; afterwards it is gone."""
    root = job.config.root  # where its patterns begin
    anchor = root.parent if top.is_relative_to(root) else top.parent
    with TemporaryDirectory(prefix="kvlint-") as name:
        tree = _Tree(job, anchor, Path(os.path.realpath(name)), before)
        tree.build(top)
        yield tree
