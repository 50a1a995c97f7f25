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
from kvlint.model.answering.comparisons import Comparer, asked_to_be_one
from kvlint.model.classes import Member
from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted, last_statement

_LOGS = frozenset({"print", "logger", "log", "logging", "warnings"})
_ADDS = {
    cst.AddAssign: How.SUM,
    cst.BitOrAssign: How.ANY,
    cst.BitAndAssign: How.ALL,
}
_OPERATORS = {cst.Add: How.SUM, cst.BitOr: How.ANY, cst.BitAnd: How.ALL}


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
        self._begun: set[str] = set()
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
            case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value):
                self._set(target, value, in_loop)
            case cst.AnnAssign(target=target, value=value) if value is not None:
                self._set(target, value, in_loop)
            case cst.AugAssign(target=target, operator=operator, value=value):
                self._is_simple = False
                known = self._known.value(value)
                if known.kind is Kind.ANSWER:
                    known = self._gathering(target, known, _ADDS.get(type(operator)))
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
            case cst.Try(body=body, handlers=handlers):
                self._is_simple = False
                for each in (body, *(x.body for x in handlers)):
                    self.block(each.body, in_loop=in_loop)
                for rest in (node.orelse, node.finalbody):
                    self.block(rest.body.body if rest else (), in_loop=in_loop)
            case cst.Match():
                self._match(node, in_loop)
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
        for each in walk(node.test):
            if isinstance(each, cst.NamedExpr):
                self._known.value(each)
        last = last_statement(node.body)
        asks = self._known.asks_agreement(node.test)
        if isinstance(last, cst.Raise) or (isinstance(last, cst.Return) and asks):
            self._check(node.test)
        verdict = self._verdict(node.test, last, in_loop)
        if verdict is not None:
            self.values.append(verdict)
        self.block(node.body.body, in_loop=in_loop)
        if isinstance(node.orelse, cst.If):
            self._statement(node.orelse, in_loop)
        elif node.orelse is not None:
            self.block(node.orelse.body.body, in_loop=in_loop)

    def _verdict(
        self, test: cst.BaseExpression, last: cst.CSTNode | None, in_loop: bool
    ) -> Value | None:
        """What ``if answer: return True`` answers, or ``if not answer: return False``.

        Returns:
            None for tests of something else.
        """
        is_not = False
        match test:
            case cst.UnaryOperation(operator=cst.Not(), expression=inner):
                is_not, test = True, inner
        known = self._known.value(test)
        says = literal_text(last.value) if isinstance(last, cst.Return) else None
        if known.kind is not Kind.ANSWER or says not in {"True", "False"}:
            return None
        if (says == "False") is not is_not:
            return OTHER
        is_lone = known.how is not None or not in_loop
        how = known.how if is_lone else How.ALL if is_not else How.ANY
        return replace(known, names=known.attributes, how=how)

    def _match(self, node: cst.Match, in_loop: bool) -> None:
        """Follow the cases by which a list of specs is taken apart."""
        self._is_simple = False
        if self._known.value(node.subject) != SPECS:
            self.is_opaque |= self._speaks_of_specs(node)
            return
        for case in node.cases:
            match case.pattern:
                case (
                    cst.MatchList(patterns=[_, _, *_] as patterns)
                    | cst.MatchTuple(patterns=[_, _, *_] as patterns)
                ):
                    for each in patterns:
                        self._capture(each)
                case cst.MatchAs(pattern=None, name=None):
                    pass
                case _:
                    self.is_opaque = True
            self.block(case.body.body, in_loop=in_loop)

    def _capture(self, pattern: cst.CSTNode) -> None:
        match pattern:
            case cst.MatchStar(name=cst.Name(value=name)):
                self._known.locals[name] = SPECS
            case cst.MatchSequenceElement(
                value=cst.MatchAs(pattern=None, name=cst.Name(value=name))
            ):
                self._known.locals[name] = ONE_SPEC

    def _return(self, node: cst.BaseExpression, in_loop: bool) -> None:
        if literal_text(node) is not None:
            # An answer for a composite without specs, or for a special case.
            self._is_simple = False
            return
        known = self._known.value(node)
        if in_loop and known.kind is Kind.ANSWER:
            known = replace(known, how=How.ONE)
        self.values.append(known if known.kind in {Kind.ANSWER, Kind.ONE} else OTHER)

    def _set(
        self, target: cst.BaseExpression, value: cst.BaseExpression, in_loop: bool
    ) -> None:
        known, name = self._known.value(value), dotted(target) or ""
        how = _grows(value, name)
        if how is not None and in_loop and known.kind is Kind.ANSWER:
            known = self._gathering(target, known, how)
        if literal_text(value) is not None:
            self._begun.add(name)
        self._known.functions[name] = value
        self._assign(target, known, in_loop)

    def _gathering(
        self, target: cst.BaseExpression, known: Value, how: How | None
    ) -> Value:
        """What a name stands for that each answer is combined with in turn."""
        is_begun = dotted(target) in self._begun
        names = known.attributes if is_begun else known.names | {""}
        return replace(known, names=names, how=how)

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
        if isinstance(target, cst.Tuple) and known.kind is Kind.PAIR:
            self._bind(target.elements[-1].value, ONE_SPEC)
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
        comparer = Comparer(test)
        if not comparer.compares:
            return
        self.compared |= comparer.attributes
        for name in comparer.names:
            self.compared |= self._known.locals.get(name, OTHER).attributes
        for comparison in comparer.comparisons:
            counted = asked_to_be_one(comparison)
            if counted is not None:
                self.is_opaque |= self._known.value(counted) == SPECS

    def _speaks_of_specs(self, node: cst.CSTNode) -> bool:
        spoken = Comparer(node)
        return bool(spoken.attributes & self._holders) or any(
            self._known.locals.get(name, OTHER).kind is not Kind.OTHER
            for name in spoken.names
        )


def _grows(value: cst.BaseExpression, name: str) -> How | None:
    """How a name is combined with what it was; None if it is just set."""
    match value:
        case cst.BooleanOperation(left=left, operator=operator, right=right):
            how: How | None = How.ALL if isinstance(operator, cst.And) else How.ANY
            parts = [left, right]
        case cst.BinaryOperation(left=left, operator=operator, right=right):
            how = _OPERATORS.get(type(operator))
            parts = [left, right]
        case cst.Call(func=cst.Name(value="max" | "min" as fold), args=args):
            how = How.MAX if fold == "max" else How.MIN
            parts = [each.value for each in args]
        case _:
            return None
    return how if name and name in map(dotted, parts) else None
