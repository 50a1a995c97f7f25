# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Containers and mappings that modules give names to, read without the module."""

from __future__ import annotations

import re
from pathlib import Path

import libcst as cst

from kvlint.errors import KvlintError
from kvlint.model.imported import read_imports
from kvlint.model.scopes import ImportedName
from kvlint.model.workspace import Workspace

_OPENS, _CLOSES = "([{", ")]}"


class Literals:
    """Looks up what names stand for in a file, and in those it imports from.

    Args:
        workspace: Reads the files.
        path: The file.

    Attributes:
        paths: The file, and those in which literals were found: what stands in them is
            named as it is there.
    """

    def __init__(self, workspace: Workspace, path: Path) -> None:
        """Begin with the file."""
        self._workspace = workspace
        self.paths = [path]

    def find(self, name: str) -> cst.BaseExpression | None:
        """Return the literal that a name of the module or class stands for.

        Args:
            name: As written; of attributes, those of ``self`` and ``cls``.
        """
        owner, _, last = name.rpartition(".")
        if owner not in {"", "self", "cls"}:
            return None
        return self._find(last, self.paths[0], may_import=not owner)

    def _find(
        self, name: str, path: Path, *, may_import: bool
    ) -> cst.BaseExpression | None:
        try:
            source = self._workspace.source(path)
        except KvlintError:
            return None
        found = _assigned(source.text, name)
        if found is not None:
            self.paths.append(path)
            return found
        if may_import and name in source.text:
            for each in read_imports(source).scope.names.get(name, ()):
                if not isinstance(each, ImportedName):
                    continue
                module = self._workspace.module(each.module, path, each.level)
                if module is not None and module not in self.paths:
                    return self._find(each.name, module, may_import=False)
        return None


def _assigned(text: str, name: str) -> cst.BaseExpression | None:
    """The container that a module, or a class in it, gives a name to."""
    head = re.compile(
        rf"^[ \t]*{re.escape(name)}[ \t]*(?::[^=\n]*)?="
        r"\s*(?=(?:frozenset|set|tuple)\s*\(|[(\[{])",
        re.M,
    )
    starts = [each.end() for each in head.finditer(text)]
    changed = (
        rf"\b{re.escape(name)}\s*(?:\[[^]\n]*\]\s*=(?!=)|\.(?:update|add|append)\()"
    )
    if len(starts) != 1 or re.search(changed, text):
        return None
    depth = 0
    for end in range(starts[0], len(text)):
        depth += (text[end] in _OPENS) - (text[end] in _CLOSES)
        if not depth and text[end] in _CLOSES:
            try:
                return cst.parse_expression(text[starts[0] : end + 1])
            except (cst.ParserSyntaxError, cst.CSTValidationError):
                return None
    return None
