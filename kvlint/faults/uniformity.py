# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which layers may share a uniform group: the test that is asked of each class."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import libcst as cst

from kvlint.findings import Place
from kvlint.managing.registrations import Way
from kvlint.model.classes import Member, SpecClass
from kvlint.model.merging.uniform_tests import (
    OWN,
    REGISTERED,
    UniformTest,
    read_uniform_tests,
)
from kvlint.project import Project
from kvlint.vocabulary import GROUPING_PROTOCOL, UNIFORM_TYPE


@dataclass(frozen=True)
class SpecTest:
    """What is asked before a spec of some class shares a group with others.

    Attributes:
        member: What asks it.
        node: Where in its file.
        holder: The class for whose specs it was written.
        admits: Classes of which the others must be; none for any.
        is_exact: They must be of that very class.
        compared: Attributes that must be equal.
    """

    member: Member
    node: cst.CSTNode
    holder: SpecClass
    admits: frozenset[SpecClass]
    is_exact: bool
    compared: frozenset[str]

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.member.owner.file.place(self.node)


@dataclass(frozen=True)
class OneSided:
    """Two classes of which one takes the other into its groups, but not back.

    Attributes:
        base: The class that takes both.
        spec: One below it, which takes its own kind alone.
        base_test: What the first one asks.
        test: What the second one asks.
        is_registered: They ask the same, and a registration makes the difference.
    """

    base: SpecClass
    spec: SpecClass
    base_test: SpecTest
    test: SpecTest
    is_registered: bool


