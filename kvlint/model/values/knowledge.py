# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What code says about the classes of its values, at each call of a function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from kvlint.model.annotations import read_annotation
from kvlint.model.nodes import children
from kvlint.model.syntax import dotted
from kvlint.model.values.known import (
    Environment,
    Known,
    bind_item,
    bind_name,
    bind_value,
    known_type,
    known_value,
    refine,
    refine_by_failure,
    refine_by_pattern,
    text,
)


@dataclass(frozen=True, slots=True)
class Occasion:
    """A call, and what is known where it stands.

    Attributes:
        call: The call.
        known: By the text of an expression.
    """

    call: cst.Call
    known: Environment

    def of(self, node: cst.BaseExpression) -> Known | None:
        """Return what is known of an expression, None for nothing."""
        return known_value(node, self.known)


def occasions(function: cst.FunctionDef, owner: str = "") -> Iterator[Occasion]:
    """Yield the calls of a function in the order of the text.

    Args:
        function: The function.
        owner: The class that it is a method of, if any.
    """
    yield from _Walk().function(function, {}, owner)


class _Walk:
    """Goes through statements; each yields its calls and may tell of names."""

    def function(
        self, node: cst.FunctionDef, outer: Environment, owner: str = ""
    ) -> Iterator[Occasion]:
        known = dict(outer)
        parameters = (*node.params.posonly_params, *node.params.params)
        for each in (*parameters, *node.params.kwonly_params):
            annotation = each.annotation
            found = annotation and known_type(read_annotation(annotation.annotation))
            bind_name(each.name.value, found or None, known)
        names = {dotted(each.decorator) for each in node.decorators}
        if owner and parameters and not names & {"staticmethod", "classmethod"}:
            known[parameters[0].name.value] = Known((owner,))
        yield from self.block(node.body.body, known)

    def block(
        self, body: Iterable[cst.CSTNode], known: Environment
    ) -> Iterator[Occasion]:
        for each in body:
            yield from self._statement(each, known)

    def _statement(self, node: cst.CSTNode, known: Environment) -> Iterator[Occasion]:
        match node:
            case cst.SimpleStatementLine(body=body):
                yield from self.block(body, known)
            case cst.Assign(targets=targets, value=value):
                yield from self._expression(value, known)
                for target in targets:
                    bind_value(target.target, value, known)
            case cst.AnnAssign(target=target, annotation=annotation, value=value):
                if value is not None:
                    yield from self._expression(value, known)
                typed = known_type(read_annotation(annotation.annotation))
                bind_name(text(target), typed, known)
            case cst.Assert(test=test):
                yield from self._expression(test, known)
                refine(test, known)
            case cst.If():
                yield from self._if(node, known)
            case cst.For(target=target, iter=iterated):
                yield from self._expression(iterated, known)
                bind_item(target, iterated, known)
                yield from self.block(node.body.body, known)
                if node.orelse is not None:
                    yield from self.block(node.orelse.body.body, known)
            case cst.Match(subject=subject, cases=cases):
                yield from self._expression(subject, known)
                for case in cases:
                    inside = dict(known)
                    refine_by_pattern(case.pattern, subject, inside)
                    yield from self.block(case.body.body, inside)
            case cst.FunctionDef():
                yield from self.function(node, known)
            case cst.ClassDef():
                yield from self.block(node.body.body, dict(known))
            case cst.BaseCompoundStatement() | cst.BaseSuite():
                for each in children(node):
                    yield from self._statement(each, known)
            case cst.ExceptHandler() | cst.ExceptStarHandler() | cst.Finally():
                yield from self.block(node.body.body, known)
            case cst.Else():
                yield from self.block(node.body.body, known)
            case _:
                yield from self._expression(node, known)

    def _if(self, node: cst.If, known: Environment) -> Iterator[Occasion]:
        yield from self._expression(node.test, known)
        taken = dict(known)
        refine(node.test, taken)
        orelse: Sequence[cst.CSTNode] = ()
        if isinstance(node.orelse, cst.If):
            orelse = (node.orelse,)
        elif node.orelse is not None:
            orelse = node.orelse.body.body
        bound: set[str] = set()
        for body, inside in ((node.body.body, taken), (orelse, dict(known))):
            start = dict(inside)
            yield from self.block(body, inside)
            bound |= {
                name
                for name in {*start, *inside}
                if start.get(name) != inside.get(name)
            }
        if _leaves(node.body):
            refine_by_failure(node.test, known)
        for name in bound:
            known.pop(name, None)  # it may mean either

    def _expression(self, node: cst.CSTNode, known: Environment) -> Iterator[Occasion]:
        match node:
            case cst.Call():
                yield Occasion(node, dict(known))
            case cst.NamedExpr(target=target, value=value):
                yield from self._expression(value, known)
                bind_value(target, value, known)
                return
            case cst.IfExp(test=test, body=body, orelse=orelse):
                yield from self._expression(test, known)
                taken = dict(known)
                refine(test, taken)
                yield from self._expression(body, taken)
                yield from self._expression(orelse, known)
                return
            case cst.BooleanOperation(left=left, operator=cst.And(), right=right):
                yield from self._expression(left, known)
                taken = dict(known)
                refine(left, taken)
                yield from self._expression(right, taken)
                return
            case cst.ListComp() | cst.SetComp() | cst.GeneratorExp() | cst.DictComp():
                known = dict(known)
                _comprehend(node.for_in, known)
        for each in children(node):
            yield from self._expression(each, known)


def _comprehend(loop: cst.CompFor, known: Environment) -> None:
    bind_item(loop.target, loop.iter, known)
    for condition in loop.ifs:
        refine(condition.test, known)
    if loop.inner_for_in is not None:
        _comprehend(loop.inner_for_in, known)


def _leaves(suite: cst.BaseSuite) -> bool:
    """Whether control never goes on behind a block."""
    if not suite.body:
        return False
    last = suite.body[-1]
    if isinstance(last, cst.SimpleStatementLine) and last.body:
        last = last.body[-1]
    return isinstance(last, cst.Return | cst.Raise | cst.Continue | cst.Break)
