# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What leaves a function of the first spec in a composite, as the group's own."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field

import libcst as cst

from kvlint.model.groups.flow import GroupFlow
from kvlint.model.groups.kinds import Environment, Kind
from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted

_KEPT_INSIDE = frozenset(["isinstance", "hasattr", "getattr", "print", "len", "type"])
_LOGGERS = frozenset(["logger", "logging", "log", "warnings"])


@dataclass
class FirstSpecs(GroupFlow):
    """The attributes of first specs that a function lets out.

    Attributes:
        found: The reads, each once.
        raws: What group specs are called in it, unwrapped or not.
    """

    found: list[cst.Attribute] = field(default_factory=list)
    raws: set[str] = field(default_factory=set)
    _named: dict[str, list[cst.Attribute]] = field(default_factory=dict)

    def met(self, node: cst.CSTNode, env: Environment) -> None:
        """Take note of what group specs are called."""
        if isinstance(node, cst.Attribute) and self._known.kind(node.value, env).is_raw:
            self.raws.add(dotted(node.value) or "")

    def _statement(self, node: cst.CSTNode, environment: Environment) -> bool:
        match node:
            case cst.Return(value=value) if value is not None:
                self._let_out(value, environment)
            case cst.Assign(targets=targets, value=value):
                for target in targets:
                    self._assigned(target.target, value, environment)
            case cst.AnnAssign(target=target, value=value) if value is not None:
                self._assigned(target, value, environment)
            case cst.Expr(value=value):
                self._let_out(value, environment)
        return super()._statement(node, environment)

    def _assigned(
        self, target: cst.BaseExpression, value: cst.BaseExpression, env: Environment
    ) -> None:
        if isinstance(target, cst.Name):
            self._named[target.value] = list(self._reads(value, env))
        elif isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple):
            for left, right in zip(target.elements, value.elements, strict=False):
                self._assigned(left.value, right.value, env)
        else:
            self._let_out(value, env)

    def _let_out(self, value: cst.BaseExpression, env: Environment) -> None:
        for each in self._reads(value, env):
            if each not in self.found:
                self.found.append(each)

    def _reads(
        self, node: cst.BaseExpression, env: Environment
    ) -> Iterator[cst.Attribute]:
        """The reads off a first spec that an expression's value is made of."""
        match node:
            case cst.Name(value=name):
                yield from self._named.get(name, ())
            case cst.Attribute(value=value):
                if self._known.kind(value, env) is Kind.FIRST:
                    yield node
                else:
                    yield from self._reads(value, env)
            case cst.Call(func=func, args=args):
                name = dotted(func) or ""
                if name in _KEPT_INSIDE or name.partition(".")[0] in _LOGGERS:
                    return
                yield from self._reads(func, env)
                for argument in args:
                    yield from self._reads(argument.value, env)
            case cst.IfExp(test=test, body=body, orelse=orelse):
                for part, truth in ((body, True), (orelse, False)):
                    inner = dict(env)
                    self._known.refine(test, inner, truth=truth)
                    yield from self._reads(part, inner)
            case cst.BaseComp() | cst.Lambda() | cst.BaseString():
                return
            case _:
                for part in _parts(node):
                    yield from self._reads(part, env)


def _parts(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """The expressions directly inside another one."""
    for child in node.children:
        if isinstance(child, cst.BaseExpression):
            yield child
        else:
            yield from _parts(child)


def other_reads(
    function: cst.FunctionDef, found: cst.Attribute, raws: Set[str]
) -> bool:
    """Return whether a function reads an attribute off other specs, as if to compare.

    Args:
        function: The function.
        found: A read of the attribute.
        raws: Group specs: what the function reads off them, if they are no composites,
            is not compared with what layers say.
    """
    subjects = {dotted(found.value), "self", *raws}
    return any(
        isinstance(node, cst.Attribute)
        and node.attr.value == found.attr.value
        and node is not found
        and dotted(node.value) not in subjects
        for node in walk(function)
    )
