# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The fields that a dataclass's constructor takes, in the order that Python demands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from kvlint.model.annotations import TypeName, TypeSubscript
from kvlint.model.classes import Field, SpecClass
from kvlint.model.dataclass_options import dataclass_options
from kvlint.model.syntax import dotted
from kvlint.specs.hierarchy import Hierarchy, last_name

_NO_FIELDS = frozenset({"ClassVar", "KW_ONLY"})


@dataclass(frozen=True)
class Disorder:
    """A field without a default that comes behind one with a default.

    Attributes:
        early: The field with a default.
        late: The one without.
    """

    early: Field
    late: Field


def disorder(
    hierarchy: Hierarchy, spec: SpecClass, *, kw_only: bool | None = None
) -> Disorder | None:
    """Return why Python refuses a dataclass, None if it does not or nobody knows.

    Args:
        hierarchy: Where the classes above it are found.
        spec: The class.
        kw_only: Whether its own fields are passed by name alone; None for what its
            decorator says.
    """
    taken: dict[str, tuple[Field, bool]] = {}
    for each in reversed(hierarchy.mro(spec)):
        options = dataclass_options(each)
        by_name = options.kw_only if options is not None else False
        if each is spec and kw_only is not None:
            by_name = kw_only
        elif options is None:
            continue
        if by_name is None:
            return None
        for field, named in own_fields(each):
            taken[field.name] = field, by_name if named is None else named
    early: Field | None = None
    for field, named in taken.values():
        if named or _option(field, "init") == "False":
            continue
        if _has_default(hierarchy, field):
            early = early or field
        elif early is not None:
            return Disorder(early, field)
    return None


def own_fields(spec: SpecClass) -> Iterator[tuple[Field, bool | None]]:
    """Yield a class's own fields, and whether each says it is passed by name alone."""
    behind_sentinel = False
    for field in spec.fields.values():
        head = _head(field)
        if head not in _NO_FIELDS:
            said = _option(field, "kw_only")
            named = said == "True" if said is not None else behind_sentinel or None
            yield field, named
        behind_sentinel |= head == "KW_ONLY"


def is_compared(field: Field) -> bool:
    """Return whether ``==`` looks at a field."""
    return _head(field) != "InitVar" and _option(field, "compare") != "False"


def is_hashed(field: Field) -> bool:
    """Return whether the hash of a frozen dataclass is made of a field."""
    told = _option(field, "hash")
    return told == "True" or (told in {None, "None"} and is_compared(field))


def _head(field: Field) -> str:
    match field.annotation:
        case TypeSubscript(head) | TypeName(head):
            return last_name(head)
    return ""


def _option(field: Field, name: str) -> str | None:
    """What a field's ``field(...)`` says for a keyword."""
    node = field.default
    if isinstance(node, cst.Call) and last_name(dotted(node.func) or "") == "field":
        for argument in node.args:
            if argument.keyword is not None and argument.keyword.value == name:
                return dotted(argument.value) or ""
    return None


def _has_default(hierarchy: Hierarchy, field: Field) -> bool:
    """Whether a field has a default, be it a class attribute of a base."""
    if field.has_default or field.default is not None:
        return field.has_default
    return field.name in field.owner.members or any(
        field.name in each.members
        or (field.name in each.fields and _leaves_attribute(each.fields[field.name]))
        for each in hierarchy.mro(field.owner)[1:]
    )


def _leaves_attribute(field: Field) -> bool:
    return field.has_default and _option(field, "default_factory") is None
