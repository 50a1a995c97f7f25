# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which specs a test for the very class leaves out though they are as good."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kvlint.faults.type_sites import TypeSites
from kvlint.model.class_tests.aftermath import Outcome
from kvlint.model.class_tests.exact_tests import ExactTest, ExactTests
from kvlint.model.classes import MemberKind, SpecClass
from kvlint.model.functions import FunctionText
from kvlint.model.named_literals import Literals
from kvlint.project import Project
from kvlint.sides import sees_composites

_SERVES = re.compile(r"(?:Manager|Coordinator|Scheduler)\d*$")
_MEANT = re.compile(r"#(?!\s*kvlint:).*\b(?:exact(?:ly)?|sub-?class(?:es)?)\b", re.I)
"""A comment that says so; one that silences kvlint is needed to do that."""


@dataclass(frozen=True)
class LeftOut:
    """A test for the very class of a spec.

    Attributes:
        function: Where it stands.
        found: The test.
        tested: The classes that it names.
        specs: The classes that it leaves out.
    """

    function: FunctionText
    found: ExactTest
    tested: tuple[SpecClass, ...]
    specs: tuple[SpecClass, ...]


class ExactTypes:
    """Finds the tests.

    Args:
        project: The project.
    """

    def __init__(self, project: Project) -> None:
        """Look at nothing yet."""
        self._project = project
        self._hierarchy = project.contract.hierarchy

    def __iter__(self) -> Iterator[LeftOut]:
        """Yield the tests that leave specs out."""
        for function in TypeSites(self._project).exact_tests():
            literals = Literals(self._project.workspace, function.source.path)
            for found in ExactTests(function.node, literals.find):
                tested = self._tested(found, literals.paths)
                if not tested or self._is_meant(function, found):
                    continue
                specs = tuple(self._left_out(function, found, tested))
                if specs:
                    yield LeftOut(function, found, tested, specs)

    # What is tested.

    def _tested(self, found: ExactTest, paths: Sequence[Path]) -> tuple[SpecClass, ...]:
        """The classes of a test; nothing if not all of them are known."""
        classes = []
        for name in found.test.classes:
            spec = self._spec(name, paths, is_text=found.test.is_text)
            if spec is None:
                return ()
            classes.append(spec)
        return tuple(classes)

    def _spec(
        self, name: str, paths: Sequence[Path], *, is_text: bool
    ) -> SpecClass | None:
        if is_text:
            named = [x for x in self._hierarchy.specs if x.name == name]
            return named[0] if len(named) == 1 else None
        found = (self._project.names.spec(name, path) for path in paths)
        return next((each for each in found if each is not None), None)

    # Who is left out.

    def _left_out(
        self, function: FunctionText, found: ExactTest, tested: Sequence[SpecClass]
    ) -> Iterator[SpecClass]:
        path = function.source.path
        told = [self._project.names.spec(name, path) for name in found.told_apart]
        for spec in self._hierarchy.specs:
            if spec in tested or self._project.contract.is_test(spec.file.path):
                continue
            above = self._hierarchy.mro(spec)
            base = next((each for each in above if each in tested), None)
            if base is None or self._is_composite(spec) != self._is_composite(base):
                continue
            is_told_apart = any(
                each is not None
                and each in above
                and self._hierarchy.is_below(each, base)
                for each in told
            )
            if not is_told_apart and self._is_as_good(function, found, spec, base):
                yield spec

    def _is_composite(self, spec: SpecClass) -> bool:
        return spec in self._project.contract.composites

    def _is_as_good(
        self, function: FunctionText, found: ExactTest, spec: SpecClass, base: SpecClass
    ) -> bool:
        """Whether nothing says that a class is to be treated otherwise than its base.

        What serves specs in the scheduler is chosen by their manager. Elsewhere how
        they are laid out counts too, unless they are not dealt with at all.
        """
        if self._manager(spec) != self._manager(base):
            return False
        order = self._hierarchy.mro(spec)
        is_alike = not any(map(_answers, order[: order.index(base)]))
        if found.outcome is Outcome.KEY_ERROR:
            return is_alike or self._project.is_own(spec)
        is_skipped = found.outcome is Outcome.SKIPPED
        return is_alike or is_skipped or self._serves(function)

    def _serves(self, function: FunctionText) -> bool:
        """Whether a function is of the scheduler's side."""
        name = function.class_name
        path = self._project.grouping.below_root(function.source.path)
        return bool(_SERVES.search(name)) and not sees_composites(path, name)

    def _manager(self, spec: SpecClass) -> str | None:
        above = (each.name for each in self._hierarchy.mro(spec))
        return next((self._managers[x] for x in above if x in self._managers), None)

    @cached_property
    def _managers(self) -> dict[str, str]:
        return {each.spec: each.manager for each in self._project.serving.services}

    # What the text says.

    def _is_meant(self, function: FunctionText, found: ExactTest) -> bool:
        """Whether a comment at a test speaks of subclasses."""
        lines = function.source.text.splitlines()
        first = function.place(found.statement).line - 1
        while first > 0 and lines[first - 1].lstrip().startswith("#"):
            first -= 1
        last = function.place(found.test.node).end_line
        return any(map(_MEANT.search, lines[first:last]))


def _answers(spec: SpecClass) -> bool:
    """Whether a class says something of its own about its specs."""
    return bool(spec.fields) or any(
        member.kind not in {MemberKind.CLASSMETHOD, MemberKind.STATICMETHOD}
        for member in spec.members.values()
    )
