# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which classes are specs: everything below the roots, over the whole project."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kvlint.candidates import Candidates
from kvlint.model.annotations import TypeName
from kvlint.model.classes import SpecClass, SpecFile
from kvlint.model.resolution import Resolver, Unresolved
from kvlint.model.scopes import Alias, ImportedName
from kvlint.model.workspace import Workspace, package_files
from kvlint.vocabulary import GROUP_ATTRIBUTE

_KEPT = (GROUP_ATTRIBUTE.encode(), b"kvlint")
"""What else makes a file worth holding: it reads groups, or speaks to kvlint."""

VLLM_ROOT = "vllm.v1.kv_cache_interface.KVCacheSpec"


@dataclass
class Hierarchy:
    """The spec classes of a run.

    Attributes:
        workspace: The files.
        resolver: What names mean.
        root_names: Fully qualified names of the roots.
        specs: Every spec class found, roots first.
        known_names: Simple names by which some file knows a spec class. A class none of
            whose bases ends in one is no spec, so its bases need no looking up.
        notes: Bases that could not be resolved, a line each.
    """

    workspace: Workspace
    resolver: Resolver
    root_names: tuple[str, ...]
    specs: list[SpecClass] = field(default_factory=list)
    known_names: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    _bases: dict[SpecClass, tuple[SpecClass | Unresolved, ...]] = field(
        default_factory=dict
    )
    _orders: dict[SpecClass, tuple[SpecClass, ...]] = field(default_factory=dict)

    def bases(self, spec: SpecClass) -> tuple[SpecClass | Unresolved, ...]:
        """Return a class's bases; of several that a name may mean, a spec if any."""
        if spec not in self._bases:
            self._bases[spec] = ()
            self._bases[spec] = tuple(
                self._base(base, spec) for base in spec.bases if base is not None
            )
        return self._bases[spec]

    def _base(self, name: str, spec: SpecClass) -> SpecClass | Unresolved:
        meanings = self.resolver.resolve(name, spec.scope, spec.file)
        classes = [
            each
            for each in meanings
            if isinstance(each, SpecClass) and each is not spec
        ]
        for each in classes:
            if self.is_spec(each):
                return each
        if classes:
            return classes[0]
        unresolved = [each for each in meanings if isinstance(each, Unresolved)]
        return unresolved[0] if unresolved else Unresolved(name)

    def is_root(self, spec: SpecClass) -> bool:
        """Return whether a class is one of the roots."""
        return not spec.is_nested and any(
            _names_class(root, spec) for root in self.root_names
        )

    def is_spec(self, spec: SpecClass) -> bool:
        """Return whether a class is a root or below one."""
        if self.is_root(spec):
            return True
        if not any(_last(base) in self.known_names for base in spec.bases if base):
            return False
        return any(
            base.name in self.root_names
            if isinstance(base, Unresolved)
            else self.is_spec(base)
            for base in self.bases(spec)
        )

    def mro(self, spec: SpecClass) -> tuple[SpecClass, ...]:
        """Return the method resolution order, as far as classes are known."""
        if spec not in self._orders:
            self._orders[spec] = (spec,)
            known = [each for each in self.bases(spec) if isinstance(each, SpecClass)]
            self._orders[spec] = (spec, *_merge([*map(self.mro, known), tuple(known)]))
        return self._orders[spec]

    def unresolved_bases(self, spec: SpecClass) -> list[str]:
        """Return bases in the resolution order that nothing is known of.

        Bases from the standard library are left out: they define no member that a
        spec is asked for.
        """
        return [
            base.name
            for each in self.mro(spec)
            for base in [*self.bases(each), *_computed_bases(each)]
            if isinstance(base, Unresolved) and not _is_standard(base.name)
        ]

    def is_below(self, spec: SpecClass, ancestor: SpecClass) -> bool:
        """Return whether a class is another or inherits from it."""
        return ancestor in self.mro(spec)


