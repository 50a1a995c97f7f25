# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Fields by which layers need other blocks, and that no uniformity test compares."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from kvlint.builds import is_called_spec
from kvlint.member_reads import are_derived, known_reads
from kvlint.model.agreements import EVERYTHING
from kvlint.model.classes import Field, Member, SpecClass
from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted, text_of
from kvlint.project import Project
from kvlint.spec_fields import is_compared
from kvlint.uniformity import SpecTest, Uniformity
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
    reader: Member | SpecClass
    test: SpecTest
    is_inherited: bool


def ignored_fields(project: Project, uniformity: Uniformity) -> Iterator[IgnoredField]:
    """Yield the fields to report on.

    Args:
        project: The project.
        uniformity: Its tests.
    """
    for spec in project.layers:
        test = uniformity.test(spec)
        if test is None or EVERYTHING in test.compared:
            continue
        found = list(_Fields(project, spec, test).ignored())
        if found and uniformity.is_of_layers(spec):
            yield from found


class _Fields:
    """The fields of one class of layers.

    Args:
        project: The project.
        spec: The class.
        test: What is asked of it.
    """

    def __init__(self, project: Project, spec: SpecClass, test: SpecTest) -> None:
        """Hold what is given."""
        self._project, self._spec, self._test = project, spec, test
        self._hierarchy = project.contract.hierarchy
        self._order = self._hierarchy.mro(spec)

    def ignored(self) -> Iterator[IgnoredField]:
        """Yield those that nothing compares although something decides by them."""
        added = self._added()
        compared = self._compared() if added else set()
        for name, (field, is_inherited) in added.items():
            if name in compared:
                continue
            reader: Member | SpecClass | None = self._member(name)
            if reader is None and is_inherited:
                reader = self._manager(name)
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
        for pair in self._equal():
            if pair & found:
                found |= pair
        return found

    def _equal(self) -> Iterator[set[str]]:
        """The fields that a constructor compares with each other."""
        for each in self._order:
            member = each.members.get("__post_init__")
            if member is None or member.function is None:
                continue
            for node in walk(member.function.body):
                match node:
                    case cst.Comparison(
                        left=left,
                        comparisons=[
                            cst.ComparisonTarget(cst.Equal() | cst.NotEqual(), right)
                        ],
                    ):
                        sides = [(dotted(x) or "").split(".") for x in (left, right)]
                        if all(x[:-1] == [member.self_name] for x in sides):
                            yield {x[-1] for x in sides}

    def _is_given(self, field: Field) -> bool:
        """Whether layers are made with a value of their own for a field."""
        if not field.has_default:
            return True
        below = [
            each.name
            for each in self._hierarchy.specs
            if self._hierarchy.is_below(each, field.owner)
        ]
        return bool(self._project.setters(field, frozenset(below), copies=False))

    def _member(self, name: str) -> Member | None:
        """The member that counts blocks by a field."""
        for slots in SLOT_MEMBERS:
            read = known_reads(self._project, self._spec, slots, PAGE_SIZES)
            answering = self._project.contract.definition(self._spec, slots)
            if name in read and isinstance(answering, Member):
                return answering
        return None

    def _manager(self, name: str) -> SpecClass | None:
        """The manager of such specs if it reads a field off them."""
        serving = self._project.serving
        served = {each.spec: each.manager for each in reversed(serving.services)}
        chosen = next((served[x.name] for x in self._order if x.name in served), "")
        for manager in serving.managers:
            if manager.name != chosen:
                continue
            for each in serving.hierarchy.mro(manager):
                if self._is_read_in(each, name):
                    return manager
        return None

    def _is_read_in(self, manager: SpecClass, name: str) -> bool:
        """Whether a manager's own methods read a field off something called a spec."""
        functions = self._project.workspace.functions(manager.file.path)
        if functions is None:
            return False
        places = re.finditer(rf"\b{re.escape(name)}\b", functions.source.text)
        return any(
            _reads(node, name)
            for function in functions.around(each.start() for each in places)
            if function.class_name == manager.name
            for node in walk(function.node.body)
        )


def _reads(node: cst.CSTNode, name: str) -> bool:
    match node:
        case cst.Attribute(value=owner, attr=cst.Name(value=attribute)):
            return attribute == name and is_called_spec(dotted(owner) or "")
        case cst.Call(func=cst.Name("getattr"), args=[owner, attribute, *_]):
            is_spec = is_called_spec(dotted(owner.value) or "")
            return is_spec and text_of(attribute.value) == name
    return False
