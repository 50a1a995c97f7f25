# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Classes of one family against the same classes of another release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kvlint.contracts.aspects import Aspect, compare, compare_classes
from kvlint.contracts.changes import CONSTRUCTOR, Area, Change, Family, Turn
from kvlint.contracts.facts import ClassFacts, MemberFacts, Spot
from kvlint.contracts.lineage import COMPOSITE, Definition, Lineage, listed, own
from kvlint.contracts.matrix import signature
from kvlint.contracts.renames import Rename, likely_renames


class Comparison:
    """One family of classes in two releases.

    Args:
        family: The family.
        before: Its classes in the one.
        after: And in the other.
    """

    def __init__(self, family: Family, before: Lineage, after: Lineage) -> None:
        """Take the classes in the order of the later tree."""
        self._family, self._before, self._after = family, before, after
        order = {
            each.facts.name: None for side in (after, before) for each in side.tree()
        }
        self._names = list(order)
        self._kept = [
            each for each in order if each in before.classes and each in after.classes
        ]

    def changes(self) -> Iterator[Change]:
        """Yield what changed: classes first, then fields and members."""
        yield from self._classes()
        renames = likely_renames(self._before, self._after)
        renamed = {each.old: each for each in renames}
        found = list(self._definitions())
        for change in found:
            rename = renamed.get(change.name)
            if change.turn is Turn.REMOVED and rename is not None:
                yield self._renamed(change, rename)
            elif change.turn is Turn.ADDED:
                sources = [each for each in renames if each.new == change.name]
                if not any(set(change.owners) <= set(each.classes) for each in sources):
                    more = [f"likely what was {each.old}" for each in sources]
                    yield replace(change, notes=(*change.notes, *more))
            else:
                yield change

    def _classes(self) -> Iterator[Change]:
        for name in self._names:
            old, new = self._before.classes.get(name), self._after.classes.get(name)
            spots = _spot(old), _spot(new)
            if old is None and new is not None:
                notes = (_told_class(self._after, new),)
                yield self._change(Area.CLASS, Turn.ADDED, name, (), spots, notes)
            elif new is None:
                yield self._change(Area.CLASS, Turn.REMOVED, name, (), spots)
            elif old is not None and (aspects := compare_classes(old, new)):
                change = self._change(Area.CLASS, Turn.CHANGED, name, (), spots)
                yield replace(change, aspects=aspects)

    def _definitions(self) -> Iterator[Change]:
        """Changes of fields and members, the same ones of several classes as one."""
        merged: dict[object, Change] = {}
        for name in self._kept:
            for change in self._of_class(name):
                key = (change.turn, change.name, change.aspects, change.notes)
                if change.turn in {Turn.ADDED, Turn.REMOVED}:
                    key = (change.turn, change.name, (), ())
                known = merged.get(key)
                if known is None:
                    merged[key] = change
                else:
                    owners = (*known.owners, *change.owners)
                    merged[key] = replace(known, owners=owners)
        for change in merged.values():
            if change.turn is Turn.ADDED:
                notes = tuple(self._told_added(change))
                yield replace(change, notes=(*change.notes, *notes))
            else:
                yield change

    def _of_class(self, name: str) -> Iterator[Change]:
        old, new = self._before.classes[name], self._after.classes[name]
        had, has = own(old), own(new)
        knew, knows = self._before.names(old), self._after.names(new)
        for each in dict.fromkeys([*has, *had]):
            if each.startswith("_") and each != CONSTRUCTOR:
                continue
            was, now = had.get(each), has.get(each)
            spots = _spot(was), _spot(now)
            area = Area.MEMBER if isinstance(now or was, MemberFacts) else Area.FIELD
            turn, aspects = Turn.CHANGED, tuple[Aspect, ...]()
            if was is not None and now is not None:
                aspects = tuple(compare(was, now))
            elif each in (knows if now is None else knew):
                aspects = (self._moved(old, new, each),)
            else:
                turn = Turn.REMOVED if now is None else Turn.ADDED
            notes = tuple(self._told_missing(old, new, each))
            if aspects or notes or turn is not Turn.CHANGED:
                change = self._change(area, turn, each, (name,), spots, notes)
                text = signature(definition) if (definition := now or was) else ""
                yield replace(change, aspects=aspects, signature=text)
        yield from self._newly_missing(old, new)

    def _newly_missing(self, old: ClassFacts, new: ClassFacts) -> Iterator[Change]:
        """Members that a composite leaves alone, as before, but now should not."""
        if new.role != COMPOSITE:
            return
        for each in self._before.names(old):
            if each in own(old) or each in own(new):
                continue
            notes = tuple(self._told_missing(old, new, each))
            if notes:
                answer = self._after.answer(new, each)
                spots = None, answer.definition.spot if answer else None
                yield self._change(
                    Area.MEMBER, Turn.CHANGED, each, (new.name,), spots, notes
                )

    def _told_missing(
        self, old: ClassFacts, new: ClassFacts, name: str
    ) -> Iterator[str]:
        if new.role != COMPOSITE or name not in self._before.names(old):
            return
        was = self._before.is_missing(old, name)
        now = self._after.is_missing(new, name)
        if now and not was:
            differ = [each.name for each in self._after.overriders(new, name)]
            verb = "overrides" if len(differ) == 1 else "override"
            yield f"now missing: {listed(differ)} {verb} it"
        elif was and not now and name in self._after.names(new):
            yield "was missing"

    def _moved(self, old: ClassFacts, new: ClassFacts, name: str) -> Aspect:
        was, now = self._before.answer(old, name), self._after.answer(new, name)
        return Aspect(
            "defined by", was.owner.name if was else "", now.owner.name if now else ""
        )

    def _told_added(self, change: Change) -> Iterator[str]:
        """Whether it answers, who overrides it, and which composites miss it."""
        first, *rest = change.owners
        facts = self._after.classes[first]
        definition = own(facts)[change.name]
        is_asked = self._family is not Family.BESIDE and change.name != CONSTRUCTOR
        if isinstance(definition, MemberFacts) and is_asked:
            yield "abstract" if definition.is_abstract else "concrete"
            if definition.constant is not None:
                yield f"answers {definition.constant}"
        overriders = [
            each.name
            for each in self._after.classes.values()
            if each.name != first
            and self._after.is_below(each, first)
            and change.name in own(each)
        ]
        composites = [
            each
            for each in self._after.classes.values()
            if each.role == COMPOSITE and self._after.is_below(each, first)
        ]
        layers = [
            each
            for each in overriders
            if each not in {composite.name for composite in composites}
        ]
        if layers:
            yield f"overridden by {listed(layers)}"
        apart = [each for each in rest if each not in overriders]
        if apart:
            yield f"also on {listed(apart)}"
        for composite in composites:
            if self._after.is_missing(composite, change.name):
                yield f"missing on the composite {composite.name}"
            elif composite.name in overriders:
                yield f"answered by the composite {composite.name}"

    def _renamed(self, change: Change, rename: Rename) -> Change:
        """The change of a name that went, as one of a name that became another."""
        was = own(self._before.classes[change.owners[0]])[rename.old]
        answers = [
            self._after.answer(self._after.classes[each], rename.new)
            for each in rename.classes
        ]
        now = next(each.definition for each in answers if each is not None)
        return replace(
            change,
            turn=Turn.RENAMED,
            new_name=rename.new,
            aspects=tuple(compare(was, now)),
            notes=rename.evidence,
            after=now.spot,
        )

    def _change(
        self,
        area: Area,
        turn: Turn,
        name: str,
        owners: tuple[str, ...],
        spots: tuple[Spot | None, Spot | None],
        notes: tuple[str, ...] = (),
    ) -> Change:
        return Change(
            self._family,
            area,
            turn,
            name,
            owners,
            notes=notes,
            before=spots[0],
            after=spots[1],
        )


def _spot(part: ClassFacts | Definition | None) -> Spot | None:
    return None if part is None else part.spot


def _told_class(lineage: Lineage, facts: ClassFacts) -> str:
    """What a new class is: its bases and what it answers itself."""
    known = {name for each in lineage.bases(facts) for name in lineage.names(each)}
    public = [each for each in own(facts) if not each.startswith("_")]
    overridden = [each for each in public if each in known]
    added = [each for each in public if each not in known]
    parts = [f"below {listed(facts.bases)}"] if facts.bases else []
    parts += [f"overrides {listed(overridden)}"] if overridden else []
    parts += [f"adds {listed(added)}"] if added else []
    return "; ".join(parts)
