# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What the number that a member answers is worked out of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import libcst as cst

from kvlint.model.classes import Member
from kvlint.model.literals import elements
from kvlint.model.memory import kept_with_it
from kvlint.model.nodes import children, walk
from kvlint.model.syntax import dotted, text_of
from kvlint.vocabulary import SIZING

LENGTHS = frozenset({"max_model_len", "max_len"})
"""A request's length: in vLLM's configuration, and as a parameter."""

_UNITS = frozenset({"block_size", "page_size_bytes"})
_SILENT = frozenset({"isinstance", "issubclass", "type", "super"})
_PLAIN = frozenset({"dict", "frozenset", "list", "set", "tuple"})
"""Calls that are nothing without arguments."""


@dataclass
class Sizing:
    """What an answer in numbers depends on.

    What an assertion asks, or a condition that only raises, is left out; so is a
    request's length where ``min`` holds it against something else.

    Attributes:
        fields: Attributes of the instance, also members that it is asked for.
        supers: Members that are asked of the base.
        others: Parameters, and attributes of other things: of the configuration.
        refused: Names in assertions and in conditions that only raise.
        is_open: There may be more, which cannot be told from here.
    """

    fields: set[str] = field(default_factory=set)
    supers: set[str] = field(default_factory=set)
    others: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    is_open: bool = False

    def add(self, more: Sizing) -> None:
        """Take in what another answer depends on."""
        self.fields |= more.fields
        self.supers |= more.supers
        self.others |= more.others
        self.is_open |= more.is_open


@kept_with_it
def sizing(member: Member) -> Sizing:
    """Return what a member's answer depends on, as far as its own body says."""
    if member.function is None:
        return Sizing(is_open=True)
    return _Reader(member, member.function).read()


