# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a function does with a thing that a test leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import libcst as cst

from kvlint.model.class_tests.type_tests import code_of
from kvlint.model.nodes import children, walk
from kvlint.model.syntax import dotted

_EXITS = cst.Return | cst.Raise | cst.Continue | cst.Break
_LOGGERS = frozenset({"logger", "log", "logging", "warnings", "_logger"})
_Body = Sequence[cst.CSTNode]


class Outcome(Enum):
    """What becomes of a thing that is left out."""

    SKIPPED = "skipped"
    """Nothing is done with it."""
    OTHERWISE = "otherwise"
    """It takes another way."""
    KEY_ERROR = "key error"
    """A mapping has no such key."""


@dataclass(frozen=True)
class After:
    """What follows a test that does not come out as for those it names.

    Attributes:
        outcome: What is done.
        elsewhere: The code that such a thing gets to, and tests before that one.
        asks_more: Whether the same condition asks more about the thing.
    """

    outcome: Outcome
    elsewhere: tuple[cst.CSTNode, ...] = ()
    asks_more: bool = False


class Parents:
    """Which node stands right above another.

    Args:
        root: The uppermost.
    """

    def __init__(self, root: cst.CSTNode) -> None:
        """Walk it once."""
        self._above: dict[cst.CSTNode, cst.CSTNode] = {}
        for each in walk(root):
            for child in children(each):
                self._above[child] = each

    def of(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """Return the node right above one, None for the root."""
        return self._above.get(node)

    def above(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """Yield the nodes above one, the nearest first."""
        found = self.of(node)
        while found is not None:
            yield found
            found = self.of(found)


@dataclass(frozen=True)
class Aftermath:
    """Looks for what follows a test of one subject.

    Attributes:
        parents: What stands above what.
        subject: The text of what is tested.
    """

    parents: Parents
    subject: str

    def of(self, node: cst.BaseExpression, *, holds: bool) -> After | None:
        """Return what becomes of a thing for which a test comes out otherwise.

        Args:
            node: The test.
            holds: Whether it is true of those that it names.

        Returns:
            None if the thing is refused, or if the test is an answer that others judge.
        """
        asks_more = False
        for each in self.parents.above(node):
            match each:
                case cst.UnaryOperation(operator=cst.Not()):
                    holds = not holds
                case cst.BooleanOperation(left=left, right=right):
                    other = right if self._is_in(node, left) else left
                    asks_more |= self._mentions(other)
                case cst.GeneratorExp() | cst.Arg() | cst.ListComp():
                    pass
                case cst.Call(func=cst.Name(value="any")):
                    pass
                case cst.CompIf():
                    outcome = Outcome.SKIPPED if holds else Outcome.OTHERWISE
                    if not self._decides_for_all(each):
                        return After(outcome, asks_more=asks_more)
                    return None
                case cst.IfExp(test=test, body=body, orelse=orelse):
                    if not self._is_in(node, test):
                        return None
                    left_out = orelse if holds else body
                    if is_refusal(left_out):
                        return None
                    return After(Outcome.OTHERWISE, (left_out,), asks_more)
                case cst.Assign() | cst.AnnAssign():
                    return After(Outcome.OTHERWISE, asks_more=asks_more)
                case cst.If(test=test) if self._is_in(node, test):
                    return self._after_if(each, holds, asks_more)
                case _:
                    return None
        return None

    def _is_in(self, node: cst.CSTNode, other: cst.CSTNode) -> bool:
        return node is other or any(x is other for x in self.parents.above(node))

    def _mentions(self, node: cst.CSTNode) -> bool:
        """Whether code asks about the subject, more than what class it is."""
        return any(
            isinstance(each, cst.BaseExpression)
            and code_of(each) == self.subject
            and not self._is_asked_its_class(each)
            for each in walk(node)
        )

    def _is_asked_its_class(self, node: cst.CSTNode) -> bool:
        match self.parents.of(node):
            case cst.Attribute(attr=cst.Name(value="__class__")):
                return True
            case cst.Arg() as argument:
                call = self.parents.of(argument)
                return isinstance(call, cst.Call) and dotted(call.func) == "type"
        return False

    def _decides_for_all(self, node: cst.CSTNode) -> bool:
        return any(
            isinstance(each, cst.Call) and dotted(each.func) == "all"
            for each in self.parents.above(node)
        )

    def _after_if(self, node: cst.If, holds: bool, asks_more: bool) -> After | None:
        before, rest = self._around(node)
        own: _Body = node.body.body
        outcome: Outcome | None
        elsewhere: _Body
        if not holds:
            outcome, elsewhere = ends_well(own), own
        elif node.orelse is not None:
            elsewhere = _last(node.orelse)
            outcome = ends_well(elsewhere) if elsewhere else Outcome.SKIPPED
            elsewhere = (node.orelse,)
        elif _exits(own):
            outcome = ends_well(rest[:1]) if rest else Outcome.SKIPPED
            elsewhere = rest
        else:
            outcome, elsewhere = self._undone(own), rest
        if outcome is None:
            return None
        return After(outcome, (*before, *elsewhere), asks_more)

    def _undone(self, body: _Body) -> Outcome:
        """What it means that code is not run: that another value stands, or nothing is.

        Where the thing itself, or an entry of a mapping, is to be replaced, no other
        value stands: it stays as it was.
        """
        for each in lines(body):
            match each:
                case cst.Assign(targets=[cst.AssignTarget(target=target)]):
                    if isinstance(target, cst.Subscript):
                        return Outcome.SKIPPED
                    if code_of(target) == self.subject:
                        return Outcome.SKIPPED
                case cst.Assign() | cst.AnnAssign():
                    pass
                case _:
                    return Outcome.SKIPPED
        return Outcome.OTHERWISE

    def _around(self, node: cst.If) -> tuple[_Body, _Body]:
        """The conditions that come before a statement, and the statements behind it."""
        before: list[cst.CSTNode] = []
        current: cst.CSTNode = node
        above = self.parents.of(current)
        while isinstance(above, cst.If) and above.orelse is current:
            before.append(above.test)
            current, above = above, self.parents.of(above)
        body = getattr(above, "body", ())
        if not isinstance(body, list | tuple) or current not in body:
            return before, ()
        place = body.index(current)
        before += [x.test for x in body[:place] if isinstance(x, cst.If)]
        return before, body[place + 1 :]


def ends_well(body: _Body) -> Outcome | None:
    """Return what code does with what it is left with; None if it refuses it."""
    found = list(lines(body))
    if any(isinstance(x, cst.Raise) or is_told(x) for x in found[:2]):
        return None
    match found[:1]:
        case [cst.Return(value=value)] if value is None or is_refusal(value):
            return None
        case [cst.Continue() | cst.Break() | cst.Pass()]:
            return Outcome.SKIPPED
    return Outcome.OTHERWISE


def is_refusal(node: cst.BaseExpression) -> bool:
    """Return whether a value says no: None, false, nothing, or a reason."""
    match node:
        case cst.Name(value="None" | "False" | "NotImplemented"):
            return True
        case cst.SimpleString() | cst.FormattedString() | cst.ConcatenatedString():
            return True
        case cst.Tuple(elements=elements) if elements:
            return is_refusal(elements[0].value)
        case cst.Tuple() | cst.List() | cst.Dict():
            return not node.elements
    return False


def _last(orelse: cst.If | cst.Else) -> _Body:
    """The body that a ladder ends with; nothing if it has no ``else``."""
    current: cst.If | cst.Else | None = orelse
    while isinstance(current, cst.If):
        current = current.orelse
    return () if current is None else current.body.body


def lines(body: _Body) -> Iterator[cst.CSTNode]:
    """Yield the small statements of a block, and a compound one as it is."""
    for statement in body:
        if isinstance(statement, cst.SimpleStatementLine):
            yield from statement.body
        else:
            yield statement


def _exits(body: _Body) -> bool:
    found = list(lines(body))
    return bool(found) and isinstance(found[-1], _EXITS)


def is_told(node: cst.CSTNode) -> bool:
    """Return whether a statement logs something."""
    if isinstance(node, cst.Expr) and isinstance(node.value, cst.Call):
        return (dotted(node.value.func) or "").partition(".")[0] in _LOGGERS
    return False
