# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What the code that builds a composite makes sure of."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import libcst as cst

from kvlint.model.classes import MemberKind, SpecClass
from kvlint.model.syntax import dotted, text_of

EVERYTHING = "*"
"""Stands for every field: the builder goes through ``fields(...)``."""


@lru_cache(maxsize=256)
def agreed_attributes(composites: tuple[SpecClass, ...]) -> frozenset[str]:
    """Return the attributes on which builders of a composite insist.

    Builders are its constructors and class methods, those of composites above it, and
    functions of its file that construct it. An attribute counts if answers to it are
    gathered in a set, or compared with each other.

    Args:
        composites: The composite and the composites above it.
    """
    visitor = _Comparisons()
    for spec in composites:
        for function in _builders(spec):
            function.visit(visitor)
    return frozenset(visitor.found)


def _builders(spec: SpecClass) -> Iterator[cst.FunctionDef]:
    for member in spec.members.values():
        builds = member.kind in {MemberKind.CLASSMETHOD, MemberKind.STATICMETHOD}
        builds |= member.name in {"__init__", "__post_init__", "__new__"}
        if builds and member.function is not None:
            yield member.function
    for statement in spec.file.tree.module.body:
        if isinstance(statement, cst.FunctionDef):
            calls = _Calls(spec.name)
            statement.body.visit(calls)
            if calls.found:
                yield statement


class _Calls(cst.CSTVisitor):
    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self.found = False

    def visit_Call(self, node: cst.Call) -> None:
        self.found |= (dotted(node.func) or "").rpartition(".")[2] == self._name


class _Comparisons(cst.CSTVisitor):
    """Collects attributes whose values are compared or gathered in a set."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def visit_SetComp(self, node: cst.SetComp) -> None:
        self._gather(node.elt)

    def visit_Call(self, node: cst.Call) -> None:
        name = dotted(node.func)
        if name in {"set", "frozenset"} and len(node.args) == 1:
            inner = node.args[0].value
            if isinstance(inner, cst.GeneratorExp | cst.ListComp):
                self._gather(inner.elt)
        if name == "getattr" and len(node.args) > 1:
            text = text_of(node.args[1].value)
            self.found.add(text if text is not None else EVERYTHING)

    def visit_Comparison(self, node: cst.Comparison) -> None:
        sides = [node.left, *(each.comparator for each in node.comparisons)]
        read = [set(_attributes(side)) for side in sides]
        self.found |= set.intersection(*read)

    def _gather(self, node: cst.BaseExpression) -> None:
        self.found.update(_attributes(node))


def _attributes(node: cst.BaseExpression) -> Iterator[str]:
    """The attribute or method that an expression asks for, through tuples."""
    if isinstance(node, cst.Tuple):
        for element in node.elements:
            yield from _attributes(element.value)
    elif isinstance(node, cst.Call):
        yield from _attributes(node.func)
    elif isinstance(node, cst.Attribute):
        yield node.attr.value
