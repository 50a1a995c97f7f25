# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a test asks of layers before they share one group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import libcst as cst

from kvlint.model.answering.agreements import EVERYTHING, compared_attributes
from kvlint.model.answering.bodies import body_statements
from kvlint.model.merging.merge_tests import class_names
from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted, last_part
from kvlint.vocabulary import GROUPING_PROTOCOL

REGISTERED = "?"
"""Stands for the class that a registration names for the spec that is asked."""
OWN = "type"
"""Stands for the class of the spec that is asked."""

_LOOKS_UP = "get_uniform_type_base_spec"
_UNDERSTOOD = frozenset(
    {"all", "any", "bool", "frozenset", "getattr", "hasattr", "isinstance", "items"}
    | {"iter", "keys", "len", "list", "next", "set", "super", "tuple", "type", "values"}
    | {"debug", "info", "warning", "str", "NotImplementedError", "__setattr__"}
    | {_LOOKS_UP, GROUPING_PROTOCOL}
)
"""Functions that compare nothing but what the text shows."""


@dataclass(frozen=True)
class UniformTest:
    """What is asked where the first spec is of some classes.

    Attributes:
        asked: Those classes, as written; none where it is asked for every spec.
        admits: The classes of which the others must be; none for any.
        is_exact: They must be of that very class.
        compared: Attributes that must be equal; ``*`` among them for all fields.
        asks_base: The test that it overrides must hold too.
        node: Where it stands.
    """

    asked: tuple[str, ...]
    admits: tuple[str, ...]
    is_exact: bool
    compared: frozenset[str]
    asks_base: bool
    node: cst.CSTNode


@lru_cache(maxsize=256)
def read_uniform_tests(function: cst.FunctionDef) -> tuple[UniformTest, ...]:
    """Return what a function asks of specs, in the order in which it is tried.

    Args:
        function: ``is_uniform_with_collection``, or before vLLM 0.23.0
            ``is_uniform_type``, which asks the first spec for its class.

    Returns:
        The tests, one that is asked for every spec last. Nothing if some of it cannot
        be told.
    """
    arms: list[tuple[cst.Call, cst.CSTNode]] = []
    rest: list[cst.CSTNode] = []
    for statement in body_statements(function):
        found = list(_arms(_chosen(statement)))
        arms += found
        rest += [] if found else [statement]
    read = _Reader(function)
    found_in = [
        read.test([body], tuple(class_names(call.args[1].value)), call)
        for call, body in arms
    ]
    found_in.append(read.test(rest, (), function.name))
    tests = [each for each in found_in if each is not None]
    return () if len(tests) < len(found_in) else tuple(filter(_asks, tests))


def _asks(test: UniformTest) -> bool:
    return bool(test.asked or test.admits or test.compared or test.asks_base)


def _chosen(statement: cst.BaseStatement) -> cst.CSTNode:
    """A statement, or the conditional expression that is all of it."""
    if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
        match statement.body[0]:
            case cst.Return(value=value) | cst.Expr(value=value):
                return value if isinstance(value, cst.IfExp) else statement
    return statement


def _arms(node: cst.CSTNode | None) -> Iterator[tuple[cst.Call, cst.CSTNode]]:
    """The branches of something that asks one spec for its class."""
    while isinstance(node, cst.If | cst.IfExp):
        match node.test:
            case cst.Call(func=cst.Name("isinstance"), args=[_, _]) as call:
                yield call, node.body
            case _:
                return
        node = node.orelse


class _Reader:
    """Reads parts of one function."""

    def __init__(self, function: cst.FunctionDef) -> None:
        self._name = function.name.value
        first = function.params.params[:1]
        self._self = first[0].name.value if first else ""
        self._meanings: dict[str, str] = {}
        for node in walk(function.body):
            match node:
                case cst.Assign(targets=[cst.AssignTarget(target)], value=value):
                    meaning = _meaning(value)
                    if meaning and (name := dotted(target)) is not None:
                        self._meanings[name] = meaning

    def test(
        self, parts: Sequence[cst.CSTNode], asked: tuple[str, ...], place: cst.CSTNode
    ) -> UniformTest | None:
        """What some statements ask, perhaps nothing; None if that cannot be told."""
        nodes = [node for part in parts for node in walk(part)]
        compared = {each for part in parts for each in compared_attributes(part)}
        admits: list[str] = []
        exact: list[str] = []
        asks_base = False
        for node in nodes:
            match node:
                case cst.Comparison():
                    exact += self._exact(node)
                    if _is_of_wholes(node):
                        compared.add(EVERYTHING)
                case cst.Call(func=cst.Name("isinstance"), args=[subject, kinds]):
                    if dotted(subject.value) == self._self:
                        return None
                    admits += self._classes(kinds.value)
                case cst.Call() if self._is_of_base(node.func):
                    asks_base = True
                case cst.Call() if not self._is_understood(node.func, compared):
                    return None
        classes = tuple(dict.fromkeys(exact or admits))
        return UniformTest(
            asked, classes, bool(exact), frozenset(compared), asks_base, place
        )

    def _is_understood(self, called: cst.BaseExpression, compared: set[str]) -> bool:
        """Whether a call compares nothing but what the text shows."""
        name = last_part(called)
        return name != self._name and (name in _UNDERSTOOD or name in compared)

    def _is_of_base(self, called: cst.BaseExpression) -> bool:
        """Whether a call is that of the test which this one overrides."""
        if not isinstance(called, cst.Attribute) or last_part(called) != self._name:
            return False
        owner = called.value
        if isinstance(owner, cst.Call):
            return last_part(owner.func) == "super"
        return last_part(owner)[:1].isupper()

    def _classes(self, node: cst.BaseExpression) -> Iterator[str]:
        if meaning := _meaning(node):
            yield meaning
        elif isinstance(node, cst.Tuple):
            for each in node.elements:
                yield from self._classes(each.value)
        else:
            yield from (self._meanings.get(each, each) for each in class_names(node))

    def _exact(self, node: cst.Comparison) -> Iterator[str]:
        """The classes that a comparison of a spec's own class names."""
        sides = [node.left, *(each.comparator for each in node.comparisons)]
        others = [each for each in sides if _meaning(each) != OWN]
        if len(others) < len(sides):
            for each in others or [node.left]:
                yield from self._classes(each)


def _meaning(node: cst.BaseExpression) -> str:
    """Which of the classes with no name of their own an expression gives, if any."""
    match node:
        case cst.Call(func=cst.Name("type"), args=[_]):
            return OWN
        case cst.Attribute(attr=cst.Name("__class__")):
            return OWN
        case cst.Call(func=function) if last_part(function) == _LOOKS_UP:
            return REGISTERED
    return ""


def _is_of_wholes(node: cst.Comparison) -> bool:
    """Whether two specs are compared, and not what they answer."""
    sides = [node.left, *(each.comparator for each in node.comparisons)]
    is_equality = all(
        isinstance(each.operator, cst.Equal | cst.NotEqual) for each in node.comparisons
    )
    return is_equality and all(isinstance(each, cst.Name) for each in sides)
