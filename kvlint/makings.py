# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""How specs are made: constructor calls, copies, and what they pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kvlint.contracts.facts import ContractFacts
from kvlint.contracts.made import bundled_builds, bundled_retypes
from kvlint.contracts.skeleton import place
from kvlint.findings import Place
from kvlint.model.classes import Field, SpecClass, default_text
from kvlint.model.workspace import Workspace
from kvlint.specs.contract import Composite, Contract
from kvlint.specs.spec_names import SpecNames
from kvlint.uses.builds import Build
from kvlint.uses.constructions import find_constructions
from kvlint.uses.group_reads import composite_names
from kvlint.uses.producers import Producer, producers
from kvlint.uses.retypes import Retype, find_retypes
from kvlint.uses.spec_calls import SpecCall, SpecCalls


@dataclass(frozen=True)
class Makings:
    """How a project, and vLLM, make specs.

    Attributes:
        contract: What is asked of specs.
        workspace: The files.
        names: Tells which spec class a name means.
        readers: Files in which specs may be made, tests left out.
        reported: The files whose findings are wanted.
        facts: What is known of vLLM's release where its sources are not at hand.
    """

    contract: Contract
    workspace: Workspace
    names: SpecNames
    readers: Callable[[], Sequence[Path]]
    reported: frozenset[Path]
    facts: ContractFacts | None

    @cached_property
    def _calls(self) -> SpecCalls:
        return SpecCalls(self.contract.hierarchy, self.names)

    def constructor_calls(self) -> Iterator[SpecCall]:
        """Yield the constructor calls of specs to report on."""
        return self._calls.in_files(
            path for path in self.workspace.kept if path in self.reported
        )

    @cached_property
    def builds(self) -> list[Build]:
        """The constructor calls of specs in the project and in vLLM."""
        found = list(self._calls.builds(self.readers()))
        return [*found, *(each for each in self._bundled if each.spec)]

    @cached_property
    def _changes(self) -> list[Build]:
        """Changed copies of specs in the project and in vLLM."""
        found = self._calls.changes(self.readers())
        return [*found, *(each for each in self._bundled if not each.spec)]

    @cached_property
    def _bundled(self) -> list[Build]:
        return [] if self.facts is None else list(bundled_builds(self.facts))

    @cached_property
    def retypes(self) -> list[Retype]:
        """The copies of all fields of specs into other classes, also vLLM's."""
        found = find_retypes(self.workspace, self.names, self.readers())
        if self.facts is None:
            return found
        return [*found, *bundled_retypes(self.facts, self.contract.hierarchy)]

    def reported_builds(self) -> Iterator[tuple[SpecCall, Build]]:
        """Yield the constructor calls to report on, with what they pass."""
        for call in self.constructor_calls():
            yield call, self._calls.build(call)

    def setters(
        self, field: Field, specs: frozenset[str], *, copies: bool = True
    ) -> list[Place]:
        """Return where specs of some classes are given a field.

        Args:
            field: The field.
            specs: Simple names of the classes.
            copies: Whether changed copies count, of whatever class they are.
        """
        made = [*self.builds, *self._changes] if copies else self.builds
        nothing = {"None", default_text(field)}
        return [
            each.place
            for each in made
            if each.spec in {*specs, ""}
            and not each.copies
            and each.values.get(field.name, "None") not in nothing
        ]

    def producers(self, field: Field) -> list[Place]:
        """Return where code gives per-layer specs a value for a field."""
        bundled = () if self.facts is None else self.facts.producers
        found = producers(
            self.workspace,
            self.readers(),
            field.name,
            frozenset(spec.name for spec in self.contract.layers),
            default_text(field),
        )
        return [
            *(each.place for each in found),
            *(
                place(self.facts, each.spot)
                for each in bundled
                if self.facts is not None
                and (each.field, each.owner) == (field.name, field.owner.name)
            ),
        ]

    def passed(self, field: Field) -> list[Producer]:
        """Return what constructor calls of a field's class, or below, pass for it."""
        names = self.contract.hierarchy.names_below(field.owner)
        return producers(
            self.workspace, self.readers(), field.name, names, copies=False
        )

    def is_filled_in(self, composite: Composite, field: Field) -> bool:
        """Return whether somebody constructs a composite with a value for a field."""
        names = frozenset({composite.name})
        found = producers(
            self.workspace, self.readers(), field.name, names, copies=False
        )
        return bool(found)

    def is_meant_for_layers(self, spec: SpecClass) -> bool:
        """Return whether there are specs of this very class, not only of those below.

        So there are of a class without any below, and of one that somebody constructs.
        """
        hierarchy = self.contract.hierarchy
        if not any(hierarchy.is_below(x, spec) for x in hierarchy.specs if x != spec):
            return True
        made = find_constructions(
            self.workspace, self.readers(), spec.name, self._group_classes
        )
        return made.for_layers or made.for_groups

    def is_wrappable(self, spec: SpecClass) -> bool:
        """Return whether specs of a class can be inside a composite."""
        if spec not in self._wrappable:
            self._wrappable[spec] = self._made_for_layers(spec)
        return self._wrappable[spec]

    def _made_for_layers(self, spec: SpecClass) -> bool:
        """Whether a layer can have such a spec; so it can if nobody makes one."""
        facts = None if spec.file.path.is_absolute() else self.facts
        is_bundled = facts is not None
        if facts is not None and spec.name not in facts.made_for_groups:
            return True
        made = find_constructions(
            self.workspace, self.readers(), spec.name, self._group_classes
        )
        return made.for_layers or not (made.for_groups or is_bundled)

    @cached_property
    def _wrappable(self) -> dict[SpecClass, bool]:
        return {}

    @cached_property
    def _group_classes(self) -> frozenset[str]:
        return composite_names(self.contract).group_classes
