# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Fields by which layers need other blocks, and that no uniformity test compares."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from kvlint.faults.manager_reads import ManagerRead, ManagerReads
from kvlint.faults.member_reads import are_derived, known_reads
from kvlint.faults.uniformity import SpecTest, Uniformity
from kvlint.model.answering.agreements import EVERYTHING
from kvlint.model.classes import Field, Member, SpecClass
from kvlint.model.memory import kept_with_it
from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted
from kvlint.project import Project
from kvlint.specs.spec_fields import is_compared
from kvlint.vocabulary import PAGE_SIZES, SLOT_MEMBERS

_NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True)
class IgnoredField:
    """A field that decides over blocks, and in which layers of a group may differ.

    Attributes:
        spec: The class of the layers.
        field: The field.
        reader: What decides by it: a member of the spec, or the manager.
        test: What lets such layers into one group.
        is_inherited: The test was written for a class that has no such field.
    """

    spec: SpecClass
    field: Field
    reader: Member | ManagerRead
    test: SpecTest
    is_inherited: bool


def ignored_fields(project: Project, uniformity: Uniformity) -> Iterator[IgnoredField]:
    """Yield the fields to report on.

    Args:
        project: The project.
        uniformity: Its tests.
    """
    managers = ManagerReads(project)
    for spec in project.contract.layers:
        test = uniformity.test(spec)
        if test is None or EVERYTHING in test.compared:
            continue
        found = list(_Fields(project, spec, test, managers).ignored())
        if found and uniformity.is_of_layers(spec):
            yield from found


class _Fields:
    """The fields of one class of layers.

    Args:
        project: The project.
        spec: The class.
        test: What is asked of it.
        managers: Tells what its manager reads.
    """

    def __init__(
        self,
        project: Project,
        spec: SpecClass,
        test: SpecTest,
        managers: ManagerReads,
    ) -> None:
        """Hold what is given."""
        self._project, self._spec, self._test = project, spec, test
        self._managers = managers
        self._hierarchy = project.contract.hierarchy
        self._order = self._hierarchy.mro(spec)

    def ignored(self) -> Iterator[IgnoredField]:
        """Yield those that nothing compares although something decides by them."""
        added = self._added()
        if not added:
            return
        compared, counting = self._compared(), self._counting()
        for name, (field, is_inherited) in added.items():
            if name in compared:
                continue
            reader: Member | ManagerRead | None = counting.get(name)
            if reader is None and is_inherited:
                reader = self._managers.read(self._spec, name)
            if reader is None or not self._is_given(field):
                continue
            if not are_derived(self._project, self._spec, frozenset({name})):
                yield IgnoredField(self._spec, field, reader, self._test, is_inherited)

    def _added(self) -> dict[str, tuple[Field, bool]]:
        """The fields that no root has, and whether the test's holder lacks them.

        Only those that concern a class to report on.
        """
        found: dict[str, Field] = {}
        for each in reversed(self._order):
            found = {**each.fields, **found}
        holders = self._hierarchy.mro(self._test.holder)
        added = {}
        for name, field in found.items():
            is_inherited = field.owner not in holders
            told_at = field.owner if is_inherited else self._test.member.owner
            if (
                self._project.is_reported(told_at)
                and not self._hierarchy.is_root(field.owner)
                and is_compared(field)
            ):
                added[name] = field, is_inherited
        return added

    def _compared(self) -> set[str]:
        """The fields in which layers must be equal, through all that is compared."""
        found = {
            field
            for each in self._test.compared
            for field in known_reads(self._project, self._spec, each, _NOTHING)
        }
        for each in self._order:
            member = each.members.get("__post_init__")
            for pair in () if member is None else _equal(member):
                if pair & found:
                    found |= pair
        return found

    def _is_given(self, field: Field) -> bool:
        """Whether layers are made with a value of their own for a field."""
        if not field.has_default:
            return True
        below = [
            each.name
            for each in self._hierarchy.specs
            if self._hierarchy.is_below(each, field.owner)
        ]
        return bool(
            self._project.makings.setters(field, frozenset(below), copies=False)
        )

    def _counting(self) -> dict[str, Member]:
        """The first member that counts blocks by each field."""
        found: dict[str, Member] = {}
        for slots in SLOT_MEMBERS:
            answering = self._project.contract.definition(self._spec, slots)
            if isinstance(answering, Member):
                read = known_reads(self._project, self._spec, slots, PAGE_SIZES)
                found = {**dict.fromkeys(read, answering), **found}
        return found


@kept_with_it
def _equal(member: Member) -> tuple[frozenset[str], ...]:
    """The fields that a constructor compares with each other."""
    found = []
    for node in walk(member.node) if member.node is not None else ():
        match node:
            case cst.Comparison(
                left=left,
                comparisons=[cst.ComparisonTarget(cst.Equal() | cst.NotEqual(), right)],
            ):
                sides = [(dotted(each) or "").split(".") for each in (left, right)]
                if all(each[:-1] == [member.self_name] for each in sides):
                    found.append(frozenset(each[-1] for each in sides))
    return tuple(found)
