# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Tests of what class something is: ``isinstance``, ``type(x) is``, class names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import libcst as cst

from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted, text_of

_NAMES = frozenset({"__name__", "__qualname__"})
_HOLDS = {
    cst.Is: True,
    cst.Equal: True,
    cst.In: True,
    cst.IsNot: False,
    cst.NotEqual: False,
    cst.NotIn: False,
}
_PAIR = 2

Meaning = Callable[[str], cst.BaseExpression | None]
"""Tells which literal a name stands for, if any."""


def no_meaning(name: str) -> None:
    """Know no name."""


@dataclass(frozen=True, eq=False)
class TypeTest:
    """A test of the class of something.

    Attributes:
        node: The whole of it.
        subject: What is tested.
        classes: The classes, as they are written.
        holds: Whether it is true of them; false for ``is not`` and the like.
        is_text: Whether the classes are compared by their names.
    """

    node: cst.CSTNode
    subject: cst.BaseExpression
    classes: tuple[str, ...]
    holds: bool = True
    is_text: bool = False


def code_of(node: cst.CSTNode) -> str:
    """Return a node's text, the same for what differs in white space alone."""
    name = dotted(node) if isinstance(node, cst.BaseExpression) else None
    return name or " ".join(cst.Module([]).code_for_node(node).split())


def options(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """Yield the classes that a second argument of ``isinstance`` names."""
    match node:
        case cst.Tuple() | cst.List() | cst.Set():
            for element in node.elements:
                yield from options(element.value)
        case cst.BinaryOperation(left=left, operator=cst.BitOr(), right=right):
            yield from options(left)
            yield from options(right)
        case _:
            yield node


def instance_test(node: cst.CSTNode) -> TypeTest | None:
    """Return what ``isinstance(x, C)`` tests, None for anything else.

    Classes that are no names are written as nothing.
    """
    match node:
        case cst.Call(func=cst.Name(value="isinstance"), args=args) if (
            len(args) == _PAIR
        ):
            classes = tuple(dotted(each) or "" for each in options(args[1].value))
            return TypeTest(node, plain(args[0].value), classes)
    return None


def instance_tests(node: cst.CSTNode) -> Iterator[TypeTest]:
    """Yield the tests with ``isinstance`` in a node."""
    for each in walk(node):
        if isinstance(each, cst.Call) and (test := instance_test(each)) is not None:
            yield test


def plain(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return the name in ``(name := value)``, anything else as it is."""
    return node.target if isinstance(node, cst.NamedExpr) else node


@dataclass(frozen=True, slots=True)
class ClassOf:
    """The class of something, or that class's name.

    Attributes:
        subject: The thing.
        is_text: Whether it is the name.
    """

    subject: cst.BaseExpression
    is_text: bool


def class_of(
    node: cst.BaseExpression, known: Mapping[str, ClassOf] | None = None
) -> ClassOf | None:
    """Return whose class an expression is: ``type(x)``, ``x.__class__``, its name.

    Args:
        node: The expression.
        known: Local names that stand for such.
    """
    match node:
        case cst.Name(value=name):
            return (known or {}).get(name)
        case cst.Call(func=cst.Name(value="type"), args=[argument]):
            return ClassOf(plain(argument.value), is_text=False)
        case cst.Attribute(value=value, attr=cst.Name(value="__class__")):
            return ClassOf(value, is_text=False)
        case cst.Attribute(value=value, attr=cst.Name(value=name)) if name in _NAMES:
            found = class_of(value, known)
            if found is not None and not found.is_text:
                return ClassOf(found.subject, is_text=True)
    return None


def exact_test(
    node: cst.CSTNode,
    known: Mapping[str, ClassOf],
    meaning: Meaning,
) -> TypeTest | None:
    """Return what a comparison with the very class of something tests.

    Args:
        node: The expression.
        known: Local names that stand for a class, or its name.
        meaning: Returns the literal that a name stands for, if it is one.

    Returns:
        The test; None for another expression, and where a class is neither a name nor,
        in a comparison of names, a text.
    """
    if not isinstance(node, cst.Comparison) or len(node.comparisons) != 1:
        return None
    operator, right = node.comparisons[0].operator, node.comparisons[0].comparator
    holds = _HOLDS.get(type(operator))
    if holds is None:
        return None
    left, is_member = node.left, isinstance(operator, cst.In | cst.NotIn)
    tested = class_of(left, known)
    if tested is None and not is_member:
        left, right = right, left
        tested = class_of(left, known)
    if tested is None:
        return None
    listed = _members(right, meaning) if is_member else [right]
    classes = [text_of(x) if tested.is_text else dotted(x) for x in listed or ()]
    if not classes or any(each is None for each in classes):
        return None
    names = tuple(each for each in classes if each is not None)
    return TypeTest(node, tested.subject, names, holds, tested.is_text)


def _members(
    node: cst.BaseExpression, meaning: Meaning
) -> list[cst.BaseExpression] | None:
    """What a container holds, or a mapping has for keys; None if that is not told."""
    name = dotted(node)
    if name is not None:
        node = meaning(name) or node
    match node:
        case cst.Call(func=cst.Name(value="frozenset" | "set" | "tuple"), args=[one]):
            return _members(one.value, meaning)
        case cst.Dict():
            return keys(node)
        case cst.Tuple() | cst.List() | cst.Set():
            if all(isinstance(each, cst.Element) for each in node.elements):
                return [each.value for each in node.elements]
    return None


def keys(node: cst.BaseExpression) -> list[cst.BaseExpression] | None:
    """Return the keys of a literal mapping, None if it is none or has others too."""
    if not isinstance(node, cst.Dict):
        return None
    found = [x.key for x in node.elements if isinstance(x, cst.DictElement)]
    return found if len(found) == len(node.elements) else None
