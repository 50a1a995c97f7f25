# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A file's imports alone, where parsing all of it would cost too much."""

from __future__ import annotations

import ast
import re
import textwrap

import libcst as cst

from kvlint.model.classes import SpecFile
from kvlint.model.scopes import ImportedModule, ImportedName, Scope, StarImport
from kvlint.model.syntax import Tree
from kvlint.sources import Source

_STATEMENT = re.compile(
    r"^[ \t]*(?:from[ \t]+[.\w]+[ \t]+import[ \t]*"
    r"(?:\([^)]*\)|[^\n\\(]*(?:\\\n[^\n]*)*)"
    r"|import[ \t][^\n]*)",
    re.M,
)


def read_imports(source: Source) -> SpecFile:
    """Return a file as far as its imports tell: names, and what they come from.

    What functions import for themselves counts for the whole file.

    Args:
        source: The file.
    """
    scope = Scope()
    for match in _STATEMENT.finditer(source.text):
        for statement in _parsed(match[0]):
            if isinstance(statement, ast.Import):
                _bind_modules(statement, scope)
            elif isinstance(statement, ast.ImportFrom):
                _bind_names(statement, scope)
    return SpecFile(Tree(source, cst.Module([])), scope)


def _parsed(text: str) -> list[ast.stmt]:
    try:
        return ast.parse(textwrap.dedent(text)).body
    except (SyntaxError, ValueError):
        return []


def _bind_modules(statement: ast.Import, scope: Scope) -> None:
    for alias in statement.names:
        head = alias.name.split(".")[0]
        module = alias.name if alias.asname else head
        scope.bind(alias.asname or head, ImportedModule(module))


def _bind_names(statement: ast.ImportFrom, scope: Scope) -> None:
    module, level = statement.module or "", statement.level
    for alias in statement.names:
        if alias.name == "*":
            scope.stars.append(StarImport(module, level))
        else:
            found = ImportedName(module, alias.name, level)
            scope.bind(alias.asname or alias.name, found)
