# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where classes and functions stand in a text, told from lines, without parsing it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property

# Each begins with letters: many times as fast to search for as the start of a line.
_HEADERS = (re.compile(r"class[ \t]+(\w+)"), re.compile(r"def[ \t]+(\w+)"))
_LEAD = re.compile(r"([ \t]*)(?:async[ \t]+)?")


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a class or a function.

    Attributes:
        start: Where the line begins.
        indent: How deep it stands, in columns.
        is_class: Whether it is a class's.
        name: The name of the class or function.
    """

    start: int
    indent: int
    is_class: bool
    name: str


@dataclass(frozen=True, slots=True)
class Glance:
    """About where a function stands: what follows it may be taken for its end.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        class_name: The class around it; empty for a plain function.
        name: Its name.
    """

    start: int
    end: int
    class_name: str
    name: str


class Blocks:
    """The classes and functions of a text.

    Args:
        text: A file.
    """

    def __init__(self, text: str) -> None:
        """Find the headers of classes and functions."""
        self._text = text
        self._headers = _headers(text)
        self._ends: dict[int, int] = {}

    def bounds(self, offset: int) -> tuple[int, int] | None:
        """Return where the outermost function around a place begins and ends.

        Args:
            offset: The place in characters.

        Returns:
            Two places; None outside of functions.
        """
        chain = self.enclosing(offset)
        if not chain:
            return None
        header = chain[-1]
        return header.start, self._end(header)

    def _end(self, header: Header) -> int:
        return _end(self._text, header, self._ends)

    def enclosing(self, offset: int) -> list[Header]:
        """Return the headers around a place, down to that of the outermost function.

        Args:
            offset: The place in characters.

        Returns:
            The outermost first; nothing outside of functions.
        """
        chain = _around(self._text, self._headers, offset, self._ends)
        for index, header in enumerate(chain):
            if not header.is_class:
                return chain[: index + 1]
        return []

    def owner(self, offset: int) -> tuple[str, str]:
        """Return the class and the name of the outermost function around a place.

        Args:
            offset: The place in characters.

        Returns:
            Two names, the first one empty for a plain function, or outside of them.
        """
        chain = self.enclosing(offset)
        names = ["", "", *(each.name for each in chain)]
        return (names[-2] if len(chain) > 1 else ""), names[-1]

    def glance(self, offset: int) -> Glance:
        """Return about where the function around a place is, without reading much.

        Args:
            offset: The place in characters.
        """
        last = bisect_right(self._starts, offset) - 1
        chain: list[Header] = []
        for number in range(last, -1, -1):
            header = self._headers[number]
            if not chain or header.indent < chain[-1].indent:
                chain.append(header)
            if not header.indent:
                break
        outer = next((each for each in reversed(chain) if not each.is_class), None)
        if outer is None:
            return Glance(0, len(self._text), "", "")
        above = chain[chain.index(outer) + 1 :]
        end = next(
            (
                each.start
                for each in self._headers[last + 1 :]
                if each.indent <= outer.indent
            ),
            len(self._text),
        )
        return Glance(outer.start, end, above[0].name if above else "", outer.name)

    @cached_property
    def _starts(self) -> list[int]:
        return [each.start for each in self._headers]

    def above(self, offset: int) -> str:
        """Return the name that the last header before a place defines, if there is one.

        Args:
            offset: The place in characters.
        """
        last = bisect_right(self._starts, offset) - 1
        return self._headers[last].name if last >= 0 else ""

    def bodies(self) -> dict[str, str]:
        """Return the texts of the module's own functions by their names."""
        text = self._text
        return {
            each.name: text[each.start : block_end(text, each.start, 0)]
            for each in self._headers
            if not each.indent and not each.is_class
        }


def names_around(text: str, offsets: Iterable[int]) -> set[str]:
    """Return the names of the functions and classes around some places in a text."""
    headers, ends = _headers(text), dict[int, int]()
    return {x.name for offset in offsets for x in _around(text, headers, offset, ends)}


def _headers(text: str) -> list[Header]:
    found = []
    for pattern, is_class in zip(_HEADERS, (True, False), strict=True):
        for match in pattern.finditer(text):
            start = text.rfind("\n", 0, match.start()) + 1
            lead = _LEAD.fullmatch(text, start, match.start())
            if lead is None or (is_class and lead.end() > lead.end(1)):
                continue
            indent = len(lead[1].expandtabs())
            found.append(Header(start, indent, is_class, match[1]))
    return sorted(found, key=_start)


def _start(header: Header) -> int:
    return header.start


def _around(
    text: str, headers: list[Header], offset: int, ends: dict[int, int]
) -> list[Header]:
    """The class and function headers around a place, the outermost first."""
    chain: list[Header] = []
    limit = 1 << 30
    for index in range(bisect_right(headers, offset, key=_start) - 1, -1, -1):
        header = headers[index]
        if header.indent >= limit:
            continue
        if _end(text, header, ends) > offset:
            chain.append(header)
        # Where a block has ended, all that are indented as deep or deeper have.
        limit = header.indent
        if not limit:
            break
    chain.reverse()
    return chain


def _end(text: str, header: Header, ends: dict[int, int]) -> int:
    """Where the block behind a header ends."""
    if header.start not in ends:
        ends[header.start] = block_end(text, header.start, header.indent)
    return ends[header.start]


def block_end(text: str, start: int, indent: int) -> int:
    """Return where the first line that is indented no deeper than a header begins.

    Args:
        text: A file.
        start: Where the header begins.
        indent: How deep it stands.
    """
    position = text.find("\n", start) + 1
    if position and "\t" not in text:
        found = _no_deeper(indent).search(text, position)
        return len(text) if found is None else found.start()
    while 0 < position < len(text):
        line_end = text.find("\n", position)
        line = text[position : line_end if line_end >= 0 else len(text)]
        stripped = line.lstrip(" \t")
        depth = len(line[: len(line) - len(stripped)].expandtabs())
        if stripped.strip() and depth <= indent and stripped[0] not in "#)]}":
            return position
        if line_end < 0:
            break
        position = line_end + 1
    return len(text)


@cache
def _no_deeper(indent: int) -> re.Pattern[str]:
    """Finds lines of code that no more than some spaces stand before."""
    return re.compile(rf"^ {{0,{indent}}}[^\s#)\]}}]", re.M)
