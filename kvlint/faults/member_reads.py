# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which fields of a spec an answer comes from, through all that it asks."""

from __future__ import annotations

import re

from kvlint.model.answering.bodies import body_facts
from kvlint.model.classes import SpecClass
from kvlint.model.sizes.derivations import derivation
from kvlint.project import Project


def fields_read(
    project: Project, spec: SpecClass, member: str
) -> frozenset[str] | None:
    """Return the fields that specs of a class read for an answer.

    Args:
        project: The project; only the bodies of its own classes are looked at.
        spec: The class.
        member: What they are asked.

    Returns:
        The names of fields; None if not all of them can be told.
    """
    hierarchy = project.contract.hierarchy
    if hierarchy.unresolved_bases(spec):
        return None
    order = hierarchy.mro(spec)
    found: set[str] = set()
    seen: set[tuple[str, int]] = set()
    pending = [(member, 0)]
    while pending:
        asked = name, start = pending.pop()
        if asked in seen:
            continue
        seen.add(asked)
        index = next(
            (
                number
                for number, each in enumerate(order[start:], start)
                if name in each.members or name in each.fields
            ),
            None,
        )
        if index is None:
            return None
        if name not in order[index].members:
            found.add(name)
            continue
        known = order[index].members[name]
        facts = body_facts(known)
        if not project.is_own(known.owner) or known.is_conditional:
            return None
        if facts.lets_self_out or facts.is_abstract:
            return None
        pending += [(each, 0) for each in facts.reads]
        pending += [(each, index + 1) for each in facts.supers]
    return frozenset(found)


def known_reads(
    project: Project, spec: SpecClass, member: str, without: re.Pattern[str]
) -> frozenset[str]:
    """Return fields that specs of a class are known to read for an answer.

    Args:
        project: The project.
        spec: The class.
        member: What they are asked.
        without: Which members are not followed.
    """
    order = project.contract.hierarchy.mro(spec)
    found: set[str] = set()
    seen: set[tuple[str, int]] = set()
    pending = [(member, 0)]
    while pending:
        asked = name, start = pending.pop()
        if asked in seen or (without.search(name) and name != member):
            continue
        seen.add(asked)
        for index, each in enumerate(order[start:], start):
            if name in each.members:
                facts = body_facts(each.members[name])
                pending += [(read, 0) for read in facts.reads]
                pending += [(above, index + 1) for above in facts.supers]
            elif name in each.fields:
                found.add(name)
            else:
                continue
            break
    return frozenset(found)


def are_derived(project: Project, spec: SpecClass, fields: frozenset[str]) -> bool:
    """Return whether the project may work fields out from others when it makes a spec.

    Args:
        project: The project.
        spec: The class.
        fields: Names of its fields.
    """
    for each in project.contract.hierarchy.mro(spec):
        member = each.members.get("__post_init__")
        if member is None or member.function is None or not project.is_own(each):
            continue
        found = derivation(member)
        if found.sets & fields or not found.is_complete:
            return True
    return False
