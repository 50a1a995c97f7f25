# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The classes of a release as a tree: who inherits what from whom."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kvlint.contracts.facts import ClassFacts, FieldFacts, MemberFacts
from kvlint.vocabulary import Combine, combine

Definition = FieldFacts | MemberFacts
COMPOSITE = "composite"
SPEC_ROLES = frozenset({"root", "spec", COMPOSITE})
_UNASKED = frozenset({"classmethod", "staticmethod"})


@dataclass(frozen=True, slots=True)
class Answer:
    """What answers for a name of a class.

    Attributes:
        owner: The class that defines it.
        definition: The member or field.
    """

    owner: ClassFacts
    definition: Definition


@dataclass(frozen=True, slots=True)
class Branch:
    """A class in the tree.

    Attributes:
        facts: The class.
        depth: How many of its ancestors are known.
        lasts: For each level down to its own, whether nothing more follows there.
        others: Bases besides the one that it stands below.
    """

    facts: ClassFacts
    depth: int
    lasts: tuple[bool, ...]
    others: tuple[str, ...]


class Lineage:
    """The classes of one family, such as specs or managers.

    Args:
        classes: In the order of the text.
    """

    def __init__(self, classes: Iterable[ClassFacts]) -> None:
        """Take the first of several classes of a name."""
        self.classes: dict[str, ClassFacts] = {}
        for each in classes:
            self.classes.setdefault(each.name, each)
        self._orders: dict[str, tuple[ClassFacts, ...]] = {}

    def bases(self, facts: ClassFacts) -> list[ClassFacts]:
        """Return the bases of a class that are known."""
        names = [simple(each) for each in facts.bases]
        return [
            self.classes[name]
            for name in names
            if name in self.classes and name != facts.name
        ]

    def order(self, facts: ClassFacts) -> tuple[ClassFacts, ...]:
        """Return the order in which a class and its bases are asked."""
        if facts.name not in self._orders:
            self._orders[facts.name] = (facts,)  # a class that is its own ancestor
            found = [facts]
            for base in self.bases(facts):
                found += self.order(base)
            # Of a base that is met twice, the last place counts, as in Python's order.
            kept = dict.fromkeys(each.name for each in reversed(found))
            names = list(reversed(kept))
            self._orders[facts.name] = tuple(self.classes[each] for each in names)
        return self._orders[facts.name]

    def answer(self, facts: ClassFacts, name: str) -> Answer | None:
        """Return what answers for a name of a class: the first in its order."""
        for each in self.order(facts):
            found = own(each).get(name)
            if found is not None:
                return Answer(each, found)
        return None

    def names(self, facts: ClassFacts) -> dict[str, None]:
        """Return every name of a class and its bases, the bases' first."""
        return dict.fromkeys(
            name for each in reversed(self.order(facts)) for name in own(each)
        )

    def is_below(self, facts: ClassFacts, ancestor: str) -> bool:
        """Return whether a class is one of a name or inherits from it."""
        return any(each.name == ancestor for each in self.order(facts))

    def tree(self) -> Iterator[Branch]:
        """Yield the classes, each behind the first of its bases."""
        children: dict[str, list[ClassFacts]] = {}
        for each in self.classes.values():
            bases = self.bases(each)
            children.setdefault(bases[0].name if bases else "", []).append(each)
        yield from self._branches(children, "", ())

    def _branches(
        self, children: dict[str, list[ClassFacts]], name: str, lasts: tuple[bool, ...]
    ) -> Iterator[Branch]:
        below = children.get(name, [])
        for index, each in enumerate(below):
            inner = (*lasts, index == len(below) - 1)
            others = tuple(simple(base) for base in each.bases[1:])
            yield Branch(each, len(lasts), inner, others)
            yield from self._branches(children, each.name, inner)

    def wrapped(self, composite: ClassFacts) -> list[ClassFacts]:
        """Return the classes whose specs a composite may hold."""
        named = self._named_by_fields(composite)
        return [
            each
            for each in self.classes.values()
            if each.role in SPEC_ROLES - {COMPOSITE}
            and any(self.is_below(each, name) for name in named)
        ]

    def _named_by_fields(self, composite: ClassFacts) -> list[str]:
        """Classes that the annotations of its fields name; else the roots."""
        words = {
            word
            for each in self.order(composite)
            if each.role == COMPOSITE
            for field in each.fields
            for word in re.findall(r"\w+", field.type)
        }
        specs = [each for each in self.classes.values() if each.role in SPEC_ROLES]
        named = [each.name for each in specs if each.name in words]
        return named or [each.name for each in specs if each.role == "root"]

    def asked(self, composite: ClassFacts, name: str) -> Answer | None:
        """Return what a composite's per-layer ancestors answer to a name.

        Returns:
            None if they have no such name.
        """
        for each in self.order(composite):
            if each.role in SPEC_ROLES - {COMPOSITE} and name in own(each):
                return Answer(each, own(each)[name])
        return None

    def overriders(self, composite: ClassFacts, name: str) -> tuple[ClassFacts, ...]:
        """Return the classes that answer otherwise than what a composite inherits."""
        inherited = self.asked(composite, name)
        if inherited is None:
            return ()
        found: dict[str, ClassFacts] = {}
        for each in self.wrapped(composite):
            answer = self.answer(each, name)
            if answer is not None and _differs(answer.definition, inherited.definition):
                found[answer.owner.name] = answer.owner
        return tuple(found.values())

    def is_missing(self, composite: ClassFacts, name: str) -> bool:
        """Return whether a composite inherits a default that wrapped specs override.

        This is what KV101 finds.
        """
        inherited, answer = self.asked(composite, name), self.answer(composite, name)
        if inherited is None or answer != inherited:
            return False
        definition = inherited.definition
        return (
            isinstance(definition, MemberFacts)
            and not name.startswith("_")
            and not definition.is_abstract
            and definition.kind not in _UNASKED
            and definition.replaced is None
            and combine(name) is not Combine.LEAVE
            and bool(self.overriders(composite, name))
        )


def own(facts: ClassFacts) -> dict[str, Definition]:
    """Return what a class itself defines, by name; a member hides a field."""
    fields: dict[str, Definition] = {each.name: each for each in facts.fields}
    return fields | {each.name: each for each in facts.members}


def simple(dotted: str) -> str:
    """Return the part of a dotted name behind the last dot."""
    return dotted.rpartition(".")[2]


def listed(names: Sequence[str], most: int = 4) -> str:
    """Return some names as words, no more than are read."""
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"
    *head, last = names or [""]
    return f"{', '.join(head)} and {last}" if head else last


def _differs(found: Definition, inherited: Definition) -> bool:
    if found is inherited or found == inherited:
        return False
    if isinstance(found, FieldFacts):
        return True
    if found.is_abstract:
        return False
    is_constant = isinstance(inherited, MemberFacts) and found.constant is not None
    return not is_constant or found.constant != inherited.constant  # type: ignore[union-attr]
