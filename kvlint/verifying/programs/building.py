# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Layers' specs and the composites that hold them, made as the engine makes them."""

from __future__ import annotations

import dataclasses
import inspect
import sys
from typing import Any

from .values import decode, find

_CONTAINERS = {"tuple": tuple, "list": list, "set": set, "frozenset": frozenset}


class Refused(Exception):
    """The classes themselves do not make such specs, or not such a group."""


def layer(asked: dict[str, Any]) -> Any:
    """Return the spec of a layer.

    Raises:
        Refused: Its class does not take the values.
    """
    cls = find(asked["class"])
    names = vars(sys.modules[cls.__module__])
    try:
        given = {name: decode(each, names) for name, each in asked["fields"].items()}
        return cls(**given)
    except Exception as error:
        raise Refused(f"{type(error).__name__}: {error}") from error


def group(asked: dict[str, Any], layers: list[Any]) -> Any:
    """Return the composite of some layers.

    The composite's own class says which may share one, and makes it if it can.

    Raises:
        Refused: They may not.
    """
    cls = find(asked["class"])
    by_name = {f"layer.{index}": each for index, each in enumerate(layers)}
    try:
        gate = getattr(cls, "is_uniform_type", None)
        if gate is not None and not gate(dict(by_name)):
            raise Refused("not uniform")
        maker = getattr(cls, "from_specs", None)
        if maker is not None and not asked["fields"]:
            made = maker(dict(by_name))
            if made is None:
                raise Refused("not uniform")
            if isinstance(made, cls):
                return made
        return cls(**_given(cls, asked, by_name))
    except Refused:
        raise
    except Exception as error:
        raise Refused(f"{type(error).__name__}: {error}") from error


def _given(cls: Any, asked: dict[str, Any], by_name: dict[str, Any]) -> dict[str, Any]:
    """What a composite's constructor is given: its layers, and what they have."""
    first = next(iter(by_name.values()))
    names = vars(sys.modules[cls.__module__])
    given = {name: decode(each, names) for name, each in asked["fields"].items()}
    for name, shape in asked["holders"].items():
        if name not in given:
            given[name] = held(shape, by_name)
    for each in inspect.signature(cls).parameters.values():
        if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) or each.name in given:
            continue
        if each.default is not each.empty:
            continue
        if hasattr(first, each.name):
            given[each.name] = getattr(first, each.name)
        elif each.name in asked["guesses"]:
            given[each.name] = decode(asked["guesses"][each.name], names)
    return given


def held(shape: str, by_name: dict[str, Any]) -> Any:
    """Return layers in the container that a composite holds them in.

    Raises:
        Refused: So many do not fit.
    """
    if shape == "mapping":
        return dict(by_name)
    if shape in _CONTAINERS:
        return _CONTAINERS[shape](by_name.values())
    if len(by_name) > 1:
        raise Refused("it holds one spec alone")
    return next(iter(by_name.values()))


def replaced(asked: dict[str, Any], composite: Any, layers: list[Any]) -> Any:
    """Return a copy of a composite that holds other layers.

    Raises:
        Refused: It is no dataclass.
    """
    by_name = {f"layer.{index}": each for index, each in enumerate(layers)}
    held_by = {name: held(each, by_name) for name, each in asked["holders"].items()}
    if not dataclasses.is_dataclass(composite) or isinstance(composite, type):
        raise Refused("it is no dataclass")
    return dataclasses.replace(composite, **held_by)
