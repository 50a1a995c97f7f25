# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A file's imports alone, where parsing all of it would cost too much."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from kvlint.model.classes import SpecFile
from kvlint.model.scopes import ImportedModule, ImportedName, Scope, StarImport
from kvlint.model.syntax import Tree
from kvlint.sources import Source

_STATEMENT = re.compile(
    r"[ \t]*(?:from[ \t]+[.\w]+[ \t]+import[ \t]*"
    r"(?:\([^)]*\)|[^\n\\(]*(?:\\\n[^\n]*)*)"
    r"|import[ \t][^\n]*)"
)


def read_imports(source: Source) -> SpecFile:
    """Return a file as far as its imports tell: names, and what they come from.

    What functions import for themselves counts for the whole file.

    Args:
        source: The file.
    """
    scope = Scope()
    for statement in _parsed(list(_statements(source.text))):
        if isinstance(statement, ast.Import):
            _bind_modules(statement, scope)
        elif isinstance(statement, ast.ImportFrom):
            _bind_names(statement, scope)
    return SpecFile(Tree(source, cst.Module([])), scope)


def _statements(text: str) -> Iterator[str]:
    """The import statements of a text: every line with that word may be one."""
    at = text.find("import")
    while at >= 0:
        start = text.rfind("\n", 0, at) + 1
        match = _STATEMENT.match(text, start)
        end = at
        if match is not None:
            yield match[0].lstrip()
            end = max(match.end(), at)
        at = text.find("import", end + 1)


def _parsed(texts: list[str]) -> list[ast.stmt]:
    """Statements from their texts; all at once, or one by one if some are none."""
    try:
        return ast.parse("\n".join(texts)).body
    except (SyntaxError, ValueError):
        if len(texts) == 1:
            return []
    return [statement for text in texts for statement in _parsed([text])]


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
