# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Fields of the base that a composite leaves at their default."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import libcst as cst

from kvlint.faults.delegation import mirrored_fields
from kvlint.findings import Place
from kvlint.model.answering.bodies import body_facts
from kvlint.model.classes import Field, Member, SpecClass, default_text
from kvlint.model.nodes import calls
from kvlint.model.syntax import dotted
from kvlint.model.values.settings import ANYTHING, find_settings
from kvlint.project import Project
from kvlint.specs.contract import Question, is_concrete


@dataclass(frozen=True)
class UnmirroredField:
    """A field that wrapped specs set and the composite does not.

    Attributes:
        question: The field as the composite is asked for it.
        field: The base's field.
        producers: Places that give specs a value of their own.
        members: Members that the composite inherits and that read the field.
    """

    question: Question
    field: Field
    producers: tuple[Place, ...]
    members: tuple[Member, ...]


def unmirrored_fields(project: Project) -> Iterator[UnmirroredField]:
    """Yield the fields in which a composite differs from its layers unseen."""
    for composite in project.composites():
        questions = project.questions(composite)
        given = mirrored_fields(project.contract, composite) | _constructed(
            composite.spec.name, composite.spec.node
        )
        if ANYTHING in given:
            continue
        for question in questions:
            field = question.inherited
            if not isinstance(field, Field) or not field.has_default:
                continue
            if question.own is not None or question.name in given:
                continue
            members = readers(questions, question.name)
            if not members and not project.group_reads(question.name):
                continue
            if project.makings.is_filled_in(composite, field):
                continue
            producers = tuple(project.makings.producers(field))
            differs = _redefined(question, field) or _set_by_constructors(
                project.contract.layers, question.name
            )
            if producers or differs:
                yield UnmirroredField(question, field, producers, members)


def readers(questions: list[Question], name: str) -> tuple[Member, ...]:
    """Return the members that a composite inherits and that read a field.

    Args:
        questions: What the composite is asked.
        name: The field.
    """
    return tuple(
        question.inherited
        for question in questions
        if question.own is None
        and isinstance(question.inherited, Member)
        and is_concrete(question.inherited)
        and name in body_facts(question.inherited).reads
    )


def _redefined(question: Question, field: Field) -> bool:
    """Whether a per-layer class gives the field another default."""
    for overrider in question.overriders:
        definition = overrider.definition
        if isinstance(definition, Member) or not definition.has_default:
            return True
        if default_text(definition) != default_text(field):
            return True
    return False


def _set_by_constructors(specs: Iterable[SpecClass], name: str) -> bool:
    """Whether a per-layer class works the field out when it is made."""
    return any(
        setting.name == name
        for spec in specs
        for constructor in ("__init__", "__post_init__")
        if (member := spec.members.get(constructor)) is not None and member.function
        for setting in find_settings(member.function, member.self_name)
    )


def _constructed(name: str, node: cst.ClassDef) -> frozenset[str]:
    """Keywords that a class's own methods pass to its constructor."""
    return frozenset(
        argument.keyword.value
        for call in calls(node.body)
        if dotted(call.func) in {name, "cls"}
        for argument in call.args
        if argument.keyword is not None
    )
