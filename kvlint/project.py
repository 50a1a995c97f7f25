# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What checks ask: the contract of a run, the files to report on, the readers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from kvlint.config import Config
from kvlint.constructions import find_constructions
from kvlint.contract import Composite, Contract, Question
from kvlint.contracts.facts import ContractFacts
from kvlint.contracts.skeleton import place
from kvlint.findings import Place
from kvlint.group_reads import GroupRead, composite_names, find_group_reads
from kvlint.merging import Merges
from kvlint.model.classes import Field, SpecClass, default_text
from kvlint.model.functions import FunctionText
from kvlint.model.kinds import Names
from kvlint.model.workspace import Workspace
from kvlint.probes import find_probed
from kvlint.producers import Production, find_producers, find_productions


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
    ) -> None:
        """Hold what is given; everything else is worked out when asked for."""
        self.contract = contract
        self.workspace = workspace
        self.config = config
        self._root = root
        self._reported = reported
        self._own_files = own_files
        self._readers = readers
        self._facts = facts
        self._reads: dict[str, list[GroupRead]] = {}
        self._wrappable: dict[SpecClass, bool] = {}

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

    def functions(self, pattern: re.Pattern[bytes]) -> Iterator[FunctionText]:
        """Yield the functions to report on that hold a match, in spec code alone.

        That is every file that speaks of specs or of groups.

        Args:
            pattern: What makes a function worth parsing; it matches ASCII alone.
        """
        for path in self.workspace.kept:
            if path not in self._reported:
                continue
            content = self.workspace.content(path)
            if pattern.search(content) is None:
                continue
            functions = self.workspace.functions(path)
            if functions is not None:
                yield from functions.around(
                    match.start()
                    for match in re.finditer(
                        pattern.pattern.decode(), functions.source.text
                    )
                )

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
        return spec.file.path in self._own_files

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
                if read.sees_composites
            ]
            if self._facts is not None:
                self._reads[member] += [
                    GroupRead(member, place(self._facts, read.spot), True)
                    for read in self._facts.reads
                    if read.member == member and read.sees_composites
                ]
        return self._reads[member]

    def is_probed(self, method: str) -> bool:
        """Return whether code calls a method to see it fail an assertion."""
        bundled = () if self._facts is None else self._facts.probed
        return method in self._probed or method in bundled

    @cached_property
    def _probed(self) -> frozenset[str]:
        methods = {
            name for spec in self.contract.hierarchy.specs for name in spec.members
        }
        return find_probed(self.workspace, self._readers(), frozenset(methods))

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

    @property
    def layers(self) -> list[SpecClass]:
        """The per-layer classes: every spec that is no composite."""
        specs, composites = self.contract.hierarchy.specs, self.contract.composites
        return [spec for spec in specs if spec not in composites]

    def producers(self, field: Field) -> list[Place]:
        """Return where code gives per-layer specs a value for a field."""
        bundled = () if self._facts is None else self._facts.producers
        return [
            *find_producers(
                self.workspace,
                self._readers(),
                field.name,
                frozenset(spec.name for spec in self.layers),
                default_text(field),
            ),
            *(
                place(self._facts, each.spot)
                for each in bundled
                if self._facts is not None
                and (each.field, each.owner) == (field.name, field.owner.name)
            ),
        ]

    def productions(self, field: Field) -> list[Production]:
        """Return what gives specs a value for a field, and of which class they are."""
        bundled = () if self._facts is None else self._facts.producers
        return [
            *find_productions(
                self.workspace,
                self._readers(),
                field.name,
                frozenset(spec.name for spec in self.layers),
                default_text(field),
            ),
            *(
                Production(place(self._facts, each.spot), each.maker)
                for each in bundled
                if self._facts is not None
                and (each.field, each.owner) == (field.name, field.owner.name)
            ),
        ]

    @cached_property
    def merges(self) -> Merges:
        """The merges of the run's spec classes."""
        return Merges(self.contract)

    def is_filled_in(self, composite: Composite, field: Field) -> bool:
        """Return whether somebody constructs a composite with a value for a field."""
        names = frozenset({composite.name})
        return bool(
            find_producers(
                self.workspace, self._readers(), field.name, names, copies=False
            )
        )

    @cached_property
    def _names(self) -> Names:
        return composite_names(self.contract)

    def is_wrappable(self, spec: SpecClass) -> bool:
        """Return whether specs of a class can be inside a composite."""
        if spec not in self._wrappable:
            self._wrappable[spec] = self._made_for_layers(spec)
        return self._wrappable[spec]

    def _made_for_layers(self, spec: SpecClass) -> bool:
        """Whether a layer can have such a spec; so it can if nobody makes one."""
        facts = None if spec.file.path.is_absolute() else self._facts
        is_bundled = facts is not None
        if facts is not None and spec.name not in facts.made_for_groups:
            return True
        made = find_constructions(
            self.workspace, self._readers(), spec.name, self._names.group_classes
        )
        return made.for_layers or not (made.for_groups or is_bundled)
