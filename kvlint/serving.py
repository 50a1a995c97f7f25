# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What serves the specs of a run: managers, registrations, factories."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import libcst as cst

from kvlint.contracts.facts import ContractFacts, FactoryCall
from kvlint.contracts.skeleton import place
from kvlint.managing.departures import may_depart
from kvlint.managing.factories import Factory, find_factories, with_callers
from kvlint.managing.managers import find_managers
from kvlint.managing.registering import find_registrations
from kvlint.managing.registrations import Registrations, Way
from kvlint.model.classes import SpecClass, SpecFile
from kvlint.model.module_places import package_root
from kvlint.model.nodes import walk
from kvlint.model.resolution import Resolver
from kvlint.model.syntax import dotted
from kvlint.specs.hierarchy import VLLM_ROOT, Hierarchy
from kvlint.vocabulary import (
    MANAGER_MAP,
    MANAGERS_MODULE,
    REGISTERING_DECORATOR,
    REGISTRY,
    REGISTRY_MODULE,
)

_ABOUT_MANAGERS = re.compile(
    "|".join((MANAGERS_MODULE, REGISTRY, REGISTERING_DECORATOR, MANAGER_MAP)).encode()
)


@dataclass(frozen=True)
class Service:
    """A spec class and the manager that is registered for it.

    Attributes:
        spec: The name of the spec class.
        manager: The name of the manager.
        way: By what the manager is chosen.
        base: The name of the class that groups are formed by; none for the spec's own.
    """

    spec: str
    manager: str
    way: Way
    base: str | None = None


