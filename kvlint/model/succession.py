# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What code of a file runs after something has been called, read off its text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kvlint.model.functions import block_end

_CLASS = re.compile(r"^([ \t]*)class[ \t]+(\w+)[ \t]*(?:\(([^)]*)\))?", re.M)
_METHOD = re.compile(r"^([ \t]*)(?:async[ \t]+)?def[ \t]+(\w+)", re.M)
_OWN_CALL = re.compile(r"\bself\.(\w+)\s*\(")


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


def classes_in(text: str) -> list[ClassText]:
    """Return the classes of a text, those inside functions and classes too."""
    return [_class(text, header) for header in _CLASS.finditer(text)]


def _class(text: str, header: re.Match[str]) -> ClassText:
    indent = len(header[1].expandtabs())
    end = block_end(text, header.start(), indent)
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
        regions: From where to where the text runs after it, by where it is called.
        methods: The methods that are called after it.
    """

    regions: Mapping[tuple[int, int], int]
    methods: frozenset[str]

    def cause(self, offset: int) -> int | None:
        """Return where the call stands that a place runs after; None if none does."""
        for (start, end), called in self.regions.items():
            if start <= offset < end:
                return called
        return None


def after_calls(
    text: str, of: ClassText, called: re.Pattern[str], known: Iterable[str] = ()
) -> Succession:
    """Return what code of a class runs after one of some functions is called.

    Args:
        text: The file.
        of: The class.
        called: Finds the calls.
        known: Methods that are known to run after it, since a base calls them so.
    """
    origins = _calling(text, of, called)
    regions: dict[tuple[int, int], int] = {}
    pending: list[tuple[str, int]] = []
    for name, position in origins.items():
        end = of.methods[name][1]
        cause = _first(text, of, called, name, origins)
        regions[position, end] = cause
        pending += [(each, cause) for each in _own_calls(text, position, end)]
    pending += [(each, of.methods[each][0]) for each in known if each in of.methods]
    methods: set[str] = set()
    while pending:
        name, cause = pending.pop()
        if name in methods or name not in of.methods or name in origins:
            continue
        methods.add(name)
        start, end = of.methods[name]
        regions[start, end] = cause
        pending += [(each, cause) for each in _own_calls(text, start, end)]
    return Succession(regions, frozenset(methods))


def _calling(text: str, of: ClassText, called: re.Pattern[str]) -> dict[str, int]:
    """The methods that call it, also through each other, and where that is done."""
    found: dict[str, int] = {}
    for name, (start, end) in of.methods.items():
        call = called.search(text, text.find("(", start), end)
        if call is not None:
            found[name] = call.end()
    grew = True
    while grew:
        grew = False
        for name, (start, end) in of.methods.items():
            if name in found:
                continue
            for each in _OWN_CALL.finditer(text, start, end):
                if each[1] in found:
                    found[name] = each.end()
                    grew = True
                    break
    return found


def _first(
    text: str,
    of: ClassText,
    called: re.Pattern[str],
    name: str,
    calling: Mapping[str, int],
) -> int:
    """Where the call itself stands that a method makes, through others or not."""
    seen: set[str] = set()
    while name not in seen:
        seen.add(name)
        start, end = of.methods[name]
        call = called.search(text, text.find("(", start), end)
        if call is not None:
            return call.start()
        for each in _OWN_CALL.finditer(text, start, end):
            if each[1] in calling:
                name = each[1]
                break
    return calling[name]


def _own_calls(text: str, start: int, end: int) -> list[str]:
    return [each[1] for each in _OWN_CALL.finditer(text, start, end)]
