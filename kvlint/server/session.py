# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What is open in an editor, and which of it has to be checked again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kvlint import codestyle
from kvlint.errors import KvlintError
from kvlint.server.projects import Checked, LiveProject, Settings, project_root
from kvlint.sources import Source, decode_source


@dataclass(frozen=True)
class Answer:
    """What there is to say about a file.

    Attributes:
        path: The file.
        version: Which of the editor's texts of it was checked; None if it is closed.
        checked: What was found; None for nothing, since it is closed.
    """

    path: Path
    version: int | None
    checked: Checked | None


class Session:
    """The open files and their projects.

    Args:
        settings: What the editor says.

    Attributes:
        problems: Why projects cannot be checked, by their folders.
    """

    def __init__(self, settings: Settings) -> None:
        """Begin with nothing open."""
        self._settings = settings
        self._opened: dict[Path, Source] = {}
        self._versions: dict[Path, int] = {}
        self._roots: dict[Path, Path] = {}
        self._projects: dict[Path, LiveProject] = {}
        self._outdated: set[Path] = set()
        self._first: dict[Path, None] = {}
        self._rest: dict[Path, None] = {}
        self._closed: list[Path] = []
        self.problems: dict[Path, str] = {}

    def use(self, settings: Settings) -> None:
        """Go by other settings from now on."""
        if settings != self._settings:
            self._settings = settings
            self._outdate(self._roots.values())

    def put(self, path: Path, version: int, text: str) -> None:
        """Take the text of a file that is opened or changed."""
        source = _as_source(path, text)
        if path not in self._opened:
            root = self._roots[path] = project_root(path)
            project = self._projects.get(root)
            if project is not None and project.lacks(path):
                self._outdate([root])
        self._opened[path] = source
        self._versions[path] = version
        for project in self._projects.values():
            project.put(source)
        self._first[path] = None
        if not self._is_broken(path):
            self._look_at_all()

    def close(self, path: Path) -> None:
        """Let a file count as it is on disk."""
        if self._opened.pop(path, None) is None:
            return
        del self._versions[path]
        root = self._roots.pop(path)
        self._first.pop(path, None)
        self._rest.pop(path, None)
        self._closed.append(path)
        if root not in self._roots.values():
            self._projects.pop(root, None)
            self.problems.pop(root, None)
        for project in self._projects.values():
            project.forget(path)
        if not path.exists():
            self._outdate([root])
        self._look_at_all()

    def change_on_disk(self, paths: Iterable[Path], *, is_other: bool) -> None:
        """Take notice that files were changed by somebody else.

        Args:
            paths: The files.
            is_other: Whether they were created or deleted, or say how to check.
        """
        for path in paths:
            if path in self._opened and (not is_other or path.exists()):
                continue
            if is_other:
                self._outdate(
                    root
                    for root in {*self._projects, *self._roots.values()}
                    if path.is_relative_to(root) or root.is_relative_to(path.parent)
                )
            else:
                for project in self._projects.values():
                    project.forget(path)
            self._look_at_all()

    def work(self, is_stale: Callable[[], bool]) -> Iterator[Answer]:
        """Yield what there is to say, the files that were changed last before others.

        Args:
            is_stale: Tells whether there is news, so that this had better stop.

        Raises:
            StaleError: It had to stop; what is left to do is done the next time.
        """
        while self._closed:
            yield Answer(self._closed.pop(), None, None)
        self._renew()
        yield from self._check(self._first, is_stale)
        yield from self._check(self._rest, is_stale)

    def give_up(self) -> None:
        """Leave undone what was to be done."""
        self._first.clear()
        self._rest.clear()

    def mended(self, path: Path) -> Source | None:
        """Return the text of an open file after all safe fixes, None if it has none."""
        self._renew()
        project = self._projects.get(self._roots.get(path, path))
        if project is None or path not in self._opened:
            return None
        return project.mended(path)

    def _check(
        self, pending: dict[Path, None], is_stale: Callable[[], bool]
    ) -> Iterator[Answer]:
        for root, project in self._projects.items():
            paths = [each for each in pending if self._roots[each] == root]
            if not paths:
                continue
            for path, checked in project.check(paths, is_stale).items():
                yield Answer(path, self._versions[path], checked)
            for path in paths:
                pending.pop(path, None)
                self._rest.pop(path, None)
        pending.clear()  # whose project is at fault is told of elsewhere

    def _is_broken(self, path: Path) -> bool:
        project = self._projects.get(self._roots[path])
        return project is not None and project.is_broken(path)

    def _look_at_all(self) -> None:
        self._rest.update(dict.fromkeys(self._opened))

    def _outdate(self, roots: Iterable[Path]) -> None:
        self._outdated.update(roots)
        self._look_at_all()

    def _renew(self) -> None:
        """Make the projects that are needed and not at hand."""
        roots = set(self._roots.values())
        outdated, self._outdated = self._outdated & roots, set()
        if outdated:
            codestyle.forget()
        for root in sorted(outdated | (roots - {*self._projects, *self.problems})):
            try:
                project = LiveProject(root, self._settings, self._opened)
            except KvlintError as error:
                # What was in force before stays so, until the mistake is mended.
                self.problems[root] = str(error)
            else:
                self._projects[root] = project
                self.problems.pop(root, None)


def _as_source(path: Path, text: str) -> Source:
    """A text from an editor as if it had been saved."""
    try:
        source = decode_source(path, text.encode())
        if source.encoding == "utf-8":
            return source
        return decode_source(path, text.encode(source.encoding))
    except (KvlintError, UnicodeError):
        return Source(path, text.encode("utf-8", "replace"), text, "utf-8", False)
