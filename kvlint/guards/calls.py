# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What calls in conditions come to: helpers, and functions on versions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_, or_
from typing import Protocol

import libcst as cst

from kvlint.guards.frames import Frame, Function, statements
from kvlint.guards.installed import Installed
from kvlint.guards.names import Evaluator
from kvlint.guards.naming import by_name, leaves_out
from kvlint.guards.questions import Questions
from kvlint.guards.values import (
    EITHER,
    FUNCTIONS,
    METHODS,
    NO,
    UNTOLD,
    YES,
    Outcome,
    Reference,
    Result,
    Value,
    either,
    looks,
    outcome,
    remembered,
    unclear,
    worked_out,
)
from kvlint.model.nodes import walk
from kvlint.model.reach import Reach
from kvlint.model.syntax import dotted

_DEEPEST = 8


class _Evaluator(Evaluator, Protocol):
    def outcome(self, node: cst.BaseExpression, frame: Frame) -> Outcome: ...


class Calls:
    """Works calls out.

    Args:
        evaluator: Works arguments and bodies out.
        installed: The vLLM at hand.
        questions: Answers what asks for the installation.
    """

    def __init__(
        self, evaluator: _Evaluator, installed: Installed, questions: Questions
    ) -> None:
        """Call nothing yet."""
        self._evaluator, self._installed = evaluator, installed
        self._questions = questions
        self._running: list[cst.FunctionDef] = []

    def value(self, node: cst.Call, frame: Frame) -> Result:
        """Return what a call comes to."""
        callee = self._evaluator.value(node.func, frame)
        found = self._questions.answer(node, callee, frame)
        if found is not None:
            return found
        name = (dotted(node.func) or "").rpartition(".")[2]
        if isinstance(callee, Value) and isinstance(callee.what, Reference):
            name = callee.what.name.rpartition(".")[2]
        if name in {"isinstance", "issubclass"}:
            classes = [self._evaluator.value(x.value, frame) for x in node.args[1:]]
            return UNTOLD if UNTOLD in classes else EITHER
        if name in {"all", "any", "list", "tuple"} and len(node.args) == 1:
            inner = node.args[0].value
            if isinstance(inner, cst.GeneratorExp | cst.ListComp):
                return self._comprehension(inner, name, frame)
        arguments = [self._evaluator.value(each.value, frame) for each in node.args]
        is_plain = not any(each.keyword or each.star for each in node.args)
        if isinstance(callee, Value) and isinstance(callee.what, Function):
            found = self._run(callee.what, node, arguments)
            if found != EITHER and outcome(found) != UNTOLD:
                return found
        elif is_plain:
            method = self._method(node, arguments, frame)
            if method is not None:
                return method
            if name == "map" and len(node.args) == 2:
                function = FUNCTIONS.get(dotted(node.args[0].value) or "")
                if function is not None:
                    return worked_out(
                        lambda items: tuple(map(function, items)), arguments[1:]
                    )
            if name in FUNCTIONS:
                return worked_out(FUNCTIONS[name], arguments)
        literals = [each.what for each in arguments if isinstance(each, Value)]
        told = by_name(name, literals, self._installed.release)
        if told is not None:
            return told
        return unclear([callee, *arguments]) if found is None else found

    def leaves_out(self, node: cst.Call, frame: Frame) -> bool:
        """Return whether a decorator may keep a definition for other releases."""
        name = (dotted(node.func) or "").rpartition(".")[2]
        arguments = [self._evaluator.value(each.value, frame) for each in node.args]
        literals = [each.what for each in arguments if isinstance(each, Value)]
        return leaves_out(name, literals, self._installed.release)

    def run(self, function: Function) -> Result:
        """Return what a property gives: a function that is passed its instance."""
        call = cst.Call(cst.Name(function.node.name.value), [])
        return self._run(function, call, [])

    def _method(
        self, node: cst.Call, arguments: Sequence[Result], frame: Frame
    ) -> Result | None:
        """What a method of a text comes to."""
        if not isinstance(node.func, cst.Attribute):
            return None
        owner = self._evaluator.value(node.func.value, frame)
        name = node.func.attr.value
        if isinstance(owner, Outcome):
            return unclear([owner, *arguments]) if owner != EITHER else None
        if name not in METHODS.get(type(owner.what), ()):
            return None
        return worked_out(
            lambda value, *rest: getattr(value, name)(*rest), [owner, *arguments]
        )

    def _comprehension(
        self, node: cst.GeneratorExp | cst.ListComp, name: str, frame: Frame
    ) -> Result:
        """What ``any(... for x in known)`` and the like come to."""
        loop = node.for_in
        items = self._evaluator.value(loop.iter, frame)
        is_known = isinstance(items, Value) and isinstance(items.what, list | tuple)
        is_simple = isinstance(loop.target, cst.Name) and loop.inner_for_in is None
        if not is_known or not is_simple or not isinstance(items, Value):
            return self._unclear(node, items, frame)
        found: list[Result] = []
        for item in items.what:
            given = {loop.target.value: Value(item, items.of_release)}  # type: ignore[attr-defined]
            inner = Frame(frame.tree, cst.Module([]), frame, given)
            tests = [self._evaluator.outcome(each.test, inner) for each in loop.ifs]
            kept = reduce(and_, tests, YES)
            if kept.true is Reach.NEVER:
                continue
            if kept.false is not Reach.NEVER:
                return UNTOLD if kept != EITHER else EITHER
            found.append(self._evaluator.value(node.elt, inner))
        if not items.of_release and not any(map(looks, found)):
            return EITHER
        if name in {"list", "tuple"}:
            return worked_out(lambda *values: FUNCTIONS[name](values), found)
        turns = map(outcome, found)
        return reduce(or_, turns, NO) if name == "any" else reduce(and_, turns, YES)

    def _unclear(
        self, node: cst.GeneratorExp | cst.ListComp, items: Result, frame: Frame
    ) -> Result:
        targets = [x for x in walk(node.for_in.target) if isinstance(x, cst.Name)]
        given: dict[str, Result] = {each.value: EITHER for each in targets}
        inner = Frame(frame.tree, cst.Module([]), frame, given)
        parts = [items, self._evaluator.value(node.elt, inner)]
        parts += [self._evaluator.value(each.test, inner) for each in node.for_in.ifs]
        return unclear(parts)

    def _run(
        self, function: Function, call: cst.Call, arguments: Sequence[Result]
    ) -> Result:
        """What a function of the project gives back for some arguments."""
        node = function.node
        if node in self._running or len(self._running) >= _DEEPEST:
            return EITHER
        given = self._given(function, call, arguments)
        frame = Frame(function.frame.tree, node, function.frame, given)
        self._running.append(node)
        found: list[Result] = []
        is_untold = is_told = False
        for statement, gates in statements(frame.block):
            if not isinstance(statement, cst.Return) or statement.value is None:
                continue
            standing = self._evaluator.standing(gates, frame)
            is_told |= self._evaluator.tells(gates, frame)
            is_untold |= standing.reach is Reach.UNKNOWN
            if standing.reach is not Reach.NEVER:
                found.append(self._evaluator.value(statement.value, frame))
            if standing.is_certain:
                break
        self._running.pop()
        result = remembered(either(found, is_untold))
        if is_told and isinstance(result, Value):
            return Value(result.what, True)
        return result

    def _given(
        self, function: Function, call: cst.Call, arguments: Sequence[Result]
    ) -> dict[str, Result]:
        """What a function's parameters are."""
        parameters = function.node.params
        positional = [*parameters.posonly_params, *parameters.params]
        given: dict[str, Result] = {}
        for each in (*positional, *parameters.kwonly_params):
            if each.default is not None:
                default = self._evaluator.value(each.default, function.frame)
                given[each.name.value] = default
        rest: list[Result] = []
        for number, (argument, value) in enumerate(
            zip(call.args, arguments, strict=True)
        ):
            if argument.star:
                return {}
            if argument.keyword is not None:
                given[argument.keyword.value] = value
            elif number < len(positional):
                given[positional[number].name.value] = value
            else:
                rest.append(value)
        if isinstance(parameters.star_arg, cst.Param):
            name = parameters.star_arg.name.value
            given[name] = worked_out(lambda *items: items, rest)
        return given
