# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What code of a class runs after something has been called, read off its text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kvlint.model.blocks import block_end

_CLASS = re.compile(r"([ \t]*)class[ \t]+(\w+)[ \t]*(?:\(([^)]*)\))?")
_METHOD = re.compile(r"^([ \t]*)(?:async[ \t]+)?def[ \t]+(\w+)", re.M)
_OWN_CALL = re.compile(r"self\.(\w+)\s*\(")


@dataclass(frozen=True)
class ClassText:
    """A class as it stands in a text.

    Attributes:
        name: Its name.
        bases: The last parts of the names of its bases.
        methods: Where each method begins and ends.
    """

    name: str
    bases: tuple[str, ...]
    methods: Mapping[str, tuple[int, int]]


def class_at(text: str, offset: int) -> ClassText | None:
    """Return the innermost class around a place, None if there is none."""
    place = text.rfind("class ", 0, offset)
    while place >= 0:
        header = _CLASS.match(text, text.rfind("\n", 0, place) + 1)
        if header is not None:
            indent = len(header[1].expandtabs())
            end = block_end(text, header.start(), indent)
            if offset < end:
                return _class(text, header, end)
        place = text.rfind("class ", 0, place)
    return None


def class_named(text: str, name: str) -> ClassText | None:
    """Return a class of a text by its name, None if there is none."""
    place = text.find(f"class {name}")
    while place >= 0:
        header = _CLASS.match(text, text.rfind("\n", 0, place) + 1)
        if header is not None and header[2] == name:
            indent = len(header[1].expandtabs())
            return _class(text, header, block_end(text, header.start(), indent))
        place = text.find(f"class {name}", place + 1)
    return None


def _class(text: str, header: re.Match[str], end: int) -> ClassText:
    methods: dict[str, tuple[int, int]] = {}
    depth: int | None = None
    for found in _METHOD.finditer(text, header.end(), end):
        own = len(found[1].expandtabs())
        depth = own if depth is None else depth
        if own == depth:
            methods[found[2]] = (found.start(), block_end(text, found.start(), own))
    bases = re.findall(r"(\w+)\s*(?:\[[^\]]*\]\s*)?(?:,|$)", header[3] or "")
    return ClassText(header[2], tuple(bases), methods)


@dataclass(frozen=True)
class Succession:
    """What runs after a call.

    Attributes:
        regions: From where to where the text runs after it, and where it stands; None
            if a base class makes it.
        methods: The methods that are called after it.
    """

    regions: Mapping[tuple[int, int], int | None]
    methods: frozenset[str]

    def region(self, offset: int) -> tuple[int, int] | None:
        """Return the region that a place is in, None if it runs after nothing."""
        for start, end in self.regions:
            if start <= offset < end:
                return start, end
        return None


def after_calls(
    text: str, of: ClassText, calls: Sequence[int], known: Iterable[str] = ()
) -> Succession:
    """Return what code of a class runs after one of some calls.

    Args:
        text: The file.
        of: The class.
        calls: Where the calls stand in the file, in order.
        known: Methods that run after it anyway, since a base calls them so.
    """
    known = [name for name in known if name in of.methods]
    causes = dict(_calling(text, of, calls))
    if not causes and not known:
        return Succession({}, frozenset())
    own = {name: _own_calls(text, *span) for name, span in of.methods.items()}
    first = dict(causes)
    grew = True
    while grew:
        grew = False
        for name, called in own.items():
            for position, each in () if name in causes else called:
                if each in causes:
                    causes[name], first[name] = causes[each], position
                    grew = True
                    break
    regions: dict[tuple[int, int], int | None] = {}
    pending: list[tuple[str, int | None]] = [(name, None) for name in known]
    for name, cause in causes.items():
        regions[first[name] + 1, of.methods[name][1]] = cause
        pending += [(each, cause) for at, each in own[name] if at > first[name]]
    methods: set[str] = set()
    while pending:
        name, after = pending.pop()
        if name in methods or name in causes or name not in own:
            continue
        methods.add(name)
        regions[of.methods[name]] = after
        pending += [(each, after) for _, each in own[name]]
    return Succession(regions, frozenset(methods))


def _calling(
    text: str, of: ClassText, calls: Sequence[int]
) -> Iterator[tuple[str, int]]:
    """Yield the methods that make the calls themselves, each with the first."""
    for name, (start, end) in of.methods.items():
        body = text.find("(", start)
        found = next((each for each in calls if body < each < end), None)
        if found is not None:
            yield name, found


def _own_calls(text: str, start: int, end: int) -> list[tuple[int, str]]:
    return [(each.start(), each[1]) for each in _OWN_CALL.finditer(text, start, end)]
