# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where code gives a spec's field a value."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import libcst as cst

from kvlint.findings import Place
from kvlint.model.syntax import dotted, text_of
from kvlint.model.workspace import Workspace


def find_producers(
    workspace: Workspace,
    files: Iterable[Path],
    field: str,
    specs: frozenset[str],
    default: str = "",
    *,
    copies: bool = True,
) -> list[Place]:
    """Return the places that set a field of a spec.

    Those are constructor calls, also through ``partial`` and through a mapping of
    keywords in the same function, ``replace(spec, field=...)`` and
    ``object.__setattr__(spec, "field", ...)``.

    Args:
        workspace: Reads the files.
        files: Where to look; only the functions that need it are parsed.
        field: The field.
        specs: Simple names of the classes that have it.
        default: The text of its default: to pass that is to set nothing.
        copies: Whether ``replace`` and ``__setattr__`` count, of whatever class the
            spec may be.
    """
    pattern = re.compile(rf"\b{re.escape(field)}\s*=(?!=)|[\"']{re.escape(field)}[\"']")
    needle = field.encode()
    found: list[Place] = []
    for path in files:
        content = workspace.content(path)
        if needle not in content:
            continue
        if not copies and not any(name.encode() in content for name in specs):
            continue
        functions = workspace.functions(path)
        if functions is None:
            continue
        offsets = [each.start() for each in pattern.finditer(functions.source.text)]
        for function in functions.around(offsets):
            calls = _Calls(field, specs, {"None", default}, copies=copies)
            function.node.visit(calls)
            nodes = calls.found + (calls.in_mappings if calls.unpacks else [])
            found += [function.place(node) for node in nodes]
    return found


class _Calls(cst.CSTVisitor):
    def __init__(
        self, field: str, specs: frozenset[str], nothing: set[str], *, copies: bool
    ) -> None:
        super().__init__()
        self._field, self._nothing, self._copies = field, nothing, copies
        self._makers = specs | {"replace"} if copies else specs
        self.found: list[cst.CSTNode] = []
        self.in_mappings: list[cst.CSTNode] = []
        self.unpacks = False

    def visit_Call(self, node: cst.Call) -> None:
        name = _last(node.func)
        if name == "partial" and node.args:
            name = _last(node.args[0].value)
        passed = [
            argument
            for argument in node.args
            if argument.keyword is not None
            and argument.keyword.value == self._field
            and cst.Module([]).code_for_node(argument.value) not in self._nothing
        ]
        if name in self._makers:
            self.found += passed
            self.unpacks |= any(argument.star == "**" for argument in node.args)
        elif name == "dict":
            self.in_mappings += passed
        sets = name in {"__setattr__", "setattr"} and len(node.args) == 3
        if self._copies and sets and text_of(node.args[1].value) == self._field:
            self.found.append(node)

    def visit_Dict(self, node: cst.Dict) -> None:
        self.in_mappings += [
            element
            for element in node.elements
            if isinstance(element, cst.DictElement)
            and text_of(element.key) == self._field
        ]


def _last(node: cst.BaseExpression) -> str:
    return (dotted(node) or "").rpartition(".")[2]
