# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Merges of spec classes: what they build, and on what they insist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from kvlint.model.classes import Field, Member, MemberKind, Parameter, SpecClass
from kvlint.model.merging.merge_reading import read_merge
from kvlint.model.merging.merges import EVERYTHING, OWN_CLASS, Build, Merge, class_of
from kvlint.model.syntax import dotted, text_of
from kvlint.specs.contract import Contract
from kvlint.specs.hierarchy import last_name
from kvlint.specs.spec_fields import constructor_fields

_BUILDERS = frozenset({MemberKind.CLASSMETHOD, MemberKind.STATICMETHOD})
_CONTAINERS = frozenset(
    {"list", "List", "tuple", "Tuple", "Sequence", "Iterable", "Collection", "set"}
    | {"Set", "frozenset", "FrozenSet", "Iterator", "MutableSequence", "dict", "Dict"}
    | {"Mapping", "MutableMapping"}
)
_MERGE = "merge"
"""What makes one spec of a group's: a copy of the first is no accident there."""
_MOST_SHARED = 2
"""A call that keeps as many fields of specs is no accident."""


@dataclass(frozen=True, eq=False)
class SpecMerge:
    """A member that makes one spec of several.

    Attributes:
        member: The member.
        merge: What its body does.
    """

    member: Member
    merge: Merge

    @property
    def build(self) -> Build | None:
        """The constructor call that names the fields to keep."""
        kept = [
            each
            for each in self.merge.builds
            if each.whole or len(each.kept) >= _MOST_SHARED
        ]
        return kept[0] if kept else None


@dataclass(frozen=True)
class Effect:
    """What a merge does, with all that it calls.

    Attributes:
        given: The fields that what it builds is given; None if it copies a spec whole,
            or nobody knows.
        agreed: Fields on which the specs agree, then.
        verified: Fields in which what it builds agrees with them.
        builder: The merge that names the fields: this one, or the one it calls.
    """

    given: frozenset[str] | None
    agreed: frozenset[str]
    verified: frozenset[str]
    builder: SpecMerge | None = None


