# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Classes whose constructors take a width, by position too."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from kvlint.model.blocks import names_around
from kvlint.model.functions import FunctionIndex
from kvlint.model.scopes import ImportedName
from kvlint.project import Project

Position = tuple[int, str]
"""Of a parameter among others, and its name."""


@dataclass
class Takers:
    """The classes of a project's files, and of vLLM's where they are at hand.

    Attributes:
        project: The run's project.
        parameters: The names of what takes a width.
    """

    project: Project
    parameters: Sequence[str]
    _known: dict[tuple[Path, str], Position | None] = field(default_factory=dict)

    @cached_property
    def names(self) -> frozenset[str]:
        """The simple names of all of them, before anything is resolved."""
        return frozenset(name for names in self._defined.values() for name in names)

    def position(self, functions: FunctionIndex, name: str) -> Position | None:
        """Return where a class that a file has or imports takes a width, and its name.

        Args:
            functions: The functions of the file.
            name: The class's name.
        """
        path = functions.source.path
        for other, names in self._defined.items():
            if name in names and (other == path or self._imports(path, name, other)):
                key = other, name
                if key not in self._known:
                    self._known[key] = self._position(other, name)
                return self._known[key]
        return None

    def _imports(self, path: Path, name: str, other: Path) -> bool:
        """Whether a file imports a class from another file."""
        workspace = self.project.workspace
        skimmed = workspace.skimmed(path)
        return skimmed is not None and any(
            isinstance(each, ImportedName)
            and each.name == name
            and workspace.module(each.module, path, each.level) == other
            for each in skimmed.scope.names.get(name, ())
        )

    @cached_property
    def _defined(self) -> dict[Path, set[str]]:
        workspace = self.project.workspace
        takes = re.compile(rf"(?:{'|'.join(self.parameters)})\s*:")
        needles = [each.encode() for each in self.parameters]
        found: dict[Path, set[str]] = {}
        for path in workspace.kept:
            content = workspace.content(path)
            if b"__init__" not in content or not any(x in content for x in needles):
                continue
            functions = workspace.functions(path)
            if functions is not None:
                text = functions.source.text
                places = [each.start() for each in takes.finditer(text)]
                names = names_around(text, places) if places else set()
                if "__init__" in names:
                    found[path] = names - {"__init__"}
        return found

    def _position(self, path: Path, name: str) -> Position | None:
        functions = self.project.workspace.functions(path)
        text = "" if functions is None else functions.source.text
        header = re.search(rf"^class {name}\b[\s\S]*?\bdef __init__\(", text, re.M)
        if functions is None or header is None:
            return None
        for each in functions.around([header.end() - 1]):
            if each.class_name == name:
                for place, taken in enumerate(each.node.params.params[1:]):
                    if taken.name.value in self.parameters:
                        return place, taken.name.value
        return None
