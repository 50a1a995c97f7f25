# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Bounds on what a request holds, of which nothing in a run knows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kvlint.faults.size_terms import BATCHES, size_terms, sized_classes
from kvlint.findings import Place
from kvlint.model.answering.bodies import body_facts
from kvlint.model.classes import Member, SpecClass
from kvlint.project import Project
from kvlint.vocabulary import (
    ADMISSION,
    BLOCKS_TO_ALLOCATE,
    MEMORY,
    WHOLE_REQUEST_GATE,
)

_NEXT = re.compile(r"\n(?=class\b|@)")
_GATE = re.compile(rf"\bdef ({BLOCKS_TO_ALLOCATE})\b")


@dataclass(frozen=True)
class Ungated:
    """A bound on the blocks of a request that holds at start-up alone.

    Attributes:
        override: What counts by it.
        manager: The manager that serves the class.
        gate: What asks for all blocks of a request.
    """

    override: Member
    manager: SpecClass
    gate: Place


def ungated_bounds(project: Project) -> Iterator[Ungated]:
    """Yield the bounds to report on that nothing in a run knows of."""
    for spec, own in sized_classes(project):
        if own[0].name == MEMORY and not _has_gate(project, spec):
            manager = _manager(project, spec) if _is_bound(project, spec) else None
            gate = None if manager is None else _whole_gate(project, manager)
            if manager is not None and gate is not None:
                yield Ungated(own[0], manager, gate)


def _has_gate(project: Project, spec: SpecClass) -> bool:
    order = project.contract.hierarchy.mro(spec)
    return any(ADMISSION in each.members for each in order)


def _is_bound(project: Project, spec: SpecClass) -> bool:
    """Whether a class bounds its memory, where those above it do not.

    Below a class that does, something must know of it already.
    """
    mine = size_terms(project, spec, MEMORY)
    if mine is None or mine.grows or mine.modes:
        return False
    order = project.contract.hierarchy.mro(spec)[1:]
    inherited = (each.members[MEMORY] for each in order if MEMORY in each.members)
    if all(body_facts(each).is_abstract for each in inherited):
        return bool(mine.bounds - BATCHES)
    above = size_terms(project, spec, MEMORY, start=1)
    return above is not None and above.grows and not above.modes


def _manager(project: Project, spec: SpecClass) -> SpecClass | None:
    """The manager of a class, in a release that lets in whole requests alone."""
    specs = project.contract.hierarchy.specs
    if any(ADMISSION in each.members for each in specs) or project.own.speaks_of(
        WHOLE_REQUEST_GATE
    ):
        return project.serving.manager_of(spec)
    return None


def _whole_gate(project: Project, manager: SpecClass) -> Place | None:
    """What asks for all blocks of a request, if a manager has no other answer.

    Managers may be outlines without members, so their text is looked at.
    """
    order = project.serving.hierarchy.mro(manager)
    if project.serving.hierarchy.unresolved_bases(manager):
        return None
    found: Place | None = None
    for each in reversed(order):
        source, start = each.file.tree.source, each.file.span(each.node).start
        after = _NEXT.search(source.text, start)
        end = len(source.text) if after is None else after.start()
        gate = _GATE.search(source.text, start, end)
        if each is order[-1]:
            found = None if gate is None else source.place(*gate.span(1))
        elif gate is not None or source.text.find(ADMISSION, start, end) >= 0:
            return None
    return found if manager is not order[-1] else None
