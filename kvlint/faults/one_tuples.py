# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Fields of specs that are annotated as tuples of one and hold several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from kvlint.findings import Place
from kvlint.model.annotations import TypeExpression, TypeSubscript, TypeUnion
from kvlint.model.classes import Field, Member, SpecClass
from kvlint.model.syntax import dotted, text_of
from kvlint.model.tuples import (
    annotation_node,
    length,
    one_tuple,
    treats_as_one,
    use_as_several,
)
from kvlint.project import Project
from kvlint.specs.hierarchy import last_name


@dataclass(frozen=True)
class OneTuple:
    """A field that is annotated as a tuple of one and holds several.

    Attributes:
        field: The field.
        annotation: All of its annotation.
        written: The ``tuple[X]`` in it; in a string, as it was parsed.
        place: What shows that there may be several.
        shown: What that is.
    """

    field: Field
    annotation: cst.BaseExpression
    written: cst.Subscript
    place: Place
    shown: str


def one_tuples(project: Project) -> Iterator[OneTuple]:
    """Yield the fields to report on that hold more than their annotation says."""
    for spec in project.specs():
        for field in spec.fields.values():
            if not _names_one_tuple(field.annotation):
                continue
            annotation = annotation_node(field)
            written = None if annotation is None else one_tuple(parsed(annotation))
            if annotation is None or written is None:
                continue
            found = _evidence(project, field)
            if found is not None:
                yield OneTuple(field, annotation, written, *found)


def _names_one_tuple(annotation: TypeExpression) -> bool:
    """Whether an annotation may be one: a quick look before its text is searched."""
    match annotation:
        case TypeSubscript("tuple" | "Tuple" | "typing.Tuple", [_]):
            return True
        case TypeUnion(parts) | TypeSubscript(_, parts):
            return any(map(_names_one_tuple, parts))
    return False


def parsed(annotation: cst.BaseExpression) -> cst.BaseExpression:
    """Return an annotation, read as the type that it names if it is a string."""
    text = text_of(annotation)
    if text is None:
        return annotation
    try:
        return cst.parse_expression(f"({text.strip()})")
    except (cst.ParserSyntaxError, cst.CSTValidationError, ValueError):
        return annotation


def _evidence(project: Project, field: Field) -> tuple[Place, str] | None:
    """What shows that there are several; nothing if what there is contradicts."""
    file = field.owner.file
    default = _default(field)
    if default is not None and length(default) not in {None, 1}:
        return file.place(field.default or field.node), "its default"
    lengths = []
    for each in project.makings.passed(field):
        given = length(each.value, each.function.node)
        if given not in {None, 1}:
            return each.place, "what is passed here"
        lengths.append(given)
    if 1 in lengths or (default is not None and length(default) == 1):
        return None
    return _use(project, field)


def _default(field: Field) -> cst.BaseExpression | None:
    """The default; of ``default_factory=tuple``, an empty tuple."""
    value = field.default
    if (
        not isinstance(value, cst.Call)
        or last_name(dotted(value.func) or "") != "field"
    ):
        return value
    for argument in value.args:
        match argument.keyword:
            case cst.Name("default"):
                return argument.value
            case cst.Name("default_factory"):
                is_tuple = dotted(argument.value) == "tuple"
                return cst.Call(argument.value) if is_tuple else None
    return None


def _use(project: Project, field: Field) -> tuple[Place, str] | None:
    members = list(_members(project, field))
    if any(treats_as_one(each, field.name) for each in members):
        return None
    for each in members:
        node = use_as_several(each, field.name)
        if node is not None:
            return each.owner.file.place(node), "used here as if there were several"
    return None


def _members(project: Project, field: Field) -> Iterator[Member]:
    """Members that see the field: those of its class and of classes below."""
    hierarchy = project.contract.hierarchy
    below: list[SpecClass] = [
        each for each in hierarchy.specs if hierarchy.is_below(each, field.owner)
    ]
    for spec in below:
        if spec is field.owner or field.name not in spec.fields:
            yield from spec.members.values()