class Uniformity:
    """Tells what is asked of layers that are to share a uniform group.

    Args:
        project: The project.
    """

    def __init__(self, project: Project) -> None:
        """Begin with no test read."""
        self._project = project
        self._hierarchy = project.contract.hierarchy
        self._tests: dict[SpecClass, SpecTest | None] = {}

    def test(self, spec: SpecClass) -> SpecTest | None:
        """Return what is asked where a spec of a class comes first.

        Args:
            spec: The class.

        Returns:
            None if not all of it can be told.
        """
        if spec not in self._tests:
            self._tests[spec] = self._test(spec)
        return self._tests[spec]

    def _test(self, spec: SpecClass) -> SpecTest | None:
        if self._hierarchy.unresolved_bases(spec):
            return None
        found = self._asked_of_spec(spec, 0) or self._asked_by_class(spec)
        if found is None:
            return None
        always = {x for each in self._of_all for x in each.compared if not each.asked}
        return replace(found, compared=found.compared | always)

    def _asked_of_spec(self, spec: SpecClass, start: int) -> SpecTest | None:
        """The method that a class has, or inherits from one further up."""
        order = self._hierarchy.mro(spec)
        for index, owner in enumerate(order[start:], start):
            member = owner.members.get(GROUPING_PROTOCOL)
            if member is None:
                continue
            if member.function is None:
                return None
            tests = read_uniform_tests(member.function)
            if len(tests) != 1 or tests[0].asked:
                return None
            found = self._meant(tests[0], spec, member, owner)
            if found is None or not tests[0].asks_base:
                return found
            above = self._asked_of_spec(spec, index + 1)
            if above is None:
                return None
            return replace(
                found,
                admits=found.admits or above.admits,
                is_exact=found.is_exact if found.admits else above.is_exact,
                compared=found.compared | above.compared,
            )
        return None

    def _asked_by_class(self, spec: SpecClass) -> SpecTest | None:
        """What a composite's class asks a class of specs, before vLLM 0.23.0."""
        member = self._of_composites
        if member is None:
            return None
        for each in self._of_all:
            asked = self._classes(each.asked, spec, member)
            if asked is None:
                return None
            for holder in self._hierarchy.mro(spec):
                if holder in asked:
                    return self._meant(each, spec, member, holder)
        return None

    def _meant(
        self, test: UniformTest, spec: SpecClass, member: Member, holder: SpecClass
    ) -> SpecTest | None:
        admits = self._classes(test.admits, spec, member)
        if admits is None:
            return None
        return SpecTest(member, test.node, holder, admits, test.is_exact, test.compared)

    def _classes(
        self, names: Iterable[str], spec: SpecClass, member: Member
    ) -> frozenset[SpecClass] | None:
        """The classes that names in a test mean; None if one is not known."""
        found = []
        for name in names:
            each: SpecClass | None = spec
            if name == REGISTERED:
                each = self._registered(spec)
            elif name != OWN:
                each = self._project.names.spec(name, member.owner.file.path)
            if each is None:
                return None
            found.append(each)
        return frozenset(found)

    def _registered(self, spec: SpecClass) -> SpecClass | None:
        """The class that groups of specs of a class are formed by."""
        for each in self._hierarchy.mro(spec):
            if each.name in self._bases:
                base = self._bases[each.name]
                above = self._hierarchy.mro(each)
                return next((x for x in above if base in (None, x.name)), None)
        return None

    @cached_property
    def _bases(self) -> dict[str, str | None]:
        """The classes that registrations name; nothing if some cannot be read."""
        serving = self._project.serving
        if serving.has_unread:
            return {}
        services = reversed(serving.services)
        return {each.spec: each.base for each in services if each.way is Way.REGISTRY}

    @cached_property
    def _of_composites(self) -> Member | None:
        for composite in self._project.contract.composites:
            for each in reversed(self._hierarchy.mro(composite)):
                if UNIFORM_TYPE in each.members:
                    return each.members[UNIFORM_TYPE]
        return None

    @cached_property
    def _of_all(self) -> tuple[UniformTest, ...]:
        member = self._of_composites
        if member is None or member.function is None:
            return ()
        return read_uniform_tests(member.function)

    @cached_property
    def _built(self) -> set[str]:
        return {each.spec for each in self._project.makings.builds}

    def is_of_layers(self, spec: SpecClass) -> bool:
        """Return whether layers have specs of this very class.

        They have if somebody constructs it, and may have if nobody else speaks of it.
        """
        project = self._project
        if project.contract.is_test(spec.file.path) or not project.makings.is_wrappable(
            spec
        ):
            return False
        if spec.name in self._built:
            return True
        name = re.compile(rf"\b{re.escape(spec.name)}\b".encode())
        content = project.workspace.content
        return not any(
            path != spec.file.path and name.search(content(path))
            for path in project.workspace.kept
            if not project.contract.is_test(path)
        )

    def one_sided(self) -> Iterator[OneSided]:
        """Yield the pairs of classes to report on that do not take each other.

        There are specs of both classes, so that a model may have layers of both.
        """
        told: set[object] = set()
        for spec in self._project.specs():
            test = self.test(spec)
            base = None if test is None else self._taker(spec, test)
            base_test = None if base is None else self.test(base)
            if test is None or base is None or base_test is None:
                continue
            is_registered = test.node is base_test.node
            if not is_registered and not self._project.is_reported(test.member.owner):
                continue
            cause = test.admits if is_registered else test.node
            if cause not in told and self.is_of_layers(spec):
                told.add(cause)
                named = spec if is_registered else test.holder
                yield OneSided(base, named, base_test, test, is_registered)

    def _taker(self, spec: SpecClass, test: SpecTest) -> SpecClass | None:
        """The next class above one that takes its specs, and is not taken."""
        for base in self._hierarchy.mro(spec)[1:]:
            other = self.test(base)
            if other is None or not self._takes(other, spec):
                continue
            if not self._takes(test, base) and base.name in self._built:
                return base
        return None

    def _takes(self, test: SpecTest, spec: SpecClass) -> bool:
        """Whether a test lets specs of a class in, as far as classes are concerned."""
        if test.is_exact:
            return spec in test.admits
        return not test.admits or any(
            self._hierarchy.is_below(spec, each) for each in test.admits
        )
