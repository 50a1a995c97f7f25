# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Lookups in a composite by names that a group has and the composite has not.

Layers that share the cache of another one are added to its group's names while the
worker sets up its cache. The configuration that connectors hold is another copy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import libcst as cst

from kvlint.findings import Place
from kvlint.group_reads import composite_names
from kvlint.model.functions import FunctionText
from kvlint.model.kinds import Names
from kvlint.model.lookups import Lookups
from kvlint.model.origins import KnownOrigins
from kvlint.model.succession import ClassText, Succession, after_calls, classes_in
from kvlint.project import Project
from kvlint.vocabulary import LAYER_NAMES, SHARING_CALLS, SHARING_HOOKS

_ADDS = re.compile(rf"\.\s*{LAYER_NAMES}\s*(?:\.\s*(?:append|extend)\s*\(|\+=)")
_ADDING = re.compile(_ADDS.pattern.encode())
_SHARING = re.compile(r"shared|sharing")
_PER_LAYER = "AttentionGroup"


@dataclass(frozen=True, eq=False)
class SharedLookup:
    """A lookup that fails for layers that share a cache.

    Attributes:
        node: The subscript.
        function: The function that it is in.
        cause: Where such layers are added before; None if a base class does it.
    """

    node: cst.Subscript
    function: FunctionText
    cause: Place | None


def shared_lookups(project: Project) -> Iterator[SharedLookup]:
    """Yield the lookups to report on that such layers reach."""
    names = composite_names(project.contract)
    search = _Search(project, names)
    holders = "|".join(sorted(names.holders))
    if not holders:
        return
    pattern = re.compile(rf"\.\s*(?:{holders})\b")
    for path in filter(project.reports_on, project.workspace.kept):
        content = project.workspace.content(path)
        if LAYER_NAMES.encode() in content and re.search(
            pattern.pattern.encode(), content
        ):
            yield from search.in_file(path, pattern)


@dataclass
class _Search:
    project: Project
    names: Names
    _of_file: dict[Path, list[tuple[ClassText, Succession]]] = field(
        default_factory=dict
    )

    def in_file(self, path: Path, pattern: re.Pattern[str]) -> Iterator[SharedLookup]:
        functions = self.project.workspace.functions(path)
        if functions is None:
            return
        text = functions.source.text
        offsets = [each.start() for each in pattern.finditer(text)]
        offsets = [each for each in offsets if self._cause(path, text, each)]
        for function in functions.around(offsets):
            known = KnownOrigins(functions, function)
            for node in Lookups(known, self.names).unguarded():
                cause = self._cause(path, text, function.span(node).start)
                if cause is not None:
                    place = functions.source.place(*cause) if cause[1] else None
                    yield SharedLookup(node, function, place)

    def _cause(self, path: Path, text: str, offset: int) -> tuple[int, int] | None:
        """Where layers are added before a place; an empty place for "in a base"."""
        functions = self.project.workspace.functions(path)
        bounds = functions.bounds(offset) if functions is not None else None
        if bounds is None:
            return None
        body = text.find("(", bounds[0])
        call = self._calls.search(text, body, offset)
        if call is None and bounds[0] in self._own.get(path, {}):
            call = _ADDS.search(text, body, offset)
        if call is not None:
            return call.span()
        for _, succession in self._successions(path, text):
            start = succession.cause(offset)
            if start is not None:
                found = self._calls.match(text, start)
                return found.span() if found is not None else (0, 0)
        return None

    def _successions(self, path: Path, text: str) -> list[tuple[ClassText, Succession]]:
        if path not in self._of_file:
            self._of_file[path] = [
                (each, after_calls(text, each, self._calls, self._known(each)))
                for each in classes_in(text)
            ]
        return self._of_file[path]

    def _known(self, each: ClassText) -> set[str]:
        return {name for base in each.bases for name in self._after.get(base, ())}

    @cached_property
    def _after(self) -> dict[str, set[str]]:
        """The methods that run after layers are added, by the class that calls them."""
        after = {name: set(methods) for name, methods in SHARING_HOOKS.items()}
        workspace = self.project.workspace
        pattern = re.compile(self._calls.pattern.encode())
        for path in workspace.kept:
            functions = None
            if pattern.search(workspace.content(path)):
                functions = workspace.functions(path)
            text = functions.source.text if functions is not None else ""
            for each in classes_in(text):
                found = after_calls(text, each, self._calls)
                if found.methods:
                    after.setdefault(each.name, set()).update(found.methods)
        return after

    @cached_property
    def _calls(self) -> re.Pattern[str]:
        """What calls a function that adds layers to groups."""
        release = _numbers(self.project.release or "")
        called = {
            name
            for name, since in SHARING_CALLS.items()
            if not release or release >= _numbers(since)
        }
        own = {name for named in self._own.values() for name in named.values()}
        words = "|".join([*map(r"\w*{}".format, sorted(called)), *sorted(own)])
        return re.compile(rf"\b(?:{words})\s*\(")

    @cached_property
    def _own(self) -> dict[Path, dict[int, str]]:
        """The project's functions that add such layers: by where they begin."""
        found: dict[Path, dict[int, str]] = {}
        workspace = self.project.workspace
        for path in filter(self.project.is_own_file, workspace.kept):
            if not _ADDING.search(workspace.content(path)):
                continue
            functions = workspace.functions(path)
            text = functions.source.text if functions is not None else ""
            for added in _ADDS.finditer(text):
                bounds = functions.bounds(added.start()) if functions else None
                if bounds is None:
                    continue
                header = re.compile(r"\s*(?:async\s+)?def\s+(\w+)").match(
                    text, bounds[0]
                )
                code = text[slice(*bounds)]
                if header and _SHARING.search(code) and _PER_LAYER not in code:
                    found.setdefault(path, {})[bounds[0]] = header[1]
        return found


def _numbers(release: str) -> tuple[int, ...]:
    """The numbers of a release, for the order of releases."""
    return tuple(map(int, re.findall(r"\d+", release)[:3]))
