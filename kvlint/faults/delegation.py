# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A composite's own answers: do they come from the specs that it holds?"""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.model.answering.agreements import EVERYTHING, agreed_attributes
from kvlint.model.answering.answer_flow import Answer
from kvlint.model.answering.answers import How
from kvlint.model.answering.bodies import body_facts
from kvlint.model.answering.delegations import DelegationReader
from kvlint.model.classes import Field, Member, SpecClass
from kvlint.model.values.settings import ANYTHING, find_settings
from kvlint.project import Project
from kvlint.specs.contract import Composite, Contract, Question, is_concrete
from kvlint.vocabulary import Combine

_WRONG = {
    Combine.AGREE: frozenset(How),
    Combine.SUM: frozenset(How) - {How.SUM},
    Combine.PAGES: frozenset(How) - {How.SUM},
    Combine.ALL: frozenset(How) - {How.ALL, How.MIN},
    Combine.MAX: frozenset(How) - {How.MAX},
    Combine.LEAVE: frozenset({How.ONE, How.LAST}),
}
"""What does not combine answers as they have to be.

The least of several answers is what all say, and the memory of layers that need
equally many pages adds up.
"""


def own_answers(project: Project) -> Iterator[tuple[Question, Member]]:
    """Yield the questions that layers answer differently and a composite by itself.

    Only members that stand in the composite's own body are yielded, so that each is
    judged once, where it is defined.
    """
    for composite in project.composites():
        for question in project.questions(composite):
            own = question.own
            differs = question.overriders or not is_concrete(question.inherited)
            if differs and isinstance(own, Member) and own.owner is composite.spec:
                yield question, own


def delegation_reader(contract: Contract, composite: Composite) -> DelegationReader:
    """Return a reader of a composite's members."""
    lineage = _lineage(contract, composite)

    def own_member(name: str) -> Member | None:
        for spec in lineage:
            if name in spec.members:
                return spec.members[name]
        return None

    return DelegationReader(
        frozenset(holder.name for holder in composite.holders),
        own_member,
        composite.is_of_parts,
    )


def unlooked_answer(
    contract: Contract, question: Question, own: Member
) -> Answer | None:
    """Return the answer by which a composite passes over what its layers say.

    Returns:
        None if it asks them all, or whoever builds the composite makes sure that
        they agree on what is read.
    """
    composite = question.composite
    answer = delegation_reader(contract, composite).unlooked_answer(own)
    if answer is None:
        return None
    if answer.how not in _WRONG[question.combine]:
        return None
    is_lone = answer.how in {How.ONE, How.LAST}
    is_fewest = question.combine is Combine.PAGES and answer.how is How.MIN
    is_known = is_lone or is_fewest or answer.is_same
    if question.combine is not Combine.AGREE and not is_known:
        return None  # such as the largest page, times the number of layers
    agreed = agreed_attributes(_lineage(contract, composite))
    if EVERYTHING in agreed or answer.attributes <= agreed:
        return None
    return answer


def mirrored_fields(contract: Contract, composite: Composite) -> frozenset[str]:
    """Return the attributes that a composite sets on itself when it is made.

    Its constructors are followed into the methods that they call on the composite, and
    into those of bases as far as they call them.

    Returns:
        Names; ``*`` among them where any may be set.
    """
    lineage = _lineage(contract, composite)
    pending = [(0, "__init__"), (0, "__post_init__")]
    seen: set[Member] = set()
    found: set[str] = set()
    while pending:
        start, name = pending.pop()
        for index, spec in enumerate(lineage[start:], start):
            member = spec.members.get(name)
            if member is None:
                continue
            if member.function is not None and member not in seen:
                seen.add(member)
                settings = find_settings(member.function, member.self_name)
                found |= {setting.name for setting in settings}
                facts = body_facts(member)
                pending += [(0, read) for read in facts.reads]
                pending += [(index + 1, above) for above in facts.supers]
            break
    return frozenset(found)


def consults(contract: Contract, question: Question, own: Member) -> bool:
    """Return whether a composite's answer depends on the specs that it holds."""
    facts, reader = body_facts(own), delegation_reader(contract, question.composite)
    mirrored = mirrored_fields(contract, question.composite)
    if facts.reads & mirrored or (ANYTHING in mirrored and facts.reads):
        return True
    lineage = _lineage(contract, question.composite)
    above = lineage[lineage.index(own.owner) + 1 :]
    supers = set(facts.supers)
    if facts.named_base and facts.named_base not in {each.name for each in lineage}:
        supers.discard(own.name)  # it passes the composites above by
    asked = [
        spec.members[name] for name in supers for spec in above if name in spec.members
    ]
    return any(map(reader.consults, [own, *asked]))


def is_right_constant(question: Question, own: Member) -> bool:
    """Return whether a composite's answer is a constant that each layer gives too."""
    constant = body_facts(own).constant
    if constant is None:
        return False
    definitions = [each.definition for each in question.overriders]
    if is_concrete(question.inherited):
        definitions.append(question.inherited)
    return all(
        not isinstance(each, Field) and body_facts(each).constant == constant
        for each in definitions
    )


def _lineage(contract: Contract, composite: Composite) -> list[SpecClass]:
    """A composite and the composites and mixins above it, not the per-layer specs."""
    hierarchy = contract.hierarchy
    return [
        spec
        for spec in hierarchy.mro(composite.spec)
        if spec in contract.composites or not hierarchy.is_spec(spec)
    ]
