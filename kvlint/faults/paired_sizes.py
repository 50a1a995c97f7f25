# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Members that size a request, where an override and an inherited one contradict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from kvlint.faults.size_terms import (
    BATCHES,
    Terms,
    first_default,
    is_sharding,
    size_terms,
    sized_classes,
)
from kvlint.model.classes import Member, SpecClass
from kvlint.model.sizes.sizing import sizing
from kvlint.model.values.settings import find_settings
from kvlint.project import Project
from kvlint.vocabulary import ROW, SIZING


class Assumption(StrEnum):
    """What two members differ in."""

    RECYCLING = "recycling"
    SHARDING = "sharding"
    SPECULATION = "speculative blocks"


@dataclass(frozen=True)
class Unpaired:
    """An override that contradicts what its class inherits.

    Attributes:
        override: The class's own member.
        inherited: The other member.
        assumption: What they differ in.
        only: What the inherited one alone reads.
        more: What the override alone reads.
    """

    override: Member
    inherited: Member
    assumption: Assumption
    only: tuple[str, ...]
    more: tuple[str, ...]


def unpaired_sizes(project: Project) -> Iterator[Unpaired]:
    """Yield the overrides to report on that contradict what their class inherits."""
    for spec, own in sized_classes(project):
        told: set[Member] = set()
        for override in own:
            found = sorted(_contradictions(project, spec, override), key=_order)
            if found and found[0].inherited not in told:
                told.add(found[0].inherited)
                yield found[0]


def _order(found: Unpaired) -> int:
    return [*Assumption].index(found.assumption)


def _contradictions(
    project: Project, spec: SpecClass, override: Member
) -> Iterator[Unpaired]:
    found: dict[str, tuple[Unpaired, Terms]] = {}
    mine = size_terms(project, spec, override.name)
    for name in SIZING if mine is not None else ():
        inherited = _inherited(project, spec, name)
        theirs = size_terms(project, spec, name)
        if inherited is None or theirs is None or mine is None:
            continue
        pair = _Pair(project, spec, override, inherited, mine, theirs)
        if (unpaired := pair.contradiction()) is not None:
            found[name] = unpaired, theirs
    for name, (unpaired, theirs) in found.items():
        # What asks another of them is told with that one.
        if not theirs.asked & (found.keys() - {name}):
            yield unpaired


def _inherited(project: Project, spec: SpecClass, name: str) -> Member | None:
    order = project.contract.hierarchy.mro(spec)
    found = (each.members[name] for each in order if name in each.members)
    first = next(found, None)
    return None if first is None or first.owner is spec else first


@dataclass(frozen=True)
class _Pair:
    """An override and what is inherited beside it."""

    project: Project
    spec: SpecClass
    override: Member
    inherited: Member
    mine: Terms
    theirs: Terms

    def contradiction(self) -> Unpaired | None:
        """Return the first contradiction."""
        if self.inherited.name in self.mine.asked:
            return None
        if self.override.name in self.theirs.asked:
            return self._speculation()
        bounds = self._narrow_row() if self._has(ROW) else self._other_bound()
        return bounds or self._sharding() or self._speculation()

    def _has(self, *names: str) -> bool:
        return {self.override.name, self.inherited.name}.issuperset(names)

    def _differing(
        self, assumption: Assumption, only: frozenset[str], more: frozenset[str]
    ) -> Unpaired | None:
        if not only and not more:
            return None
        return Unpaired(
            self.override,
            self.inherited,
            assumption,
            tuple(sorted(only)),
            tuple(sorted(more)),
        )

    def _other_bound(self) -> Unpaired | None:
        """Start-up and run time count the blocks of a request otherwise."""
        mine, theirs = self.mine, self.theirs
        only, more = theirs.bounds - mine.bounds, mine.bounds - theirs.bounds
        batches = theirs.bounds & BATCHES
        if batches and batches <= mine.bounds:
            more -= BATCHES  # it reads what there is in this release, or in another
        if self.override.name in sizing(self.override).supers:
            more = frozenset()  # it adds to what it overrides
        if not mine.bounds | theirs.bounds | mine.modes | theirs.modes:
            only, more = theirs.lengths, mine.lengths
            if only and more:
                return None
        return self._differing(Assumption.RECYCLING, only, more)

    def _narrow_row(self) -> Unpaired | None:
        """A row has no room for what a request holds; more room is no harm."""
        is_mine = self.override.name == ROW
        row, held = (self.mine, self.theirs) if is_mine else (self.theirs, self.mine)
        if row.grows or row.modes or held.modes:
            return None
        missing = (held.bounds | held.lengths) - row.bounds
        only, more = (missing, frozenset()) if is_mine else (frozenset(), missing)
        return self._differing(Assumption.RECYCLING, only, more)

    def _sharding(self) -> Unpaired | None:
        """One counts the tokens of a rank, the other those of all ranks."""
        mine, theirs = self.mine, self.theirs
        if self._has(ROW) and not (mine.grows and theirs.grows):
            return None
        if (mine.bounds | theirs.bounds) & BATCHES:
            return None  # a window's blocks, which nobody shards
        if any(map(is_sharding, sizing(self.override).refused)) or self._sets_flags():
            return None
        only, more = theirs.shards - mine.shards, mine.shards - theirs.shards
        order = self.project.contract.hierarchy.mro(self.spec)
        if not mine.shards or not theirs.shards:
            flags = mine.flags | theirs.flags
            if flags and all(first_default(order, x) == "False" for x in flags):
                return None
        elif not only and not more:
            only, more = theirs.flags - mine.flags, mine.flags - theirs.flags
        return self._differing(Assumption.SHARDING, only, more)

    def _sets_flags(self) -> bool:
        flags = self.mine.flags | self.theirs.flags
        for each in self.project.contract.hierarchy.mro(self.spec):
            member = each.members.get("__post_init__")
            if member is not None and member.function is not None:
                settings = find_settings(member.function, member.self_name)
                if flags & {setting.name for setting in settings}:
                    return True
        return False

    def _speculation(self) -> Unpaired | None:
        """One counts blocks of drafts by a field, the other does not."""
        mine, theirs = self.mine.speculation, self.theirs.speculation
        if self.override.name in self.theirs.asked:
            own = size_terms(
                self.project,
                self.spec,
                self.inherited.name,
                without=(self.override.name,),
            )
            theirs = frozenset() if own is None else own.speculation
            if not theirs:
                return None
        if mine and theirs:
            return None
        fields = {
            name
            for each in self.project.contract.hierarchy.mro(self.spec)
            for name in each.fields
        }
        return self._differing(Assumption.SPECULATION, theirs & fields, mine & fields)
