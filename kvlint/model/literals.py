# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Literal lists and mappings that loops go over, row by row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import libcst as cst

from kvlint.model.syntax import dotted

Values = Mapping[str, cst.BaseExpression]
"""What names stand for."""

_Sequence = cst.List | cst.Tuple | cst.Set


def assigned(statements: Iterable[cst.CSTNode]) -> dict[str, cst.BaseExpression]:
    """Return the names that a block gives one value, and that value."""
    found: dict[str, cst.BaseExpression | None] = {}
    for statement in statements:
        for each in getattr(statement, "body", ()) if _is_line(statement) else ():
            for name, value in _assignments(each):
                found[name] = None if name in found else value
    return {name: value for name, value in found.items() if value is not None}


def _is_line(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine)


def _assignments(
    statement: cst.CSTNode,
) -> Iterable[tuple[str, cst.BaseExpression | None]]:
    match statement:
        case cst.Assign(targets=targets, value=value):
            for each in targets:
                if isinstance(each.target, cst.Name):
                    yield each.target.value, value
        case cst.AnnAssign(target=cst.Name(value=name), value=value):
            yield name, value
        case cst.AugAssign(target=cst.Name(value=name)):
            yield name, None


def elements(
    node: cst.BaseExpression, values: Values
) -> Sequence[cst.BaseExpression] | None:
    """Return the elements of a list, tuple or set, None if they are not all known.

    Args:
        node: The literal, or a name that stands for it.
        values: What names stand for.
    """
    node = _meant(node, values)
    if not isinstance(node, _Sequence):
        return None
    if any(isinstance(each, cst.StarredElement) for each in node.elements):
        return None
    return [each.value for each in node.elements]


def entries(
    node: cst.BaseExpression, values: Values
) -> Sequence[tuple[cst.BaseExpression, cst.BaseExpression]] | None:
    """Return the keys and values of a mapping, None if they are not all known.

    Args:
        node: The literal, a list of its pairs, or a name that stands for one.
        values: What names stand for.
    """
    node = _meant(node, values)
    if isinstance(node, cst.Dict):
        found = [
            (each.key, each.value)
            for each in node.elements
            if isinstance(each, cst.DictElement)
        ]
        return found if len(found) == len(node.elements) else None
    pairs = [elements(each, values) for each in elements(node, values) or ()]
    if not pairs or any(each is None or len(each) != 2 for each in pairs):
        return None
    return [(each[0], each[1]) for each in pairs if each is not None]


def rows(loop: cst.For, values: Values) -> list[Values] | None:
    """Return what a loop's names stand for each time, None if that is not known.

    Args:
        loop: The loop.
        values: What names stand for outside of it.
    """
    items = _items(loop.iter, values)
    if items is None:
        return None
    found: list[Values] = []
    for item in items:
        row = _unpacked(loop.target, item, values)
        if row is None:
            return None
        found.append({**values, **row})
    return found


def _items(
    node: cst.BaseExpression, values: Values
) -> Sequence[cst.BaseExpression] | None:
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        if node.func.attr.value != "items" or node.args:
            return None
        pairs = entries(node.func.value, values)
        if pairs is None:
            return None
        return [cst.Tuple([cst.Element(x) for x in pair]) for pair in pairs]
    return elements(node, values)


def _unpacked(
    target: cst.BaseExpression, item: cst.BaseExpression, values: Values
) -> Values | None:
    if isinstance(target, cst.Name):
        return {target.value: item}
    names = elements(target, {})
    parts = elements(item, values)
    if names is None or parts is None or len(names) != len(parts):
        return None
    row: dict[str, cst.BaseExpression] = {}
    for name, part in zip(names, parts, strict=True):
        inner = _unpacked(name, part, values)
        if inner is None:
            return None
        row |= inner
    return row


def _meant(node: cst.BaseExpression, values: Values) -> cst.BaseExpression:
    name = dotted(node)
    return node if name is None else values.get(name, node)
