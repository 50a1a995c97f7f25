# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Fields that specs lose when they are merged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kvlint.faults.givers import CONSTRUCTOR, GivenField, is_read, values_given
from kvlint.model.answering.bodies import body_facts
from kvlint.model.classes import Field, Member, SpecClass
from kvlint.model.sizes.derivations import derivation
from kvlint.project import Project
from kvlint.specs.spec_fields import is_compared
from kvlint.uses.merging import Effect, SpecMerge, built_class


@dataclass(frozen=True)
class Loss:
    """What a class's specs lose in a merge.

    Attributes:
        spec: The class that is built.
        found: The merge that names the fields.
        effect: All that it does.
        required: Fields without a default that it leaves out: it always fails.
        lost: Fields that it leaves at their default.
        is_inherited: The class has the merge from one above it.
    """

    spec: SpecClass
    found: SpecMerge
    effect: Effect
    required: tuple[Field, ...]
    lost: tuple[GivenField, ...]
    is_inherited: bool


def losses(project: Project) -> Iterator[Loss]:
    """Yield what the spec classes to report on lose in merges."""
    hierarchy, merges = project.contract.hierarchy, project.merges
    for spec in project.specs():
        if hierarchy.unresolved_bases(spec):
            continue
        for found in _merges_of(project, spec):
            effect = merges.effect(found, spec)
            builder = effect.builder
            if builder is None or effect.given is None:
                continue
            is_own = builder.member.owner is spec
            built = built_class(merges, builder) if is_own else spec
            if built is None or not (is_own or builder.build and _is_open(builder)):
                continue
            fields = merges.fields(built)
            if not is_own:
                known = hierarchy.mro(builder.member.owner)
                fields = {
                    name: field
                    for name, field in fields.items()
                    if field.owner not in known
                }
            loss = _loss(project, built, builder, effect, fields.values(), not is_own)
            if loss.required or loss.lost:
                yield loss


def _is_open(found: SpecMerge) -> bool:
    """Whether a merge builds the class that it is asked of."""
    return found.build is not None and found.build.built == "cls"


def _merges_of(project: Project, spec: SpecClass) -> Iterator[SpecMerge]:
    """The merges that a class has: its own, and those that it inherits."""
    seen: set[str] = set()
    for each in project.contract.hierarchy.mro(spec):
        for member in each.members.values():
            if member.name not in seen:
                seen.add(member.name)
                found = project.merges.read(member)
                if found is not None:
                    yield found


def _loss(
    project: Project,
    spec: SpecClass,
    builder: SpecMerge,
    effect: Effect,
    fields: Iterable[Field],
    is_inherited: bool,
) -> Loss:
    merges, at = project.merges, builder.member.owner
    given, verified = effect.given or frozenset(), effect.verified
    required, lost = [], []
    for field in fields:
        if merges.covers(given, field.name, at):
            continue
        if not field.has_default:
            required.append(field)
            continue
        if not is_compared(field) or merges.covers(verified, field.name, at):
            continue
        if is_derived(project, spec, field, given):
            continue
        found = values_given(project, spec, field)
        if found.own or found.beside:
            lost.append(found)
    return Loss(spec, builder, effect, tuple(required), tuple(lost), is_inherited)


def is_derived(
    project: Project, spec: SpecClass, field: Field, given: frozenset[str]
) -> bool:
    """Return whether constructors work a field out, or only kept fields out of it.

    Args:
        project: The project.
        spec: The class that is built.
        field: A field of it.
        given: The fields that its constructor is given.
    """
    for constructor in _constructors(project, spec):
        found = derivation(constructor)
        if field.name in found.fills:
            # What somebody passes stays, and is lost where nobody passes it on.
            return not values_given(project, spec, field).own
        if field.name in found.sets:
            return True
        if field.name in found.reads and found.sets <= given:
            return not is_read(project, spec, field)
    return False


def _constructors(project: Project, spec: SpecClass) -> Iterator[Member]:
    """The ``__post_init__`` of a class, and those that it calls."""
    for each in project.contract.hierarchy.mro(spec):
        member = each.members.get(CONSTRUCTOR)
        if member is not None:
            yield member
            if CONSTRUCTOR not in body_facts(member).supers:
                return
