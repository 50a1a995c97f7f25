# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Merges that take a field of one spec, or accept specs of other classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import libcst as cst

from kvlint.faults.givers import values_given
from kvlint.model.classes import Field, SpecClass
from kvlint.model.merging.merges import Demand
from kvlint.project import Project
from kvlint.specs.spec_fields import is_compared
from kvlint.uses.merging import SpecMerge, built_class


@dataclass(frozen=True)
class Take:
    """Fields that a merge takes of one spec without a look at the others.

    Attributes:
        found: The merge.
        firsts: Those of the first spec.
        arbitrary: Those taken from a set of all, by the name of the set.
        node: Where they are taken.
        given: Where each of them is.
    """

    found: SpecMerge
    firsts: tuple[Field, ...]
    arbitrary: tuple[tuple[Field, str], ...]
    node: cst.CSTNode
    given: Mapping[str, cst.CSTNode]


@dataclass(frozen=True)
class Width:
    """A class that a merge demands of its specs, and that is wider than what it builds.

    Attributes:
        found: The merge.
        demand: The test.
        demanded: The class.
        built: What it builds.
        read: Fields that it reads off specs, which such a spec need not have.
        others: Classes of specs that are let through.
        lost: Fields that those have, and what is built has not.
    """

    found: SpecMerge
    demand: Demand
    demanded: SpecClass
    built: SpecClass
    read: tuple[str, ...]
    others: tuple[SpecClass, ...]
    lost: tuple[str, ...]


def takes(project: Project) -> Iterator[Take]:
    """Yield the merges to report on that take what may differ from one spec."""
    for built, found in _merges(project):
        build, known = found.build, project.merges.fields(built)
        assert build is not None
        agreed = project.merges.effect(found, built).agreed
        taken = {
            name: known[name]
            for name in [*build.given, *build.firsts, *build.arbitrary]
            if name in build.firsts or name in build.arbitrary
            if name in known and is_compared(known[name])
            if not project.merges.covers(agreed, name, found.member.owner)
            if _may_differ(project, built, known[name])
        }
        if taken:
            yield Take(
                found,
                tuple(each for name, each in taken.items() if name in build.firsts),
                tuple(
                    (each, build.arbitrary[name])
                    for name, each in taken.items()
                    if name not in build.firsts
                ),
                build.call.func,
                build.given,
            )
    yield from _taken_whole(project)


def _taken_whole(project: Project) -> Iterator[Take]:
    """Merges that return the first spec itself, or fields of it in another's copy."""
    for spec in project.specs():
        for found in project.merges.of(spec):
            merge = found.merge
            if found.build is not None or not _is_certain(project, spec):
                continue
            known = project.merges.fields(spec)
            names = [name for name in merge.changed_firsts if name in known]
            node: cst.CSTNode = found.member.name_node
            if not merge.merged_by and merge.copied is not None:
                names = [name for name in known if name not in merge.changed]
                node = merge.copied
            agreed = project.merges.effect(found, spec).agreed
            taken = [
                known[name]
                for name in names
                if is_compared(known[name])
                if not project.merges.covers(agreed, name, found.member.owner)
                if _may_differ(project, spec, known[name])
            ]
            if taken:
                first = merge.changed_firsts.get(taken[0].name, node)
                yield Take(found, tuple(taken), (), first, merge.changed_firsts)


def widths(project: Project) -> Iterator[Width]:
    """Yield the merges to report on that accept more than they build."""
    hierarchy, merges = project.contract.hierarchy, project.merges
    for built, found, kept in _checking(project):
        owner, merge = found.member.owner, found.merge
        known = merges.fields(built)
        for demand in merge.demands:
            demanded = [merges.resolve(name, owner) for name in demand.classes]
            wider = [
                each
                for each in demanded
                if each is not None
                if each is not built and hierarchy.is_below(built, each)
            ]
            if None in demanded or len(wider) != 1:
                continue
            wide = wider[0]
            refused = [
                merges.resolve(name, owner)
                for name in merge.tested.difference(demand.classes)
            ]
            others = [
                each
                for each in hierarchy.specs
                if hierarchy.is_below(each, wide)
                if not hierarchy.is_below(each, built)
                if not any(hierarchy.is_below(each, no) for no in refused if no)
            ]
            theirs = merges.fields(wide)
            read = [name for name in kept if name in known and name not in theirs]
            fields = [name for each in others for name in merges.fields(each)]
            lost = set(fields).difference(known)
            if others and (read or lost and found.build is not None):
                yield Width(
                    found,
                    demand,
                    wide,
                    built,
                    tuple(sorted(read)),
                    tuple(others),
                    tuple(sorted(lost)),
                )


def _checking(
    project: Project,
) -> Iterator[tuple[SpecClass, SpecMerge, frozenset[str]]]:
    """Merges to report on, with what they build and the fields that they read for it.

    Besides those that name all fields, such as set their own on what the merge of the
    class above gave.
    """
    for built, found in _merges(project):
        assert found.build is not None
        yield built, found, found.build.kept
    for spec in project.specs():
        for found in project.merges.of(spec):
            merge = found.merge
            is_handed_on = [owner for owner, _ in merge.merged_by] == ["super"]
            if found.build is None and is_handed_on and _is_certain(project, spec):
                yield spec, found, frozenset(merge.changed & merge.agreed)


def _is_certain(project: Project, spec: SpecClass) -> bool:
    return not project.contract.hierarchy.unresolved_bases(spec)


def _merges(project: Project) -> Iterator[tuple[SpecClass, SpecMerge]]:
    """Merges that name the fields of what they build, and the class of that."""
    for spec in project.specs():
        for found in project.merges.of(spec):
            built = built_class(project.merges, found)
            if built is not None and _is_certain(project, built):
                yield built, found


def _may_differ(project: Project, built: SpecClass, field: Field) -> bool:
    """Whether specs can differ in a field: it has no default, or somebody sets it."""
    if not field.has_default:
        return True
    found = values_given(project, built, field)
    return bool(found.own or found.beside)
