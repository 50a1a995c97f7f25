# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where a file touches vLLM's classes: its statements in turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import libcst as cst

from kvlint.contracts.upgrading.expressions import (
    Act,
    Expressions,
    Touch,
    entries,
)
from kvlint.contracts.upgrading.plugin import OwnClass, PlugIn
from kvlint.contracts.upgrading.values import Environment, Shape, Value
from kvlint.model.classes import SpecFile
from kvlint.model.syntax import dotted

_TOLERANT = frozenset({"AttributeError", "Exception", "TypeError"})
_NEVER = Value(Shape.SUPER, "")


def find_touches(plug_in: PlugIn, file: SpecFile, table: Environment) -> list[Touch]:
    """Return where a file touches vLLM's classes or the project's below them.

    Args:
        plug_in: The project.
        file: The file.
        table: What attributes hold, by name.
    """
    scan = _Scan(plug_in, file, table)
    scan.block(file.tree.module.body, {})
    return scan.found


@dataclass
class _Scan(Expressions):
    """Goes through statements, and keeps what names are bound to."""

    _depth: int = 0
    _owner: OwnClass | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._classes = {each.node: each for each in self.file.classes}

    # Statements: each returns whether control may go on behind it.

    def block(self, body: Iterable[cst.CSTNode], known: Environment) -> bool:
        """Look at statements in turn."""
        goes_on = True
        for each in body:
            goes_on = self._statement(each, known) and goes_on
        return goes_on

    def _statement(self, node: cst.CSTNode, known: Environment) -> bool:
        match node:
            case cst.SimpleStatementLine(body=body):
                return self.block(body, known)
            case cst.Return() | cst.Raise() | cst.Continue() | cst.Break():
                self.inside(node, known)
                return False
            case cst.ImportFrom():
                self._import(node)
            case cst.Assign(targets=targets, value=value):
                self.expression(value, known)
                for target in targets:
                    self.expression(target.target, known)
                    self._assign(target.target, value, known)
            case cst.AnnAssign(target=target, annotation=annotation, value=value):
                if value is not None:
                    self.expression(value, known)
                said = self.values.annotated(annotation.annotation)
                self.values.bind(target, said, known)
            case cst.Assert(test=test):
                self.expression(test, known)
                self.narrow(test, known)
            case cst.If():
                return self._if(node, known)
            case cst.For(target=target, iter=iterated):
                self.expression(iterated, known)
                self.values.bind_item(target, self.values.value(iterated, known), known)
                self._branches([(node.body.body, dict(known)), ((), known)], known)
                if node.orelse is not None:
                    self.block(node.orelse.body.body, known)
            case cst.While(test=test):
                self.expression(test, known)
                self._branches([(node.body.body, dict(known)), ((), known)], known)
            case cst.FunctionDef():
                self._function(node, known)
            case cst.ClassDef():
                self._class(node, known)
            case cst.With(items=items):
                for item in items:
                    self.expression(item.item, known)
                return self.block(node.body.body, known)
            case cst.Try() | cst.TryStar():
                self._try(node, known)
            case _:
                self.inside(node, known)
        return True

    def _import(self, node: cst.ImportFrom) -> None:
        """Note what is imported; what a function imports for itself counts there."""
        if node.relative or node.module is None:
            return
        module = dotted(node.module)
        for alias in node.names if not isinstance(node.names, cst.ImportStar) else ():
            origin = f"{module}.{dotted(alias.name)}"
            bound = alias.asname.name if alias.asname else alias.name
            name = self.plug_in.upstream(origin)
            if name is not None:
                value = Value(Shape.CLASS, name)
                self.add(Act.IMPORT, value, module or "", alias.name, call=None)
            if self._depth and isinstance(bound, cst.Name):
                self.imported.pop(bound.value, None)
                if name is not None:
                    self.imported[bound.value] = origin

    def _assign(
        self, target: cst.CSTNode, value: cst.BaseExpression, known: Environment
    ) -> None:
        if isinstance(target, cst.Name):
            self.dicts[target.value] = entries(value)
        self.values.bind(target, self.values.value(value, known), known)

    def _if(self, node: cst.If, known: Environment) -> bool:
        self.expression(node.test, known)
        taken = dict(known)
        self.narrow(node.test, taken)
        orelse: Sequence[cst.CSTNode] = ()
        if isinstance(node.orelse, cst.If):
            orelse = (node.orelse,)
        elif node.orelse is not None:
            orelse = node.orelse.body.body
        return self._branches([(node.body.body, taken), (orelse, known)], known)

    def _try(self, node: cst.Try | cst.TryStar, known: Environment) -> None:
        caught = {
            dotted(each) or ""
            for handler in node.handlers
            for each in _types(handler.type)
        }
        tolerant = bool({each.rpartition(".")[2] for each in caught} & _TOLERANT)
        self.guards += tolerant
        self.block(node.body.body, known)
        for handler in node.handlers:
            self.block(handler.body.body, dict(known))
        self.guards -= tolerant
        for part in (node.orelse, node.finalbody):
            if part is not None:
                self.block(part.body.body, known)

    def _branches(
        self,
        branches: Sequence[tuple[Iterable[cst.CSTNode], Environment]],
        known: Environment,
    ) -> bool:
        """Look at branches; behind them a name is what all that go on make of it."""
        ends = []
        for body, start in branches:
            end = dict(start)
            if self.block(body, end):
                ends.append(end)
        if not ends:
            return False
        first, *rest = ends
        same = {
            name: value if all(end.get(name, _NEVER) == value for end in rest) else None
            for name, value in first.items()
        }
        for end in rest:
            same |= {name: None for name in end if name not in first}
        known.clear()
        known.update(same)
        return True

    def _function(self, node: cst.FunctionDef, known: Environment) -> None:
        for decorator in node.decorators:
            self.expression(decorator.decorator, known)
        inner = dict(known)
        parameters = (
            *node.params.posonly_params,
            *node.params.params,
            *node.params.kwonly_params,
        )
        for each in parameters:
            said = each.annotation and self.values.annotated(each.annotation.annotation)
            self.values.bind(each.name, said or None, inner)
            if each.default is not None:
                self.expression(each.default, known)
        owner, self._owner = self._owner, None
        names = {dotted(each.decorator) for each in node.decorators}
        if owner is not None and parameters and "staticmethod" not in names:
            shape = Shape.CLASS if "classmethod" in names else Shape.ONE
            inner[parameters[0].name.value] = Value(shape, owner.spec)
        imported, dicts = dict(self.imported), dict(self.dicts)
        self._depth += 1
        self.block(node.body.body, inner)
        self._depth -= 1
        self.imported, self.dicts = imported, dicts
        self._owner = owner

    def _class(self, node: cst.ClassDef, known: Environment) -> None:
        for decorator in node.decorators:
            self.expression(decorator.decorator, known)
        owner = self._owner
        spec = self._classes.get(node)
        self._owner = None if spec is None else self.plug_in.own.get(spec)
        self.block(node.body.body, dict(known))
        self._owner = owner


def _types(node: cst.BaseExpression | None) -> list[cst.BaseExpression]:
    if isinstance(node, cst.Tuple):
        return [each.value for each in node.elements]
    return [] if node is None else [node]
