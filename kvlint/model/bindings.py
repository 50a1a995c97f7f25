# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What statements bind names to."""

from __future__ import annotations

import libcst as cst

from kvlint.model.annotations import TypeOther, read_annotation
from kvlint.model.scopes import (
    Alias,
    ImportedModule,
    Opaque,
    Scope,
    TypeVariable,
)
from kvlint.model.syntax import dotted


def bound_name(alias: cst.ImportAlias) -> str | None:
    """Return the name behind ``as``, if there is one."""
    if alias.asname is None:
        return None
    return (
        dotted(alias.asname.name) if isinstance(alias.asname.name, cst.Name) else None
    )


def bind_import(alias: cst.ImportAlias, scope: Scope) -> None:
    """Bind what ``import a.b`` or ``import a.b as x`` binds."""
    module = dotted(alias.name) or ""
    bound = bound_name(alias)
    if bound is None:
        module = bound = module.split(".")[0]
    scope.bind(bound, ImportedModule(module))


def bind_value(name: str, value: cst.BaseExpression, scope: Scope) -> None:
    """Bind a name to what a value may be: a class, a type alias, a TypeVar."""
    if isinstance(value, cst.IfExp):
        bind_value(name, value.body, scope)
        bind_value(name, value.orelse, scope)
        return
    if isinstance(value, cst.Call):
        scope.bind(name, _type_variable(value) or Opaque())
        return
    expression = read_annotation(value)
    is_text = isinstance(value, cst.SimpleString | cst.ConcatenatedString)
    opaque = isinstance(expression, TypeOther) or is_text
    scope.bind(name, Opaque() if opaque else Alias(expression))


def _type_variable(call: cst.Call) -> TypeVariable | Alias | None:
    maker = (dotted(call.func) or "").split(".")[-1]
    values = [argument.value for argument in call.args if argument.keyword is None][1:]
    if maker == "NewType" and values:
        return Alias(read_annotation(values[0]))
    if maker == "TypeAliasType" and values:
        return Alias(read_annotation(values[0]))
    if maker != "TypeVar":
        return None
    values += [
        argument.value
        for argument in call.args
        if argument.keyword is not None and argument.keyword.value == "bound"
    ]
    return TypeVariable(tuple(read_annotation(value) for value in values))


def bind_type_parameters(parameters: cst.TypeParameters, scope: Scope) -> None:
    """Bind the parameters in ``class C[T: Bound]`` or ``def f[T]()``."""
    for each in parameters.params:
        bound = getattr(each.param, "bound", None)
        options = [bound] if bound is not None else []
        if isinstance(bound, cst.Tuple):
            options = [item.value for item in bound.elements]
        bounds = tuple(read_annotation(option) for option in options)
        scope.bind(each.param.name.value, TypeVariable(bounds))
