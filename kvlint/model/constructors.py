# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The constructors that ``dataclass`` generates: which one is run, and what it sets."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from kvlint.model.annotations import TypeName, TypeSubscript
from kvlint.model.classes import Field, SpecClass
from kvlint.model.syntax import dotted

_SETTING = ("__init__", "__new__", "__setattr__")


def is_dataclass(spec: SpecClass) -> bool:
    """Return whether a class itself is made a dataclass."""
    return any(each.rpartition(".")[2] == "dataclass" for each in spec.decorators)


def generated_constructor(order: Sequence[SpecClass]) -> SpecClass | None:
    """Return the class whose generated constructor makes instances of another.

    Args:
        order: The other's resolution order, itself first.

    Returns:
        None if a constructor is written out, or if there is none.
    """
    if any(name in each.members for each in order for name in _SETTING[1:]):
        return None
    for each in order:
        if _SETTING[0] in each.members:
            return None
        if is_dataclass(each) and not _says_no(_options(each), "init"):
            return each
    return None


def is_set_when_made(field: Field) -> bool:
    """Return whether a generated constructor gives each instance a value of a field."""
    if not is_dataclass(field.owner) or _is_init_only(field):
        return False
    call = field.default
    if not isinstance(call, cst.Call) or _last(dotted(call.func)) != "field":
        return True
    is_made = any(x.keyword and x.keyword.value == "default_factory" for x in call.args)
    return is_made or not _says_no(call.args, "init")


def _is_init_only(field: Field) -> bool:
    annotation = field.annotation
    if isinstance(annotation, TypeName):
        return _last(annotation.name) == "InitVar"
    return isinstance(annotation, TypeSubscript) and (
        _last(annotation.head) == "InitVar"
    )


def _options(spec: SpecClass) -> Sequence[cst.Arg]:
    """The arguments of ``@dataclass(...)``."""
    for each in spec.node.decorators:
        call = each.decorator
        if isinstance(call, cst.Call) and _last(dotted(call.func)) == "dataclass":
            return call.args
    return ()


def _says_no(arguments: Sequence[cst.Arg], name: str) -> bool:
    return any(
        each.keyword is not None
        and each.keyword.value == name
        and dotted(each.value) == "False"
        for each in arguments
    )


def _last(name: str | None) -> str:
    return (name or "").rpartition(".")[2]
