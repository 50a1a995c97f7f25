# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Sets of which an assertion alone says that they hold one value, which is taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted

_NEGATIONS: dict[type[cst.BaseCompOp], type[cst.BaseCompOp]] = {
    cst.NotEqual: cst.Equal,
    cst.GreaterThan: cst.LessThanEqual,
    cst.GreaterThanEqual: cst.LessThan,
}
_OPPOSITES: dict[type[cst.BaseCompOp], str] = {
    cst.Equal: "!=",
    cst.LessThanEqual: ">",
    cst.LessThan: ">=",
}


@dataclass(frozen=True)
class Bound:
    """``len(values) == 1``, or another test that lets one value through at most.

    Attributes:
        name: The set.
        opposite: The operator of the test that is true where this one is not.
        limit: The number that it is compared with.
    """

    name: str
    opposite: str
    limit: str


@dataclass(frozen=True)
class AssertedSets:
    """An assertion that sets hold one value, and what takes the value.

    Attributes:
        line: The statement.
        node: The assertion on it.
        bounds: What it tests, all of it; empty if it does something else as well.
        taken: The sets that a value is taken from further down, in that order.
        takes: Where that is done, for each of them once.
    """

    line: cst.SimpleStatementLine
    node: cst.Assert
    bounds: tuple[Bound, ...]
    taken: tuple[str, ...]
    takes: tuple[cst.CSTNode, ...]


def asserted_sets(function: cst.FunctionDef) -> list[AssertedSets]:
    """Return the assertions without which a function takes an arbitrary value.

    Those say that a set made in the function holds one value, before that value is
    taken with ``pop()``, ``next(iter(...))`` or ``list(...)[0]``. A set whose size the
    function looks at by other means as well is left out.

    Args:
        function: The function; those inside of it count as part of it.
    """
    nodes = list(walk(function.body))
    sets = _sets(nodes)
    asserts = [node for node in nodes if isinstance(node, cst.Assert)]
    tested = {each for node in asserts for each in walk(node.test)}
    guarded = {
        bound.name
        for node in nodes
        if isinstance(node, cst.Comparison) and node not in tested
        for bound in [_bound(node, any_test=True)]
        if bound is not None
    }
    lines = {
        node: line
        for line in nodes
        if isinstance(line, cst.SimpleStatementLine)
        for node in line.body
    }
    found = []
    for index, node in enumerate(nodes):
        if not isinstance(node, cst.Assert):
            continue
        parts = list(_conjuncts(node.test))
        bounds = [each for each in map(_bound, parts) if each is not None]
        candidates = {each.name for each in bounds} & sets - guarded
        takes = _takes(nodes[index:], candidates) if candidates else {}
        if takes and node in lines:
            is_whole = len(bounds) == len(parts) and not any(
                isinstance(each, cst.NamedExpr) for each in walk(node.test)
            )
            whole = tuple(bounds) if is_whole else ()
            found.append(
                AssertedSets(
                    lines[node], node, whole, tuple(takes), tuple(takes.values())
                )
            )
    return found


def _sets(nodes: Sequence[cst.CSTNode]) -> set[str]:
    """Names that are bound to sets and to nothing else."""
    kinds: dict[str, set[bool]] = {}
    for node in nodes:
        match node:
            case cst.Assign(targets=targets, value=value):
                for each in targets:
                    kinds.setdefault(dotted(each.target) or "", set()).add(
                        _is_set(value)
                    )
            case (
                cst.AnnAssign(target=target, value=value)
                | cst.NamedExpr(target=target, value=value)
            ) if value is not None:
                kinds.setdefault(dotted(target) or "", set()).add(_is_set(value))
    return {name for name, are_sets in kinds.items() if name and are_sets == {True}}


def _is_set(node: cst.BaseExpression) -> bool:
    match node:
        case cst.SetComp() | cst.Set():
            return True
        case cst.Call(func=cst.Name(value="set" | "frozenset")):
            return True
        case cst.BinaryOperation(
            left=left, operator=cst.BitOr() | cst.BitAnd(), right=right
        ):
            return _is_set(left) and _is_set(right)
    return False


def _conjuncts(test: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    match test:
        case cst.UnaryOperation(operator=cst.Not(), expression=cst.Comparison() as no):
            test = _negated(no) or test
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        yield from _conjuncts(test.left)
        yield from _conjuncts(test.right)
    else:
        yield test


def _negated(node: cst.Comparison) -> cst.Comparison | None:
    """``x <= 1`` for ``x > 1``, and the like; None for other operators."""
    match node.comparisons:
        case [cst.ComparisonTarget(operator=operator) as only]:
            negation = _NEGATIONS.get(type(operator))
            if negation is not None:
                changed = only.with_changes(operator=negation())
                return node.with_changes(comparisons=[changed])
    return None


def _bound(node: cst.BaseExpression, *, any_test: bool = False) -> Bound | None:
    """A comparison of a set's size with a number."""
    if not isinstance(node, cst.Comparison) or len(node.comparisons) != 1:
        return None
    operator, limit = node.comparisons[0].operator, node.comparisons[0].comparator
    size = node.left
    if isinstance(size, cst.Integer) and isinstance(operator, cst.Equal):
        size, limit = limit, size
    match size:
        case cst.Call(func=cst.Name(value="len"), args=[only]):
            counted = only.value
            if isinstance(counted, cst.NamedExpr):
                counted = counted.target
            name = dotted(counted)
            if name is None:
                return None
            opposite = _OPPOSITES.get(type(operator), "")
            most = limit.value if isinstance(limit, cst.Integer) else ""
            is_one = opposite and most == ("2" if opposite == ">=" else "1")
            return Bound(name, opposite, most) if is_one or any_test else None
    return None


def _takes(nodes: Sequence[cst.CSTNode], names: set[str]) -> dict[str, cst.CSTNode]:
    """The first place at which a value is taken from each of some sets."""
    found: dict[str, cst.CSTNode] = {}
    for node in nodes:
        name = _taken_from(node)
        if name in names:
            found.setdefault(name, node)
    return found


def _taken_from(node: cst.CSTNode) -> str:
    match node:
        case cst.Assign(
            targets=[cst.AssignTarget(target=cst.Tuple(elements=[first, *others]))],
            value=value,
        ) if others and isinstance(others[-1], cst.StarredElement):
            return (dotted(value) or "") if isinstance(first, cst.Element) else ""
        case cst.For(iter=iterated, body=cst.IndentedBlock(body=[first, *_])) if (
            _returns(first)
        ):
            return dotted(iterated) or ""
        case cst.Call(
            func=cst.Attribute(value=owner, attr=cst.Name(value="pop")), args=[]
        ):
            return dotted(owner) or ""
        case cst.Call(
            func=cst.Name(value="next"),
            args=[
                cst.Arg(value=cst.Call(func=cst.Name(value="iter"), args=[only])),
                *_,
            ],
        ):
            return dotted(only.value) or ""
        case cst.Subscript(
            value=cst.Call(
                func=cst.Name(value="list" | "tuple" | "sorted"), args=[only]
            )
        ):
            return dotted(only.value) or ""
        case cst.Subscript(
            value=cst.List(elements=[cst.StarredElement(value=only)])
            | cst.Tuple(elements=[cst.StarredElement(value=only)])
        ):
            return dotted(only) or ""
    return ""


def _returns(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(
        statement.body[0], cst.Return
    )
