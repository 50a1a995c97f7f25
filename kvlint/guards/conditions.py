# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""How conditions turn out in the release at hand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_, or_

import libcst as cst

from kvlint.guards.calls import Calls
from kvlint.guards.frames import Frame, Function
from kvlint.guards.installed import Installed
from kvlint.guards.modules import Modules
from kvlint.guards.names import Names
from kvlint.guards.naming import speaks_of_release
from kvlint.guards.questions import Questions
from kvlint.guards.values import (
    EITHER,
    NO,
    UNTOLD,
    YES,
    Opaque,
    Outcome,
    Reference,
    Result,
    Value,
    compared,
    decided,
    either,
    looks,
    outcome,
    unclear,
    worked_out,
)
from kvlint.model.gates import Attempt, Case, Chance, Gate, Gates, Test
from kvlint.model.nodes import children
from kvlint.model.reach import Reach, Standing
from kvlint.model.syntax import text_of

_CONSTANTS = {"True": True, "False": False, "None": None}


class Conditions:
    """Works conditions out.

    Args:
        installed: The vLLM at hand.
        modules: The project's modules.
    """

    def __init__(self, installed: Installed, modules: Modules) -> None:
        """Look at nothing yet."""
        self._names = Names(self, installed, modules)
        self._questions = Questions(self, installed, self._names.dotted)
        self._calls = Calls(self, installed, self._questions)

    def standing(self, gates: Gates, frame: Frame) -> Standing:
        """Return how code stands behind conditions of a frame."""
        reach, is_certain = Reach.REACHED, True
        for gate in gates:
            found = self._gate(gate, frame)
            reach = min(reach, found.true)
            is_certain = is_certain and found == YES
            if reach is Reach.NEVER:
                break
        return Standing(reach, is_certain)

    def _gate(self, gate: Gate, frame: Frame) -> Outcome:
        match gate:
            case Test(node, wanted):
                found = self._turn(node, frame)
                return found if wanted else ~found
            case Attempt(imports, wanted, is_needed):
                found = reduce(and_, map(self._questions.imports, imports), YES)
                if is_needed and found == UNTOLD:
                    found = YES if wanted else UNTOLD
                return found if wanted else ~found
            case Case(statement, number):
                return self._case(statement, number, frame)
            case Chance(reach):
                return Outcome(reach, Reach.REACHED)

    def outcome(self, node: cst.BaseExpression, frame: Frame) -> Outcome:
        """Return how a condition turns out."""
        return outcome(self._test(node, frame))

    def _turn(self, node: cst.BaseExpression, frame: Frame) -> Outcome:
        """Which way code goes: in a helper, its arguments decide that too."""
        found = self._test(node, frame)
        return outcome(found if frame.given is None else decided(found))

    def _test(self, node: cst.BaseExpression, frame: Frame) -> Result:
        if node in frame.tests:
            return frame.tests[node]
        guessed = self._names.guessed
        found = self.value(node, frame)
        if isinstance(found, Value) and isinstance(found.what, Reference):
            is_told = found.of_release or not speaks_of_release(found.what.name)
            found = found if is_told else UNTOLD
        if self._names.guessed == guessed:
            frame.tests[node] = found
        return found

    def run(self, function: Function) -> Result:
        """Return what a property comes to."""
        return self._calls.run(function)

    def tells(self, gates: Gates, frame: Frame) -> bool:
        """Return whether the release decides one of some conditions."""
        return any(
            outcome(self._test(each.node, frame)) in (YES, NO)
            if isinstance(each, Test)
            else self._gate(each, frame) in (YES, NO)
            for each in gates
        )

    def is_marked_off(self, frame: Frame) -> bool:
        """Return whether a decorator may keep a definition for other releases.

        Such as ``@version_range(">=0.8,<0.29")``: what it does with that is not looked
        into.

        Args:
            frame: The definition's.
        """
        node, outside = frame.node, frame.parent
        if isinstance(node, cst.Module) or outside is None:
            return False
        return any(
            isinstance(each.decorator, cst.Call)
            and self._calls.leaves_out(each.decorator, outside)
            for each in node.decorators
        )

    def _case(self, statement: cst.Match, number: int, frame: Frame) -> Outcome:
        """Whether a case of a ``match`` is the one taken."""
        subject = self.value(statement.subject, frame)
        fits = []
        for each in statement.cases[: number + 1]:
            fit = self._fit(subject, each.pattern, frame)
            fits.append(fit & self.outcome(each.guard, frame) if each.guard else fit)
        return reduce(and_, [~each for each in fits[:-1]], fits[-1])

    def _fit(self, subject: Result, pattern: cst.MatchPattern, frame: Frame) -> Outcome:
        if not looks(subject):
            return EITHER
        match pattern:
            case cst.MatchValue(value=node):
                found = compared(subject, cst.Equal(), self.value(node, frame))
                return outcome(found)
            case cst.MatchOr(patterns=patterns):
                parts = [self._fit(subject, each.pattern, frame) for each in patterns]
                return reduce(or_, parts, NO)
            case cst.MatchAs(pattern=None):
                return YES
        return UNTOLD

    def value(self, node: cst.BaseExpression, frame: Frame) -> Result:
        """Return what an expression comes to in a frame."""
        match node:
            case cst.SimpleString() | cst.ConcatenatedString():
                text = text_of(node)
                return EITHER if text is None else Value(text)
            case cst.Integer() | cst.Float():
                return Value(node.evaluated_value)
            case cst.Name(value=name):
                if name in _CONSTANTS:
                    return Value(_CONSTANTS[name])
                return self._names.name(name, frame)
            case cst.Attribute():
                return self._names.attribute(node, frame)
            case cst.Call():
                return self._calls.value(node, frame)
            case cst.Tuple(elements=elements) | cst.Set(elements=elements):
                parts = [self.value(each.value, frame) for each in elements]
                return worked_out(lambda *items: items, parts)
            case cst.List(elements=elements):
                parts = [self.value(each.value, frame) for each in elements]
                return worked_out(lambda *items: [*items], parts)
            case cst.Comparison():
                return self._comparison(node, frame)
            case cst.BooleanOperation():
                return self._boolean(node, frame)
            case cst.UnaryOperation(operator=cst.Not(), expression=inner):
                found = self.value(inner, frame)
                if isinstance(found, Value) and not isinstance(found.what, Opaque):
                    return Value(not found.what, found.of_release)
                return ~self.outcome(inner, frame)
            case cst.IfExp(test=test, body=body, orelse=orelse):
                return self._choice(self._turn(test, frame), (body, orelse), frame)
            case cst.NamedExpr(value=value):
                return self.value(value, frame)
            case cst.Subscript(value=value, slice=[cst.SubscriptElement(slice=part)]):
                return self._item(self.value(value, frame), part, frame)
        return unclear(self._parts(node, frame))

    def _parts(self, node: cst.CSTNode, frame: Frame) -> list[Result]:
        """What the expressions in a node come to."""
        found: list[Result] = []
        for each in children(node):
            if isinstance(each, cst.BaseExpression):
                found.append(self.value(each, frame))
            else:
                found += self._parts(each, frame)
        return found

    def _comparison(self, node: cst.Comparison, frame: Frame) -> Result:
        left = self.value(node.left, frame)
        found: list[Result] = []
        for each in node.comparisons:
            right = self.value(each.comparator, frame)
            found.append(compared(left, each.operator, right))
            left = right
        if len(found) == 1:
            return found[0]
        return reduce(and_, map(outcome, found), YES)

    def _boolean(self, node: cst.BooleanOperation, frame: Frame) -> Result:
        left, one = self.value(node.left, frame), self.outcome(node.left, frame)
        is_or = isinstance(node.operator, cst.Or)
        if (one.false if is_or else one.true) is Reach.NEVER:
            return one  # nobody looks at the right side
        right = self.value(node.right, frame)
        is_told = isinstance(right, Value) and not isinstance(right.what, bool)
        if is_or and left == EITHER and is_told and looks(right):
            return right  # somebody may set another release by hand
        other = self.outcome(node.right, frame)
        return one | other if is_or else one & other

    def _choice(
        self, test: Outcome, nodes: Sequence[cst.BaseExpression], frame: Frame
    ) -> Result:
        body, orelse = nodes
        if test.false is Reach.NEVER:
            return self.value(body, frame)
        if test.true is Reach.NEVER:
            return self.value(orelse, frame)
        both = [self.value(each, frame) for each in nodes]
        return either(both, test != EITHER)

    def _item(self, value: Result, part: cst.BaseSlice, frame: Frame) -> Result:
        if isinstance(part, cst.Index):
            index = self.value(part.value, frame)
            return worked_out(lambda items, at: items[at], (value, index))
        if not isinstance(part, cst.Slice):
            return unclear((value,))
        ends = [
            Value(None) if each is None else self.value(each, frame)
            for each in (part.lower, part.upper, part.step)
        ]
        return worked_out(lambda items, *at: items[slice(*at)], (value, *ends))