class Serving:
    """Managers and what joins them to specs; worked out when asked for.

    Args:
        specs: The spec classes.
        own: The project's files that are no tests.
        others: Files of vLLM, if its sources are at hand.
        facts: What is known of vLLM's release if they are not.
    """

    def __init__(
        self,
        specs: Hierarchy,
        own: Sequence[Path],
        others: Sequence[Path],
        facts: ContractFacts | None,
    ) -> None:
        """Hold what is given."""
        self._workspace = workspace = specs.workspace
        self._read = workspace.outline
        self._own, self._files, self._facts = own, [*own, *others], facts
        self._specs = specs
        self.hierarchy = self._hierarchy(Resolver(workspace, self._read))

    def _hierarchy(self, resolver: Resolver) -> Hierarchy:
        return Hierarchy(
            self._workspace,
            resolver,
            self._specs.root_names,
            specs=self._specs.specs,
            known_names=self._specs.known_names,
        )

    @cached_property
    def whole(self) -> Hierarchy:
        """The hierarchy of managers whose files are read whole."""
        return self._hierarchy(Resolver(self._workspace))

    def departing(self, managers: Iterable[SpecClass]) -> Iterator[SpecClass]:
        """Yield those managers, read whole, that may override something otherwise."""
        for each in may_depart(self.hierarchy, managers, self.is_manager):
            file = self._workspace.file(each.file.path)
            for other in file.classes if file is not None else ():
                if other.node.name.value == each.name and not other.is_nested:
                    yield other

    @cached_property
    def is_of_interest(self) -> bool:
        """Whether the project has a word to say about managers."""
        contents = map(self._workspace.content, self._own)
        return any(_ABOUT_MANAGERS.search(each) for each in contents)

    @cached_property
    def registrations(self) -> Registrations:
        """The registrations that can be read in files; those of facts are apart."""
        return find_registrations(self.hierarchy, self._files, self._read)

    @property
    def has_unread(self) -> bool:
        """Whether the project registers something that cannot be read."""
        return not self.registrations.unread.isdisjoint(self._own)

    @cached_property
    def managers(self) -> list[SpecClass]:
        """Every class that is a manager; none if the project has none to do with."""
        if not self.is_of_interest:
            return []
        found = (each.manager.found for each in self.registrations.known)
        seeds = [*self._bundled, *(each for each in found if each is not None)]
        return find_managers(self.hierarchy, self._files, seeds, self._read)

    def is_manager(self, candidate: SpecClass) -> bool:
        """Return whether a class, however it was read, is a manager."""
        return candidate.name in self._manager_names

    @cached_property
    def _manager_names(self) -> frozenset[str]:
        return frozenset(each.name for each in self.managers)

    @cached_property
    def _bundled(self) -> list[SpecClass]:
        """The managers of vLLM where its sources are not at hand."""
        facts = () if self._facts is None else self._facts.managers
        found: list[SpecClass] = []
        for name in dict.fromkeys(each.module for each in facts):
            path = self._workspace.module(name, self._own[0])
            file = None if path is None else self._read(path)
            found += file.classes if file is not None else ()
        return found

    @cached_property
    def factories(self) -> list[Factory]:
        """The calls that construct managers."""
        if not self.managers:
            return []
        found = find_factories(self._workspace, self._files, self.managers)
        if self._facts is not None:
            found += [
                with_callers(self._factory(each), self._workspace, self._own)
                for each in self._facts.factories
            ]
        return found

    def _factory(self, facts: FactoryCall) -> Factory:
        assert self._facts is not None
        where = place(self._facts, facts.spot)
        return Factory(
            facts.function,
            facts.constructed,
            facts.positionals,
            facts.keywords,
            facts.sometimes,
            facts.is_open,
            facts.passes_more,
            where.path,
            lambda: where,
            facts.takes,
            has_callers=True,
        )

    @cached_property
    def services(self) -> list[Service]:
        """Which manager serves which spec class."""
        found = [
            Service(
                each.spec.class_name,
                each.manager.class_name,
                each.way,
                None if each.base is None else each.base.class_name,
            )
            for each in self.registrations.known
            if each.spec is not None
        ]
        if self._facts is not None:
            found += [
                Service(each.spec, each.manager, Way(each.way), each.uniform_base)
                for each in self._facts.registrations
            ]
        return found

    def manager_of(self, spec: SpecClass) -> SpecClass | None:
        """Return the manager that groups of a spec class get, None if it is not known.

        A registry goes up the classes above; the dictionary before vLLM 0.23.0 knows
        the very class alone.
        """
        if self.has_unread:
            return None
        classes = self._specs.mro(spec)
        for each in classes if self.way is Way.REGISTRY else classes[:1]:
            found = {x.manager for x in self.services if x.spec == each.name}
            if found:
                return self._manager(found.pop()) if len(found) == 1 else None
        return None

    def _manager(self, name: str) -> SpecClass | None:
        known = (each.manager.found for each in self.registrations.known)
        found = (each for each in (*known, *self._bundled) if each is not None)
        return next((each for each in found if each.name == name), None)

    @cached_property
    def constructed(self) -> list[SpecClass]:
        """The managers that are registered, or put in the place of one of vLLM's."""
        found = [each.manager.found for each in self.registrations.known]
        found += self._put_in_place()
        managers = {*self.managers}
        return [each for each in dict.fromkeys(found) if each in managers]

    def _put_in_place(self) -> Iterator[SpecClass | None]:
        """Classes that are assigned over a manager in another module."""
        names = "|".join(sorted({re.escape(each.name) for each in self.managers}))
        pattern = re.compile(rf"\.\s*(?:{names})\s*=(?!=)".encode())
        for path in self._own if self.managers else ():
            content = self._workspace.content(path)
            if MANAGERS_MODULE.encode() not in content or not pattern.search(content):
                continue
            file = self._read(path)
            for node in walk(file.tree.module) if file is not None else ():
                if file is not None and isinstance(node, cst.Assign):
                    yield self._replacement(node, file)

    def _replacement(self, node: cst.Assign, file: SpecFile) -> SpecClass | None:
        name = dotted(node.value)
        targets = [each.target for each in node.targets]
        replaced = {each.name for each in self.managers}
        if name is None or not any(
            isinstance(each, cst.Attribute) and each.attr.value in replaced
            for each in targets
        ):
            return None
        meanings = self.hierarchy.resolver.resolve(name, file.scope, file)
        found = (each for each in meanings if isinstance(each, SpecClass))
        return next(found, None)

    @cached_property
    def modules(self) -> frozenset[str]:
        """The modules of vLLM of which all spec classes and managers are known."""
        if self._facts is not None:
            homes = {each.module for each in self._facts.managers}
            return frozenset({*homes, self._facts.module})
        names = {_module(each.file.path) for each in self.managers}
        vllm = VLLM_ROOT.partition(".")[0] + "."
        homes = {name for name in names if name.startswith(vllm)}
        return frozenset({*homes, VLLM_ROOT.rpartition(".")[0]})

    @cached_property
    def way(self) -> Way:
        """By what the release at hand chooses a manager."""
        if self._facts is not None:
            ways = {each.way for each in self._facts.registrations}
            return Way.MAP if ways == {Way.MAP} else Way.REGISTRY
        module = self._workspace.module(REGISTRY_MODULE, self._own[0])
        content = b"" if module is None else self._workspace.content(module)
        return Way.REGISTRY if REGISTRY.encode() in content else Way.MAP


def _module(path: Path) -> str:
    """The dotted name of a file's module."""
    return ".".join(path.relative_to(package_root(path)).with_suffix("").parts)
