# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What checks ask: the contract of a run, the files to report on, the readers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from kvlint.config import Config
from kvlint.contracts.facts import ContractFacts
from kvlint.contracts.skeleton import place
from kvlint.grouping import Grouping
from kvlint.makings import Makings
from kvlint.managing.factories import Factory
from kvlint.model.classes import SpecClass
from kvlint.model.functions import FunctionText
from kvlint.model.groups.group_events import Deed
from kvlint.model.groups.kinds import Names
from kvlint.model.workspace import Workspace
from kvlint.own_code import OwnCode
from kvlint.serving import Serving
from kvlint.specs.contract import Composite, Contract, Definition, Question
from kvlint.specs.spec_names import SpecNames
from kvlint.uses.declarations import declaring
from kvlint.uses.followed import Followed
from kvlint.uses.group_reads import GroupRead, composite_names, find_group_reads
from kvlint.uses.group_uses import GroupUse
from kvlint.uses.merging import Merges
from kvlint.uses.patches import Patch, find_patches
from kvlint.uses.probes import find_probed
from kvlint.uses.spec_uses import Use, Uses, is_set_anywhere
from kvlint.vllm_at_hand import VllmAtHand
from kvlint.vocabulary import NEVER_ALONE, NEVER_WRAPPED


class Project:
    """A run's project, as checks see it.

    Args:
        contract: What composites are asked.
        workspace: The files.
        config: What is in force.
        root: The project's folder.
        reported: The files whose findings are wanted.
        own_files: Every file of the project.
        readers: Files in which group specs may be read or built, tests left out.
        facts: What is known of vLLM's release where its sources are not at hand.
        releases: All releases that the project is checked against, this one too.
    """

    def __init__(
        self,
        contract: Contract,
        workspace: Workspace,
        config: Config,
        root: Path,
        reported: frozenset[Path],
        own_files: frozenset[Path],
        readers: Callable[[], Sequence[Path]],
        facts: ContractFacts | None = None,
        releases: Sequence[str] = (),
    ) -> None:
        """Hold what is given; everything else is worked out when asked for."""
        self.contract = contract
        self.workspace = workspace
        self.config = config
        self._root = root
        self._reported = reported
        self.own = OwnCode(own_files, contract.is_test, workspace, contract.hierarchy)
        self.vllm = VllmAtHand(contract.hierarchy, facts)
        self._readers = readers
        self._facts = facts
        self.releases = releases
        self._reads: dict[str, list[GroupRead]] = {}
        self._probed: dict[str, bool] = {}

    @cached_property
    def followed(self) -> Followed:
        """The classes whose values are followed."""
        return Followed(self.contract.hierarchy, self._has_of_its_own)

    def _has_of_its_own(self, field: str) -> bool:
        """Whether a class of the project has a field that is not of vLLM's making."""
        beside = self.contract.hierarchy.beside()
        known = {(each.file.path, each.name) for each in beside}
        if any(path in self.own.files for path, _ in known):
            return False  # It is vLLM that is checked, or a fork that says so.
        files = [x for x in self.workspace.kept if x in self.own.files]
        return not declaring(self.workspace, files, field) <= known

    @cached_property
    def uses(self) -> list[Use]:
        """The uses of specs in functions to report on that may hold a fault."""
        files = [each for each in self._readers() if each in self._reported]
        return list(Uses(self.workspace, self.followed).suspicious(files))

    def is_set(self, names: Sequence[str], attribute: str) -> bool:
        """Return whether code may give things of some names an attribute."""
        return is_set_anywhere(self.workspace, self._readers(), names, attribute)

    def is_defined(self, name: str) -> bool:
        """Return whether a class beside or below specs has a name in its body."""
        files = map(self.workspace.file, sorted(self.contract.hierarchy.files))
        return any(
            name in each.members or name in each.fields
            for file in files
            if file is not None
            for each in file.classes
        )

    def composites(self) -> Iterator[Composite]:
        """Yield the composites to report on."""
        for spec, composite in self.contract.composites.items():
            if spec.file.path in self._reported:
                yield composite

    def specs(self) -> Iterator[SpecClass]:
        """Yield the spec classes to report on."""
        for spec in self.contract.hierarchy.specs:
            if spec.file.path in self._reported:
                yield spec

    def functions(
        self, pattern: re.Pattern[bytes], quick: re.Pattern[bytes]
    ) -> Iterator[FunctionText]:
        """Yield the functions to report on that hold a match, in spec code alone.

        That is every file that speaks of specs or of groups.

        Args:
            pattern: What makes a function worth parsing; it matches ASCII alone.
            quick: A part of that which is sooner found, or found missing.
        """
        for path, content in self.spec_code():
            if quick.search(content) is None or pattern.search(content) is None:
                continue
            functions = self.workspace.functions(path)
            if functions is not None:
                yield from functions.around(
                    match.start()
                    for match in re.finditer(
                        pattern.pattern.decode(), functions.source.text
                    )
                )

    def spec_code(self) -> Iterator[tuple[Path, bytes]]:
        """Yield the files to report on that speak of specs or of groups."""
        for path in self.workspace.kept:
            if path in self._reported:
                yield path, self.workspace.content(path)

    def reports_on(self, path: Path) -> bool:
        """Return whether a file is one whose findings are wanted."""
        return path in self._reported

    def questions(self, composite: Composite) -> list[Question]:
        """Return what a composite is asked."""
        return self._questions[composite]

    @cached_property
    def _questions(self) -> dict[Composite, list[Question]]:
        return {
            composite: list(self.contract.questions(composite))
            for composite in self.contract.composites.values()
        }

    def is_reported_above(self, question: Question) -> bool:
        """Return whether a composite above this one has the same fault.

        It is told once, where it can be mended: at the uppermost composite of the
        project's own.
        """
        above = self.contract.hierarchy.mro(question.composite.spec)[1:]
        return any(
            spec in self.contract.composites and self.is_own(spec) for spec in above
        )

    def is_own(self, spec: SpecClass) -> bool:
        """Return whether a class is defined in this project, not in a dependency."""
        return self.is_own_file(spec.file.path)

    def is_own_file(self, path: Path) -> bool:
        """Return whether a file is this project's, not that of a dependency."""
        return path in self.own.files

    def patches(self) -> Iterator[Patch]:
        """Yield what the files to report on patch in vLLM's spec classes.

        Code of vLLM itself is left out.
        """
        # A file that is not held speaks of no spec class at all.
        yield from self._patches(x for x in self._readers() if x in self._reported)

    @cached_property
    def replaced(self) -> frozenset[SpecClass]:
        """Classes of vLLM that the project replaces where pickle looks for them."""
        patches = self._patches(x for x in self._readers() if x in self.own.files)
        return frozenset(x.spec for x in patches if not x.member and x.is_at_home)

    def _patches(self, files: Iterable[Path]) -> Iterator[Patch]:
        package = self.vllm.package
        if package is not None:
            outside = [each for each in files if not each.is_relative_to(package)]
            vllms = filter(self.vllm.defines, self.contract.hierarchy.specs)
            yield from find_patches(self.contract, self.workspace, outside, vllms)

    def group_reads(self, member: str) -> list[GroupRead]:
        """Return the reads of a member off raw group specs.

        Only those are given that stand in code which can see a composite.
        """
        if member not in self._reads:
            self._reads[member] = [
                read
                for read in find_group_reads(
                    self.workspace,
                    self._readers(),
                    self._names,
                    frozenset({member}),
                    self._root,
                )
                if self._may_see(read)
            ]
            if self._facts is not None:
                self._reads[member] += [
                    GroupRead(member, place(self._facts, read.spot), True)
                    for read in self._facts.reads
                    if read.member == member and read.sees_composites
                ]
        return self._reads[member]

    @cached_property
    def grouping(self) -> Grouping:
        """What the project's own code does with group specs."""
        return Grouping(
            self.workspace,
            self.contract,
            self._names,
            [path for path in self._readers() if path in self.own.files],
            self.config,
            self._root,
        )

    def group_uses(self, deed: Deed) -> list[GroupUse]:
        """Return what code to report on does with group specs that may be composites.

        Args:
            deed: The kind of thing that is done.
        """
        return [
            each
            for each in self.grouping.uses
            if each.event.deed is deed and each.function.source.path in self._reported
        ]

    def layer_definitions(self, name: str) -> list[Definition]:
        """Return what layers that a composite can hold answer with for a member."""
        found = [
            each.members.get(name) or each.fields.get(name)
            for each in self.contract.layers
            if self.can_be_wrapped(each)
        ]
        return [each for each in found if each is not None]

    def can_be_wrapped(self, spec: SpecClass) -> bool:
        """Return whether a composite may hold a spec of a class or of one below it."""
        hierarchy, is_early = self.contract.hierarchy, not self.vllm.holds_state
        return any(
            hierarchy.is_below(each, spec)
            and not any(NEVER_WRAPPED.fullmatch(x.name) for x in hierarchy.mro(each))
            and not (is_early and each.name == NEVER_ALONE and self.vllm.defines(each))
            and (self.vllm.defines(each) or self.makings.is_wrappable(each))
            for each in self.contract.layers
            if not hierarchy.is_root(spec)
        )

    def _may_see(self, read: GroupRead) -> bool:
        """Whether the code of a read can hold a composite, as far as anyone says."""
        said = self.config.sees_composites(read.place.path)
        return read.sees_composites if said is None else said

    def is_probed(self, method: str) -> bool:
        """Return whether code calls a method to see it fail an assertion."""
        if self._facts is not None and method in self._facts.probed:
            return True
        if method not in self._probed:
            is_asked = any(method in x.members for x in self.contract.hierarchy.specs)
            self._probed[method] = is_asked and bool(
                find_probed(self.workspace, self._readers(), frozenset({method}))
            )
        return self._probed[method]

    def trusts_assertions(self, function: FunctionText) -> bool:
        """Return whether a function answers for a composite, where they will do.

        What insists that layers agree is for the configuration to say.
        """
        if self.config.agreement != "assert":
            return False
        return any(
            (spec.file.path, spec.name) == (function.source.path, function.class_name)
            for spec in self.contract.composites
        )

    @cached_property
    def serving(self) -> Serving:
        """What serves specs: managers, registrations, factories."""
        readers = self._readers()
        own = [path for path in readers if path in self.own.files]
        others = [path for path in readers if path not in self.own.files]
        return Serving(self.contract.hierarchy, own, others, self._facts)

    def factories(self, manager: SpecClass) -> list[Factory]:
        """Return the calls that may construct a manager.

        A function of the project's own replaces one of the same name elsewhere.
        """
        found = [
            each
            for each in self.serving.factories
            if each.constructed in {"", manager.name}
        ]
        own = {x.function for x in found if x.path in self.own.files}
        return [
            each
            for each in found
            if each.path in self.own.files or each.function not in own
        ]

    def is_reported(self, spec: SpecClass) -> bool:
        """Return whether findings in a class's file are wanted."""
        return self.reports_on(spec.file.path)

    def managers(self) -> Iterator[SpecClass]:
        """Yield the managers to report on."""
        for manager in self.serving.managers:
            if manager.file.path in self._reported:
                yield manager

    def departing_managers(self) -> Iterator[SpecClass]:
        """Yield the managers to report on that may override something otherwise."""
        return self.serving.departing(self.managers())

    @cached_property
    def names(self) -> SpecNames:
        """Tells which spec class a name means in a file."""
        return SpecNames(self.contract.hierarchy)

    @cached_property
    def makings(self) -> Makings:
        """How the project, and vLLM, make specs."""
        return Makings(
            self.contract,
            self.workspace,
            self.names,
            self._readers,
            self._reported,
            self._facts,
        )

    @cached_property
    def merges(self) -> Merges:
        """The merges of the run's spec classes."""
        return Merges(self.contract)

    @cached_property
    def _names(self) -> Names:
        return composite_names(self.contract)
