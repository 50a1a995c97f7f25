# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which managers there are, and what joins them to spec classes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import libcst as cst

from kvlint.candidates import Candidates
from kvlint.contracts.describing import Describer
from kvlint.contracts.facts import Registration
from kvlint.hierarchy import Hierarchy, last_name
from kvlint.model.classes import SpecClass, SpecFile
from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted

_REGISTER = "register"
_DECORATOR = "register_kv_cache_spec"
_REGISTERS = re.compile(
    rb"\bKVCacheSpecRegistry\s*\.\s*register\s*\("
    rb"|@\s*(?:\w+\s*\.\s*)*register_kv_cache_spec\b"
    rb"|\bspec_manager_map\b[^\n]*=|\bspec_manager_map\s*\.\s*update\b"
)
"""What a file with registrations holds: a quick look that decides nothing."""


@dataclass(frozen=True)
class Joined:
    """A registration, with the manager's class where that is known."""

    registration: Registration
    manager: SpecClass | None


def find_registrations(
    hierarchy: Hierarchy, files: Iterable[Path], describer: Describer
) -> list[Joined]:
    """Return what joins spec classes to managers.

    That is ``Registry.register(Spec, Manager, uniform_type_base_spec=Base)``, the
    decorator ``@register_kv_cache_spec(...)`` and, before vLLM 0.23.0, an entry of the
    dictionary ``spec_manager_map``.

    Args:
        hierarchy: The spec classes.
        files: Where to look.
        describer: Names places.
    """
    found: list[Joined] = []
    for path in files:
        if not _REGISTERS.search(hierarchy.workspace.content(path)):
            continue
        file = hierarchy.workspace.file(path)
        if file is not None:
            found += _Registrations(hierarchy, file, describer).found()
    return found


class _Registrations:
    """The registrations of one file."""

    def __init__(
        self, hierarchy: Hierarchy, file: SpecFile, describer: Describer
    ) -> None:
        self._hierarchy, self._file, self._describer = hierarchy, file, describer
        self._classes = {each.node: each for each in file.classes}

    def found(self) -> Iterator[Joined]:
        for node in walk(self._file.tree.module):
            match node:
                case cst.Call(func=cst.Attribute(attr=cst.Name(value=name))):
                    if name == _REGISTER:
                        yield from self._joined(node, _arguments(node, _PARAMETERS))
                case cst.ClassDef():
                    yield from self._decorated(self._classes[node])
                case cst.DictElement(key=key, value=value):
                    yield from self._joined(key, {"spec": key, "manager": value})

    def _decorated(self, spec: SpecClass) -> Iterator[Joined]:
        for each in spec.node.decorators:
            call = each.decorator
            if not isinstance(call, cst.Call):
                continue
            if last_name(dotted(call.func) or "") == _DECORATOR:
                arguments = _arguments(call, _PARAMETERS[1:])
                yield from self._joined(
                    call, {"spec": cst.Name(spec.name), **arguments}
                )

    def _joined(
        self, node: cst.CSTNode, arguments: dict[str, cst.BaseExpression]
    ) -> Iterator[Joined]:
        names = {key: dotted(value) for key, value in arguments.items()}
        spec, manager = names.get("spec"), names.get("manager")
        if not spec or not manager or not self._is_spec(spec):
            return
        found = self._class(manager)
        base = names.get("base")
        yield Joined(
            Registration(
                last_name(spec),
                found.name if found is not None else last_name(manager),
                None if base is None or base == "None" else last_name(base),
                self._describer.spot(self._file.place(node)),
            ),
            found,
        )

    def _class(self, name: str) -> SpecClass | None:
        resolver, scope = self._hierarchy.resolver, self._file.scope
        meanings = resolver.resolve(name, scope, self._file)
        return next((each for each in meanings if isinstance(each, SpecClass)), None)

    def _is_spec(self, name: str) -> bool:
        found = self._class(name)
        if found is not None:
            return self._hierarchy.is_spec(found)
        # Imported inside a function, where the model does not look.
        return any(each.name == last_name(name) for each in self._hierarchy.specs)


_PARAMETERS = (
    ("spec", "kvcache_spec_cls"),
    ("manager", "manager_class"),
    ("base", "uniform_type_base_spec"),
)


def _arguments(
    call: cst.Call, parameters: Sequence[tuple[str, str]]
) -> dict[str, cst.BaseExpression]:
    by_keyword = {keyword: role for role, keyword in parameters}
    found = {}
    for (role, _), argument in zip(parameters, call.args, strict=False):
        if argument.keyword is None and not argument.star:
            found[role] = argument.value
    for argument in call.args:
        if argument.keyword is not None and argument.keyword.value in by_keyword:
            found[by_keyword[argument.keyword.value]] = argument.value
    return found


def find_managers(
    hierarchy: Hierarchy, files: Sequence[Path], seeds: Iterable[SpecClass]
) -> list[SpecClass]:
    """Return the classes of managers: some, those above them, and all below those.

    Args:
        hierarchy: Looks bases up.
        files: Where to look; only those that may define one are parsed.
        seeds: Managers that are known.
    """
    found: dict[SpecClass, None] = {}
    for seed in seeds:
        found.update(dict.fromkeys(hierarchy.mro(seed)))
    remaining = list(files)
    searched: set[str] = set()
    while fresh := {each.name for each in found} - searched:
        searched |= fresh
        candidates = Candidates(fresh)
        held = {each.file.path for each in found}
        paths = [
            path
            for path in remaining
            if path in held or candidates.may_define(hierarchy.workspace.content(path))
        ]
        for path in paths:
            file = hierarchy.workspace.file(path)
            for each in file.classes if file is not None else ():
                if not found.keys().isdisjoint(hierarchy.mro(each)):
                    found[each] = None
    return list(found)
