# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Annotations as plain data: names, subscripts and unions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from kvlint.model.syntax import dotted, text_of


@dataclass(frozen=True, slots=True)
class TypeName:
    """A plain or dotted name, as written."""

    name: str


@dataclass(frozen=True, slots=True)
class TypeSubscript:
    """``head[arguments]``."""

    head: str
    arguments: tuple[TypeExpression, ...]


@dataclass(frozen=True, slots=True)
class TypeUnion:
    """``a | b``."""

    options: tuple[TypeExpression, ...]


@dataclass(frozen=True, slots=True)
class TypeOther:
    """Anything that names no type: ``...``, None, a literal, a list of parameters."""

    text: str


TypeExpression = TypeName | TypeSubscript | TypeUnion | TypeOther

NOTHING = TypeOther("")


def read_annotation(node: cst.BaseExpression) -> TypeExpression:
    """Return an annotation as data; strings are read as the types that they name."""
    name = dotted(node)
    if name is not None:
        return TypeOther("None") if name == "None" else TypeName(name)
    if isinstance(node, cst.Subscript):
        head = dotted(node.value)
        if head is None:
            return NOTHING
        return TypeSubscript(head, tuple(_elements(node)))
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.BitOr):
        left, right = read_annotation(node.left), read_annotation(node.right)
        return TypeUnion((*_options(left), *_options(right)))
    if isinstance(node, cst.Ellipsis):
        return TypeOther("...")
    text = text_of(node)
    return NOTHING if text is None else read_annotation_text(text)


def read_annotation_text(text: str) -> TypeExpression:
    """Return the type that a string annotation names."""
    try:
        return read_annotation(cst.parse_expression(f"({text.strip()})"))
    except (cst.ParserSyntaxError, cst.CSTValidationError, ValueError):
        return NOTHING


def type_names(annotation: TypeExpression) -> Iterator[str]:
    """Yield the names in an annotation, without those that are subscripted."""
    match annotation:
        case TypeName(name):
            yield name
        case TypeSubscript(_, parts) | TypeUnion(parts):
            for each in parts:
                yield from type_names(each)


def _elements(node: cst.Subscript) -> list[TypeExpression]:
    elements: list[TypeExpression] = []
    for element in node.slice:
        if not isinstance(element.slice, cst.Index):
            continue
        value = element.slice.value
        if isinstance(value, cst.Tuple):
            elements += [read_annotation(each.value) for each in value.elements]
        else:
            elements.append(read_annotation(value))
    return elements


def _options(expression: TypeExpression) -> tuple[TypeExpression, ...]:
    return expression.options if isinstance(expression, TypeUnion) else (expression,)
