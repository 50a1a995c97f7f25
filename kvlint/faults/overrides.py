# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which members and fields of specs and managers override which of a class above."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
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
        own: The definition of a spec class or a manager, or of what is mixed into one.
        base: The next one above it.
        spec: The spec class or the manager.
    """

    own: Definition
    base: Definition
    spec: SpecClass

    @property
    def symbol(self) -> str:
        """``Class.member``."""
        return f"{self.own.owner.name}.{self.own.name}"


def overrides(project: Project) -> Iterator[Override]:
    """Yield what the classes to report on override, private names left out.

    Left out is also what a class defines twice over, as a field and a member, and what
    a base that nobody knows may define in between.
    """
    found: dict[Definition, Override] = {}
    specs, serving = project.contract.hierarchy, project.serving
    for override in (
        *_overrides(specs, project.specs(), specs.is_spec),
        *_overrides(serving.whole, project.departing_managers(), serving.is_manager),
    ):
        if project.reports_on(override.own.owner.file.path):
            found.setdefault(override.own, override)
    yield from found.values()


def _overrides(
    hierarchy: Hierarchy,
    specs: Iterable[SpecClass],
    is_kin: Callable[[SpecClass], bool],
) -> Iterator[Override]:
    for spec in specs:
        for own in definitions(hierarchy, spec, is_kin):
            if not own.name.startswith("_") and not _is_double(own.owner, own.name):
                base = _overridden(hierarchy, spec, own)
                is_mixed_in = own.owner is not spec
                if base is not None and (is_kin(base.owner) or not is_mixed_in):
                    yield Override(own, base, spec)


def definitions(
    hierarchy: Hierarchy, spec: SpecClass, is_kin: Callable[[SpecClass], bool]
) -> Iterator[Definition]:
    """Yield what a class defines, and what is mixed into it by classes of no kin.

    Args:
        hierarchy: Gives the order in which members are looked up.
        spec: The class.
        is_kin: Whether a class is one of the kind itself, and so stands for itself.
    """
    known = set[str]()
    for each in hierarchy.mro(spec):
        if each is spec or not is_kin(each):
            defined: list[Definition] = [*each.members.values(), *each.fields.values()]
            for own in defined:
                if own.name not in known or each is spec:
                    yield own
        known |= {*each.members, *each.fields}


def _overridden(
    hierarchy: Hierarchy, spec: SpecClass, own: Definition
) -> Definition | None:
    """The next definition above one of a class's own, if that is known for sure."""
    order, name = hierarchy.mro(spec), own.name
    first = order.index(own.owner) + 1
    for number, each in enumerate(order[first:], start=first):
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
