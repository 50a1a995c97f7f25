# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Finds the spec classes of a project: everything below the roots."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from kvlint.model.annotations import TypeName
from kvlint.model.classes import SpecClass, SpecFile
from kvlint.model.resolution import Resolver, Unresolved
from kvlint.model.scopes import Alias, ImportedName
from kvlint.model.workspace import Workspace
from kvlint.specs.candidates import Candidates, Idle
from kvlint.specs.hierarchy import VLLM_ROOT, Hierarchy, is_standard, last_name
from kvlint.vocabulary import (
    GROUP_ATTRIBUTE,
    LAYER_NAMES,
    MANAGERS_MODULE,
    WIDTH_METHODS,
)

_MODULE = VLLM_ROOT.split(".")[-2]
_KEPT = tuple(
    each.encode() for each in (GROUP_ATTRIBUTE, MANAGERS_MODULE, _MODULE, "kvlint")
)
"""What else makes a file worth holding: it reads groups, may define a manager, imports
the classes beside specs, or speaks to kvlint."""
_MAY_KEEP = re.compile(rb"kv(?:_cache|lint)")
"""A part of each of them: one search for all."""
_AT_ONCE = 400
"""Files that are looked at in one task."""
Kept = list[tuple[Path, bool]]
"""Files that are worth holding, and whether each may define a spec."""
Share = Callable[[Sequence[Callable[[], Kept]]], list[Kept]]
_TABLES = (*(x.encode() for x in sorted(WIDTH_METHODS)), f".{LAYER_NAMES}.".encode())
"""So it is if it makes block tables, or changes a group's layers."""


def find_hierarchy(
    workspace: Workspace,
    resolver: Resolver,
    files: Sequence[Path],
    extra_roots: Iterable[str] = (),
    leave_out: Callable[[Path], bool] = lambda path: False,
    idle: Idle | None = None,
    share: Share | None = None,
) -> Hierarchy:
    """Return the spec classes that files define.

    Args:
        workspace: Reads the files.
        resolver: Resolves names.
        files: Every file that may define one; only those that need it are parsed.
        extra_roots: Fully qualified names of further root classes.
        leave_out: Tells which files are not to be looked at, such as tests.
        idle: What an earlier search has learned; this one adds to it.
        share: Does tasks, perhaps with help, and gives what they give in their order.
    """
    idle = Idle() if idle is None else idle
    hierarchy = Hierarchy(workspace, resolver, (VLLM_ROOT, *extra_roots))
    hierarchy.known_names |= {last_name(root) for root in hierarchy.root_names}
    parsed = _root_files(hierarchy.root_names, files, workspace)
    _add_specs(hierarchy, parsed)
    for path in parsed:
        workspace.keep(path, workspace.content(path))
    own = set(files)
    begun = set(parsed)
    remaining = [path for path in files if path not in begun and not leave_out(path)]
    for path in parsed:
        if path not in own:
            package = workspace.package_files(path)
            remaining += [each for each in package if each not in begun]
    searched: set[str] = set()
    while fresh := hierarchy.known_names - searched:
        searched |= fresh
        idle.wake_for(fresh, workspace.content)
        candidates = Candidates(fresh)
        found = []
        suspects = [path for path in remaining if path not in idle]
        for path, may_define in _worth_holding(workspace, candidates, suspects, share):
            workspace.keep(path, workspace.content(path))
            if may_define:
                found.append(path)
        parsed += found
        begun |= set(found)
        remaining = [path for path in remaining if path not in begun]
        _add_specs(hierarchy, parsed)
    kept = {*workspace.kept}
    unkept = (path for path in remaining if path not in kept)
    idle.rest(unkept, searched, workspace.content)
    _note_unresolved(hierarchy)
    if not parsed or not any(map(hierarchy.is_root, hierarchy.specs)):
        _note_missing(hierarchy, remaining)
    return hierarchy


def _worth_holding(
    workspace: Workspace,
    candidates: Candidates,
    paths: Sequence[Path],
    share: Share | None,
) -> Kept:
    tasks = [
        partial(_kept, workspace, candidates, paths[start : start + _AT_ONCE])
        for start in range(0, len(paths), _AT_ONCE)
    ]
    done = [task() for task in tasks] if share is None else share(tasks)
    return [each for some in done for each in some]


def _kept(workspace: Workspace, candidates: Candidates, paths: Sequence[Path]) -> Kept:
    kept = []
    for path in paths:
        content = workspace.content(path)
        mentions = candidates.mention(content)
        if mentions or is_kept(content):
            what = ("may define a spec", candidates.names)
            look = partial(candidates.may_define, content)
            kept.append((path, mentions and workspace.known(path, what, look)))
    return kept


def is_kept(content: bytes) -> bool:
    """Return whether a file is worth holding that speaks of no spec by its name."""
    if any(needle in content for needle in _TABLES):
        return True
    if _MAY_KEEP.search(content) is None:
        return False
    return any(needle in content for needle in _KEPT)


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
    hierarchy.files.update(paths)
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
        and last_name(binding.expression.name) in known
    }


def _note_unresolved(hierarchy: Hierarchy) -> None:
    for spec in hierarchy.specs:
        for base in hierarchy.bases(spec):
            if isinstance(base, Unresolved) and not is_standard(base.name):
                hierarchy.notes.append(_unresolved_note(spec, base.name))
                hierarchy.unknown_bases += 1


def _note_missing(hierarchy: Hierarchy, files: Sequence[Path]) -> None:
    """Say that the roots' sources are missing, and whose bases that leaves unknown."""
    modules = {root.rpartition(".")[0] for root in hierarchy.root_names}
    imported = re.compile(
        rb"(?:"
        + b"|".join(re.escape(each.rpartition(".")[2].encode()) for each in modules)
        + rb")\s+import\s*(\([^)]*\)|[^\r\n]*)"
    )
    contents = {path: hierarchy.workspace.content(path) for path in files}
    names = {
        word.decode()
        for content in contents.values()
        for names in imported.findall(content)
        for word in re.findall(rb"[A-Za-z_]\w*", names)
    }
    candidates = Candidates(names - hierarchy.known_names)
    found = []
    for path, content in contents.items():
        if not names or not candidates.may_define(content):
            continue
        file = hierarchy.workspace.file(path)
        for each in file.classes if file is not None else ():
            for base in hierarchy.bases(each):
                is_lost = isinstance(base, Unresolved) and any(
                    base.name.startswith(module + ".") for module in modules
                )
                if is_lost:
                    found.append(_unresolved_note(each, base.name))
    if found:
        hierarchy.notes += found
        hierarchy.unknown_bases += len(found)
        hierarchy.notes.append(
            f"{' and '.join(sorted(modules))} cannot be found; name the folder of "
            "vLLM's sources with --vllm-path"
        )


def _unresolved_note(spec: SpecClass, base: str) -> str:
    place = spec.place
    return (
        f"{place.path}:{place.line}: base `{base}` of `{spec.name}` cannot be "
        "resolved; what it defines is not taken into account"
    )
