# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What expressions touch of vLLM's classes, given what names are bound to."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import libcst as cst

from kvlint.contracts.upgrading.plugin import Named, PlugIn
from kvlint.contracts.upgrading.values import Environment, Shape, Value, Values
from kvlint.model.classes import SpecFile
from kvlint.model.nodes import children
from kvlint.model.syntax import dotted, text_of


class Act(StrEnum):
    """What a file does with a class or an instance of it."""

    IMPORT = "import"
    READ = "read"
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
        keywords: Those that a call passes.
        positionals: How many arguments a call passes without a name.
        passes_more: A call passes further ones that are not known.
        is_guarded: It runs where a failure is expected.
    """

    act: Act
    value: Value
    name: str
    node: cst.CSTNode
    keywords: tuple[tuple[str, cst.CSTNode], ...] = ()
    positionals: int = 0
    passes_more: bool = False
    is_guarded: bool = False


@dataclass
class Expressions:
    """Finds touches in expressions.

    Attributes:
        plug_in: The project.
        file: The file.
        table: What attributes hold, by name.
        found: The touches so far.
        guards: How many handlers that expect a failure are around.
        imported: Names that the function around imports for itself.
        dicts: Keywords of the mappings that names are bound to.
    """

    plug_in: PlugIn
    file: SpecFile
    table: Environment
    found: list[Touch] = field(default_factory=list)
    guards: int = 0
    imported: dict[str, str] = field(default_factory=dict)
    dicts: dict[str, list[tuple[str, cst.CSTNode]] | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Look names up as the file does."""
        self.values = Values(self.table, self._lookup)

    def _lookup(self, name: str) -> Named | None:
        head, _, rest = name.partition(".")
        if head in self.imported:
            origin = self.imported[head] + (f".{rest}" if rest else "")
            return self.plug_in.upstream(origin)
        for each in self.plug_in.named(name, self.file.scope, self.file):
            if isinstance(each, str) or each in self.plug_in.own:
                return each
        return None

    def inside(self, node: cst.CSTNode, known: Environment) -> None:
        """Look at everything below a node."""
        for child in children(node):
            self.expression(child, known)

    def expression(self, node: cst.CSTNode, known: Environment) -> None:
        """Look at an expression, in the order in which it is evaluated."""
        match node:
            case cst.Attribute(value=value, attr=cst.Name() as name):
                self.expression(value, known)
                self._touch(Act.READ, value, name.value, name, known)
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
            case cst.IfExp(test=test, body=body, orelse=orelse):
                self.expression(test, known)
                inner = dict(known)
                self.narrow(test, inner)
                self.expression(body, inner)
                self.expression(orelse, known)
            case cst.Lambda():
                inner = dict(known)
                for each in node.params.params:
                    self.values.bind(each.name, None, inner)
                self.expression(node.body, inner)
            case cst.Annotation():
                pass
            case _:
                self.inside(node, known)

    def _loop(self, loop: cst.CompFor, known: Environment) -> Environment:
        self.expression(loop.iter, known)
        self.values.bind_item(loop.target, self.values.value(loop.iter, known), known)
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
        if made is not None and made.shape is Shape.CLASS:
            self.add(Act.CONSTRUCT, made, "", node.func, call=node)
        elif name == "replace" and arguments:
            copied = self.values.value(arguments[0].value, known)
            if copied is not None and copied.shape is Shape.ONE:
                self.add(Act.COPY, copied, "", node.func, call=node)
        if isinstance(node.func, cst.Attribute):
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
        if value is not None and value.shape in {Shape.ONE, Shape.CLASS, Shape.SUPER}:
            self.add(act, value, name, node, call=call)

    def add(
        self,
        act: Act,
        value: Value,
        name: str,
        node: cst.CSTNode,
        *,
        call: cst.Call | None,
    ) -> None:
        """Add a touch, with what its call passes."""
        keywords: list[tuple[str, cst.CSTNode]] = []
        positionals, passes_more = 0, False
        for each in call.args if call is not None else ():
            if each.keyword is not None:
                keywords.append((each.keyword.value, each.keyword))
            elif each.star == "**":
                entries = self.dicts.get(dotted(each.value) or "")
                keywords += entries or []
                passes_more |= entries is None
            elif each.star:
                passes_more = True
            else:
                positionals += 1
        self.found.append(
            Touch(
                act,
                value,
                name,
                node,
                tuple(keywords),
                positionals,
                passes_more,
                bool(self.guards),
            )
        )

    def narrow(self, test: cst.BaseExpression, known: Environment) -> None:
        """Believe an ``isinstance``, also one of several conditions."""
        if isinstance(test, cst.BooleanOperation) and isinstance(
            test.operator, cst.And
        ):
            self.narrow(test.left, known)
            self.narrow(test.right, known)
        if not isinstance(test, cst.Call) or dotted(test.func) != "isinstance":
            return
        if len(test.args) != 2:
            return
        subject, named = test.args[0].value, test.args[1].value
        if isinstance(subject, cst.NamedExpr):
            subject = subject.target
        value = self.values.value(named, known)
        name = dotted(subject)
        if name is not None and value is not None and value.shape is Shape.CLASS:
            known[name] = Value(Shape.ONE, value.of)


def entries(node: cst.BaseExpression) -> list[tuple[str, cst.CSTNode]] | None:
    """Keywords of ``dict(a=1)`` or ``{"a": 1}``, None where not all are known."""
    found: list[tuple[str, cst.CSTNode]] = []
    if isinstance(node, cst.Dict):
        for element in node.elements:
            if not isinstance(element, cst.DictElement):
                return None
            text = text_of(element.key)
            if text is None:
                return None
            found.append((text, element.key))
        return found
    if isinstance(node, cst.Call) and dotted(node.func) == "dict":
        for argument in node.args:
            if argument.keyword is None:
                return None
            found.append((argument.keyword.value, argument.keyword))
        return found
    return None
