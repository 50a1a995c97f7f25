# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The fields that a spec's constructor takes."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from kvlint.model.classes import Field, SpecClass
from kvlint.model.constructors import is_dataclass
from kvlint.model.memory import kept_with_it
from kvlint.model.syntax import dotted
from kvlint.specs.hierarchy import Hierarchy


@kept_with_it
def constructor_fields(hierarchy: Hierarchy, spec: SpecClass) -> Mapping[str, Field]:
    """Return the fields that a class's constructor takes, by name.

    Each is the last definition in the method resolution order, in the order in which
    dataclasses keep them.

    Args:
        hierarchy: The spec classes.
        spec: The class.
    """
    found: dict[str, Field] = {}
    for each in reversed(hierarchy.mro(spec)):
        if not is_dataclass(each):
            continue
        for name, field in each.fields.items():
            if _is_taken(field):
                found[name] = field
            else:
                found.pop(name, None)
    return found


def is_compared(field: Field) -> bool:
    """Return whether specs that differ in a field differ."""
    return not _says_no(field, "compare")


def _is_taken(field: Field) -> bool:
    return not _says_no(field, "init")


def _says_no(field: Field, option: str) -> bool:
    """Whether a field is made with ``field(option=False)``."""
    default = field.default
    return isinstance(default, cst.Call) and any(
        argument.keyword is not None
        and argument.keyword.value == option
        and dotted(argument.value) == "False"
        for argument in default.args
    )
