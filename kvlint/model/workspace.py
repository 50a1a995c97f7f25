# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Files read at most once."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from kvlint.errors import KvlintError
from kvlint.model.acceptance import Accepted, accepted
from kvlint.model.classes import SpecFile
from kvlint.model.functions import FunctionIndex
from kvlint.model.module_places import ModulePlaces, package_root
from kvlint.model.outlines import read_keyhole, read_outline
from kvlint.model.reach import Judge
from kvlint.model.reading import read_file
from kvlint.model.skimming import skim
from kvlint.model.syntax import Tree, UnparsableError, python_error
from kvlint.sources import Source, decode_source, read_source

_MOST_KNOWN = 500
_Known = TypeVar("_Known")


class Workspace:
    """The files of a run.

    Args:
        search: Folders that absolute imports are looked up in, after the one that the
            importing file's own package stands in.
        buffers: Texts that stand in for files.
        bundled: Texts of modules that are imported from nowhere on disk, by their
            dotted names; their paths are relative.

    Attributes:
        failures: Why files could not be read, by path.
        judge: Tells what of a file the release at hand runs; None for all of it.
    """

    def __init__(
        self,
        search: Sequence[Path],
        buffers: Mapping[Path, Source] | None = None,
        bundled: Mapping[str, Source] | None = None,
    ) -> None:
        """Begin with nothing read."""
        bundled = dict(bundled or {})
        paths = {name: source.path for name, source in bundled.items()}
        self._places = ModulePlaces(search, paths)
        self._buffers = dict(buffers or {})
        self._buffers |= {source.path: source for source in bundled.values()}
        self._files: dict[Path, SpecFile | None] = {}
        self._kept: dict[Path, bytes] = {}
        self._contents: dict[Path, bytes] = {}
        self._known: dict[Path, dict[Hashable, object]] = {}
        self._packages: dict[Path, list[Path]] = {}
        self._sources: dict[Path, Source] = {}
        self._functions: dict[Path, FunctionIndex | None] = {}
        self._former: dict[Path, FunctionIndex | None] = {}
        self._trees: dict[Path, Tree] = {}
        self._edited: dict[Path, Accepted | None] = {}
        self._outlines: dict[Path, SpecFile | None] = {}
        self._skimmed: dict[Path, SpecFile | None] = {}
        self.failures: dict[Path, KvlintError] = {}
        self.judge: Judge | None = None

    def file(self, path: Path) -> SpecFile | None:
        """Return a file's model; None, and an entry in ``failures``, if that fails.

        None, without such an entry, is also what a file gets while it is being read
        itself: to judge it, others may be asked that import it.
        """
        if path not in self._files:
            self._files[path] = None
            self._files[path] = self._read(path)
        return self._files[path]

    def outline(self, path: Path) -> SpecFile | None:
        """Return a file's model, the bodies of methods left out if that is cheaper."""
        if path not in self._outlines:
            found = self._files.get(path)
            self._outlines[path] = None
            if found is None and path not in self.failures:
                with contextlib.suppress(KvlintError, RecursionError):
                    found = read_outline(self.source(path), self.judge)
            self._outlines[path] = found or self.file(path)
        return self._outlines[path]

    def parsed(self, path: Path) -> SpecFile | None:
        """Return what is known of a file: its model, or else its outline."""
        return self._files.get(path) or self._outlines.get(path) or self.file(path)

    def keyhole(self, path: Path, offset: int | None = None) -> Tree | None:
        """Return the syntax of a file as far as conditions and a place are concerned.

        Args:
            path: The file.
            offset: The place in characters, if there is one.

        Returns:
            The whole file's syntax if it is known already, or if there is no other
            way; None if the file cannot be read or parsed.
        """
        known = self._files.get(path)
        if known is None and path not in self.failures:
            with contextlib.suppress(KvlintError, RecursionError):
                if (tree := read_keyhole(self.source(path), offset)) is not None:
                    return tree
            known = self.file(path)
        return None if known is None else known.tree

    def source(self, path: Path) -> Source:
        """Return a file's text.

        Raises:
            KvlintError: It cannot be read or decoded.
        """
        known = self._files.get(path)
        if known is not None:
            return known.tree.source
        if path in self._buffers:
            return self._buffers[path]
        if path not in self._contents:
            return read_source(path)
        if path not in self._sources:
            self._sources[path] = decode_source(path, self._contents[path])
        return self._sources[path]

    def content(self, path: Path) -> bytes:
        """Return a file's bytes; none if it cannot be read, which ``file`` reports."""
        if path in self._contents:
            return self._contents[path]
        if path in self._buffers:
            return self._buffers[path].content
        try:
            with open(path, "rb", buffering=0) as opened:
                return opened.read()
        except OSError:
            return b""

    def functions(self, path: Path) -> FunctionIndex | None:
        """Return the functions of a file, None if it has no readable text."""
        if path not in self._functions:
            former = self._former.pop(path, None)
            try:
                self._functions[path] = FunctionIndex(self.source(path), former)
            except KvlintError:
                self._functions[path] = None
        return self._functions[path]

    def skimmed(self, path: Path) -> SpecFile | None:
        """Return what a file's module binds names to, without parsing any of it.

        Returns:
            The file itself if it is parsed already; None if it has no readable text.
        """
        known = self._files.get(path)
        if known is not None:
            return known
        if path not in self._skimmed:
            self._skimmed[path] = None
            with contextlib.suppress(KvlintError):
                self._skimmed[path] = skim(self.source(path))
        return self._skimmed[path]

    def is_accepted(self, path: Path) -> bool:
        """Return whether this Python accepts a file's syntax, as ``python_error`` does.

        Of a file whose text is replaced time and again, most is read only once.
        """
        if path not in self._edited:
            return python_error(self.content(path)) is None
        return self.known(path, "accepted", partial(self._is_accepted, path))

    def _is_accepted(self, path: Path) -> bool:
        try:
            found = accepted(self.source(path), self._edited[path])
        except KvlintError:
            return False
        if found is not None:
            self._edited[path] = found
        return found is not None

    def keep(self, path: Path, content: bytes) -> None:
        """Hold a file's bytes, for somebody will look at it again."""
        self._kept[path] = self._contents[path] = content

    def known(self, path: Path, what: Hashable, find: Callable[[], _Known]) -> _Known:
        """Return what can be told of a file's text alone, found out only once.

        Args:
            path: The file.
            what: What is told: whatever ``find`` depends on beside the text.
            find: Finds it out. What it gives is shared, so nobody may change it.
        """
        told = self._known.setdefault(path, {})
        if what not in told:
            if len(told) >= _MOST_KNOWN:
                told.clear()  # it was asked with names that nobody uses any more
            told[what] = find()
        return told[what]  # type: ignore[return-value]

    def package_files(self, path: Path) -> list[Path]:
        """Return the Python files of the outermost package that a file belongs to."""
        root = package_root(path)
        folder = root / path.relative_to(root).parts[0]
        if folder not in self._packages:
            is_package = folder.is_dir()
            self._packages[folder] = sorted(folder.rglob("*.py")) if is_package else []
        return self._packages[folder] or [path]

    @property
    def kept(self) -> list[Path]:
        """The files that are held."""
        return list(self._kept)

    def let_go(self) -> None:
        """Hold no file any more: what is worth holding is about to be found anew."""
        self._kept.clear()

    def replace(self, source: Source) -> None:
        """Let a text stand in for its file from now on."""
        self.forget(source.path)
        self._edited.setdefault(source.path, None)
        self._buffers[source.path] = source

    def forget(self, path: Path) -> None:
        """Let a file count as it is on disk, as if it had never been read."""
        self._buffers.pop(path, None)
        self._kept.pop(path, None)
        self._contents.pop(path, None)
        self._known.pop(path, None)
        self._sources.pop(path, None)
        if path in self._functions:
            self._former[path] = self._functions.pop(path)
        self._skimmed.pop(path, None)
        self._forget_model(path)

    def forget_models(self) -> None:
        """Forget what a judge had a part in; the texts stay."""
        for path in {*self._files, *self._outlines}:
            self._forget_model(path)

    def _forget_model(self, path: Path) -> None:
        file = self._files.pop(path, None)
        if file is not None:
            self._trees[path] = file.tree
        self._outlines.pop(path, None)
        self.failures.pop(path, None)

    def _read(self, path: Path) -> SpecFile | None:
        try:
            return read_file(self.source(path), self.judge, self._trees.get(path))
        except KvlintError as error:
            self.failures[path] = error
        except RecursionError:
            source = self.source(path)
            self.failures[path] = UnparsableError(source, 1, 1, "nested too deeply")
        return None

    def module(self, name: str, importer: Path, level: int = 0) -> Path | None:
        """Return the file of a module, as ``ModulePlaces.module`` does."""
        return self._places.module(name, importer, level)
