# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a module binds names to, read off its text: quicker than to parse it."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from kvlint.model.annotations import TypeName
from kvlint.model.classes import SpecFile
from kvlint.model.scopes import (
    Alias,
    Binding,
    ImportedModule,
    ImportedName,
    Opaque,
    Scope,
    StarImport,
)
from kvlint.model.syntax import Tree
from kvlint.sources import Source

_BINDINGS = re.compile(
    r"^(?P<indent>[ \t]*)from[ \t]+(?P<dots>\.*)(?P<module>[\w.]*)[ \t]+import[ \t]*"
    r"(?P<names>\([^)]*\)|(?:[^\r\n(\\#;]|\\\r?\n?)+)"
    r"|^(?P<deep>[ \t]*)import[ \t]+(?P<modules>(?:[^\r\n\\#;]|\\\r?\n?)+)"
    r"|^(?:class|def|async[ \t]+def)[ \t]+(?P<defined>\w+)"
    r"|^(?P<alias>\w+)[ \t]*=[ \t]*(?P<value>[A-Za-z_][\w.]*)[ \t]*(?:#.*)?\r?$",
    re.M,
)
_OPENS_BRANCH = re.compile(r"(?:if|elif|else|try|except|finally|with)\b")
_REST = frozenset({" ", "\t", "\r", "\n", "#", ")", ""})
_CLAUSE = re.compile(r"([\w.*]+)(?:\s+as\s+(\w+))?")
_COMMENT = re.compile(r"#[^\r\n]*")


def skim(source: Source) -> SpecFile:
    """Return a file's imports, aliases, and what hides them, without its code.

    What a function or a class imports for itself is left out.

    Args:
        source: The file.
    """
    scope = Scope()
    branches = _Branches(source)
    for found in _BINDINGS.finditer(source.text):
        indent = found["indent"] or found["deep"]
        if found["defined"]:
            scope.bind(found["defined"], Opaque())
        elif found["alias"]:
            scope.bind(found["alias"], Alias(TypeName(found["value"])))
        elif indent and not branches.hold(found.start()):
            continue
        elif found["modules"]:
            _import(found["modules"], scope)
        elif found["names"]:
            _import_from(found, scope)
    return SpecFile(Tree(source, cst.Module([])), scope)


def _import(modules: str, scope: Scope) -> None:
    for name, bound in _CLAUSE.findall(modules):
        head = name.partition(".")[0]
        binding = ImportedModule(name if bound else head)
        scope.bind(bound or head, binding)


def _import_from(found: re.Match[str], scope: Scope) -> None:
    module, level = found["module"], len(found["dots"])
    for name, bound in _CLAUSE.findall(_COMMENT.sub("", found["names"])):
        if name == "*":
            scope.stars.append(StarImport(module, level))
        else:
            binding: Binding = ImportedName(module, name, level)
            scope.bind(bound or name, binding)


@dataclass
class _Branches:
    """The branches of a module itself."""

    source: Source

    def hold(self, position: int) -> bool:
        """Whether an indented line belongs to one."""
        above = bisect_left(self._outermost, position) - 1
        if above < 0:
            return False
        return bool(_OPENS_BRANCH.match(self.source.text, self._outermost[above]))

    @cached_property
    def _outermost(self) -> list[int]:
        """Where lines begin that are not indented and no rest of a statement."""
        text = self.source.text
        return [x for x in self.source.line_starts if text[x : x + 1] not in _REST]
