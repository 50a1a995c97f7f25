# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which specs cannot be hashed, although they are frozen dataclasses."""

from __future__ import annotations

from kvlint.model.annotations import TypeName, TypeSubscript
from kvlint.model.classes import Field, SpecClass
from kvlint.model.dataclass_options import dataclass_options
from kvlint.specs.constructor_fields import is_hashed
from kvlint.specs.hierarchy import Hierarchy, last_name
from kvlint.vocabulary import UNHASHABLE


def unhashable_field(hierarchy: Hierarchy, spec: SpecClass) -> Field | None:
    """Return the field for which specs of a class cannot be hashed.

    Args:
        hierarchy: The spec classes.
        spec: The class.

    Returns:
        None if they can, or if that cannot be told.
    """
    order = hierarchy.mro(spec)
    for each in order:
        if "__hash__" in each.members:
            return None
        options = dataclass_options(each)
        if options is None or options.eq is False:
            continue
        if options.eq is None or "unsafe_hash" in options.given:
            return None
        return next(filter(_is_unhashable, _fields(order)), None)
    return None


def _fields(order: tuple[SpecClass, ...]) -> list[Field]:
    fields: dict[str, Field] = {}
    for each in reversed(order):
        fields |= each.fields
    return list(fields.values())


def _is_unhashable(field: Field) -> bool:
    match field.annotation:
        case TypeSubscript(head) | TypeName(head):
            return last_name(head).lower() in UNHASHABLE and is_hashed(field)
    return False
