# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Classes that code looks up in a dictionary by the class of a value."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from kvlint.model.nodes import walk
from kvlint.model.values.known import text


@dataclass(frozen=True)
class ClassLookup:
    """A class looked up in a dictionary.

    Attributes:
        table: The variable that holds it.
        by_order: Along the method resolution order, not for the class alone.
    """

    table: str
    by_order: bool


def class_lookup(
    function: cst.FunctionDef, node: cst.BaseExpression
) -> ClassLookup | None:
    """Return how a function comes by a class that it does not name.

    Args:
        function: The function.
        node: What stands for the class: a variable or a subscript.
    """
    if isinstance(node, cst.Name):
        for loop in walk(function):
            if isinstance(loop, cst.For | cst.CompFor):
                table = _gone_through(loop, node.value)
                if table:
                    return ClassLookup(table, by_order=True)
        values = [
            each.value
            for each in walk(function)
            if isinstance(each, cst.Assign | cst.AnnAssign | cst.NamedExpr)
            and each.value is not None
            and node.value in _targets(each)
        ]
        looked = [found for each in values if (found := _looked_up(function, each))]
        return looked[0] if looked else None
    return _looked_up(function, node)


def _gone_through(loop: cst.For | cst.CompFor, name: str) -> str:
    """The dictionary whose values a loop gives a name to, one after the other."""
    target, iterated = loop.target, text(loop.iter)
    if not isinstance(target, cst.Tuple) or not iterated.endswith(".items()"):
        return ""
    is_value = text(target.elements[-1].value) == name
    return iterated.removesuffix(".items()") if is_value else ""


def _targets(node: cst.Assign | cst.AnnAssign | cst.NamedExpr) -> list[str]:
    if isinstance(node, cst.Assign):
        return [text(each.target) for each in node.targets]
    return [text(node.target)]


def _looked_up(
    function: cst.FunctionDef, node: cst.BaseExpression
) -> ClassLookup | None:
    for each in walk(node):
        match each:
            case cst.Subscript(value=cst.Name(value=table), slice=[part]):
                if isinstance(part.slice, cst.Index):
                    return _by_key(function, table, part.slice.value)
            case cst.Call(
                func=cst.Attribute(value=cst.Name(value=table), attr=cst.Name("get")),
                args=[key, *_],
            ):
                return _by_key(function, table, key.value)
    return None


def _by_key(
    function: cst.FunctionDef, table: str, key: cst.BaseExpression
) -> ClassLookup | None:
    if _is_class_of(text(key)):
        return ClassLookup(table, by_order=False)
    for each in walk(function):
        if isinstance(each, cst.CompFor | cst.For) and text(each.target) == text(key):
            order = text(each.iter)
            if "__mro__" in order or "mro(" in order:
                return ClassLookup(table, by_order=True)
    return None


def _is_class_of(written: str) -> bool:
    return written.startswith("type(") or written.endswith(".__class__")
