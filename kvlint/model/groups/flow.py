# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Follows group specs through a function: what is raw, what has been unwrapped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import libcst as cst

from kvlint.model.groups.kinds import Environment, Kind, bind, joined
from kvlint.model.groups.narrowing import of_scheduler, runs_in_scheduler
from kvlint.model.groups.scanning import ExpressionFlow
from kvlint.model.groups.subjects import ITEMS, place_of
from kvlint.model.syntax import dotted


@dataclass
class GroupFlow(ExpressionFlow):
    """Reads of wanted members off raw group specs in a function.

    Attributes:
        gives: What it returns or yields.
    """

    gives: set[Kind] = field(default_factory=set)
    _depth: int = 0

    def function(
        self,
        node: cst.FunctionDef,
        outer: Environment | None = None,
        given: Environment | None = None,
    ) -> Environment:
        """Follow a function from its parameters.

        Args:
            node: The function.
            outer: What is known of names that it does not bind itself.
            given: What is known of parameters by a call.

        Returns:
            What is known at its end.
        """
        environment = dict(outer or {})
        for parameter in (
            *node.params.posonly_params,
            *node.params.params,
            *node.params.kwonly_params,
        ):
            if parameter.name.value != "self":
                kind = self._known.parameter(parameter)
                bind(environment, parameter.name.value, kind)
        environment.update(given or {})
        self._depth += 1
        self._block(node.body.body, environment)
        self._depth -= 1
        return environment

    def _give(self, value: cst.BaseExpression | None, env: Environment) -> None:
        is_none = value is None or dotted(value) == "None"
        if value is not None and not is_none and self._depth == 1:
            self.gives.add(self._known.kind(value, env))

    # Statements: each returns whether control may go on behind it.

    def _block(self, body: Iterable[cst.CSTNode], environment: Environment) -> bool:
        goes_on = True
        for statement in body:
            goes_on = self._statement(statement, environment) and goes_on
        return goes_on

    def _statement(self, node: cst.CSTNode, environment: Environment) -> bool:
        match node:
            case cst.SimpleStatementLine(body=body):
                return self._block(body, environment)
            case cst.Return(value=value):
                self._scan_children(node, environment)
                self._give(value, environment)
                return False
            case cst.Raise() | cst.Continue() | cst.Break():
                self._scan_children(node, environment)
                return False
            case cst.Expr(value=cst.Yield(value=cst.BaseExpression() as value)):
                self._scan(value, environment)
                if self._depth == 1:
                    kind = self._known.kind(value, environment)
                    self.gives.add(ITEMS.get(kind, Kind.OTHER))
            case cst.Assign(targets=targets, value=value):
                self._scan(value, environment)
                for target in targets:
                    self._assign(target.target, value, environment)
            case cst.AugAssign(target=target):
                self._scan_children(node, environment)
                if (name := place_of(target)) is not None:
                    bind(environment, name, environment.get(name, Kind.OTHER))
            case cst.AnnAssign(target=target, value=value):
                if value is not None:
                    self._scan(value, environment)
                    self._assign(target, value, environment)
            case cst.Assert(test=test):
                self._scan(test, environment)
                self._known.refine(test, environment, truth=True)
            case cst.If():
                return self._if(node, environment)
            case cst.For(target=target, iter=iterated):
                self._scan(iterated, environment)
                self._known.assign_item(target, iterated, environment)
                self._branches(
                    [(node.body.body, dict(environment)), ((), dict(environment))],
                    environment,
                )
                if node.orelse is not None:
                    self._block(node.orelse.body.body, environment)
            case cst.While(test=test):
                self._scan(test, environment)
                inside = dict(environment)
                self._known.refine(test, inside, truth=True)
                self._branches(
                    [(node.body.body, inside), ((), dict(environment))], environment
                )
            case cst.FunctionDef():
                self.function(node, environment)
            case cst.ClassDef():
                self._block(node.body.body, dict(environment))
            case cst.With(items=items):
                for item in items:
                    self._scan(item.item, environment)
                return self._block(node.body.body, environment)
            case cst.Try() | cst.TryStar():
                self._try(node, environment)
            case cst.Match(subject=subject, cases=cases):
                self._scan(subject, environment)
                return self._match(subject, cases, environment)
            case _:
                self._scan_children(node, environment)
        return True

    def _if(self, node: cst.If, environment: Environment) -> bool:
        self._scan(node.test, environment)
        taken, other = dict(environment), dict(environment)
        self._known.refine(node.test, taken, truth=True)
        self._known.refine(node.test, other, truth=False)
        orelse: Sequence[cst.CSTNode] = ()
        if isinstance(node.orelse, cst.If):
            orelse = (node.orelse,)
        elif node.orelse is not None:
            orelse = node.orelse.body.body
        return self._taken(node, taken, orelse, other, environment)

    def _taken(
        self,
        node: cst.If,
        taken: Environment,
        orelse: Sequence[cst.CSTNode],
        other: Environment,
        environment: Environment,
    ) -> bool:
        """Follow both branches of an ``if``, but not what only the scheduler runs."""
        body: Sequence[cst.CSTNode] = node.body.body
        if runs_in_scheduler(node.test, truth=True):
            body = ()
        if runs_in_scheduler(node.test, truth=False):
            orelse = ()
        return self._branches([(body, taken), (orelse, other)], environment)

    def _match(
        self,
        subject: cst.BaseExpression,
        cases: Sequence[cst.MatchCase],
        environment: Environment,
    ) -> bool:
        branches: list[tuple[Sequence[cst.CSTNode], Environment]] = []
        rest = dict(environment)
        exhausted = False
        for case in cases:
            inside = dict(rest)
            pattern = case.pattern
            if isinstance(pattern, cst.MatchAs) and pattern.pattern is not None:
                pattern = pattern.pattern
            if isinstance(pattern, cst.MatchClass):
                self.met_pattern(subject, pattern, inside)
                self._known.refine_class(subject, pattern.cls, inside, truth=True)
                if case.guard is None:
                    self._known.refine_class(subject, pattern.cls, rest, truth=False)
            if isinstance(pattern, cst.MatchValue) and of_scheduler(pattern.value):
                continue
            is_bare = isinstance(pattern, cst.MatchAs) and pattern.pattern is None
            exhausted |= is_bare and case.guard is None
            branches.append((case.body.body, inside))
        if not exhausted:
            branches.append(((), rest))
        return self._branches(branches, environment)

    def _try(self, node: cst.Try | cst.TryStar, environment: Environment) -> None:
        branches: list[tuple[Sequence[cst.CSTNode], Environment]] = [
            (node.body.body, dict(environment))
        ]
        branches += [(each.body.body, dict(environment)) for each in node.handlers]
        self._branches(branches, environment)
        for part in (node.orelse, node.finalbody):
            if part is not None:
                self._block(part.body.body, environment)

    def _branches(
        self,
        branches: Sequence[tuple[Sequence[cst.CSTNode], Environment]],
        environment: Environment,
    ) -> bool:
        """Follow branches; afterwards a name is what any that goes on makes of it."""
        ends = [end for body, end in branches if self._block(body, end)]
        if not ends:
            return False
        environment.clear()
        for name in {name for end in ends for name in end}:
            environment[name] = joined({self._at(name, end) for end in ends})
        return True