def find_hierarchy(
    workspace: Workspace,
    resolver: Resolver,
    files: Sequence[Path],
    extra_roots: Iterable[str] = (),
    leave_out: Callable[[Path], bool] = lambda path: False,
) -> Hierarchy:
    """Return the spec classes that files define.

    Args:
        workspace: Reads the files.
        resolver: Resolves names.
        files: Every file that may define one; only those that need it are parsed.
        extra_roots: Fully qualified names of further root classes.
        leave_out: Tells which files are not to be looked at, such as tests.
    """
    hierarchy = Hierarchy(workspace, resolver, (VLLM_ROOT, *extra_roots))
    hierarchy.known_names |= {_last(root) for root in hierarchy.root_names}
    parsed = _root_files(hierarchy.root_names, files, workspace)
    _add_specs(hierarchy, parsed)
    for path in parsed:
        workspace.keep(path, workspace.content(path))
    own = set(files)
    remaining = [path for path in files if path not in parsed and not leave_out(path)]
    for path in parsed:
        if path not in own:
            remaining += [each for each in package_files(path) if each not in parsed]
    searched: set[str] = set()
    while fresh := hierarchy.known_names - searched:
        searched |= fresh
        candidates = Candidates(fresh)
        found = []
        for path in remaining:
            content = workspace.content(path)
            mentions = candidates.mention(content)
            if mentions or any(needle in content for needle in _KEPT):
                workspace.keep(path, content)
            if mentions and candidates.may_define(content):
                found.append(path)
        parsed += found
        remaining = [path for path in remaining if path not in found]
        _add_specs(hierarchy, parsed)
    _note_unresolved(hierarchy)
    return hierarchy


def _root_files(
    roots: Sequence[str], files: Sequence[Path], workspace: Workspace
) -> list[Path]:
    """The files that define the roots: the project's own, else where imports lead."""
    found: list[Path] = []
    for root in roots:
        module = root.rpartition(".")[0]
        tail = module.replace(".", "/")
        ends = (f"/{tail}.py", f"/{tail}/__init__.py")
        own = [path for path in files if str(path).endswith(ends)]
        if not own and files:
            elsewhere = workspace.module(module, files[0])
            own = [elsewhere] if elsewhere is not None else []
        found += own
    return found


def _add_specs(hierarchy: Hierarchy, paths: Sequence[Path]) -> None:
    """Add the specs of files, and the names by which others may know them."""
    files = [hierarchy.workspace.file(path) for path in paths]
    count = -1
    while count != len(hierarchy.known_names):
        count = len(hierarchy.known_names)
        for file in files:
            if file is None:
                continue
            hierarchy.known_names |= _aliases(file, hierarchy.known_names)
            for each in file.classes:
                if each not in hierarchy.specs and hierarchy.is_spec(each):
                    hierarchy.specs.append(each)
                    hierarchy.known_names.add(each.name)


def _aliases(file: SpecFile, known: set[str]) -> set[str]:
    """Names of a module that may stand for a class known by another name."""
    return {
        name
        for name, bindings in file.scope.names.items()
        for binding in bindings
        if isinstance(binding, ImportedName)
        and binding.name in known
        or isinstance(binding, Alias)
        and isinstance(binding.expression, TypeName)
        and _last(binding.expression.name) in known
    }


def _note_unresolved(hierarchy: Hierarchy) -> None:
    for spec in hierarchy.specs:
        for base in hierarchy.bases(spec):
            if isinstance(base, Unresolved) and not _is_standard(base.name):
                place = spec.place
                hierarchy.notes.append(
                    f"{place.path}:{place.line}: base `{base.name}` of `{spec.name}` "
                    "cannot be resolved; what it defines is not taken into account"
                )


def _computed_bases(spec: SpecClass) -> list[Unresolved]:
    return [Unresolved("(an expression)") for base in spec.bases if base is None]


def _last(dotted: str) -> str:
    return dotted.rpartition(".")[2]


def _is_standard(name: str) -> bool:
    head = name.split(".")[0]
    return head in sys.stdlib_module_names or head in {
        "typing_extensions",
        "object",
        "Exception",
    }


def _names_class(dotted: str, spec: SpecClass) -> bool:
    module, _, name = dotted.rpartition(".")
    if name != spec.name:
        return False
    path = spec.file.path
    parts = (
        path.parent.parts if path.stem == "__init__" else (*path.parts[:-1], path.stem)
    )
    wanted = tuple(module.split("."))
    return parts[-len(wanted) :] == wanted


def _merge(orders: list[tuple[SpecClass, ...]]) -> list[SpecClass]:
    """C3 linearisation; where Python would refuse, depth first."""
    pending = [list(order) for order in orders if order]
    merged: list[SpecClass] = []
    while pending:
        for order in pending:
            head = order[0]
            if not any(head in other[1:] for other in pending):
                break
        else:
            head = pending[0][0]
        merged.append(head)
        pending = [
            rest
            for order in pending
            if (rest := [each for each in order if each is not head])
        ]
    return merged
