# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which members and fields of specs and managers override which of a class above."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kvlint.model.classes import SpecClass
from kvlint.model.resolution import Unresolved
from kvlint.project import Project
from kvlint.specs.contract import Definition
from kvlint.specs.hierarchy import Hierarchy, is_standard


@dataclass(frozen=True)
class Override:
    """A definition and the one that it overrides.

    Attributes:
        own: The definition of a spec class or a manager.
        base: The next one above it.
    """

    own: Definition
    base: Definition

    @property
    def symbol(self) -> str:
        """``Class.member``."""
        return f"{self.own.owner.name}.{self.own.name}"


def overrides(project: Project) -> Iterator[Override]:
    """Yield what the classes to report on override, private names left out.

    Left out is also what a class defines twice over, as a field and a member, and what
    a base that nobody knows may define in between.
    """
    yield from _overrides(project.contract.hierarchy, project.specs())
    yield from _overrides(project.serving.whole, project.departing_managers())


def _overrides(hierarchy: Hierarchy, specs: Iterable[SpecClass]) -> Iterator[Override]:
    for spec in specs:
        defined: list[Definition] = [*spec.members.values(), *spec.fields.values()]
        for own in defined:
            if own.name.startswith("_") or _is_double(spec, own.name):
                continue
            base = _overridden(hierarchy, spec, own.name)
            if base is not None:
                yield Override(own, base)


def _overridden(hierarchy: Hierarchy, spec: SpecClass, name: str) -> Definition | None:
    """The next definition above a class's own, if that is known for sure."""
    order = hierarchy.mro(spec)
    for number, each in enumerate(order[1:], start=1):
        if name in each.members or name in each.fields:
            if _is_double(each, name):
                return None
            if any(has_unknown_base(hierarchy, below) for below in order[:number]):
                return None
            return each.members.get(name) or each.fields[name]
    return None


def _is_double(spec: SpecClass, name: str) -> bool:
    return name in spec.members and name in spec.fields


def has_unknown_base(hierarchy: Hierarchy, spec: SpecClass) -> bool:
    """Return whether a class has a base that is unknown, or may be one of several."""
    for name in spec.bases:
        if name is None:
            return True
        meanings = hierarchy.resolver.resolve(name, spec.scope, spec.file)
        classes = {each for each in meanings if isinstance(each, SpecClass)} - {spec}
        if len(classes) > 1:
            return True
        if not classes and not all(
            isinstance(each, Unresolved) and is_standard(each.name) for each in meanings
        ):
            return True
    return False


def is_unconditional(definition: Definition) -> bool:
    """Return whether a definition and its class stand there for certain.

    Under a condition that the release does not decide they may be meant for another
    one than that at hand.
    """
    return not (definition.is_conditional or definition.owner.is_conditional)
