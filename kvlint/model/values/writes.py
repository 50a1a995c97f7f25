# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Attributes of modules and classes that a file's code sets or deletes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from kvlint.model.classes import SpecFile
from kvlint.model.nodes import walk
from kvlint.model.reading import inner_blocks
from kvlint.model.references import References, Values
from kvlint.model.syntax import dotted

_LEAVES = frozenset({"__exit__", "__aexit__"})


@dataclass(frozen=True, slots=True)
class Sameness:
    """A condition ``left is right``, or ``left is not right``."""

    left: Values
    right: Values
    is_wanted: bool


_Conditions = tuple[Sameness | None, ...]


@dataclass(frozen=True, slots=True)
class Write:
    """An attribute that is set or deleted.

    Attributes:
        target: Its dotted name, as absolute as imports make it.
        node: What sets it.
        values: What it may be set to, as far as that is known.
        conditions: Under which it is; None for one of any other kind.
    """

    target: str
    node: cst.CSTNode
    values: Values
    conditions: _Conditions


def find_writes(file: SpecFile) -> list[Write]:
    """Return the attributes that a file sets for good, in any of its scopes.

    Left out is what is put back when a block or a context ends: what is set in
    ``finally`` too, or in the ``__exit__`` of the same class.
    """
    finder = _Finder(References(file.path))
    finder.block(file.tree.module.body, nested=False)
    return finder.lasting()


_Functions = list[tuple[cst.FunctionDef, _Conditions]]
"""Functions of one class, or a single one, and under what they are defined."""


