# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a class is made from: its fields, and what their annotations allow."""

from __future__ import annotations

import ast
import collections.abc
import dataclasses
import enum
import inspect
import sys
import types
import typing
from fractions import Fraction
from typing import Any

from .values import encode

_PLAIN = {int: "int", bool: "bool", float: "float", str: "str", Fraction: "fraction"}
_LISTS = (list, collections.abc.Sequence, collections.abc.Iterable)


def describe(cls: type) -> list[dict[str, Any]]:
    """Return the fields that a class is made from.

    Each has a ``name``, a ``type``, whether it ``compares``, and its ``default`` if
    there is one.
    """
    if not dataclasses.is_dataclass(cls):
        return _parameters(cls)
    found = []
    for each in dataclasses.fields(cls):
        if not each.init:
            continue
        owner = next(
            (
                base
                for base in cls.__mro__
                if each.name in inspect.get_annotations(base)
            ),
            cls,
        )
        told = {
            "name": each.name,
            "type": shape(each.type, vars(sys.modules[owner.__module__])),
            "compares": each.compare,
        }
        if each.default is not dataclasses.MISSING:
            told["default"] = encode(each.default)
        elif each.default_factory is not dataclasses.MISSING:
            told["default"] = encode(each.default_factory())
        found.append(told)
    return found


def _parameters(cls: type) -> list[dict[str, Any]]:
    """The parameters of a constructor that is written by hand."""
    found = []
    for each in inspect.signature(cls).parameters.values():
        if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
            continue
        told = {
            "name": each.name,
            "type": shape(each.annotation, vars(sys.modules[cls.__module__])),
            "compares": False,
        }
        if each.default is not each.empty:
            told["default"] = encode(each.default)
        found.append(told)
    return found


def shape(annotation: Any, names: dict[str, Any]) -> dict[str, Any]:
    """Return what an annotation allows: a ``kind``, and what there is inside."""
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    if isinstance(annotation, str):
        return _text(annotation, names)
    if annotation is None or annotation is type(None):
        return {"kind": "none"}
    if annotation in _PLAIN:
        return {"kind": _PLAIN[annotation]}
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return {"kind": "union", "of": [shape(each, names) for each in inner]}
    if origin is typing.Literal:
        return {"kind": "values", "values": [encode(each) for each in inner]}
    if origin is typing.Annotated:
        return shape(inner[0], names)
    if origin is tuple:
        many = len(inner) == 2 and inner[1] is Ellipsis
        items = [shape(each, names) for each in inner if each is not Ellipsis]
        return {"kind": "tuple", "items": items, "many": many}
    if origin in _LISTS and inner:
        return {"kind": "list", "item": shape(inner[0], names)}
    if isinstance(annotation, type):
        if issubclass(annotation, enum.Enum):
            return {"kind": "values", "values": [encode(each) for each in annotation]}
        if annotation.__module__ == "torch" and annotation.__name__ == "dtype":
            return {"kind": "dtype"}
    return {"kind": "unknown", "text": str(annotation)}


def _text(annotation: str, names: dict[str, Any]) -> dict[str, Any]:
    """As above for an annotation that is not evaluated yet, or only in part can be."""
    try:
        found = eval(annotation, dict(names))
    except Exception:
        try:
            tree = ast.parse(annotation.strip(), mode="eval").body
        except SyntaxError:
            return {"kind": "unknown", "text": annotation}
        if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.BitOr):
            sides = [
                _text(ast.unparse(each), names) for each in (tree.left, tree.right)
            ]
            return {"kind": "union", "of": sides}
        return {"kind": "unknown", "text": annotation}
    if isinstance(found, str):  # an annotation in quotes within quotes
        return {"kind": "unknown", "text": annotation}
    return shape(found, names)
