# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which classes are specs: everything below the roots, over the whole project."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

from kvlint.model.classes import SpecClass
from kvlint.model.memory import kept_with_it
from kvlint.model.resolution import Resolver, Unresolved
from kvlint.model.workspace import Workspace

VLLM_ROOT = "vllm.v1.kv_cache_interface.KVCacheSpec"
_BARE = frozenset(
    {
        "object",
        "abc.ABC",
        "typing.Generic",
        "typing.Protocol",
        "typing_extensions.Generic",
        "typing_extensions.Protocol",
    }
)
"""Bases that bring no member of their own."""


@dataclass
class Hierarchy:
    """The spec classes of a run.

    Attributes:
        workspace: The files.
        resolver: What names mean.
        root_names: Fully qualified names of the roots.
        specs: Every spec class found, roots first.
        known_names: Simple names by which some file knows a spec class. A class none of
            whose bases ends in one is no spec, so its bases need no looking up.
        files: The files that were searched for specs with a parser; no other file of
            the project can define one.
        notes: What ``--verbose`` tells of bases that could not be resolved.
        unknown_bases: How many those are.
    """

    workspace: Workspace
    resolver: Resolver
    root_names: tuple[str, ...]
    specs: list[SpecClass] = field(default_factory=list)
    known_names: set[str] = field(default_factory=set)
    files: set[Path] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    unknown_bases: int = 0
    _bases: dict[SpecClass, tuple[SpecClass | Unresolved, ...]] = field(
        default_factory=dict
    )
    _open: set[SpecClass] = field(default_factory=set)
    _orders: dict[SpecClass, tuple[SpecClass, ...]] = field(default_factory=dict)
    _certain: dict[SpecClass, bool] = field(default_factory=dict)

    def bases(self, spec: SpecClass) -> tuple[SpecClass | Unresolved, ...]:
        """Return a class's bases; of several that a name may mean, a spec if any."""
        if spec not in self._bases:
            self._bases[spec] = ()
            self._bases[spec] = tuple(
                self._base(base, spec) for base in spec.bases if base is not None
            )
        return self._bases[spec]

    def _base(self, name: str, spec: SpecClass) -> SpecClass | Unresolved:
        meanings = self.resolver.resolve(name, spec.scope, spec.file)
        classes = [
            each
            for each in meanings
            if isinstance(each, SpecClass) and each is not spec
        ]
        for each in classes:
            if self.is_spec(each):
                return each
        if classes:
            return classes[0]
        unresolved = [each for each in meanings if isinstance(each, Unresolved)]
        return unresolved[0] if unresolved else Unresolved(name)

    def is_root(self, spec: SpecClass) -> bool:
        """Return whether a class is one of the roots."""
        return not spec.is_nested and any(
            _names_class(root, spec) for root in self.root_names
        )

    def beside(self) -> list[SpecClass]:
        """Return the dataclasses that stand beside the roots and are no specs."""
        files = {id(x.file): x.file for x in self.specs if self.is_root(x)}
        return [
            each
            for file in files.values()
            for each in file.classes
            if any(last_name(name) == "dataclass" for name in each.decorators)
            and not each.is_nested
            and each not in self.specs
        ]

    def is_spec(self, spec: SpecClass) -> bool:
        """Return whether a class is a root or below one."""
        if self.is_root(spec):
            return True
        if not any(last_name(base) in self.known_names for base in spec.bases if base):
            return False
        if spec in self._open:
            return False  # it is its own ancestor, which Python refuses
        self._open.add(spec)
        try:
            return any(
                base.name in self.root_names
                if isinstance(base, Unresolved)
                else self.is_spec(base)
                for base in self.bases(spec)
            )
        finally:
            self._open.discard(spec)

    def mro(self, spec: SpecClass) -> tuple[SpecClass, ...]:
        """Return the method resolution order, as far as classes are known."""
        if spec not in self._orders:
            self._orders[spec] = (spec,)
            known = [each for each in self.bases(spec) if isinstance(each, SpecClass)]
            self._orders[spec] = (spec, *_merge([*map(self.mro, known), tuple(known)]))
        return self._orders[spec]

    def unresolved_bases(self, spec: SpecClass) -> list[str]:
        """Return bases in the resolution order that nothing is known of.

        Bases from the standard library are left out: they define no member that a
        spec is asked for.
        """
        return [
            base.name
            for each in self.mro(spec)
            for base in [*self.bases(each), *_computed_bases(each)]
            if isinstance(base, Unresolved) and not is_standard(base.name)
        ]

    def certain_mro(self, spec: SpecClass) -> tuple[SpecClass, ...] | None:
        """Return the method resolution order if all of it is known for sure.

        Returns:
            None if a base is not known, may be one of several classes, or is one of the
            standard library that brings members of its own.
        """
        order = self.mro(spec)
        for each in order:
            if each not in self._certain:
                self._certain[each] = self._has_certain_bases(each)
            if not self._certain[each]:
                return None
        return order

    def _has_certain_bases(self, spec: SpecClass) -> bool:
        for name in spec.bases:
            if name is None:
                return False
            meanings = self.resolver.resolve(name, spec.scope, spec.file)
            classes = {each for each in meanings if isinstance(each, SpecClass)}
            if len(classes - {spec}) > 1:
                return False
            if not classes - {spec} and not all(
                isinstance(each, Unresolved) and each.name in _BARE for each in meanings
            ):
                return False
        return True

    def is_below(self, spec: SpecClass, ancestor: SpecClass) -> bool:
        """Return whether a class is another or inherits from it."""
        return ancestor in self.mro(spec)

    @kept_with_it
    def names_below(self, spec: SpecClass) -> frozenset[str]:
        """Return the names of a class and of those below it, once all are known."""
        return frozenset(x.name for x in self.specs if self.is_below(x, spec))


def _computed_bases(spec: SpecClass) -> list[Unresolved]:
    return [Unresolved("(an expression)") for base in spec.bases if base is None]


def last_name(dotted: str) -> str:
    """Return the part of a dotted name behind the last dot."""
    return dotted.rpartition(".")[2]


def is_standard(name: str) -> bool:
    """Return whether a name comes from the standard library or the like of it."""
    head = name.split(".")[0]
    return head in sys.stdlib_module_names or head in {
        "typing_extensions",
        "object",
        "Exception",
    }


def _names_class(dotted: str, spec: SpecClass) -> bool:
    module, _, name = dotted.rpartition(".")
    if name != spec.name:
        return False
    path = spec.file.path
    parts = (
        path.parent.parts if path.stem == "__init__" else (*path.parts[:-1], path.stem)
    )
    wanted = tuple(module.split("."))
    return parts[-len(wanted) :] == wanted


def _merge(orders: list[tuple[SpecClass, ...]]) -> list[SpecClass]:
    """C3 linearisation; where Python would refuse, depth first."""
    pending = [list(order) for order in orders if order]
    merged: list[SpecClass] = []
    while pending:
        for order in pending:
            head = order[0]
            if not any(head in other[1:] for other in pending):
                break
        else:
            head = pending[0][0]
        merged.append(head)
        pending = [
            rest
            for order in pending
            if (rest := [each for each in order if each is not head])
        ]
    return merged