class _Finder:
    """The writes of one scope, and of those inside it."""

    def __init__(self, names: References, conditions: _Conditions = ()) -> None:
        self._names = names
        self._conditions = conditions
        self._found: list[Write] = []
        self._restored: set[str] = set()
        self._later: list[_Functions] = []
        self._in_finally = False

    def lasting(self) -> list[Write]:
        """What is written for good; functions run when their scope is complete."""
        found = self._found
        for functions in self._later:
            writes = [
                (function.name.value, each)
                for function, conditions in functions
                for each in self._written_by(function, conditions)
            ]
            restored = {each.target for name, each in writes if name in _LEAVES}
            found += [each for _, each in writes if each.target not in restored]
        return [each for each in found if each.target not in self._restored]

    def _written_by(
        self, function: cst.FunctionDef, conditions: _Conditions
    ) -> list[Write]:
        inner = _Finder(self._names.inner(), conditions)
        for each in walk(function.params):
            if isinstance(each, cst.Param):
                inner._names.bind(each.name.value, frozenset())
        inner.block(function.body.body, nested=False)
        return inner.lasting()

    def block(self, statements: Iterable[cst.CSTNode], nested: bool) -> None:
        for statement in statements:
            match statement:
                case cst.SimpleStatementLine(body=body):
                    self.block(body, nested)
                case cst.FunctionDef():
                    self._names.bind(statement.name.value, frozenset())
                    self._later.append([(statement, self._conditions)])
                case cst.ClassDef():
                    inner = _Finder(self._names.inner(), self._conditions)
                    inner.block(statement.body.body, nested)
                    self._found += inner._found
                    self._later.append([x for each in inner._later for x in each])
                    self._names.bind(statement.name.value, frozenset())
                case cst.Import() | cst.ImportFrom():
                    self._names.bind_import(statement, adds=nested)
                case cst.BaseSmallStatement():
                    self._small(statement, nested)
                case _:
                    self._compound(statement)

    def _compound(self, statement: cst.CSTNode) -> None:
        if isinstance(statement, cst.For):
            for each in self._names.values(statement.iter):
                for element in getattr(each, "elements", ()):
                    self._names.assign(statement.target, element, adds=True)
        before = self._conditions
        if isinstance(statement, cst.If):
            understood = tuple(self._sameness(statement.test))
            self._conditions = (*before, *(understood or (None,)))
            self.block(statement.body.body, nested=True)
            self._conditions = (*before, None)
            if statement.orelse is not None:
                self._compound(statement.orelse)
            self._conditions = before
            return
        outer = self._in_finally
        for inner in inner_blocks(statement):
            if isinstance(statement, cst.Try | cst.TryStar):
                last = statement.finalbody
                is_last = last is not None and inner is last.body
                self._conditions = before if is_last else (*before, None)
                self._in_finally = outer or is_last
            self.block(inner.body, nested=True)
        self._conditions, self._in_finally = before, outer

    def _sameness(self, test: cst.BaseExpression) -> Iterator[Sameness]:
        match test:
            case cst.BooleanOperation(left=left, operator=cst.And(), right=right):
                yield from self._sameness(left)
                yield from self._sameness(right)
            case cst.Comparison(
                left=left,
                comparisons=[
                    cst.ComparisonTarget(
                        operator=cst.Is() | cst.IsNot() as operator, comparator=right
                    )
                ],
            ):
                yield Sameness(
                    self._names.values(left),
                    self._names.values(right),
                    isinstance(operator, cst.Is),
                )

    def _small(self, statement: cst.BaseSmallStatement, nested: bool) -> None:
        match statement:
            case cst.Assign(targets=targets, value=value):
                values = self._names.values(value)
                for each in targets:
                    self._set(each.target, values, nested)
            case cst.AnnAssign(target=target, value=value) if value is not None:
                self._set(target, self._names.values(value), nested)
            case cst.Del(target=target):
                parts: list[cst.BaseExpression] = [target]
                if isinstance(target, cst.Tuple):
                    parts = [each.value for each in target.elements]
                for part in parts:
                    self._set(part, frozenset(), nested)
            case cst.Expr(value=cst.Call() as call):
                self._call(call)

    def _set(self, target: cst.BaseExpression, values: Values, nested: bool) -> None:
        match target:
            case cst.Attribute(value=owner, attr=cst.Name(value=name)):
                self._note(owner, [name], target, values)
            case cst.Subscript(
                value=mapping, slice=[cst.SubscriptElement(cst.Index(value=key))]
            ):
                whose = _whose_attributes(mapping)
                if whose is not None:
                    self._note(whose, self._names.texts(key), target, values)
            case cst.Tuple(elements=elements) if any(
                not isinstance(each.value, cst.Name) for each in elements
            ):
                for each in elements:
                    self._set(each.value, frozenset(), nested)
            case _:
                self._names.assign(target, values, adds=nested)

    def _call(self, call: cst.Call) -> None:
        """``setattr(owner, "name", value)`` and the like."""
        given = [each.value for each in call.args if not each.star and not each.keyword]
        name = dotted(call.func)
        if name in {"setattr", "type.__setattr__"} and len(given) == 3:
            values = self._names.values(given[2])
            self._note(given[0], self._names.texts(given[1]), call, values)
        elif name in {"delattr", "type.__delattr__"} and len(given) == 2:
            self._note(given[0], self._names.texts(given[1]), call, frozenset())
        elif isinstance(call.func, cst.Attribute) and call.func.attr.value == "update":
            owner = _whose_attributes(call.func.value)
            if owner is not None:
                self._note(owner, self._updated(call.args), call, frozenset())

    def _updated(self, arguments: Sequence[cst.Arg]) -> Iterator[str]:
        for each in arguments:
            if each.keyword is not None:
                yield each.keyword.value
            elif isinstance(each.value, cst.Dict):
                for element in each.value.elements:
                    if isinstance(element, cst.DictElement):
                        yield from self._names.texts(element.key)

    def _note(
        self,
        owner: cst.BaseExpression,
        names: Iterable[str],
        node: cst.CSTNode,
        values: Values,
    ) -> None:
        attributes = list(names)
        for each in self._names.dotted(owner):
            for name in attributes:
                target = f"{each}.{name}"
                if self._in_finally:
                    self._restored.add(target)
                self._found.append(Write(target, node, values, self._conditions))


def _whose_attributes(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """The owner in ``owner.__dict__`` or ``vars(owner)``."""
    match node:
        case cst.Attribute(value=owner, attr=cst.Name(value="__dict__")):
            return owner
        case cst.Call(func=cst.Name(value="vars"), args=[cst.Arg(value=owner)]):
            return owner
    return None