class _Reader:
    """One body. Where a name is given several values, each of them counts."""

    def __init__(self, member: Member, function: cst.FunctionDef) -> None:
        self._member, self._body = member, function.body
        self._parameters = {each.name: each for each in member.parameters}
        self._values: defaultdict[str, list[cst.BaseExpression]] = defaultdict(list)
        self._open: list[str] = []
        for node in walk(self._body):
            for target, value in _bound(node):
                for each in walk(target):
                    if isinstance(each, cst.Name):
                        self._values[each.value].append(value)

    def read(self) -> Sizing:
        found = Sizing()
        for node in walk(self._body):
            match node:
                case cst.FunctionDef() | cst.Lambda() | cst.Yield() | cst.Match():
                    found.is_open = True
                case cst.Return(value=cst.BaseExpression() as value):
                    found.add(self._of(value))
                case cst.Assert(test=test):
                    found.refused |= _names(test)
                case cst.If(test=test) if _only_raises(node):
                    found.refused |= _names(test)
                case cst.If(test=test) | cst.While(test=test):
                    found.add(self._of(test))
        return found

    def _of(self, node: cst.CSTNode) -> Sizing:
        """What an expression depends on."""
        found = Sizing()
        match node:
            case cst.Name(value=name):
                return self._name(name)
            case cst.Attribute(value=owner, attr=cst.Name(value=name)):
                return self._attribute(owner, name)
            case cst.Call():
                return self._call(node)
            case cst.Arg(value=value):
                return self._of(value)
        for child in children(node):
            found.add(self._of(child))
        return found

    def _name(self, name: str) -> Sizing:
        if name == self._member.self_name:
            return Sizing(is_open=True)
        found = Sizing()
        if name in self._parameters:
            found.others.add(name)
        if name in self._values and name not in self._open:
            self._open.append(name)
            for value in self._values[name]:
                found.add(self._of(value))
            self._open.pop()
        return found

    def _attribute(self, owner: cst.BaseExpression, name: str) -> Sizing:
        head, *rest = (dotted(owner) or "").split(".")
        if head == self._member.self_name:
            return Sizing(
                fields={*rest[:1]} or {name}, others={name} if rest else set()
            )
        if isinstance(owner, cst.Call) and dotted(owner.func) == "super":
            return Sizing(supers={name})
        if not head:
            return self._of(owner)
        return Sizing(others={name} if self._is_held(owner) else set())

    def _is_held(self, node: cst.BaseExpression) -> bool:
        """Whether it is a parameter or a local name, or read off one."""
        head = (dotted(node) or "").partition(".")[0]
        return head in self._parameters or head in self._values

    def _is_of_instance(self, node: cst.BaseExpression) -> bool:
        return (dotted(node) or "").partition(".")[0] == self._member.self_name

    def _call(self, node: cst.Call) -> Sizing:
        name = dotted(node.func) or ""
        last = name.rpartition(".")[2]
        arguments = [each.value for each in node.args]
        match node.func:
            case cst.Attribute(value=cst.Name(value=owner), attr=cst.Name(value=asked)):
                if owner == self._member.self_name:
                    found = Sizing(fields={asked})
                    return found if asked in SIZING else self._with(found, arguments)
                is_self = bool(arguments) and dotted(arguments[0]) == (
                    self._member.self_name
                )
                if is_self and asked == self._member.name:
                    return Sizing(supers={asked})
            case cst.Attribute(value=cst.Call(func=cst.Name(value="super")), attr=attr):
                return Sizing(supers={attr.value})
        if last in {"getattr", "hasattr"} and len(arguments) > 1:
            asked = text_of(arguments[1]) or ""
            if not asked:
                return Sizing(is_open=True)
            return self._with(self._attribute(arguments[0], asked), arguments[2:])
        if last in _SILENT:
            return Sizing()
        found = Sizing()
        if isinstance(node.func, cst.Attribute):
            found = self._of(node.func.value)
            found.is_open |= self._is_held(node.func.value)
        if not arguments and isinstance(node.func, cst.Name) and last not in _PLAIN:
            found.is_open = True
        if last == "min" and len(arguments) > 1:
            parts = [self._of(each) for each in arguments]
            bounds = [each for each in parts if not _is_length(each)]
            for each in bounds or parts:
                found.add(each)
            return found
        found.is_open |= any(map(self._is_object, arguments))
        return self._with(found, arguments)

    def _with(self, found: Sizing, arguments: Sequence[cst.BaseExpression]) -> Sizing:
        for each in arguments:
            found.add(self._of(each))
        return found

    def _is_object(self, node: cst.BaseExpression) -> bool:
        """Whether an argument holds more than a number: a configuration."""
        name = dotted(node)
        if name is None or self._is_of_instance(node):
            return False
        head, _, rest = name.partition(".")
        for value in self._values.get(head, ()) if not rest else ():
            if head not in self._open:
                self._open.append(head)
                is_object = self._is_object(value)
                self._open.pop()
                if is_object:
                    return True
        return name.rpartition(".")[2].endswith("config") or (
            not rest and self._is_asked(head)
        )

    def _is_asked(self, name: str) -> bool:
        """Whether the body reads attributes off a parameter."""
        return name in self._parameters and any(
            isinstance(each, cst.Attribute)
            and isinstance(each.value, cst.Name)
            and each.value.value == name
            for each in walk(self._body)
        )


def _bound(
    node: cst.CSTNode,
) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression]]:
    """Names that a node binds, and what it binds them to."""
    match node:
        case cst.Assign(targets=targets, value=value):
            for each in targets:
                names, values = elements(each.target, {}), elements(value, {})
                if names and values and len(names) == len(values):
                    yield from zip(names, values, strict=True)
                else:
                    yield each.target, value
        case cst.AnnAssign(target=target, value=cst.BaseExpression() as value):
            yield target, value
        case (
            cst.AugAssign(target=target, value=value)
            | cst.NamedExpr(target=target, value=value)
        ):
            yield target, value
        case (
            cst.For(target=target, iter=value) | cst.CompFor(target=target, iter=value)
        ):
            yield target, value


def _is_length(found: Sizing) -> bool:
    """Whether it is a request's length, however sharded, in tokens or in blocks."""
    return bool(found.others & LENGTHS) and not (
        found.fields - _UNITS or found.supers or found.is_open
    )


def _only_raises(node: cst.If) -> bool:
    body = node.body.body
    return node.orelse is None and all(
        isinstance(each, cst.SimpleStatementLine)
        and isinstance(each.body[-1], cst.Raise)
        for each in body
    )


def _names(node: cst.CSTNode) -> set[str]:
    found: set[str] = set()
    for each in walk(node):
        match each:
            case cst.Name(value=name):
                found.add(name)
            case cst.Attribute(attr=cst.Name(value=name)):
                found.add(name)
    return found