class Merges:
    """The merges of a run.

    Args:
        contract: Its spec classes.
    """

    def __init__(self, contract: Contract) -> None:
        """Begin with none read."""
        self._contract = contract
        self._hierarchy = contract.hierarchy
        self._read: dict[Member, SpecMerge | None] = {}

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(each.name for each in self._hierarchy.specs)

    def of(self, spec: SpecClass) -> Iterator[SpecMerge]:
        """Yield the merges that a class defines."""
        for member in spec.members.values():
            found = self.read(member)
            if found is not None:
                yield found

    def read(self, member: Member) -> SpecMerge | None:
        """Return what a member makes of several specs, None if it makes none."""
        if member not in self._read:
            self._read[member] = self._reading(member)
        return self._read[member]

    def _reading(self, member: Member) -> SpecMerge | None:
        if member.kind not in _BUILDERS or member.function is None:
            return None
        for parameter in member.parameters:
            if _may_hold_specs(parameter):
                merge = read_merge(member.function, parameter.name, self._names)
                found = SpecMerge(member, merge)
                copies = merge.copied is not None and member.name == _MERGE
                if found.build is not None or merge.merged_by or copies:
                    return found
        return None

    def effect(self, found: SpecMerge, spec: SpecClass) -> Effect:
        """Return what a merge does when it is asked of a class.

        Args:
            found: The merge.
            spec: The class, or one below it that inherits the merge.
        """
        return self._effect(found.member, spec, frozenset())

    def _effect(
        self, member: Member, spec: SpecClass, seen: frozenset[Member]
    ) -> Effect:
        found = self.read(member)
        if found is None or member in seen:
            return Effect(None, frozenset({EVERYTHING}), frozenset({EVERYTHING}))
        merge = found.merge
        seen |= {member}
        bases = [
            self._effect(base, spec, seen)
            for each in merge.merged_by
            for base in [self._base(member, spec, each)]
            if base is not None
        ]
        agreed = self.agreed(found, spec).union(*(each.agreed for each in bases))
        verified = set(merge.verified)
        if found.build is None and not bases:
            verified.add(EVERYTHING)  # it copies a spec whole
        given: frozenset[str] | None = None
        builder = found
        if found.build is not None:
            given = self.given(found)
            given = None if given is None else given | merge.changed
        elif len(bases) == 1:
            given, builder = bases[0].given, bases[0].builder or found
            given = None if given is None else given | merge.changed
            verified |= bases[0].verified
            if merge.merged_by[0][0] != "super":
                given = None  # that makes a spec of another class
        if len(bases) < len(merge.merged_by):
            agreed = {EVERYTHING}
        at = member.owner
        return Effect(
            given, self._named(agreed, at), self._named(verified, at), builder
        )

    def _named(self, tokens: set[str], at: SpecClass) -> frozenset[str]:
        """Names of fields for those of a class, which another file may not know."""
        found: set[str] = set()
        for token in tokens:
            name = class_of(token)
            spec = None if name is None else self.resolve(name, at)
            found |= {token} if spec is None else set(self.fields(spec))
        return frozenset(found)

    def given(self, found: SpecMerge) -> frozenset[str] | None:
        """Return the fields that a merge names, None if it may pass others too."""
        build = found.build
        if build is None or build.is_open or build.positionals:
            return None
        named = [self.resolve(each, found.member.owner) for each in build.whole]
        if None in named:
            return None
        whole = (self.fields(each) for each in named if each is not None)
        return frozenset(build.given).union(*whole)

    def agreed(self, found: SpecMerge, spec: SpecClass) -> set[str]:
        """Return what a merge and its helpers compare, without merges that it calls."""
        return found.merge.agreed.union(
            *(self._helper(found.member, spec, each) for each in found.merge.helpers)
        )

    def _base(
        self, member: Member, spec: SpecClass, asked: tuple[str, str]
    ) -> Member | None:
        """The merge that another one hands its specs to."""
        owner, method = asked
        if owner == "super":
            order = self._hierarchy.mro(spec)
            behind = order[order.index(member.owner) + 1 :]
            found = (each.members.get(method) for each in behind)
            return next((each for each in found if each is not None), None)
        named = self.resolve(owner, member.owner)
        definition = None if named is None else self._contract.definition(named, method)
        return definition if isinstance(definition, Member) else None

    def resolve(self, name: str, at: SpecClass) -> SpecClass | None:
        """Return the spec class that a name means in a class's body."""
        meanings = self._hierarchy.resolver.resolve(name, at.body_scope, at.file)
        classes = [each for each in meanings if isinstance(each, SpecClass)]
        specs = [each for each in classes if self._hierarchy.is_spec(each)]
        return specs[0] if len(specs) == 1 else None

    def _helper(self, member: Member, spec: SpecClass, name: str) -> set[str]:
        """What a function that is given the specs makes sure of; all if unknown."""
        function: cst.FunctionDef | None = None
        if "." in name:
            definition = self._contract.definition(spec, last_name(name))
            if isinstance(definition, Member):
                function = definition.function
        else:
            function = member.owner.file.function(name)
        if function is None:
            return {EVERYTHING}
        agreed: set[str] = set()
        for each in (*function.params.params, *function.params.kwonly_params):
            merge = read_merge(function, each.name.value, self._names)
            agreed |= merge.agreed
            if merge.helpers or merge.merged_by:
                agreed.add(EVERYTHING)
        return agreed

    def fields(self, spec: SpecClass) -> Mapping[str, Field]:
        """Return the fields that a class's constructor takes, in their order."""
        return constructor_fields(self._hierarchy, spec)

    def covers(self, tokens: frozenset[str], field: str, at: SpecClass) -> bool:
        """Return whether names of fields, and of classes for all theirs, hold one.

        Args:
            tokens: As a merge's facts give them.
            field: The field's name.
            at: Where names of classes are looked up.
        """
        if EVERYTHING in tokens or field in tokens:
            return True
        for token in tokens:
            name = class_of(token)
            if name is not None:
                spec = self.resolve(name, at)
                if spec is None or field in self.fields(spec):
                    return True
        return False


def built_class(merges: Merges, found: SpecMerge) -> SpecClass | None:
    """Return the class that a merge's own constructor call builds."""
    owner = found.member.owner
    build = found.build
    if build is None:
        return None
    return owner if build.built == OWN_CLASS else merges.resolve(build.built, owner)


def _may_hold_specs(parameter: Parameter) -> bool:
    annotation = parameter.annotation
    if annotation is None or parameter.kind == "var-positional":
        return True
    if isinstance(annotation, cst.Subscript):
        annotation = annotation.value
    name = dotted(annotation) or (text_of(annotation) or "").partition("[")[0]
    return last_name(name) in _CONTAINERS
