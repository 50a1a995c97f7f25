# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Constructor calls of spec classes, over the files of a project."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from kvlint.errors import KvlintError
from kvlint.model.calls import CallFinder, TextCall
from kvlint.model.classes import SpecClass
from kvlint.specs.hierarchy import Hierarchy
from kvlint.specs.spec_names import SpecNames
from kvlint.uses.builds import COPIERS, Build, copies_spec, read_build


@dataclass(frozen=True, eq=False)
class SpecCall:
    """A constructor call, as far as its text tells.

    Attributes:
        path: Its file.
        spec: The class.
        text: The call.
    """

    path: Path
    spec: SpecClass
    text: TextCall


class SpecCalls:
    """Finds constructor calls of specs, and changed copies.

    Args:
        hierarchy: The spec classes.
        names: Tells which class a name means.
    """

    def __init__(self, hierarchy: Hierarchy, names: SpecNames) -> None:
        """Begin with nothing read."""
        self._workspace, self._names = hierarchy.workspace, names
        self._constructors = CallFinder(each.name for each in hierarchy.specs)
        self._copiers = CallFinder(COPIERS)
        self._found: dict[Path, list[SpecCall]] = {}
        self._builds: dict[SpecCall, Build] = {}

    def in_files(self, files: Iterable[Path]) -> Iterator[SpecCall]:
        """Yield the constructor calls in some files, in the order of the text.

        Args:
            files: Where to look.
        """
        for path in files:
            if path not in self._found:
                self._found[path] = [
                    SpecCall(path, spec, text)
                    for text in self._texts(self._constructors, path)
                    if (spec := self._names.spec(text.dotted, path)) is not None
                ]
            yield from self._found[path]

    def builds(self, files: Iterable[Path]) -> Iterator[Build]:
        """Return what the constructor calls in some files tell of their fields.

        Args:
            files: Where to look.
        """
        return map(self.build, self.in_files(files))

    def build(self, call: SpecCall) -> Build:
        """Return what a constructor call tells of its fields."""
        if call not in self._builds:
            source = self._workspace.source(call.path)
            name, text = call.spec.name, call.text
            self._builds[call] = self._workspace.known(
                call.path,
                ("build", name, text.start),
                partial(read_build, name, text, source),
            )
        return self._builds[call]

    def changes(self, files: Iterable[Path]) -> Iterator[Build]:
        """Yield what changed copies of specs tell of their fields.

        Args:
            files: Where to look.
        """
        for path in files:
            yield from self._workspace.known(
                path, "changed copies", partial(self._changes_in, path)
            )

    def _changes_in(self, path: Path) -> list[Build]:
        return [
            read_build("", text, self._workspace.source(path))
            for text in self._texts(self._copiers, path)
            if copies_spec(text)
        ]

    def _texts(self, finder: CallFinder, path: Path) -> Sequence[TextCall]:
        find = partial(self._found_texts, finder, path)
        return self._workspace.known(path, ("calls", finder.names), find)

    def _found_texts(self, finder: CallFinder, path: Path) -> Sequence[TextCall]:
        if not finder.is_in(self._workspace.content(path)):
            return ()
        try:
            text = self._workspace.source(path).text
        except KvlintError:
            return ()
        return tuple(finder.calls(text))
