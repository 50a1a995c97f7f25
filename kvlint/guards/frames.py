# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Names as conditions see them: what each is bound to, and behind which conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import libcst as cst

from kvlint.guards.values import Opaque, Result
from kvlint.model.bindings import bound_name
from kvlint.model.gates import Block, Gates, Statement, arms
from kvlint.model.nodes import walk
from kvlint.model.syntax import Tree, dotted

Bound = (
    cst.BaseExpression
    | cst.Import
    | cst.ImportFrom
    | cst.FunctionDef
    | cst.ClassDef
    | None
)


@dataclass(frozen=True, eq=False)
class Binding:
    """What binds a name.

    Attributes:
        node: The value, import, function or class; None if it is not followed.
        gates: The conditions before it in its frame.
        name: Of an import, what is imported.
        item: Of an unpacked value, the number of the item.
    """

    node: Bound
    gates: Gates = ()
    name: str = ""
    item: int | None = None


@dataclass(eq=False)
class Frame:
    """The names of a module, a class body or a function.

    Attributes:
        tree: The file.
        node: What it is.
        parent: What it stands in.
        given: What parameters of a call are known to be; None where none is looked at.
        known: Names that are worked out.
        tests: Conditions that are.
        inner: The frames of classes and functions in it.
    """

    tree: Tree
    node: cst.Module | cst.ClassDef | cst.FunctionDef
    parent: Frame | None = None
    given: Mapping[str, Result] | None = None
    known: dict[str, Result] = field(default_factory=dict)
    tests: dict[cst.CSTNode, Result] = field(default_factory=dict)
    inner: dict[cst.CSTNode, Frame] = field(default_factory=dict)

    def enter(self, node: cst.ClassDef | cst.FunctionDef) -> Frame:
        """Return the frame of a class or function in this one."""
        if node not in self.inner:
            self.inner[node] = Frame(self.tree, node, self)
        return self.inner[node]

    @property
    def block(self) -> Block:
        """Its statements."""
        node = self.node
        return Block(node.body if isinstance(node, cst.Module) else node.body.body)

    @cached_property
    def bindings(self) -> Mapping[str, list[Binding]]:
        """What its names are bound to, in the order of the text."""
        found: dict[str, list[Binding]] = {}
        if isinstance(self.node, cst.FunctionDef):
            for name in parameter_names(self.node):
                found[name] = [Binding(None)]
        for statement, gates in statements(self.block):
            for name, binding in _bindings(statement, gates):
                found.setdefault(name, []).append(binding)
        return found

    def owner(self, name: str) -> Frame | None:
        """Return the frame that a name as read here belongs to."""
        frame: Frame | None = self
        while frame is not None:
            is_seen = frame is self or not isinstance(frame.node, cst.ClassDef)
            if is_seen and (name in (frame.given or ()) or name in frame.bindings):
                return frame
            frame = frame.parent
        return None

    @property
    def method_of(self) -> Frame | None:
        """The frame of the class that the function around is a method of."""
        frame = self
        while not isinstance(frame.node, cst.ClassDef):
            if frame.parent is None:
                return None
            frame = frame.parent
        return frame if frame is not self else None

    @cached_property
    def assigned(self) -> Mapping[str, list[tuple[Frame, Binding]]]:
        """Of a class, what its methods assign to attributes of their first name."""
        found: dict[str, list[tuple[Frame, Binding]]] = {}
        for function, _ in statements(self.block):
            if not isinstance(function, cst.FunctionDef):
                continue
            instance = parameter_names(function)[:1]
            frame = self.enter(function)
            for statement, gates in statements(frame.block):
                for target, value in _assignments(statement):
                    is_own = isinstance(target, cst.Attribute) and (
                        [dotted(target.value)] == instance
                    )
                    if is_own and isinstance(target, cst.Attribute):
                        pairs = found.setdefault(target.attr.value, [])
                        pairs.append((frame, Binding(value, gates)))
        return found


@dataclass(frozen=True)
class Namespace(Opaque):
    """A module or a class of the project, as a value."""

    frame: Frame


@dataclass(frozen=True)
class Function(Opaque):
    """A function of the project, as a value; the frame is where it is defined."""

    node: cst.FunctionDef
    frame: Frame


def statements(block: Block, outer: Gates = ()) -> Iterator[tuple[Statement, Gates]]:
    """Yield the statements of a block and of those in it, small ones one by one.

    Functions and classes are not entered.
    """
    for statement, inner in block.steps():
        gates = (*outer, *inner)
        if isinstance(statement, cst.SimpleStatementLine):
            for small in statement.body:
                yield small, gates
            continue
        yield statement, gates
        for each in arms(statement):
            yield from statements(each, gates)


def parameter_names(node: cst.FunctionDef) -> list[str]:
    """Return the names of a function's parameters, stars last."""
    parameters = node.params
    found = [
        *parameters.posonly_params,
        *parameters.params,
        *parameters.kwonly_params,
        parameters.star_arg,
        parameters.star_kwarg,
    ]
    return [each.name.value for each in found if isinstance(each, cst.Param)]


def _bindings(statement: Statement, gates: Gates) -> Iterator[tuple[str, Binding]]:
    match statement:
        case cst.Import(names=names):
            for alias in names:
                module = dotted(alias.name) or ""
                head = module.split(".")[0]
                name = bound_name(alias) or head
                imported = module if alias.asname else head
                yield name, Binding(statement, gates, imported)
        case cst.ImportFrom(names=names):
            for alias in names if not isinstance(names, cst.ImportStar) else ():
                name = dotted(alias.name) or ""
                yield bound_name(alias) or name, Binding(statement, gates, name)
        case cst.FunctionDef(name=name) | cst.ClassDef(name=name):
            yield name.value, Binding(statement, gates)
        case cst.AugAssign(target=cst.Name(value=name)):
            yield name, Binding(None, gates)
        case cst.For(target=target):
            yield from _opaque(target, gates)
        case cst.With(items=items):
            for item in items:
                if item.asname is not None:
                    yield from _opaque(item.asname.name, gates)
        case cst.If(test=test) | cst.While(test=test):
            for node in walk(test):
                if isinstance(node, cst.NamedExpr) and isinstance(
                    node.target, cst.Name
                ):
                    yield node.target.value, Binding(node.value, gates)
        case _:
            for assigned, value in _assignments(statement):
                yield from _targets(assigned, value, gates)


def _assignments(
    statement: Statement,
) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression]]:
    if isinstance(statement, cst.Assign):
        yield from ((each.target, statement.value) for each in statement.targets)
    elif isinstance(statement, cst.AnnAssign) and statement.value is not None:
        yield statement.target, statement.value


def _targets(
    target: cst.BaseExpression, value: cst.BaseExpression, gates: Gates
) -> Iterator[tuple[str, Binding]]:
    if isinstance(target, cst.Name):
        yield target.value, Binding(value, gates)
    elif isinstance(target, cst.Tuple | cst.List):
        for number, each in enumerate(target.elements):
            if isinstance(each.value, cst.Name):
                yield each.value.value, Binding(value, gates, item=number)
            else:
                yield from _opaque(each.value, gates)


def _opaque(target: cst.CSTNode, gates: Gates) -> Iterator[tuple[str, Binding]]:
    if isinstance(target, cst.Name):
        yield target.value, Binding(None, gates)
    elif isinstance(target, cst.Tuple | cst.List):
        for each in target.elements:
            yield from _opaque(each.value, gates)
