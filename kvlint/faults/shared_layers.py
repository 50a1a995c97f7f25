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
from kvlint.model.functions import FunctionIndex, FunctionText
from kvlint.model.groups.kinds import Names
from kvlint.model.groups.lookups import Lookups
from kvlint.model.values.origins import KnownOrigins
from kvlint.model.values.succession import (
    Succession,
    after_calls,
    class_at,
    class_named,
)
from kvlint.project import Project
from kvlint.uses.group_reads import composite_names
from kvlint.vocabulary import LAYER_NAMES, SHARING_CALLS, SHARING_HOOKS

_ADDS = re.compile(rf"\.\s*{LAYER_NAMES}\s*(?:\.\s*(?:append|extend)\s*\(|\+=)")
_ADDING = re.compile(_ADDS.pattern.encode())
_NAMES = LAYER_NAMES.encode()
_SHARING = re.compile(r"kv_shar|sharing_|shared_\w*(?:layer|kv|cache)")
_GAP = r"\s*(?:#[^\n]*\s*)*"
_READ = (
    rf"\.\s*(?:{{}})\b(?=\s*\[{_GAP}\w+{_GAP}\]|\s*\[[\w.\s]*{LAYER_NAMES}\s*\[(?!0\])"
    r"|[ \t]*$|\s+if\b)"
)
_LOOKS = (_READ, r"getattr\([^()\n]*,\s*[\"'](?:{})[\"']")
"""Each begins with a word or a dot, which is what makes them fast."""
_PER_LAYER = "AttentionGroup"
_HEADER = re.compile(r"\s*(?:async\s+)?def\s+(\w+)")


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
    holders = "|".join(sorted(names.holders))
    if not holders:
        return
    looks = tuple(re.compile(each.format(holders), re.M) for each in _LOOKS)
    search = _Search(project, names, looks)
    needles = [each.encode() for each in names.holders]
    for path in filter(project.reports_on, project.workspace.kept):
        content = project.workspace.content(path)
        if _NAMES in content and any(each in content for each in needles):
            yield from search.in_file(path)


@dataclass
class _Search:
    project: Project
    names: Names
    looks: tuple[re.Pattern[str], ...]
    _calls: dict[Path, list[int]] = field(default_factory=dict)
    _after: dict[str, set[str]] = field(default_factory=dict)
    _known: dict[tuple[Path, int], Succession] = field(default_factory=dict)

    def in_file(self, path: Path) -> Iterator[SharedLookup]:
        functions = self.project.workspace.functions(path)
        if functions is None:
            return
        text = functions.source.text
        places = (x.start() for each in self.looks for x in each.finditer(text))
        causes = [self._cause(functions, each) for each in places]
        for function in functions.around(at for at, _ in filter(None, causes)):
            known = KnownOrigins(functions, function)
            for node in Lookups(known, self.names).unguarded():
                found = self._cause(functions, function.span(node).start)
                if found is not None:
                    start = found[1]
                    place = None if start is None else _place(functions, start)
                    yield SharedLookup(node, function, place)

    def _cause(
        self, functions: FunctionIndex, offset: int
    ) -> tuple[int, int | None] | None:
        """A place that runs after layers are added, and where that is done."""
        bounds = functions.bounds(offset)
        text = functions.source.text
        if bounds is None or text.find(LAYER_NAMES, *bounds) < 0:
            return None
        body = text.find("(", bounds[0])
        calls = self._calls_in(functions)
        for each in calls:
            if body < each < offset:
                return offset, each
        succession = self._succession(functions, bounds[0])
        region = succession.region(offset)
        return None if region is None else (offset, succession.regions[region])

    def _succession(self, functions: FunctionIndex, start: int) -> Succession:
        """What runs after it in the class of a method."""
        key = functions.source.path, start
        if key not in self._known:
            text = functions.source.text
            around = class_at(text, start)
            known: set[str] = set()
            for base in around.bases if around is not None else ():
                known |= self._after_in(base)
            calls = self._calls_in(functions)
            self._known[key] = (
                Succession({}, frozenset())
                if around is None
                else after_calls(text, around, calls, known)
            )
        return self._known[key]

    def _calls_in(self, functions: FunctionIndex) -> list[int]:
        """Where a file calls what adds layers, and where it adds some itself."""
        path, text = functions.source.path, functions.source.text
        if path not in self._calls:
            found = [each.start() for x in self._called for each in x.finditer(text)]
            starts = self._own.get(path, {})
            for added in _ADDS.finditer(text) if starts else ():
                bounds = functions.bounds(added.start())
                if bounds is not None and bounds[0] in starts:
                    found.append(added.start())
            self._calls[path] = sorted(found)
        return self._calls[path]

    def _after_in(self, base: str) -> set[str]:
        """The methods that a class of some name calls after layers are added."""
        if base in self._after:
            return self._after[base]
        after = self._after.setdefault(base, set(SHARING_HOOKS.get(base, ())))
        workspace = self.project.workspace
        for path in self._setting_up:
            if f"class {base}".encode() not in workspace.content(path):
                continue
            functions = workspace.functions(path)
            if functions is None:
                continue
            text = functions.source.text
            found = class_named(text, base)
            if found is not None:
                known = {name for x in found.bases for name in self._after_in(x)}
                calls = self._calls_in(functions)
                after |= known | after_calls(text, found, calls, known).methods
        return after

    @cached_property
    def _setting_up(self) -> list[Path]:
        """The files whose classes may add layers, themselves or in a base."""
        own = {name for named in self._own.values() for name in named.values()}
        needles = [x.encode() for x in {*SHARING_CALLS, *SHARING_HOOKS, *own}]
        workspace = self.project.workspace
        return [
            path
            for path in workspace.kept
            if any(each in workspace.content(path) for each in needles)
        ]

    @cached_property
    def _called(self) -> list[re.Pattern[str]]:
        """What finds calls of functions that add layers to groups."""
        release = _numbers(self.project.vllm.release or "")
        called = {
            name
            for name, since in SHARING_CALLS.items()
            if not release or release >= _numbers(since)
        }
        own = {name for named in self._own.values() for name in named.values()}
        own -= SHARING_CALLS.keys()
        patterns = [*sorted(called), *(rf"(?<!\w){name}" for name in sorted(own))]
        return [re.compile(rf"{pattern}\s*\(") for pattern in patterns]

    @cached_property
    def _own(self) -> dict[Path, dict[int, str]]:
        """The project's functions that add such layers: by where they begin."""
        found: dict[Path, dict[int, str]] = {}
        workspace = self.project.workspace
        for path in filter(self.project.is_own_file, workspace.kept):
            content = workspace.content(path)
            if _NAMES not in content or not _ADDING.search(content):
                continue
            functions = workspace.functions(path)
            text = functions.source.text if functions is not None else ""
            for added in _ADDS.finditer(text):
                bounds = functions.bounds(added.start()) if functions else None
                code = text[slice(*bounds)] if bounds is not None else ""
                header = _HEADER.match(code)
                is_meant = _SHARING.search(code) and _PER_LAYER not in code
                if header is not None and bounds is not None and is_meant:
                    found.setdefault(path, {})[bounds[0]] = header[1]
        return found


def _place(functions: FunctionIndex, start: int) -> Place:
    """The place of a call's name, all of it."""
    text = functions.source.text
    while start and (text[start - 1].isalnum() or text[start - 1] in "_."):
        start -= 1
    return functions.source.place(start, text.find("(", start))


def _numbers(release: str) -> tuple[int, ...]:
    """The numbers of a release, for the order of releases."""
    return tuple(map(int, re.findall(r"\d+", release)[:3]))
