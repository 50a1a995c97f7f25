# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Reads a vLLM tree and returns the facts of its release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from kvlint.contracts.describing import Describer
from kvlint.contracts.facts import (
    FORMAT,
    ClassFacts,
    ContractFacts,
    FactoryCall,
    ModuleFacts,
    Producer,
    Read,
    Registration,
    Spot,
)
from kvlint.contracts.importing import imports_of, module_imports
from kvlint.contracts.made import describe_builds, describe_retypes
from kvlint.contracts.making import Built, Retyped
from kvlint.contracts.trees import VllmTree, find_tree
from kvlint.discovery import is_test_file
from kvlint.errors import KvlintError
from kvlint.managing.factories import Factory, find_factories
from kvlint.managing.managers import find_managers
from kvlint.managing.registering import find_registrations
from kvlint.managing.registrations import Registration as Joining
from kvlint.model.answering.delegations import DelegationReader
from kvlint.model.classes import Member, SpecClass, bound_names, default_text
from kvlint.model.resolution import Resolver
from kvlint.model.syntax import deep_trees
from kvlint.model.workspace import Workspace
from kvlint.specs.contract import Contract
from kvlint.specs.descendants import find_hierarchy
from kvlint.specs.hierarchy import VLLM_ROOT, Hierarchy
from kvlint.uses.constructions import find_constructions
from kvlint.uses.group_reads import composite_names, find_group_reads
from kvlint.uses.merging import Merges
from kvlint.uses.probes import find_probed
from kvlint.uses.producers import producers


@deep_trees()
def export(folder: Path, release: str | None = None) -> ContractFacts:
    """Return the facts of a vLLM tree. Nothing of it is imported or run.

    Args:
        folder: The folder that ``vllm`` stands in, or that package itself.
        release: Which release it is; by default what the tree says.

    Raises:
        KvlintError: There is no vLLM, its module of specs cannot be read, or nothing
            says which release it is.
    """
    return _Export(find_tree(folder, release)).facts()


class _Placed(Protocol):
    @property
    def spot(self) -> Spot: ...


