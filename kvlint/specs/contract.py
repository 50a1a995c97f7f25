# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The contract: what each composite is asked, and who answers otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kvlint.model.answering.bodies import body_facts
from kvlint.model.classes import Field, Member, MemberKind, SpecClass
from kvlint.model.shapes import One
from kvlint.specs.composites import Holder, find_holders
from kvlint.specs.hierarchy import Hierarchy
from kvlint.vocabulary import Combine, combine

Definition = Member | Field


@dataclass(frozen=True, eq=False)
class Composite:
    """A spec that holds other specs.

    Attributes:
        spec: The class.
        holders: Where it holds them.
    """

    spec: SpecClass
    holders: tuple[Holder, ...]

    @property
    def name(self) -> str:
        """The class's name."""
        return self.spec.name

    @property
    def holds_one(self) -> bool:
        """Whether there is never more than one spec in it."""
        return len(self.holders) == 1 and self._has_one_in_each

    @property
    def is_of_parts(self) -> bool:
        """Whether it has several attributes, with one spec in each."""
        return len(self.holders) > 1 and self._has_one_in_each

    @property
    def _has_one_in_each(self) -> bool:
        return all(isinstance(each.shape, One) for each in self.holders)


@dataclass(frozen=True)
class Overrider:
    """A definition that answers for some wrapped classes.

    Attributes:
        definition: The member or field.
        classes: The classes that answer with it.
    """

    definition: Definition
    classes: tuple[SpecClass, ...]

    @property
    def name(self) -> str:
        """The class that defines it."""
        return self.definition.owner.name


@dataclass(frozen=True)
class Question:
    """A member of the contract, as one composite meets it.

    Attributes:
        composite: The composite.
        name: The member.
        inherited: What it inherits from the root or a per-layer class.
        own: Its own definition, or that of a composite or mixin above it.
        overriders: Definitions by which wrapped specs answer otherwise than the
            inherited one; abstract ones are left out.
        combine: How the layers' answers must be combined.
    """

    composite: Composite
    name: str
    inherited: Definition
    own: Definition | None
    overriders: tuple[Overrider, ...]
    combine: Combine

    @property
    def symbol(self) -> str:
        """``Class.member``."""
        return f"{self.composite.name}.{self.name}"


class Contract:
    """Asks the hierarchy what composites must answer.

    Args:
        hierarchy: The spec classes.
        is_test: Tells test code: its classes do not count as overriders.

    Attributes:
        hierarchy: As given.
        is_test: As given.
    """

    def __init__(self, hierarchy: Hierarchy, is_test: Callable[[Path], bool]) -> None:
        """Find the composites."""
        self.hierarchy = hierarchy
        self.is_test = is_test

    @cached_property
    def composites(self) -> dict[SpecClass, Composite]:
        """Every composite by its class."""
        found = {}
        for spec in self.hierarchy.specs:
            holders = find_holders(self.hierarchy, spec)
            if holders:
                found[spec] = Composite(spec, holders)
        return found

    @cached_property
    def layers(self) -> tuple[SpecClass, ...]:
        """The per-layer classes: every spec that is no composite."""
        return tuple(x for x in self.hierarchy.specs if x not in self.composites)

    def definition(self, spec: SpecClass, name: str) -> Definition | None:
        """Return what answers for a member of a class: the first in its order."""
        for each in self.hierarchy.mro(spec):
            found = each.members.get(name) or each.fields.get(name)
            if found is not None:
                return found
        return None

    def wrapped_classes(self, composite: Composite) -> list[SpecClass]:
        """Return the classes whose specs a composite may hold.

        Test code is left out, and so are other composites unless an annotation names
        one: they are made for groups, not for layers.
        """
        named = {spec for holder in composite.holders for spec in holder.wrapped}
        held_composites = {spec for spec in named if spec in self.composites}
        return [
            spec
            for spec in self.hierarchy.specs
            if any(self.hierarchy.is_below(spec, each) for each in named)
            and (spec not in self.composites or spec in held_composites)
            and not self.hierarchy.is_below(spec, composite.spec)
            and not self.is_test(spec.file.path)
        ]

    def questions(self, composite: Composite) -> Iterator[Question]:
        """Yield what a composite is asked: the members of its per-layer ancestors.

        A member that the composite may well have from a base that nobody knows is
        left out.
        """
        is_known = not self.hierarchy.unresolved_bases(composite.spec)
        order = self.hierarchy.mro(composite.spec)
        ancestors = [
            spec
            for spec in order
            if spec not in self.composites and self.hierarchy.is_spec(spec)
        ]
        names = dict.fromkeys(
            name
            for spec in reversed(ancestors)
            for name in [*spec.fields, *spec.members]
            if not name.startswith("_")
        )
        wrapped = self.wrapped_classes(composite)
        for name in names:
            inherited = self._first(ancestors, name)
            if inherited is None or not _is_asked(inherited):
                continue
            answering = self.definition(composite.spec, name)
            own = None if answering is inherited else answering
            if own is None and not is_known:
                continue
            overriders = self._overriders(wrapped, name, inherited)
            yield Question(composite, name, inherited, own, overriders, combine(name))

    def _first(self, specs: list[SpecClass], name: str) -> Definition | None:
        for each in specs:
            found = each.members.get(name) or each.fields.get(name)
            if found is not None:
                return found
        return None

    def _overriders(
        self, wrapped: list[SpecClass], name: str, inherited: Definition
    ) -> tuple[Overrider, ...]:
        answering: dict[Definition, list[SpecClass]] = {}
        for spec in wrapped:
            found = self.definition(spec, name)
            if found is not None and _differs(found, inherited):
                answering.setdefault(found, []).append(spec)
        return tuple(
            Overrider(definition, tuple(classes))
            for definition, classes in answering.items()
        )


def is_concrete(definition: Definition) -> bool:
    """Return whether a definition gives an answer, not only asks for an override."""
    return isinstance(definition, Field) or not body_facts(definition).is_abstract


def _is_asked(definition: Definition) -> bool:
    """Per-instance questions only, none about how layers are grouped."""
    if combine(definition.name) is Combine.LEAVE:
        return False
    return isinstance(definition, Field) or definition.kind not in {
        MemberKind.CLASSMETHOD,
        MemberKind.STATICMETHOD,
    }


def _differs(found: Definition, inherited: Definition) -> bool:
    """Whether a definition may answer otherwise than the inherited one."""
    if found is inherited or not is_concrete(found):
        return False
    if isinstance(found, Member) and isinstance(inherited, Member):
        constant = body_facts(found).constant
        return constant is None or constant != body_facts(inherited).constant
    return True
