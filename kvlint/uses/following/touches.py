# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where a file touches followed classes: its statements in turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from kvlint.model.classes import SpecFile
from kvlint.model.failures import catches, suppresses
from kvlint.model.failures import caught_types as _types
from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted
from kvlint.uses.following.assignments import Assignments, bound_names
from kvlint.uses.following.evaluation import Attributes
from kvlint.uses.following.expressions import (
    Touch,
    parameters,
)
from kvlint.uses.following.givers import Givers
from kvlint.uses.following.keywords import (
    joined,
    let_out,
)
from kvlint.uses.following.meanings import Meanings, Named
from kvlint.uses.following.narrowing import narrow_to_pattern
from kvlint.uses.following.values import Environment, Shape, Value, either

_TOLERANT = frozenset({"AttributeError", "Exception", "TypeError"})


def find_touches(
    meanings: Meanings,
    file: SpecFile,
    attributes: Attributes,
    givers: Givers | None = None,
) -> list[Touch]:
    """Return where a file touches followed classes.

    Args:
        meanings: Tells which classes are followed.
        file: The file.
        attributes: What attributes hold, by name.
        givers: What the file says of its functions.
    """
    scan = _Scan(meanings, file, attributes, givers=givers)
    scan.block(file.tree.module.body, {})
    return scan.found


def find_touches_in(
    function: cst.FunctionDef,
    owner: Named | None,
    shape: Shape | None,
    meanings: Meanings,
    file: SpecFile,
    attributes: Attributes,
    givers: Givers | None = None,
    class_name: str = "",
) -> list[Touch]:
    """Return where a single function touches followed classes.

    Args:
        function: The function, from wherever it was parsed.
        owner: The followed class that it is a method of.
        shape: How its first parameter is of that class; None if it is not.
        meanings: Tells which classes are followed.
        file: What the module around it binds names to.
        attributes: What attributes hold, by name.
        givers: What the file says of its functions.
        class_name: The class around, whether it is followed or not.
    """
    scan = _Scan(
        meanings,
        file,
        attributes,
        owner=owner,
        givers=givers,
        class_name=class_name,
    )
    scan.function(function, {}, shape)
    return scan.found