class _Export:
    """What is worked out of one tree."""

    def __init__(self, tree: VllmTree) -> None:
        self._tree = tree
        self._workspace = Workspace([tree.folder])
        self._files = [path for path in tree.files if not self._is_test(path)]
        self._hierarchy = find_hierarchy(
            self._workspace, Resolver(self._workspace), self._files
        )
        self._root = _root(self._hierarchy, tree)
        self._contract = Contract(self._hierarchy, self._is_test)
        self._names = composite_names(self._contract)
        self._describer = Describer(tree.folder, Merges(self._contract))
        self._readers = sorted(self._workspace.kept)
        self._specs = [each for each in self._hierarchy.specs if not each.is_nested]

    def _is_test(self, path: Path) -> bool:
        return is_test_file(path, self._tree.folder)

    @property
    def _layers(self) -> list[SpecClass]:
        """The root and the per-layer classes: every spec that is no composite."""
        return [each for each in self._specs if each not in self._contract.composites]

    def facts(self) -> ContractFacts:
        module = self._describer.module(self._root.file.path)
        classes = _sorted([*map(self._spec, self._specs), *self._beside()])
        registrations = find_registrations(
            self._hierarchy, self._readers, self._workspace.file
        ).known
        found = (each.manager.found for each in registrations)
        managers = find_managers(
            self._hierarchy,
            self._files,
            [each for each in found if each is not None],
            self._workspace.file,
        )
        factories = find_factories(self._workspace, self._files, managers)
        return ContractFacts(
            format=FORMAT,
            release=self._tree.release,
            module=module,
            imports=imports_of(self._root.file.scope, module, classes),
            module_imports=module_imports(
                self._hierarchy, self._describer, self._readers, managers
            ),
            classes=classes,
            managers=_sorted(
                self._describer.class_facts(each, "manager") for each in managers
            ),
            registrations=tuple(
                sorted(self._registrations(registrations), key=_by_spot)
            ),
            factories=tuple(sorted(map(self._factory, factories), key=_by_spot)),
            reads=self._reads(),
            producers=self._producers(),
            made_for_groups=self._made_for_groups(),
            modules=self._modules([self._root, *managers]),
            built=self._built(),
            retyped=self._retyped(),
            probed=self._probed(),
        )

    def _modules(self, classes: Iterable[SpecClass]) -> tuple[ModuleFacts, ...]:
        """The modules of some classes, with the names that they have when run."""
        files = sorted({each.file.path: each.file for each in classes}.items())
        return tuple(
            ModuleFacts(self._describer.module(path), tuple(sorted(bound_names(file))))
            for path, file in files
        )

    def _built(self) -> tuple[Built, ...]:
        found = describe_builds(self._hierarchy, self._readers, self._describer)
        return tuple(sorted(found, key=_by_spot))

    def _retyped(self) -> tuple[Retyped, ...]:
        found = describe_retypes(self._hierarchy, self._readers, self._describer)
        return tuple(sorted(found, key=_by_spot))

    def _registrations(self, found: Iterable[Joining]) -> Iterator[Registration]:
        """Facts about the registrations of spec classes."""
        names = {each.name for each in self._hierarchy.specs}
        for each in found:
            if each.spec is None or each.spec.class_name not in names:
                continue
            yield Registration(
                each.spec.class_name,
                each.manager.class_name,
                None if each.base is None else each.base.class_name,
                self._describer.spot(each.place),
                str(each.way),
            )

    def _factory(self, factory: Factory) -> FactoryCall:
        return FactoryCall(
            factory.function,
            factory.always,
            factory.passes_more,
            self._describer.spot(factory.place),
            factory.positionals,
            factory.sometimes,
            factory.is_open,
            factory.takes,
            factory.constructed,
        )

    def _spec(self, spec: SpecClass) -> ClassFacts:
        if spec not in self._contract.composites:
            role = "root" if self._hierarchy.is_root(spec) else "spec"
            return self._describer.class_facts(spec, role)
        reader = self._delegation_reader(spec)
        return self._describer.class_facts(spec, "composite", reader.gives_one)

    def _delegation_reader(self, spec: SpecClass) -> DelegationReader:
        """A reader of a composite's members and of those of composites above it."""
        composites = self._contract.composites
        above = [
            each
            for each in self._hierarchy.mro(spec)
            if each in composites or not self._hierarchy.is_spec(each)
        ]

        def own_member(name: str) -> Member | None:
            found = (each.members.get(name) for each in above)
            return next((each for each in found if each is not None), None)

        holders = composites[spec].holders
        return DelegationReader(frozenset(each.name for each in holders), own_member)

    def _beside(self) -> Iterator[ClassFacts]:
        """The other dataclasses of the root's module."""
        for each in self._hierarchy.beside():
            yield self._describer.class_facts(each, "beside")

    def _reads(self) -> tuple[Read, ...]:
        """Reads of public names of the root and the per-layer classes."""
        wanted = {
            name
            for spec in self._layers
            for name in [*spec.fields, *spec.members]
            if not name.startswith("_")
        }
        found = find_group_reads(
            self._workspace,
            self._readers,
            self._names,
            frozenset(wanted),
            self._tree.folder,
        )
        reads = {
            Read(each.member, each.sees_composites, self._describer.spot(each.place))
            for each in found
        }
        return tuple(sorted(reads, key=lambda each: (*_by_spot(each), each.member)))

    def _producers(self) -> tuple[Producer, ...]:
        """Where fields with a default are given a value."""
        specs = frozenset(each.name for each in self._layers)
        known: dict[tuple[str, str], list[Spot]] = {}
        found = []
        for spec in self._layers:
            for field in spec.fields.values():
                if not field.has_default:
                    continue
                key = field.name, default_text(field)
                if key not in known:
                    setters = producers(
                        self._workspace, self._readers, key[0], specs, key[1]
                    )
                    known[key] = [self._describer.spot(x.place) for x in setters]
                found += [Producer(field.name, spot, spec.name) for spot in known[key]]
        return tuple(
            sorted(found, key=lambda each: (each.field, each.owner, *_by_spot(each)))
        )

    def _probed(self) -> tuple[str, ...]:
        methods = frozenset(name for spec in self._specs for name in spec.members)
        found = find_probed(self._workspace, self._readers, methods)
        return tuple(sorted(found))

    def _made_for_groups(self) -> tuple[str, ...]:
        """Per-layer classes that are only ever constructed as a group's own spec."""
        found = set()
        for spec in self._layers:
            made = find_constructions(
                self._workspace, self._readers, spec.name, self._names.group_classes
            )
            if made.for_groups and not made.for_layers:
                found.add(spec.name)
        return tuple(sorted(found))


def _root(hierarchy: Hierarchy, tree: VllmTree) -> SpecClass:
    for spec in hierarchy.specs:
        if hierarchy.is_root(spec):
            return spec
    module, _, name = VLLM_ROOT.rpartition(".")
    path = tree.folder / (module.replace(".", "/") + ".py")
    if path in hierarchy.workspace.failures:
        raise hierarchy.workspace.failures[path]
    raise KvlintError(f"{path}: defines no {name}; is this vLLM 0.11.0 or later?")


def _by_spot(facts: _Placed) -> tuple[str, int, int]:
    return facts.spot.path, facts.spot.line, facts.spot.column


def _sorted(classes: Iterable[ClassFacts]) -> tuple[ClassFacts, ...]:
    return tuple(sorted(classes, key=_by_spot))
