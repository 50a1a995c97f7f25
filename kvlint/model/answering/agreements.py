# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What the code that builds a composite makes sure of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from kvlint.model.answering.comparisons import asked_to_be_one
from kvlint.model.classes import Member, MemberKind, SpecClass
from kvlint.model.memory import kept_with_it
from kvlint.model.nodes import calls, walk
from kvlint.model.syntax import dotted, text_of

EVERYTHING = "*"
"""Stands for every field: the builder goes through ``fields(...)``."""


def agreed_attributes(composites: Iterable[SpecClass]) -> frozenset[str]:
    """Return the attributes on which builders of a composite insist.

    Builders are its constructors and class methods, those of composites above it, and
    functions of its file that construct it. An attribute counts if answers to it are
    gathered in a set, or compared with each other.

    Args:
        composites: The composite and the composites above it.
    """
    return frozenset().union(*map(_insisted_on, composites))


@kept_with_it
def _insisted_on(spec: SpecClass) -> frozenset[str]:
    return frozenset(
        attribute
        for function in _builders(spec)
        for attribute in compared_attributes(function)
    )


def compared_attributes(function: cst.CSTNode) -> frozenset[str]:
    """Return the attributes whose values a function compares or gathers in a set.

    Args:
        function: A builder, or a part of one.

    Returns:
        Names; ``*`` among them where it goes through every field.
    """
    return frozenset(
        attribute for node in walk(function) for attribute in _compared(node)
    )


def is_builder(member: Member) -> bool:
    """Return whether a member makes specs: a constructor or a class method."""
    builds = member.kind in {MemberKind.CLASSMETHOD, MemberKind.STATICMETHOD}
    return builds or member.name in {"__init__", "__post_init__", "__new__"}


def _builders(spec: SpecClass) -> Iterator[cst.FunctionDef]:
    for member in spec.members.values():
        if is_builder(member) and member.function is not None:
            yield member.function
    for statement in spec.file.tree.module.body:
        if isinstance(statement, cst.FunctionDef):
            called = (dotted(call.func) or "" for call in calls(statement.body))
            if any(name.rpartition(".")[2] == spec.name for name in called):
                yield statement


def _compared(node: cst.CSTNode) -> Iterator[str]:
    """Attributes whose values a node compares with each other or gathers in a set."""
    match node:
        case cst.SetComp(elt=elt):
            yield from _attributes(elt)
        case cst.Comparison():
            sides = [node.left, *(each.comparator for each in node.comparisons)]
            yield from set.intersection(*(set(_attributes(side)) for side in sides))
            if _insists_on_one(node):
                yield EVERYTHING
        case cst.Call(func=cst.Name(value="set" | "frozenset"), args=[only]):
            if isinstance(only.value, cst.GeneratorExp | cst.ListComp):
                yield from _attributes(only.value.elt)
        case cst.Call(func=cst.Name(value="getattr"), args=[_, name, *_]):
            text = text_of(name.value)
            yield text if text is not None else EVERYTHING


def _insists_on_one(node: cst.Comparison) -> bool:
    """Whether a composite asks if it holds one spec: ``len(self.specs) != 1``."""
    counted = asked_to_be_one(node)
    if not isinstance(node.comparisons[0].operator, cst.Equal | cst.NotEqual):
        return False
    return isinstance(counted, cst.Attribute) and dotted(counted.value) == "self"


def _attributes(node: cst.BaseExpression) -> Iterator[str]:
    """The attribute or method that an expression asks for, through tuples."""
    if isinstance(node, cst.Tuple):
        for element in node.elements:
            yield from _attributes(element.value)
    elif isinstance(node, cst.Call):
        yield from _attributes(node.func)
    elif isinstance(node, cst.Attribute):
        yield node.attr.value
