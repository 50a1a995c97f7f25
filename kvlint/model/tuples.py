# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Tuples in annotations, in values, and in what code does with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from kvlint.model.classes import Field, Member
from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted

_MEASURING = frozenset(["all", "any", "len", "max", "min", "prod", "sum"])
_ITERATING = frozenset(["chain", "enumerate", "filter", "iter", "map", "reversed"])
_GATHERING = frozenset(["frozenset", "list", "set", "sorted", "tuple", "zip"])
_ASKING = _MEASURING | _ITERATING | _GATHERING
_AROUND = frozenset({"Annotated", "Final", "InitVar", "Optional", "Union"})
_SEVERAL = 2


def annotation_node(field: Field) -> cst.BaseExpression | None:
    """Return the annotation of a field as it is written, None if there is none."""
    for each in walk(field.owner.node.body):
        if isinstance(each, cst.AnnAssign) and each.target is field.node:
            return each.annotation.annotation
    return None


def one_tuple(annotation: cst.BaseExpression) -> cst.Subscript | None:
    """Return the ``tuple[X]`` that an annotation is, or is one of its options."""
    match annotation:
        case cst.BinaryOperation(left=left, right=right):
            return one_tuple(left) or one_tuple(right)
        case cst.Subscript(value=head, slice=parts):
            name = (dotted(head) or "").rpartition(".")[2]
            inner = [
                each.slice.value for each in parts if isinstance(each.slice, cst.Index)
            ]
            if name in _AROUND:
                found = filter(None, map(one_tuple, inner))
                return next(found, None)
            if name in {"tuple", "Tuple"} and len(parts) == 1 and inner:
                return annotation if _is_one_type(parts[0], inner[0]) else None
    return None


def _is_one_type(part: cst.SubscriptElement, node: cst.BaseExpression) -> bool:
    """Whether what stands in the brackets is the type of a single element."""
    is_starred = isinstance(part.slice, cst.Index) and part.slice.star is not None
    if isinstance(node, cst.Tuple):  # as in `tuple[()]` and `tuple[(int, str)]`
        return False
    head = dotted(node.value) if isinstance(node, cst.Subscript) else None
    return not is_starred and (head or "").rpartition(".")[2] != "Unpack"


def length(
    value: cst.BaseExpression, function: cst.CSTNode | None = None
) -> int | None:
    """Return how many elements a tuple has, None for what may be no tuple.

    Args:
        value: What gives the tuple.
        function: Where a name in it may have been bound.

    Returns:
        The number; two for any that varies, as that of ``tuple(shapes)`` does.
    """
    match value:
        case cst.Tuple(elements=elements):
            if any(isinstance(each, cst.StarredElement) for each in elements):
                return _SEVERAL
            return len(elements)
        case cst.Call(func=cst.Name("tuple"), args=args):
            return _made(args)
        case cst.BinaryOperation(left=left, operator=operator, right=right):
            lengths = [length(each, function) for each in (left, right)]
            if isinstance(operator, cst.Add) and None not in lengths:
                return _SEVERAL
            is_repeated = isinstance(operator, cst.Multiply) and lengths != [None, None]
            return _SEVERAL if is_repeated else None
        case cst.Name(name) if function is not None:
            bound = list(_bound(function, name))
            return length(bound[0]) if len(bound) == 1 else None
    return None


def _made(args: Sequence[cst.Arg]) -> int | None:
    if not args:
        return 0
    given = args[0].value
    if isinstance(given, cst.List | cst.Tuple):
        return length(cst.Tuple(given.elements))
    return _SEVERAL


def _bound(function: cst.CSTNode, name: str) -> Iterator[cst.BaseExpression]:
    """The values that a function gives a name; itself for any other binding."""
    for each in walk(function):
        match each:
            case cst.Assign(targets=targets, value=value):
                for target in targets:
                    if dotted(target.target) == name:
                        yield value
            case cst.AnnAssign(target=cst.Name(bound), value=given) if bound == name:
                if given is not None:
                    yield given
            case (
                cst.AugAssign(target=cst.Name(bound)) | cst.Param(name=cst.Name(bound))
            ) if bound == name:
                yield cst.Name(name)


def treats_as_one(member: Member, attribute: str) -> bool:
    """Return whether a method takes for granted that a tuple holds one element.

    Args:
        member: The method or property.
        attribute: The tuple, read off its instance.
    """
    for each in walk(member.function or cst.Pass()):
        match each:
            case cst.Assign(
                targets=[cst.AssignTarget(cst.Tuple(elements=[cst.Element()]))],
                value=value,
            ) if _is_read(member, value, attribute):
                return True
            case cst.Comparison(
                left=cst.Call(func=cst.Name("len"), args=[counted]),
                comparisons=[
                    cst.ComparisonTarget(cst.Equal() | cst.NotEqual(), cst.Integer("1"))
                ],
            ) if _is_read(member, counted.value, attribute):
                return True
    return False


def use_as_several(member: Member, attribute: str) -> cst.CSTNode | None:
    """Return where a method treats a tuple as one of any length, None if nowhere.

    It iterates over it, counts it, slices it, or takes an element behind the first.

    Args:
        member: The method or property.
        attribute: The tuple, read off its instance.
    """
    for each in walk(member.function or cst.Pass()):
        parts: list[cst.BaseExpression] = []
        match each:
            case cst.For(iter=iterated) | cst.CompFor(iter=iterated):
                parts = [iterated]
            case cst.StarredElement(value=value):
                parts = [value]
            case cst.Call(func=func, args=args):
                name = (dotted(func) or "").rpartition(".")[2]
                parts = [x.value for x in args if x.star == "*" or name in _ASKING]
            case cst.Subscript(value=value, slice=[part]):
                if not _takes_first(part):
                    parts = [value]
        if any(_is_read(member, part, attribute) for part in parts):
            return each
    return None


def _takes_first(part: cst.SubscriptElement) -> bool:
    """Whether a subscript is the only one that a tuple of one has, or not known."""
    if not isinstance(part.slice, cst.Index):
        return False
    node = part.slice.value
    if isinstance(node, cst.UnaryOperation):
        return not isinstance(node.expression, cst.Integer) or (
            node.expression.value == "1"
        )
    return not isinstance(node, cst.Integer) or node.value == "0"


def _is_read(member: Member, node: cst.BaseExpression, attribute: str) -> bool:
    return dotted(node) == f"{member.self_name}.{attribute}"