@dataclass
class _Scan(Assignments):
    """Goes through statements, and keeps what names are bound to."""

    _is_method: bool = False

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
                self.import_from(node, known)
            case cst.Assign(targets=targets, value=value):
                keywords = self.value(value, known)
                for target in targets:
                    self.target(target.target, known)
                    self.assign(target.target, value, keywords, known)
                    for name in bound_names(target.target) if targets[1:] else ():
                        let_out(name, self.mappings)
            case cst.AnnAssign(target=target, annotation=annotation, value=value):
                if value is not None:
                    keywords = self.value(value, known)
                    self.assign(target, value, keywords, known)
                said = self.values.annotated(annotation.annotation)
                self.values.bind(target, said, known)
            case cst.AugAssign(target=target):
                self.inside(node, known)
                self.forget(target, known)
            case cst.Del(target=target):
                self.delete(target, known)
            case cst.Assert(test=test):
                self.expression(test, known)
                self.narrow(test, known)
            case cst.If():
                return self._if(node, known)
            case cst.For(target=target, iter=iterated):
                self.expression(iterated, known)
                self.target(target, known)
                self.forget(target, known)
                self.values.bind_item(target, iterated, known)
                self._branches([(node.body.body, dict(known)), ((), known)], known)
                if node.orelse is not None:
                    self.block(node.orelse.body.body, known)
            case cst.While(test=test):
                self.expression(test, known)
                self._branches([(node.body.body, dict(known)), ((), known)], known)
            case cst.FunctionDef():
                self.function(node, known, self._shape(node))
            case cst.ClassDef():
                self._class(node, known)
            case cst.With(items=items):
                for item in items:
                    self.expression(item.item, known)
                    if item.asname is not None:
                        self.forget(item.asname.name, known)
                is_caught = any(map(suppresses, items))
                self.catchers += is_caught
                goes_on = self.block(node.body.body, known)
                self.catchers -= is_caught
                return goes_on or is_caught
            case cst.Try() | cst.TryStar():
                is_caught = any(map(catches, node.handlers))
                self.catchers += is_caught
                self._try(node, known)
                self.catchers -= is_caught
                self._forget_handled(node, known)
            case cst.Match():
                return self._match(node, known)
            case _:
                self.inside(node, known)
        return True

    def _if(self, node: cst.If, known: Environment) -> bool:
        self.expression(node.test, known)
        before, taken = dict(known), dict(known)
        self.narrow(node.test, taken)
        self.narrow(node.test, known, holds=False)
        orelse: Sequence[cst.CSTNode] = ()
        if isinstance(node.orelse, cst.If):
            orelse = (node.orelse,)
        elif node.orelse is not None:
            orelse = node.orelse.body.body
        branches = [(node.body.body, taken), (orelse, known)]
        return self._branches(branches, known, before)

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

    def _forget_handled(self, node: cst.Try | cst.TryStar, known: Environment) -> None:
        """What a handler assigns may be what it was before, or that."""
        for handler in node.handlers:
            for each in walk(handler.body):
                if isinstance(each, cst.AssignTarget | cst.AnnAssign):
                    self.values.bind(each.target, None, known)
                    for name in bound_names(each.target):
                        let_out(name, self.mappings)

    def _match(self, node: cst.Match, known: Environment) -> bool:
        self.expression(node.subject, known)
        before = dict(known)
        branches: list[tuple[Iterable[cst.CSTNode], Environment]] = [((), known)]
        for case in node.cases:
            taken = dict(known)
            for each in walk(case.pattern):
                if isinstance(each, cst.MatchAs | cst.MatchStar) and each.name:
                    self.values.bind(each.name, None, taken)
            narrow_to_pattern(self.values, node.subject, case.pattern, taken)
            if case.guard is not None:
                self.expression(case.guard, taken)
            branches.append((case.body.body, taken))
        return self._branches(branches, known, before)

    def _branches(
        self,
        branches: Sequence[tuple[Iterable[cst.CSTNode], Environment]],
        known: Environment,
        before: Environment | None = None,
    ) -> bool:
        """Look at branches; behind them a name is what all that go on make of it.

        What a condition told of a name counts behind them only where one alone goes on.
        """
        ends, mappings, mapped = [], [], self.mappings
        for body, start in branches:
            end, self.mappings = dict(start), dict(mapped)
            if self.block(body, end):
                ends.append((start, end))
                mappings.append(self.mappings)
        self.mappings = joined(mappings) if mappings else mapped
        if not ends:
            return False
        return self._join(ends, known, before if len(ends) > 1 else None)

    def _join(
        self,
        paths: Sequence[tuple[Environment, Environment]],
        known: Environment,
        before: Environment | None,
    ) -> bool:
        """Let names be what all of several paths make of them."""
        ends = [end for _, end in paths]
        for start, end in paths if before is not None else ():
            for name, value in end.items():
                is_told = value is not None and value is start.get(name)
                if is_told and before is not None:
                    end[name] = before.get(name)
        first, *rest = ends
        same = {
            name: either([value, *(end.get(name) for end in rest)])
            for name, value in first.items()
        }
        for end in rest:
            same |= {name: None for name in end if name not in first}
        known.clear()
        known.update(same)
        return True

    def _shape(self, node: cst.FunctionDef) -> Shape | None:
        """How the first parameter of a function is of the class around."""
        names = {dotted(each.decorator) for each in node.decorators}
        if not self._is_method or "staticmethod" in names:
            return None
        return Shape.KIND if "classmethod" in names else Shape.ONE

    def function(
        self, node: cst.FunctionDef, known: Environment, shape: Shape | None
    ) -> None:
        """Look at a function, given how its first parameter is of its class."""
        for decorator in node.decorators:
            self.expression(decorator.decorator, known)
        inner = dict(known)
        imported, mappings = dict(self.imported), dict(self.mappings)
        bound = parameters(node.params)
        for each in bound:
            is_one = not each.star
            said = each.annotation and self.values.annotated(each.annotation.annotation)
            self.values.bind(each.name, said or None if is_one else None, inner)
            self.mappings.pop(each.name.value, None)
            if each.default is not None:
                self.expression(each.default, known)
        is_method, self._is_method = self._is_method, False
        if shape is not None and self.owner is not None and bound:
            inner[bound[0].name.value] = Value(shape, self.owner)
        self.depth += 1
        self.block(node.body.body, inner)
        self.depth -= 1
        self.imported, self.mappings = imported, mappings
        self._is_method = is_method

    def _class(self, node: cst.ClassDef, known: Environment) -> None:
        for decorator in node.decorators:
            self.expression(decorator.decorator, known)
        owner, is_method, values = self.owner, self._is_method, self.values
        if not self.depth:
            self.values = replace(values, class_name=node.name.value)
        spec = self._classes.get(node)
        self.owner = None if spec is None else self.meanings.owner(spec)
        self._is_method = self.owner is not None
        self.block(node.body.body, dict(known))
        self.owner, self._is_method, self.values = owner, is_method, values
