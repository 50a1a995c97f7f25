# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Who gives the specs of a class a value for a field."""

from __future__ import annotations

from dataclasses import dataclass

from kvlint.findings import Place
from kvlint.model.answering.bodies import body_facts
from kvlint.model.classes import Field, SpecClass
from kvlint.project import Project

CONSTRUCTOR = "__post_init__"


@dataclass(frozen=True)
class GivenField:
    """A field that somebody gives a value other than its default.

    Attributes:
        field: The field.
        own: Places that give one to specs of the class.
        beside: Places that give one to specs of classes beside it.
    """

    field: Field
    own: tuple[Place, ...]
    beside: tuple[Place, ...] = ()


def values_given(project: Project, spec: SpecClass, field: Field) -> GivenField:
    """Return who gives specs of a class a value for a field.

    A changed copy may be of any class. It is not taken for one of this class where the
    field comes from a class with a merge of its own that keeps it: the copy is more
    likely one of that.

    A value that only classes beside this one are given counts if their merges keep it
    and members of this one read it: the field is meant for all of them. In vLLM 0.20.2
    to 0.24.0 nobody set the quantisation mode of sliding MLA specs, yet.

    Args:
        project: The run's project.
        spec: The class.
        field: The field.
    """
    hierarchy = project.contract.hierarchy
    below = hierarchy.names_below(spec)
    beside = hierarchy.names_below(field.owner) - {
        each.name for each in hierarchy.mro(spec)
    }
    copies = field.owner is spec or not _keeps(project, field.owner, field)
    own = project.makings.setters(field, below, copies=copies)
    elsewhere = project.makings.setters(field, beside - below, copies=False)
    if (
        own
        or not elsewhere
        or not is_read(project, spec, field)
        or not _is_kept_beside(project, spec, field)
    ):
        elsewhere = []
    return GivenField(field, tuple(own), tuple(elsewhere))


def _is_kept_beside(project: Project, spec: SpecClass, field: Field) -> bool:
    """Whether the merge of a class beside this one keeps a field."""
    hierarchy = project.contract.hierarchy
    return any(
        project.merges.fields(each).get(field.name) is field
        and _keeps(project, each, field)
        for each in hierarchy.specs
        if each is not spec and not hierarchy.is_below(each, spec)
    )


def _keeps(project: Project, spec: SpecClass, field: Field) -> bool:
    """Whether a merge that a class defines names a field."""
    merges = project.merges
    effects = (merges.effect(found, spec) for found in merges.of(spec))
    return any(each.given is not None and field.name in each.given for each in effects)


def is_read(project: Project, spec: SpecClass, field: Field) -> bool:
    """Return whether members of a class, or of one below it, read a field.

    Args:
        project: The run's project.
        spec: The class.
        field: The field.
    """
    hierarchy = project.contract.hierarchy
    related = [
        each
        for each in hierarchy.specs
        if hierarchy.is_below(each, spec) or hierarchy.is_below(spec, each)
    ]
    return any(
        field.name in body_facts(member).reads
        for each in related
        for member in each.members.values()
        if member.name != CONSTRUCTOR
    )
