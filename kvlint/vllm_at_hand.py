# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The vLLM that a run is checked against: its sources, or what is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from packaging.version import Version

from kvlint.contracts.facts import ContractFacts
from kvlint.contracts.trees import find_tree
from kvlint.errors import KvlintError
from kvlint.model.classes import SpecClass
from kvlint.specs.hierarchy import VLLM_ROOT, Hierarchy
from kvlint.vocabulary import HOLDS_STATE_SINCE

_MODULE = VLLM_ROOT.rpartition(".")[0]


@dataclass(frozen=True)
class VllmAtHand:
    """What a run has of vLLM.

    Attributes:
        hierarchy: The run's spec classes, vLLM's and others.
        facts: What is known of the release where its sources are not at hand.
    """

    hierarchy: Hierarchy
    facts: ContractFacts | None

    @cached_property
    def release(self) -> str | None:
        """The release; None if the sources do not tell."""
        if self.facts is not None:
            return self.facts.release
        if self.package is None:
            return None
        try:
            return find_tree(self.package).release
        except KvlintError:
            return None

    @cached_property
    def package(self) -> Path | None:
        """The folder of vLLM's package; in a release without sources, what it names."""
        for spec in self.hierarchy.specs:
            if self.hierarchy.is_root(spec) and spec.name == "KVCacheSpec":
                return spec.file.path.parents[_MODULE.count(".") - 1]
        return None

    @cached_property
    def holds_state(self) -> bool:
        """Whether composites hold layers with state beside others; yes if unclear."""
        release = self.release
        return release is None or Version(release) >= Version(HOLDS_STATE_SINCE)

    def defines(self, spec: SpecClass) -> bool:
        """Return whether vLLM's package defines a class."""
        return self.package is not None and spec.file.path.is_relative_to(self.package)

    def overriders(self, spec: SpecClass, name: str) -> list[SpecClass]:
        """Return vLLM's classes below one that define a member themselves."""
        return [
            each
            for each in self.hierarchy.specs
            if each is not spec
            and self.defines(each)
            and self.hierarchy.is_below(each, spec)
            and (name in each.members or name in each.fields)
        ]

    def names(self) -> frozenset[str]:
        """Return the names that vLLM's module of specs binds."""
        if self.facts is not None:
            modules = self.facts.modules
            names = [each.names for each in modules if each.name == _MODULE]
            return frozenset(name for each in names for name in each)
        roots = filter(self.hierarchy.is_root, self.hierarchy.specs)
        return frozenset(name for each in roots for name in each.file.scope.names)
