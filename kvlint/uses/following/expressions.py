# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What expressions touch of followed classes, given what names are bound to."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import libcst as cst

from kvlint.model.classes import SpecFile
from kvlint.model.nodes import children
from kvlint.model.scopes import ImportedName
from kvlint.model.syntax import dotted, text_of
from kvlint.uses.following.evaluation import Attributes, Values
from kvlint.uses.following.givers import Givers
from kvlint.uses.following.keywords import (
    Keywords,
    Mappings,
    called,
    keywords_of,
    let_out,
)
from kvlint.uses.following.meanings import Meanings, Named
from kvlint.uses.following.narrowing import narrow
from kvlint.uses.following.values import ASKED, CLASSES, Environment, Shape, Value

_MORE = cst.Arg(cst.Name("more"), star="**")


class Act(StrEnum):
    """What a file does with a class or an instance of it."""

    IMPORT = "import"
    READ = "read"
    WRITE = "write"
    ASK = "ask"
    CONSTRUCT = "construct"
    COPY = "copy"


@dataclass(frozen=True)
class Touch:
    """A place that touches a class.

    Attributes:
        act: What it does.
        value: The class, and whether an instance, the class or ``super()`` is meant.
        name: The attribute; of an import, the module; empty for a construction.
        node: Where.
        passed: The keywords that a call passes.
        positionals: How many arguments a call passes without a name.
        receiver: The last name of what an attribute is read off, if it has one.
        is_tolerated: A failure of it is caught.
        is_guarded: It runs where a failure is expected.
    """

    act: Act
    value: Value
    name: str
    node: cst.CSTNode
    passed: Keywords = field(default_factory=Keywords)
    positionals: int = 0
    receiver: str = ""
    is_tolerated: bool = False
    is_guarded: bool = False


