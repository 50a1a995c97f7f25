# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Classes as the checks see them: files, classes, fields, members."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Literal

import libcst as cst

from kvlint.findings import Place
from kvlint.model.annotations import TypeExpression
from kvlint.model.scopes import Scope
from kvlint.model.syntax import Span, Tree


class MemberKind(StrEnum):
    """How a member is asked."""

    METHOD = "method"
    PROPERTY = "property"
    CLASSMETHOD = "classmethod"
    STATICMETHOD = "staticmethod"
    ATTRIBUTE = "attribute"


ParameterKind = Literal[
    "positional-only", "positional", "var-positional", "keyword-only", "var-keyword"
]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter after ``self``; annotation and default as text."""

    name: str
    kind: ParameterKind
    annotation: cst.BaseExpression | None
    default: cst.BaseExpression | None


@dataclass(frozen=True, eq=False)
class Member:
    """A method, property or attribute that a class body defines.

    Attributes:
        owner: The class.
        name: Its name.
        kind: How it is asked.
        node: The function; for an attribute, the assigned value or None.
        decorators: Dotted names of its decorators, call arguments left out.
        is_conditional: Something decides whether it is there, or its class, other than
            a release of vLLM that is at hand.
    """

    owner: SpecClass
    name: str
    kind: MemberKind
    node: cst.FunctionDef | cst.BaseExpression | None
    name_node: cst.CSTNode
    decorators: tuple[str, ...] = ()
    is_conditional: bool = False

    @property
    def function(self) -> cst.FunctionDef | None:
        """The function, unless it is an attribute."""
        return self.node if isinstance(self.node, cst.FunctionDef) else None

    @cached_property
    def self_name(self) -> str:
        """What the body calls its instance."""
        function = self.function
        if function is None:
            return "self"
        first = (*function.params.posonly_params, *function.params.params)
        return first[0].name.value if first else "self"

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters that callers see: without the instance or the class."""
        function = self.function
        if function is None:
            return ()
        named = function.params.posonly_params or function.params.params
        is_bound = named and self.kind is not MemberKind.STATICMETHOD
        return tuple(_parameters(function.params)[1 if is_bound else 0 :])

    @property
    def returns(self) -> cst.BaseExpression | None:
        """The return annotation."""
        function = self.function
        if function is None or function.returns is None:
            return None
        return function.returns.annotation

    @property
    def place(self) -> Place:
        """Where its name stands."""
        return self.owner.file.place(self.name_node)

    @property
    def symbol(self) -> str:
        """``Class.member``."""
        return f"{self.owner.name}.{self.name}"


@dataclass(frozen=True, eq=False)
class Field:
    """An annotated name of a class body.

    Attributes:
        owner: The class.
        name: Its name.
        annotation: Its type.
        default: The value or ``field(...)`` call, None without one.
        has_default: Whether a constructor call may leave it out.
        node: Its name's node.
        is_conditional: As of a member.
    """

    owner: SpecClass
    name: str
    annotation: TypeExpression
    default: cst.BaseExpression | None
    has_default: bool
    node: cst.CSTNode
    is_conditional: bool = False

    @property
    def place(self) -> Place:
        """Where its name stands."""
        return self.owner.file.place(self.node)


@dataclass(frozen=True, eq=False)
class SpecClass:
    """A class statement, whether its bases make it a spec or not.

    Attributes:
        file: Where it stands.
        name: Its name.
        node: The statement.
        bases: Dotted names of its bases, generic arguments left out; None for a base
            that is not a name.
        scope: The names that its bases are looked up in.
        body_scope: The names of its body, which annotations are looked up in.
        fields: By name, the last one that the body gives.
        members: Likewise.
        decorators: Dotted names of its decorators.
        settable: Names of properties that it gives a setter.
        is_nested: It stands inside a function or a class.
        is_conditional: As of a member.
    """

    file: SpecFile
    name: str
    node: cst.ClassDef
    bases: tuple[str | None, ...]
    scope: Scope
    body_scope: Scope
    decorators: tuple[str, ...]
    is_nested: bool
    is_conditional: bool = False
    fields: dict[str, Field] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    settable: set[str] = field(default_factory=set)

    @property
    def place(self) -> Place:
        """Where its name stands."""
        return self.file.place(self.node.name)

    @cached_property
    def header_lines(self) -> frozenset[int]:
        """The lines of its decorators and of ``class``."""
        nodes: list[cst.CSTNode] = [*self.node.decorators, self.node.name]
        return frozenset(self.file.place(each).line for each in nodes)


@dataclass(eq=False)
class SpecFile:
    """A parsed file.

    Attributes:
        tree: Its syntax.
        scope: The module's names.
        classes: Every class statement, also nested ones, in the order of the text.
        scopes: The names of each function.
        has_lazy_annotations: ``from __future__ import annotations`` is in force.
    """

    tree: Tree
    scope: Scope
    classes: list[SpecClass] = field(default_factory=list)
    scopes: dict[cst.FunctionDef, Scope] = field(default_factory=dict)
    has_lazy_annotations: bool = False

    @property
    def path(self) -> Path:
        """Where it was read from."""
        return self.tree.source.path

    def function(self, name: str) -> cst.FunctionDef | None:
        """Return a function of the module, None if there is no such one."""
        for statement in self.tree.module.body:
            if isinstance(statement, cst.FunctionDef) and statement.name.value == name:
                return statement
        return None

    def place(self, node: cst.CSTNode) -> Place:
        """Return where a node stands."""
        span = self.tree.span(node)
        return self.tree.source.place(span.start, span.end)

    def span(self, node: cst.CSTNode) -> Span:
        """Return a node's characters."""
        return self.tree.span(node)


def bound_names(file: SpecFile) -> set[str]:
    """Return the names that a module has when it is run."""
    return set(file.scope.names) - file.scope.for_type_checkers


def default_text(field: Field) -> str:
    """Return a field's default as text; of ``field(default=...)``, what is given."""
    return _default_text(field.default)


def _default_text(node: cst.BaseExpression | None) -> str:
    if isinstance(node, cst.Call):
        for argument in node.args:
            if argument.keyword is not None and argument.keyword.value == "default":
                return _default_text(argument.value)
    return "" if node is None else cst.Module([]).code_for_node(node)


def _parameters(parameters: cst.Parameters) -> list[Parameter]:
    groups: Mapping[ParameterKind, tuple[cst.Param, ...]] = {
        "positional-only": tuple(parameters.posonly_params),
        "positional": tuple(parameters.params),
        "var-positional": _single(parameters.star_arg),
        "keyword-only": tuple(parameters.kwonly_params),
        "var-keyword": _single(parameters.star_kwarg),
    }
    return [
        Parameter(
            each.name.value,
            kind,
            each.annotation.annotation if each.annotation else None,
            each.default,
        )
        for kind, group in groups.items()
        for each in group
    ]


def _single(parameter: object) -> tuple[cst.Param, ...]:
    return (parameter,) if isinstance(parameter, cst.Param) else ()
