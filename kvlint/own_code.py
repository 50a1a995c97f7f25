# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a project's own code does, as far as its text tells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kvlint.model.classes import SpecClass
from kvlint.model.syntax import Span
from kvlint.model.uses import hands_on
from kvlint.model.workspace import Workspace
from kvlint.specs.contract import Definition
from kvlint.specs.hierarchy import Hierarchy
from kvlint.uses.attribute_reads import attribute_reads
from kvlint.uses.producers import producers


@dataclass(frozen=True)
class OwnCode:
    """A project's own files.

    Attributes:
        files: All of them, tests too.
        is_test: Tells which of them are test code.
        workspace: Reads them.
        hierarchy: The run's spec classes.
    """

    files: frozenset[Path]
    is_test: Callable[[Path], bool]
    workspace: Workspace
    hierarchy: Hierarchy

    @cached_property
    def _untested(self) -> list[Path]:
        return [each for each in sorted(self.files) if not self.is_test(each)]

    def reads(self, definition: Definition) -> bool:
        """Return whether code reads an attribute of a definition's name.

        What the definition itself does is left out, and so is test code.
        """
        file = definition.owner.file
        node = definition.node
        own = file.span(node) if node is not None else Span(0, 0)
        return any(
            path != file.path or not own.start <= offset < own.end
            for path, offset in attribute_reads(
                self.workspace, self._untested, definition.name
            )
        )

    def reads_off(self, name: str) -> bool:
        """Return whether code reads an attribute as ``x.name``, test code left out."""
        reads = attribute_reads(self.workspace, self._untested, name)
        return any(self.workspace.source(p).text[at] == "." for p, at in reads)

    def gives(self, spec: SpecClass, name: str) -> bool:
        """Return whether code sets a field when it makes specs of a class.

        Copies with another value count whatever they copy.
        """
        names = self.hierarchy.names_below(spec)
        return bool(producers(self.workspace, self._untested, name, names))

    def hands_on(self, manager: SpecClass) -> bool:
        """Return whether somebody constructs a manager, or hands it on.

        Where it is handed on, it may be registered. What tests do with it does not
        count: they construct managers that nobody else does.
        """
        return any(
            hands_on(file, manager.name)
            for path in self._untested
            if manager.name.encode() in self.workspace.content(path)
            and (file := self.workspace.file(path)) is not None
        )

    def speaks_of(self, name: str) -> bool:
        """Return whether spec code holds a name, tests too."""
        word = name.encode()
        return any(
            word in self.workspace.content(path)
            for path in self.workspace.kept
            if path in self.files
        )
