# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Follows group specs through a function: what is raw, what has been unwrapped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import libcst as cst

from kvlint.model.kinds import Environment, Kind, KnownKinds, Names, bind, joined
from kvlint.model.nodes import children
from kvlint.model.syntax import text_of


@dataclass
class GroupFlow:
    """Reads of wanted members off raw group specs in a function.

    Attributes:
        names: Tells composites.
        wanted: The members.
        reads: Found so far: the member and the node.
    """

    names: Names
    wanted: frozenset[str]
    reads: list[tuple[str, cst.CSTNode]] = field(default_factory=list)

    @property
    def _known(self) -> KnownKinds:
        return KnownKinds(self.names)

    def function(self, node: cst.FunctionDef, outer: Environment | None = None) -> None:
        """Follow a function from its parameters."""
        environment = dict(outer or {})
        for parameter in (
            *node.params.posonly_params,
            *node.params.params,
            *node.params.kwonly_params,
        ):
            bind(environment, parameter.name.value, self._known.parameter(parameter))
        self._block(node.body.body, environment)

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
            case cst.Return() | cst.Raise() | cst.Continue() | cst.Break():
                self._scan_children(node, environment)
                return False
            case cst.Assign(targets=targets, value=value):
                self._scan(value, environment)
                for target in targets:
                    self._known.assign(target.target, value, environment)
            case cst.AnnAssign(target=target, value=value):
                if value is not None:
                    self._scan(value, environment)
                    self._known.assign(target, value, environment)
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
        return self._branches([(node.body.body, taken), (orelse, other)], environment)

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
                self._known.refine_class(subject, pattern.cls, inside, truth=True)
                if case.guard is None:
                    self._known.refine_class(subject, pattern.cls, rest, truth=False)
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
            kinds = {end.get(name, Kind.OTHER) for end in ends}
            environment[name] = kinds.pop() if len(kinds) == 1 else joined(kinds)
        return True

    # Expressions: every read in the order in which they are evaluated.

    def _scan(self, node: cst.CSTNode, env: Environment) -> None:
        match node:
            case cst.Attribute(value=value, attr=cst.Name(value=attribute)):
                if (
                    attribute in self.wanted
                    and self._known.kind(value, env) is Kind.RAW
                ):
                    self.reads.append((attribute, node))
                self._scan(value, env)
            case cst.Call(func=cst.Name(value="getattr"), args=args) if len(args) > 1:
                name = text_of(args[1].value)
                is_raw = self._known.kind(args[0].value, env) is Kind.RAW
                if name is not None and name in self.wanted and is_raw:
                    self.reads.append((name, node))
                self._scan_children(node, env)
            case cst.BooleanOperation(left=left, operator=operator, right=right):
                self._scan(left, env)
                inner = dict(env)
                self._known.refine(left, inner, truth=isinstance(operator, cst.And))
                self._scan(right, inner)
            case cst.IfExp(test=test, body=body, orelse=orelse):
                self._scan(test, env)
                for part, truth in ((body, True), (orelse, False)):
                    inner = dict(env)
                    self._known.refine(test, inner, truth=truth)
                    self._scan(part, inner)
            case cst.NamedExpr(target=target, value=value):
                self._scan(value, env)
                self._known.assign(target, value, env)
            case cst.ListComp() | cst.SetComp() | cst.GeneratorExp():
                inner = self._comprehension(node.for_in, dict(env))
                self._scan(node.elt, inner)
            case cst.DictComp():
                inner = self._comprehension(node.for_in, dict(env))
                self._scan(node.key, inner)
                self._scan(node.value, inner)
            case _:
                self._scan_children(node, env)

    def _scan_children(self, node: cst.CSTNode, env: Environment) -> None:
        for child in children(node):
            self._scan(child, env)

    def _comprehension(self, loop: cst.CompFor, env: Environment) -> Environment:
        self._scan(loop.iter, env)
        self._known.assign_item(loop.target, loop.iter, env)
        for condition in loop.ifs:
            self._scan(condition.test, env)
            self._known.refine(condition.test, env, truth=True)
        if loop.inner_for_in is not None:
            return self._comprehension(loop.inner_for_in, env)
        return env
