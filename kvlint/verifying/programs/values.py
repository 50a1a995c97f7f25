# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Values as JSON, so that two interpreters mean the same by them.

Plain values are as they are; every other one is an object with ``~``, its kind.
"""

from __future__ import annotations

import dataclasses
import enum
import importlib
import sys
from fractions import Fraction
from typing import Any

KIND = "~"
_LONGEST = 200
_CONTAINERS = {"tuple": tuple, "list": list, "set": set, "frozenset": frozenset}


def name_of(cls: type) -> str:
    """Return ``module:Class``."""
    return f"{cls.__module__}:{cls.__qualname__}"


def find(name: str) -> Any:
    """Return what ``module:Class`` names.

    Raises:
        AttributeError: The module has no such class.
        ImportError: There is no such module.
    """
    module, _, path = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


def encode(value: Any, depth: int = 6) -> Any:
    """Return a value as JSON."""
    if isinstance(value, enum.Enum):
        named = {KIND: "enum", "class": name_of(type(value)), "name": value.name}
        return {**named, "text": f"{type(value).__name__}.{value.name}"}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Fraction):
        return {KIND: "fraction", "of": [value.numerator, value.denominator]}
    if is_dtype(value):
        return {KIND: "dtype", "name": str(value).rpartition(".")[2]}
    if depth:
        if isinstance(value, dict):
            pairs = [
                [encode(key, depth - 1), encode(each, depth - 1)]
                for key, each in value.items()
            ]
            return {KIND: "dict", "items": pairs}
        for kind, container in _CONTAINERS.items():
            if isinstance(value, container):
                items = [encode(each, depth - 1) for each in value]
                if kind.endswith("set"):
                    items.sort(key=repr)
                return {KIND: kind, "items": items}
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {
                each.name: encode(getattr(value, each.name, None), depth - 1)
                for each in dataclasses.fields(value)
            }
            return {KIND: "spec", "class": name_of(type(value)), "fields": fields}
    return {KIND: "other", "text": " ".join(repr(value).split())[:_LONGEST]}


def decode(value: Any, names: dict[str, Any]) -> Any:
    """Return the value of JSON; expressions are evaluated among some names.

    Raises:
        Exception: Whatever an expression raises.
    """
    if not isinstance(value, dict):
        return value
    kind = value[KIND]
    if kind == "expression":
        return eval(value["text"], names)
    if kind == "enum":
        return find(value["class"])[value["name"]]
    if kind == "fraction":
        return Fraction(*value["of"])
    if kind == "dtype":
        return getattr(sys.modules["torch"], value["name"])
    if kind == "dict":
        return {decode(k, names): decode(v, names) for k, v in value["items"]}
    if kind in _CONTAINERS:
        return _CONTAINERS[kind](decode(each, names) for each in value["items"])
    raise ValueError(f"a value of an unknown kind: {kind}")


def is_dtype(value: Any) -> bool:
    """Return whether a value is one of torch's types of numbers."""
    return type(value).__name__ == "dtype" and type(value).__module__ == "torch"
