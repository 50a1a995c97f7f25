# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Ladders of class tests: which rung nothing reaches, for one above takes all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import libcst as cst

from kvlint.model.class_tests.rungs import alternatives, condition_test, is_steady
from kvlint.model.class_tests.type_tests import TypeTest, code_of, instance_test
from kvlint.model.nodes import children
from kvlint.model.syntax import dotted
from kvlint.model.values.rebinding import depends_on, rebound

_ENDS = cst.Return | cst.Raise | cst.Continue | cst.Break
_Body = Sequence[cst.CSTNode]


@dataclass(frozen=True, eq=False)
class Shadowed:
    """A test of a class whose things never get there.

    Attributes:
        test: The test.
        by: The earlier test that takes them, for each class that is shadowed.
        is_dead: Whether nothing at all gets past the test.
        repeats: Whether what follows the test is what follows the earlier one.
    """

    test: TypeTest
    by: Mapping[str, tuple[str, TypeTest]]
    is_dead: bool
    repeats: bool = False


@dataclass(frozen=True)
class _Taken:
    """Things of a class went elsewhere."""

    name: str
    test: TypeTest
    body: str


_Facts = dict[str, tuple[_Taken, ...]]
"""What is known of subjects, by their text."""


@dataclass
class Ladders:
    """Follows a function and finds tests that come too late.

    Attributes:
        is_below: Whether a class, by its name, is or is below another.
        found: The tests.
    """

    is_below: Callable[[str, str], bool]
    found: list[Shadowed] = field(default_factory=list)

    def function(self, node: cst.FunctionDef) -> None:
        """Follow a function."""
        self._block(node.body.body, {})

    # Statements: each returns whether control may go on behind it.

    def _block(self, body: Iterable[cst.CSTNode], facts: _Facts) -> bool:
        goes_on = True
        for statement in body:
            goes_on = self._statement(statement, facts) and goes_on
        return goes_on

    def _statement(self, node: cst.CSTNode, facts: _Facts) -> bool:
        match node:
            case cst.SimpleStatementLine(body=body):
                return self._block(body, facts)
            case cst.FunctionDef():
                self.function(node)
                _forget(facts, {node.name.value})
            case cst.ClassDef():
                self._block(node.body.body, {})
            case cst.If():
                return self._if(node, facts)
            case cst.Match():
                return self._match(node, facts)
            case cst.For() | cst.While():
                _forget(facts, rebound(node))
                inside = dict(facts)
                if isinstance(node, cst.While):
                    self._scan(node.test, inside)
                    self._refine(node.test, inside, truth=True)
                self._block(node.body.body, inside)
                if node.orelse is not None:
                    self._block(node.orelse.body.body, dict(facts))
            case cst.With(body=cst.IndentedBlock(body=body)):
                for item in node.items:
                    self._scan(item, facts)
                    _forget(facts, rebound(item))
                return self._block(body, facts)
            case cst.Try() | cst.TryStar():
                self._try(node, facts)
            case cst.Assert(test=test):
                self._scan(node, facts)
                self._refine(test, facts, truth=True)
            case _:
                self._scan(node, facts)
                _forget(facts, rebound(node))
                return not isinstance(node, _ENDS)
        return True

    def _if(self, node: cst.If, facts: _Facts) -> bool:
        self._judge(node.test, facts, node.body)
        self._scan(node.test, facts)
        _forget(facts, rebound(node.test))
        taken, other = dict(facts), dict(facts)
        self._refine(node.test, taken, truth=True)
        self._refine(node.test, other, truth=False, body=node.body)
        orelse: _Body = ()
        if isinstance(node.orelse, cst.If):
            orelse = (node.orelse,)
        elif node.orelse is not None:
            orelse = node.orelse.body.body
        return self._branches([(node.body.body, taken), (orelse, other)], facts)

    def _match(self, node: cst.Match, facts: _Facts) -> bool:
        self._scan(node.subject, facts)
        subject, rest = node.subject, dict(facts)
        branches: list[tuple[_Body, _Facts]] = []
        is_exhausted = False
        for case in node.cases:
            patterns = alternatives(case.pattern)
            named = [
                dotted(x.cls) or "" for x in patterns if isinstance(x, cst.MatchClass)
            ]
            if named and len(named) == len(patterns) and is_steady(subject):
                test = TypeTest(case.pattern, subject, tuple(named))
                self._report(test, rest, case.body)
            inside = dict(rest)
            _forget(inside, rebound(case))
            branches.append((case.body.body, inside))
            is_bare = isinstance(case.pattern, cst.MatchAs) and not patterns
            is_exhausted |= is_bare and case.guard is None
            if case.guard is None:
                for each in patterns:
                    if not isinstance(each, cst.MatchClass):
                        continue
                    if not (each.patterns or each.kwds):
                        test = TypeTest(each, subject, (dotted(each.cls) or "",))
                        self._exclude(test, rest, case.body)
        if not is_exhausted:
            branches.append(((), rest))
        return self._branches(branches, facts)

    def _try(self, node: cst.Try | cst.TryStar, facts: _Facts) -> None:
        before = dict(facts)
        self._block(node.body.body, facts)
        _forget(before, rebound(node))
        for handler in node.handlers:
            self._block(handler.body.body, dict(before))
        for part in (node.orelse, node.finalbody):
            if part is not None:
                self._block(part.body.body, dict(before))
        facts.clear()
        facts.update(before)

    def _branches(
        self, branches: Sequence[tuple[_Body, _Facts]], facts: _Facts
    ) -> bool:
        """Follow branches; afterwards that is known which holds behind all of them."""
        ends = [end for body, end in branches if self._block(body, end)]
        facts.clear()
        if not ends:
            return False
        for subject, taken in ends[0].items():
            kept = tuple(
                x for x in taken if all(x in end.get(subject, ()) for end in ends)
            )
            if kept:
                facts[subject] = kept
        return True

    # Expressions.

    def _scan(self, node: cst.CSTNode, facts: _Facts) -> None:
        """Judge the conditional expressions in a node."""
        if isinstance(node, cst.IfExp):
            self._judge(node.test, facts, node.body)
            self._scan(node.test, facts)
            taken, other = dict(facts), dict(facts)
            self._refine(node.test, taken, truth=True)
            self._refine(node.test, other, truth=False, body=node.body)
            self._scan(node.body, taken)
            self._scan(node.orelse, other)
            return
        if isinstance(node, cst.Lambda | cst.BaseComp):
            facts = {} if isinstance(node, cst.Lambda) else dict(facts)
            _forget(facts, rebound(node))
        for child in children(node):
            self._scan(child, facts)

    def _judge(
        self, node: cst.BaseExpression, facts: _Facts, body: cst.CSTNode
    ) -> None:
        """Report tests that a condition needs and that are never true."""
        if isinstance(node, cst.BooleanOperation) and isinstance(
            node.operator, cst.And
        ):
            inner = dict(facts)
            self._judge(node.left, inner, body)
            self._refine(node.left, inner, truth=True)
            self._judge(node.right, inner, body)
            return
        test = condition_test(node)
        if test is not None:
            self._report(test, facts, body)

    def _report(self, test: TypeTest, facts: _Facts, body: cst.CSTNode) -> None:
        taken = facts.get(code_of(test.subject), ())
        by = {}
        for name in test.classes:
            for each in taken:
                if name and self.is_below(name, each.name):
                    by[name] = each
                    break
        is_dead = len(by) == len(set(test.classes))
        # Among others, a class may well be named again.
        if not is_dead:
            by = {name: each for name, each in by.items() if name != each.name}
        if by:
            repeats = all(x.body == _text(body) for x in by.values())
            shadowers = {name: (each.name, each.test) for name, each in by.items()}
            self.found.append(Shadowed(test, shadowers, is_dead, repeats))

    def _refine(
        self,
        node: cst.BaseExpression,
        facts: _Facts,
        *,
        truth: bool,
        body: cst.CSTNode | None = None,
    ) -> None:
        """Take into account that a condition came out true, or false."""
        match node:
            case cst.UnaryOperation(operator=cst.Not(), expression=inner):
                self._refine(inner, facts, truth=not truth, body=body)
            case cst.BooleanOperation(left=left, operator=operator, right=right):
                if isinstance(operator, cst.And) == truth:
                    self._refine(left, facts, truth=truth, body=body)
                    self._refine(right, facts, truth=truth, body=body)
            case cst.Call() if not truth:
                test = instance_test(node)
                if test is not None and is_steady(test.subject):
                    self._exclude(test, facts, body)

    def _exclude(self, test: TypeTest, facts: _Facts, body: cst.CSTNode | None) -> None:
        subject, text = code_of(test.subject), _text(body)
        known = facts.get(subject, ())
        more = tuple(_Taken(name, test, text) for name in test.classes if name)
        facts[subject] = (*known, *more)


def _text(body: cst.CSTNode | None) -> str:
    return "" if body is None else code_of(body)


def _forget(facts: _Facts, names: set[str]) -> None:
    """Drop what is known of subjects that may be something else by now."""
    for subject in [each for each in facts if depends_on(each, names)]:
        del facts[subject]