@dataclass
class Expressions:
    """Finds touches in expressions.

    Attributes:
        meanings: Tells which classes are followed.
        file: The file.
        attributes: What attributes hold, by name.
        found: The touches so far.
        guards: How many handlers that expect a failure are around.
        catchers: How much there is around that catches a failure.
        imported: Names that the function around imports for itself.
        mappings: Keywords of the mappings that names are bound to.
        owner: The followed class around.
        givers: What the file says of its functions.
        class_name: The class around, with those.
    """

    meanings: Meanings
    file: SpecFile
    attributes: Attributes
    found: list[Touch] = field(default_factory=list)
    guards: int = 0
    catchers: int = 0
    imported: dict[str, ImportedName] = field(default_factory=dict)
    mappings: Mappings = field(default_factory=dict)
    owner: Named | None = None
    givers: Givers | None = None
    class_name: str = ""

    def __post_init__(self) -> None:
        """Look names up as the file does."""
        self.values = Values(
            self.attributes, self._lookup, self.givers, self.class_name
        )

    def _lookup(self, name: str) -> Named | None:
        head, _, rest = name.partition(".")
        if head in self.imported:
            return self.meanings.imported(self.imported[head], rest, self.file)
        if name.rpartition(".")[2] == "Self":
            return self.owner
        return self.meanings.meaning(name, self.file.scope, self.file)

    def inside(self, node: cst.CSTNode, known: Environment) -> None:
        """Look at everything below a node."""
        for child in children(node):
            self.expression(child, known)

    def expression(self, node: cst.CSTNode, known: Environment) -> None:
        """Look at an expression, in the order in which it is evaluated."""
        match node:
            case cst.Name(value=text):
                let_out(text, self.mappings)
            case cst.Attribute(value=value, attr=cst.Name() as name):
                self.expression(value, known)
                self._touch(Act.READ, value, name.value, name, known)
            case cst.Subscript(value=cst.Name(), slice=elements):
                for element in elements:
                    self.expression(element, known)
            case cst.Call():
                self._call(node, known)
            case cst.NamedExpr(target=target, value=value):
                self.expression(value, known)
                self.values.bind(target, self.values.value(value, known), known)
            case cst.ListComp() | cst.SetComp() | cst.GeneratorExp():
                self.expression(node.elt, self._loop(node.for_in, dict(known)))
            case cst.DictComp():
                inner = self._loop(node.for_in, dict(known))
                self.expression(node.key, inner)
                self.expression(node.value, inner)
            case cst.BooleanOperation(left=left, operator=cst.And(), right=right):
                self.expression(left, known)
                inner = dict(known)
                self.narrow(left, inner)
                self.expression(right, inner)
            case cst.BooleanOperation(left=left, right=right):
                self.expression(left, known)
                inner = dict(known)
                self.narrow(left, inner, holds=False)
                self.expression(right, inner)
            case cst.IfExp(test=test, body=body, orelse=orelse):
                self.expression(test, known)
                inner, other = dict(known), dict(known)
                self.narrow(test, inner)
                self.narrow(test, other, holds=False)
                self.expression(body, inner)
                self.expression(orelse, other)
            case cst.Lambda():
                inner = dict(known)
                for each in parameters(node.params):
                    self.values.bind(each.name, None, inner)
                self.expression(node.body, inner)
            case cst.Annotation() | cst.StarredDictElement(value=cst.Name()):
                pass
            case _:
                self.inside(node, known)

    def _loop(self, loop: cst.CompFor, known: Environment) -> Environment:
        self.expression(loop.iter, known)
        self.values.bind_item(loop.target, loop.iter, known)
        for condition in loop.ifs:
            self.expression(condition.test, known)
            self.narrow(condition.test, known)
        return self._loop(loop.inner_for_in, known) if loop.inner_for_in else known

    def _call(self, node: cst.Call, known: Environment) -> None:
        name = (dotted(node.func) or "").rpartition(".")[2]
        arguments = node.args
        if name in {"getattr", "hasattr"} and len(arguments) > 1:
            text = text_of(arguments[1].value)
            if text is not None:
                act = Act.ASK if name == "hasattr" or len(arguments) > 2 else Act.READ
                self._touch(act, arguments[0].value, text, arguments[1], known)
        made = self.values.value(node.func, known)
        if made is not None and made.shape in CLASSES:
            self.add(Act.CONSTRUCT, made, "", node.func, call=node)
        elif name == "partial" and arguments:
            made = self.values.value(arguments[0].value, known)
            if made is not None and made.shape in CLASSES:
                later = node.with_changes(args=[*arguments[1:], _MORE])
                self.add(Act.CONSTRUCT, made, "", arguments[0].value, call=later)
        elif name == "replace" and arguments:
            copied = self.values.value(arguments[0].value, known)
            if copied is not None and copied.shape is Shape.ONE:
                self.add(Act.COPY, copied, "", node.func, call=node)
        if isinstance(node.func, cst.Attribute) and not called(node, self.mappings):
            self.expression(node.func.value, known)
            self._touch(
                Act.READ,
                node.func.value,
                node.func.attr.value,
                node.func.attr,
                known,
                node,
            )
        for each in arguments:
            if not (each.star == "**" and isinstance(each.value, cst.Name)):
                self.expression(each.value, known)

    def _touch(
        self,
        act: Act,
        receiver: cst.BaseExpression,
        name: str,
        node: cst.CSTNode,
        known: Environment,
        call: cst.Call | None = None,
    ) -> None:
        value = self.values.value(receiver, known)
        if value is not None and value.shape in ASKED:
            owner = receiver.attr if isinstance(receiver, cst.Attribute) else receiver
            self.add(act, value, name, node, call=call, receiver=dotted(owner) or "")

    def add(
        self,
        act: Act,
        value: Value,
        name: str,
        node: cst.CSTNode,
        *,
        call: cst.Call | None,
        receiver: str = "",
    ) -> None:
        """Add a touch, with what its call passes."""
        passed = Keywords()
        positionals = 0
        for each in call.args if call is not None else ():
            if each.keyword is not None:
                passed = passed.with_key(each.keyword.value, each.keyword)
            elif each.star == "**":
                unpacked = keywords_of(each.value, self.mappings)
                passed = passed.updated(unpacked or Keywords(is_open=True))
            elif each.star:
                passed = passed.updated(Keywords(is_open=True))
            else:
                positionals += 1
        self.found.append(
            Touch(
                act,
                value,
                name,
                node,
                passed,
                positionals,
                receiver,
                bool(self.catchers),
                bool(self.guards),
            )
        )

    def narrow(
        self, test: cst.BaseExpression, known: Environment, *, holds: bool = True
    ) -> None:
        """Believe a condition, as ``narrowing.narrow`` does."""
        narrow(self.values, test, known, holds=holds)


def parameters(node: cst.Parameters) -> list[cst.Param]:
    """Return all that a function binds, those without a star first."""
    stars = [node.star_arg, node.star_kwarg]
    return [
        *node.posonly_params,
        *node.params,
        *node.kwonly_params,
        *(each for each in stars if isinstance(each, cst.Param)),
    ]
