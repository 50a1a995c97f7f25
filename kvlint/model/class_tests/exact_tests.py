# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Tests for the very class of something, and what becomes of all that is left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import libcst as cst

from kvlint.model.class_tests.aftermath import Aftermath, Outcome, Parents, ends_well
from kvlint.model.class_tests.type_tests import (
    ClassOf,
    Meaning,
    TypeTest,
    class_of,
    code_of,
    exact_test,
    instance_tests,
    keys,
    no_meaning,
)
from kvlint.model.literals import assigned
from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted

_KEY_ERRORS = frozenset({"KeyError", "LookupError", "Exception", "BaseException"})
_PAIR = 2


@dataclass(frozen=True, eq=False)
class ExactTest:
    """A test for the very class of something.

    Attributes:
        test: The test, or the look-up in a mapping by class.
        statement: What it stands in: a line, or the condition of a block.
        outcome: What becomes of what is left out.
        told_apart: Classes that the same thing is tested for where it gets then, or
            was tested for before.
    """

    test: TypeTest
    statement: cst.CSTNode
    outcome: Outcome
    told_apart: tuple[str, ...] = ()


@dataclass
class ExactTests:
    """The tests of a function that treat what they leave out in silence.

    Args:
        node: The function.
        outside: Returns the literal that a name outside of it stands for.
    """

    node: cst.FunctionDef
    outside: Meaning
    _known: dict[str, ClassOf] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read what names stand for."""
        lines = [x for x in walk(self.node) if isinstance(x, cst.SimpleStatementLine)]
        self._own = assigned(lines)
        for name, value in self._own.items():
            found = class_of(value)
            if found is not None:
                self._known[name] = found
        self._parents = Parents(self.node)

    def _meaning(self, name: str) -> cst.BaseExpression | None:
        return self._own.get(name) or self.outside(name)

    def __iter__(self) -> Iterator[ExactTest]:
        """Yield the tests in the order of the text."""
        for node in walk(self.node):
            match node:
                case cst.Comparison():
                    test = self._test(node)
                    if test is not None:
                        yield from self._compared(test, node)
                case cst.Subscript(value=value, slice=[element]):
                    key = element.slice
                    if isinstance(key, cst.Index):
                        test = self._mapping(node, value, key.value)
                        if test is not None and self._may_fail(node, value):
                            yield self._found(test, Outcome.KEY_ERROR)
                case cst.Call(func=cst.Attribute(value=value, attr=attr), args=args):
                    if attr.value == "get" and 0 < len(args) <= _PAIR:
                        test = self._mapping(node, value, args[0].value)
                        outcome = self._without(node)
                        if test is not None and outcome is not None:
                            yield self._found(test, outcome)

    def _test(self, node: cst.Comparison) -> TypeTest | None:
        """A comparison; of several that name one class each, the first for all."""
        test = exact_test(node, self._known, self._meaning)
        if test is None:
            return None
        joins = cst.Or if test.holds else cst.And
        joined: cst.CSTNode = node
        for each in self._parents.above(node):
            if not isinstance(each, cst.BooleanOperation):
                break
            if not isinstance(each.operator, joins):
                break
            joined = each
        subject = code_of(test.subject)
        tests = [
            found
            for each in walk(joined)
            if isinstance(each, cst.Comparison)
            and (found := exact_test(each, self._known, self._meaning)) is not None
            and code_of(found.subject) == subject
            and found.holds == test.holds
            and found.is_text == test.is_text
        ]
        if tests[0].node is not node:
            return None
        classes = (name for each in tests for name in each.classes)
        return replace(test, classes=tuple(dict.fromkeys(classes)))

    def _compared(self, test: TypeTest, node: cst.Comparison) -> Iterator[ExactTest]:
        subject = code_of(test.subject)
        found = Aftermath(self._parents, subject).of(node, holds=test.holds)
        if found is None or found.asks_more or self._parts(node):
            return
        tests = (x for node in found.elsewhere for x in instance_tests(node))
        told = (x.classes for x in tests if code_of(x.subject) == subject)
        apart = tuple(name for classes in told for name in classes if name)
        yield self._found(test, found.outcome, apart)

    def _parts(self, node: cst.Comparison) -> bool:
        """Whether a test gathers things in a collection that the function looks into.

        What was left out is then dealt with as what is not in there.
        """
        for above in self._parents.above(node):
            if isinstance(above, cst.Assign):
                names = {dotted(each.target) for each in above.targets}
                return any(
                    isinstance(each, cst.ComparisonTarget)
                    and isinstance(each.operator, cst.In | cst.NotIn)
                    and dotted(each.comparator) in names - {None}
                    for each in walk(self.node)
                )
        return False

    def _found(
        self, test: TypeTest, outcome: Outcome, told_apart: tuple[str, ...] = ()
    ) -> ExactTest:
        statement = test.node
        for each in self._parents.above(test.node):
            if isinstance(each, cst.BaseCompoundStatement):
                break
            statement = each
        return ExactTest(test, statement, outcome, told_apart)

    def _mapping(
        self, node: cst.CSTNode, mapping: cst.BaseExpression, key: cst.BaseExpression
    ) -> TypeTest | None:
        """What a look-up by class has entries for."""
        looked_up = class_of(key, self._known)
        name = dotted(mapping)
        if looked_up is None:
            return None
        literal = self._meaning(name) if name is not None else mapping
        if literal is None or not keys(literal):
            return None
        as_test = cst.Comparison(key, [cst.ComparisonTarget(cst.In(), literal)])
        test = exact_test(as_test, self._known, no_meaning)
        return None if test is None else replace(test, node=node)

    def _may_fail(self, node: cst.Subscript, mapping: cst.BaseExpression) -> bool:
        """Whether a look-up is neither caught nor made sure of, and no assignment."""
        if isinstance(self._parents.of(node), cst.AssignTarget | cst.Del):
            return False
        if any(
            isinstance(each.comparisons[0].operator, cst.In | cst.NotIn)
            and code_of(each.comparisons[0].comparator) == code_of(mapping)
            for each in walk(self.node)
            if isinstance(each, cst.Comparison)
        ):
            return False
        below: cst.CSTNode = node
        for each in self._parents.above(node):
            if isinstance(each, cst.Try | cst.TryStar) and below is each.body:
                return not any(map(_catches, each.handlers))
            below = each
        return True

    def _without(self, call: cst.Call) -> Outcome | None:
        """What becomes of a thing whose class ``get`` does not find, if not None."""
        default = call.args[1].value if len(call.args) == _PAIR else None
        if default is not None and dotted(default) != "None":
            return Outcome.OTHERWISE
        above = self._parents.of(call)
        match above:
            case cst.BooleanOperation(left=left, operator=cst.Or()) if left is call:
                return Outcome.OTHERWISE
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]):
                return self._missing(name)
        return None

    def _missing(self, name: str) -> Outcome | None:
        """What is done where a name is None."""
        for each in walk(self.node):
            match each:
                case cst.If(
                    test=cst.Comparison(
                        left=cst.Name(value=tested),
                        comparisons=[
                            cst.ComparisonTarget(cst.Is(), cst.Name(value="None"))
                        ],
                    )
                ) if tested == name:
                    return ends_well(each.body.body)
        return None


def _catches(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> bool:
    caught = handler.type
    if caught is None or isinstance(caught, cst.Tuple):
        return True
    return (dotted(caught) or "").rpartition(".")[2] in _KEY_ERRORS
