# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Follows a composite's specs, and their answers, through the body of a member."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import libcst as cst

from kvlint.model.answering.answers import (
    ONE_SPEC,
    OTHER,
    SPECS,
    AnswerExpressions,
    How,
    Kind,
    Value,
)
from kvlint.model.answering.bodies import literal_text
from kvlint.model.classes import Member
from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted, ends_with_raise, text_of

_LOGS = frozenset({"print", "logger", "log", "logging", "warnings"})
_ONE_LAYER = {
    cst.Equal: "1",
    cst.NotEqual: "1",
    cst.GreaterThan: "1",
    cst.LessThanEqual: "1",
    cst.LessThan: "2",
    cst.GreaterThanEqual: "2",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that a member returns.

    Attributes:
        how: Where it comes from.
        attributes: What is read off wrapped specs for it.
        is_same: It is the specs' answer to the same question and nothing else.
        is_plain: It is, and the body does nothing besides.
    """

    how: How
    attributes: frozenset[str]
    is_same: bool
    is_plain: bool


class AnswerFlow:
    """Follows one body.

    Args:
        holders: The attributes that hold specs.
        gives_one: Tells whether a member of the composite gives one of them.
        member: Whose body it is.

    Attributes:
        compared: What the body compares among the specs before it answers.
        is_opaque: It does something with the specs that cannot be told, or makes sure
            that there is only one.
        values: What it returns.
    """

    def __init__(
        self, holders: frozenset[str], gives_one: Callable[[str], bool], member: Member
    ) -> None:
        """Begin before the first statement."""
        self._member, self._holders = member, holders
        self._known = AnswerExpressions(member.self_name, holders, gives_one)
        self._is_simple = True
        self.compared: set[str] = set()
        self.is_opaque = False
        self.values: list[Value] = []

    def unlooked(self) -> Answer | None:
        """Return the answer that is given without a look at the other specs, if any."""
        if self.is_opaque or not self.values:
            return None
        if any(each.how is None for each in self.values):
            return None
        for value in self.values:
            if value.how is not None and not value.attributes <= self.compared:
                is_same = value.names == {self._member.name}
                is_plain = is_same and self._is_simple
                return Answer(value.how, value.attributes, is_same, is_plain)
        return None

    def block(self, statements: Iterable[cst.CSTNode], *, in_loop: bool) -> None:
        """Follow some statements, which may stand in a loop over the specs."""
        for statement in statements:
            self._statement(statement, in_loop)

    def _statement(self, node: cst.CSTNode, in_loop: bool) -> None:
        match node:
            case cst.SimpleStatementLine(body=body):
                self.block(body, in_loop=in_loop)
            case cst.Return(value=value) if value is not None:
                self._return(value, in_loop)
            case cst.Assign(targets=[target], value=value):
                self._assign(target.target, self._known.value(value), in_loop)
            case cst.AnnAssign(target=target, value=value) if value is not None:
                self._assign(target, self._known.value(value), in_loop)
            case cst.AugAssign(target=target, value=value):
                self._is_simple = False
                known = self._known.value(value)
                if known.kind is Kind.ANSWER:
                    known = replace(known, names=known.names | {""}, how=How.SUM)
                self._bind(target, known)
            case cst.Assert(test=test):
                self._is_simple = False
                self._check(test)
            case cst.If():
                self._if(node, in_loop)
            case cst.For(target=target, iter=iterated, body=body):
                self._is_simple = False
                over_specs = self._known.bind(target, self._known.value(iterated))
                self.block(body.body, in_loop=over_specs)
            case cst.Pass() | cst.Continue() | cst.Break() | cst.Raise():
                self._is_simple = False
            case cst.Expr(value=cst.Call() as call):
                self._is_simple = False
                self._called(call)
            case _:
                self._is_simple = False
                self.is_opaque |= self._speaks_of_specs(node)

    def _if(self, node: cst.If, in_loop: bool) -> None:
        self._is_simple = False
        if ends_with_raise(node.body):
            self._check(node.test)
        self.block(node.body.body, in_loop=in_loop)
        if isinstance(node.orelse, cst.If):
            self._statement(node.orelse, in_loop)
        elif node.orelse is not None:
            self.block(node.orelse.body.body, in_loop=in_loop)

    def _return(self, node: cst.BaseExpression, in_loop: bool) -> None:
        if literal_text(node) is not None:
            # An answer for a composite without specs, or for a special case.
            self._is_simple = False
            return
        known = self._known.value(node)
        if in_loop and known.kind is Kind.ANSWER:
            known = replace(known, how=How.ONE)
        self.values.append(known if known.kind in {Kind.ANSWER, Kind.ONE} else OTHER)

    def _assign(self, target: cst.BaseExpression, known: Value, in_loop: bool) -> None:
        if in_loop and known.kind is Kind.ANSWER and known.how is None:
            known = replace(known, how=How.LAST)
        if (
            isinstance(target, cst.Tuple)
            and known == SPECS
            and len(target.elements) > 1
        ):
            for element in target.elements:
                starred = isinstance(element, cst.StarredElement)
                self._bind(element.value, SPECS if starred else ONE_SPEC)
            return
        if isinstance(target, cst.Tuple):
            # `(answer,) = answers` fails unless there is one answer.
            self.is_opaque |= known.kind is not Kind.OTHER
        self._bind(target, known)

    def _bind(self, target: cst.BaseExpression, known: Value) -> None:
        name = dotted(target)
        if name is None:
            self._is_simple = False
        else:
            self._known.locals[name] = known

    def _called(self, call: cst.Call) -> None:
        """A call for its effect: it gathers answers, logs, or does something else."""
        name = dotted(call.func) or ""
        owner, _, method = name.rpartition(".")
        values = [self._known.value(argument.value) for argument in call.args]
        if method in {"append", "add"} and owner and len(values) == 1:
            if values[0].kind is Kind.ANSWER:
                self._known.locals[owner] = replace(values[0], kind=Kind.ANSWERS)
        elif name.partition(".")[0] not in _LOGS:
            self.is_opaque |= self._speaks_of_specs(call)

    def _check(self, test: cst.BaseExpression) -> None:
        """Note what an assertion compares; it may also say that there is one spec."""
        comparer = _Comparer(test)
        if not comparer.compares:
            return
        self.compared |= comparer.attributes
        for name in comparer.names:
            self.compared |= self._known.locals.get(name, OTHER).attributes
        for comparison in comparer.comparisons:
            self.is_opaque |= self._says_one_layer(comparison)

    def _says_one_layer(self, node: cst.Comparison) -> bool:
        left, right = node.left, node.comparisons[0]
        if not isinstance(left, cst.Call) or dotted(left.func) != "len":
            return False
        counted = self._known.value(left.args[0].value)
        expected = _ONE_LAYER.get(type(right.operator))
        return counted == SPECS and literal_text(right.comparator) == expected

    def _speaks_of_specs(self, node: cst.CSTNode) -> bool:
        spoken = _Comparer(node)
        return bool(spoken.attributes & self._holders) or any(
            self._known.locals.get(name, OTHER).kind is not Kind.OTHER
            for name in spoken.names
        )


class _Comparer:
    """Collects what a test speaks of, and whether it compares several things."""

    def __init__(self, test: cst.CSTNode) -> None:
        self.compares = False
        self.comparisons: list[cst.Comparison] = []
        self.attributes: set[str] = set()
        self.names: set[str] = set()
        for node in walk(test):
            self._look(node)

    def _look(self, node: cst.CSTNode) -> None:
        match node:
            case cst.Comparison():
                self.compares = True
                self.comparisons.append(node)
            case cst.Call(func=cst.Name(value="all" | "any" | "len")):
                self.compares = True
            case cst.Call(func=cst.Name(value="getattr"), args=[_, name, *_]):
                self.attributes.add(text_of(name.value) or "")
            case cst.Attribute(attr=cst.Name(value=attribute)):
                self.attributes.add(attribute)
            case cst.Name(value=name):
                self.names.add(name)
