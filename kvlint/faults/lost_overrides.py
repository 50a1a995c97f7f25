# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Overrides of what vLLM's classes had in an earlier release and have no more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from kvlint.contracts.history import Past, history
from kvlint.faults.overrides import definitions, has_unknown_base, is_unconditional
from kvlint.model.answering.bodies import body_facts
from kvlint.model.classes import Member, SpecClass
from kvlint.model.nodes import walk
from kvlint.model.signatures import has_plain_decorators
from kvlint.model.syntax import text_of
from kvlint.project import Project
from kvlint.specs.contract import Definition


@dataclass(frozen=True)
class LostOverride:
    """A definition that overrides nothing any more.

    Attributes:
        own: The definition.
        spec: The class that has it, itself or from what is mixed into it.
        base: The uppermost class of vLLM that had the name.
        past: What became of it there.
        successor: What vLLM asks in its stead, if something stands for it.
        is_read: Whether the project itself still reads the name.
    """

    own: Definition
    spec: SpecClass
    base: SpecClass
    past: Past
    successor: Definition | None
    is_read: bool


def lost_overrides(project: Project) -> Iterator[LostOverride]:
    """Yield the overrides to report on that a change in vLLM has cut off.

    Where a name has a successor, those are of classes that do not speak of it; where
    it has none, those that no selected release asks, nor the project itself.
    """
    release = project.vllm.release
    if release is None:
        return
    found: dict[Definition, LostOverride] = {}
    hierarchy = project.contract.hierarchy
    for spec in project.specs():
        order = hierarchy.mro(spec)
        for own in definitions(hierarchy, spec, hierarchy.is_spec):
            above = order[order.index(own.owner) + 1 :]
            known = any(own.name in x.members or own.name in x.fields for x in above)
            is_reported = project.reports_on(own.owner.file.path)
            if known or own.name.startswith("_") or not is_reported:
                continue
            lost = _lost(project, own, spec, release)
            if lost is None or not _is_certain(project, lost):
                continue
            if lost.successor is None or not _is_followed(project, lost):
                found.setdefault(own, lost)
    yield from found.values()


def _lost(
    project: Project, own: Definition, spec: SpecClass, release: str
) -> LostOverride | None:
    """What became of the name in the bases; None if it is no fault."""
    above = project.contract.hierarchy.mro(spec)[1:]
    bases = [each for each in above if project.vllm.defines(each)]
    pasts = {each: history().past(each.name, own.name, release) for each in bases}
    ended = [(each, past) for each, past in pasts.items() if past is not None]
    if not ended:
        return None
    renamed = [(each, past) for each, past in ended if past.successor is not None]
    base, past = (renamed or ended)[-1]
    is_read = project.own.reads(own)
    successor = None
    if past.successor is not None:
        successor = project.contract.definition(base, past.successor)
    if successor is None:
        is_asked = is_read or any(
            history().has(each.name, own.name, other)
            for each in bases
            for other in project.releases
        )
    else:
        # A plug-in's own reads do not make vLLM ask; in vLLM's own tree they do.
        is_asked = is_read and project.vllm.defines(own.owner)
    return None if is_asked else LostOverride(own, spec, base, past, successor, is_read)


def _is_certain(project: Project, lost: LostOverride) -> bool:
    """Whether a definition stands there for sure, and no base may ask it."""
    own = lost.own
    if isinstance(own, Member) and (
        not has_plain_decorators(own) or body_facts(own).only_raises
    ):
        return False
    hierarchy = project.contract.hierarchy
    return is_unconditional(own) and not any(
        has_unknown_base(hierarchy, each) for each in hierarchy.mro(lost.spec)
    )


def _is_followed(project: Project, lost: LostOverride) -> bool:
    """Whether the class, or who makes its specs, knows the new name.

    What the new name's answer is worked out from counts like the name, as long as it
    came together with it: vLLM 0.29.0 works ``num_states`` out from its new
    ``tokens_per_state``.
    """
    new = _came_with(project, lost)
    hierarchy = project.contract.hierarchy
    for each in hierarchy.mro(lost.spec):
        is_own = each in (lost.spec, lost.own.owner) or not project.vllm.defines(each)
        if is_own and not new.isdisjoint(_words(each.node)):
            return True
    return any(project.own.gives(lost.spec, name) for name in sorted(new))


def _words(node: cst.CSTNode) -> Iterator[str]:
    """The names in a piece of code, also those given as text."""
    for each in walk(node):
        if isinstance(each, cst.Name):
            yield each.value
        elif isinstance(each, cst.SimpleString):
            yield text_of(each) or ""


def _came_with(project: Project, lost: LostOverride) -> set[str]:
    """The successor, and the new names that its answer is worked out from."""
    assert lost.successor is not None
    pending, found = [lost.successor.name], set[str]()
    while pending:
        name = pending.pop()
        if name in found or history().has(lost.base.name, name, lost.past.last):
            continue
        found.add(name)
        definition = project.contract.definition(lost.spec, name)
        if isinstance(definition, Member):
            reads = body_facts(definition).reads
            pending += [each for each in reads if not each.startswith("_")]
    return found
