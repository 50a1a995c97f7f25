# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Reads a vLLM tree and returns the facts of its release."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from kvlint.constructions import find_constructions
from kvlint.contract import Contract
from kvlint.contracts.describing import Describer
from kvlint.contracts.factories import find_factories
from kvlint.contracts.facts import (
    FORMAT,
    ClassFacts,
    ContractFacts,
    Producer,
    Read,
    Spot,
)
from kvlint.contracts.serving import find_managers, find_registrations
from kvlint.contracts.trees import VllmTree, find_tree
from kvlint.descendants import find_hierarchy
from kvlint.discovery import is_test_file
from kvlint.errors import KvlintError
from kvlint.group_reads import composite_names, find_group_reads
from kvlint.hierarchy import VLLM_ROOT, Hierarchy
from kvlint.merging import Merges
from kvlint.model.classes import Member, SpecClass, default_text
from kvlint.model.delegations import DelegationReader
from kvlint.model.resolution import Resolver
from kvlint.model.scopes import Binding, ImportedModule, ImportedName, Scope
from kvlint.model.syntax import deep_trees
from kvlint.model.workspace import Workspace
from kvlint.probes import find_probed
from kvlint.producers import find_productions


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
        joined = find_registrations(self._hierarchy, self._readers, self._describer)
        seeds = [each.manager for each in joined if each.manager is not None]
        managers = find_managers(self._hierarchy, self._files, seeds)
        return ContractFacts(
            format=FORMAT,
            release=self._tree.release,
            module=module,
            imports=_imports(self._root.file.scope, module, classes),
            classes=classes,
            managers=_sorted(
                self._describer.class_facts(each, "manager") for each in managers
            ),
            registrations=tuple(
                sorted((each.registration for each in joined), key=_by_spot)
            ),
            factories=tuple(
                sorted(
                    find_factories(
                        self._workspace, self._files, managers, self._describer
                    ),
                    key=_by_spot,
                )
            ),
            reads=self._reads(),
            producers=self._producers(),
            made_for_groups=self._made_for_groups(),
            probed=self._probed(),
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
        for each in self._root.file.classes:
            names = {name.rpartition(".")[2] for name in each.decorators}
            if "dataclass" in names and not each.is_nested and each not in self._specs:
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
        known: dict[tuple[str, str], list[tuple[Spot, str]]] = {}
        found = []
        for spec in self._layers:
            for field in spec.fields.values():
                if not field.has_default:
                    continue
                key = field.name, default_text(field)
                if key not in known:
                    made = find_productions(
                        self._workspace, self._readers, key[0], specs, key[1]
                    )
                    known[key] = [
                        (self._describer.spot(each.place), each.maker) for each in made
                    ]
                found += [
                    Producer(field.name, spot, spec.name, maker)
                    for spot, maker in known[key]
                ]
        return tuple(
            sorted(
                found,
                key=lambda each: (each.field, each.owner, *_by_spot(each), each.maker),
            )
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


def _imports(
    scope: Scope, module: str, classes: Sequence[ClassFacts]
) -> dict[str, str]:
    """What the texts in facts about a module's classes take from elsewhere."""
    own = {each.name for each in classes if each.module == module}
    used = {
        name
        for each in classes
        if each.module == module
        for text in _texts(each)
        for name in _names(text)
    }
    found = {}
    for name in sorted(used - own):
        if name in scope.names:
            lazy = "?" if name in scope.for_type_checkers else ""
            found[name] = lazy + _source(scope.names[name][0], name, module)
    return found


def _texts(facts: ClassFacts) -> Iterator[str | None]:
    """Every expression in the facts about a class."""
    yield from facts.bases
    for decorator in facts.decorators:
        yield decorator.name
    for field in facts.fields:
        yield from (field.type, field.default, *field.options.values())
        yield "field" if field.options else None
    for member in facts.members:
        yield from (member.returns, *member.decorators)
        for parameter in member.parameters:
            yield from (parameter.annotation, parameter.default)


def _names(text: str | None) -> Iterator[str]:
    """The names that an expression uses, also in strings: those may be annotations."""
    try:
        tree = ast.parse(text or "", mode="eval")
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _names(node.value)


def _source(binding: Binding, name: str, module: str) -> str:
    """The dotted name behind a name of a module."""
    match binding:
        case ImportedName(origin, original, level):
            above = module.split(".")[:-level] if level else []
            return ".".join([*above, *filter(None, [origin]), original])
        case ImportedModule(imported):
            return imported
        case _:
            return f"{module}.{name}"
