# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""How bad it is that a composite answers wrongly."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement

from kvlint.findings import Severity
from kvlint.model.answering.bodies import body_facts
from kvlint.model.classes import Field, Member, SpecClass
from kvlint.project import Project
from kvlint.specs.contract import Contract, Definition, Question
from kvlint.uses.group_reads import GroupRead
from kvlint.vocabulary import GROUPING_PROTOCOL, WIDTH_METHODS

NEVER_INSIDE = "no layer that answers otherwise is put into a composite"
NEVER_MEET = "layers that answer differently are never put into one composite"


def undelegated_severity(
    project: Project, question: Question
) -> tuple[Severity, tuple[GroupRead, ...]]:
    """Return how bad it is to inherit the default, and the reads that show it.

    An error needs a member that sizes a block-table row, or a read off a raw group spec
    by code that can see a composite, while a class that answers otherwise can be inside
    one (vLLM #50823).
    """
    reads = tuple(project.group_reads(question.name))
    if question.name in WIDTH_METHODS:
        return Severity.ERROR, reads
    answering = [spec for each in question.overriders for spec in each.classes]
    if reads and any(map(project.makings.is_wrappable, answering)):
        return Severity.ERROR, reads
    return Severity.WARNING, reads


def misdelegated_severity(
    project: Project, question: Question
) -> tuple[Severity, tuple[GroupRead, ...]]:
    """Return how bad it is to answer from some of the layers only.

    As above, but what counts is whether layers that answer differently can share one
    composite, for the answer is that of a layer at least.
    """
    severity, reads = undelegated_severity(project, question)
    if severity is Severity.WARNING or question.name in WIDTH_METHODS:
        return severity, reads
    for pair in _disagreeing(project.contract, question):
        if all(map(project.makings.is_wrappable, pair)):
            return Severity.ERROR, reads
    return Severity.WARNING, reads


def _disagreeing(
    contract: Contract, question: Question
) -> Iterator[tuple[SpecClass, SpecClass]]:
    """Classes that may meet in one composite and then answer differently."""
    wrapped = contract.wrapped_classes(question.composite)
    for one, other in combinations_with_replacement(wrapped, 2):
        answers = [contract.definition(each, question.name) for each in (one, other)]
        if not _always_equal(*answers) and _can_share(contract, one, other):
            yield one, other


def _can_share(contract: Contract, one: SpecClass, other: SpecClass) -> bool:
    """Whether two classes may meet in one composite, by their grouping protocol.

    A class that overrides it meets its own kind alone; the others meet each other.
    """
    asked = [contract.definition(each, GROUPING_PROTOCOL) for each in (one, other)]
    if asked[0] is asked[1]:
        return True
    roots = [
        each for each in contract.hierarchy.specs if contract.hierarchy.is_root(each)
    ]
    owners = [each.owner for each in asked if each is not None]
    return any(
        first not in roots and contract.hierarchy.is_below(second, first)
        for first, second in ((owners[0], owners[-1]), (owners[-1], owners[0]))
    )


def _always_equal(one: Definition | None, other: Definition | None) -> bool:
    if isinstance(one, Field) or isinstance(other, Field):
        return False
    constants = [_constant(each) for each in (one, other) if each is not None]
    return len(set(constants)) == 1 and constants[0] is not None


def _constant(member: Member | Field) -> str | None:
    return None if isinstance(member, Field) else body_facts(member).constant
