# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which managers may override a method otherwise: a quick look that decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations
from pathlib import Path

from kvlint.errors import KvlintError
from kvlint.model.classes import SpecClass
from kvlint.model.headers import Headers, MethodHeader, read_headers
from kvlint.model.signatures import differences
from kvlint.model.workspace import Workspace
from kvlint.specs.hierarchy import Hierarchy


def may_depart(
    hierarchy: Hierarchy,
    managers: Iterable[SpecClass],
    is_manager: Callable[[SpecClass], bool],
) -> list[SpecClass]:
    """Return the managers worth reading whole: some method may differ from a base's.

    Args:
        hierarchy: The managers, in outline.
        managers: Those to look at.
        is_manager: Tells them from what is mixed into them.
    """
    look = _Look(hierarchy.workspace)
    orders = [(each, hierarchy.mro(each)) for each in managers]
    return [
        each
        for each, order in orders
        if any(
            look.differ(own, base)
            for own, base in combinations(order, 2)
            if own is each or not is_manager(own)
        )
    ]


class _Look:
    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._headers: dict[Path, Headers] = {}

    def differ(self, manager: SpecClass, base: SpecClass) -> bool:
        if manager.is_nested or base.is_nested:
            return True
        own, theirs = self._methods(manager), self._methods(base)
        values = {*manager.members, *manager.fields} - own.keys()
        their_values = {*base.members, *base.fields} - theirs.keys()
        if values & theirs.keys() or their_values & own.keys():
            return True
        return any(
            _differ(header, theirs[name])
            for name, header in own.items()
            if name in theirs and not name.startswith("_")
        )

    def _methods(self, spec: SpecClass) -> dict[str, MethodHeader | None]:
        path = spec.file.path
        if path not in self._headers:
            try:
                text = self._workspace.source(path).text
            except KvlintError:
                text = ""
            self._headers[path] = read_headers(text)
        return dict(self._headers[path].get(spec.name, {}))


def _differ(own: MethodHeader | None, base: MethodHeader | None) -> bool:
    if own is None or base is None:
        return True
    return own.kinds != base.kinds or bool(differences(own.parameters, base.parameters))
