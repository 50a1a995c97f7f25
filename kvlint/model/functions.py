# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""One function parsed at its exact span, where a whole file would cost too much."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TypeVar

import libcst as cst

from kvlint.findings import Place
from kvlint.model.syntax import Span, Tree, UnparsableError, parse
from kvlint.sources import Source

# Each begins with letters: many times as fast to search for as the start of a line.
_HEADERS = (re.compile(r"class[ \t]+(\w+)"), re.compile(r"def[ \t]+(\w+)"))
_LEAD = re.compile(r"([ \t]*)(?:async[ \t]+)?")
_WRAPPER = "if True:\n"
_Known = TypeVar("_Known")


@dataclass(frozen=True, eq=False)
class FunctionText:
    """A function, with the class that it is a method of.

    Attributes:
        source: Its file.
        node: The function.
        class_name: The class; empty for a plain function.
    """

    source: Source
    node: cst.FunctionDef
    class_name: str
    _tree: Tree
    _start: int
    _known: dict[Hashable, object] = field(default_factory=dict)

    def known(self, what: Hashable, find: Callable[[], _Known]) -> _Known:
        """Return what can be told of the function's syntax alone, found out only once.

        Args:
            what: What is told: whatever ``find`` depends on beside the syntax.
            find: Finds it out. What it gives is shared, so nobody may change it.
        """
        if what not in self._known:
            self._known[what] = find()
        return self._known[what]  # type: ignore[return-value]

    @property
    def is_exact(self) -> bool:
        """Whether libcst gives the function back unchanged, and its places are true."""
        return self._tree.is_exact

    def span(self, node: cst.CSTNode) -> Span:
        """Return the characters of a node of the function in its file."""
        span = self._tree.span(node)
        return Span(self._start + span.start, self._start + span.end)

    def code(self, node: cst.CSTNode) -> str:
        """Return the text of a node of the function as it stands in the file."""
        return self._tree.code(node)

    @property
    def extent(self) -> tuple[int, int]:
        """Where it begins in its file, and where it ends."""
        return self._start, self._start + len(self._tree.source.text)

    def place(self, node: cst.CSTNode) -> Place:
        """Return where a node of the function stands in its file."""
        span = self.span(node)
        return self.source.place(span.start, span.end)

    @property
    def symbol(self) -> str:
        """``Class.method``, or the name of a plain function."""
        name = self.node.name.value
        return f"{self.class_name}.{name}" if self.class_name else name


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


class FunctionIndex:
    """The functions of a file, parsed one by one as they are asked for.

    Args:
        source: The file.
        former: The functions that the file had with another text: those that are still
            the same need no parsing again.
    """

    def __init__(self, source: Source, former: FunctionIndex | None = None) -> None:
        """Find the headers of classes and functions."""
        self.source = source
        self._headers = _headers(source.text)
        self._parsed: dict[int, FunctionText | None] = {}
        self._ends: dict[int, int] = {}
        self._former = {} if former is None else former._by_text()

    def around(self, offsets: Iterable[int]) -> list[FunctionText]:
        """Return the outermost functions that hold some places, each once.

        Args:
            offsets: Places in characters.

        Returns:
            Functions in the order of the text. Places outside every function, and
            functions that libcst does not accept, are left out.
        """
        found: dict[int, FunctionText | None] = {}
        for offset in offsets:
            chain = self._enclosing(offset)
            if chain and chain[-1].start not in found:
                found[chain[-1].start] = self._function(chain)
        return [each for _, each in sorted(found.items()) if each is not None]

    def bounds(self, offset: int) -> tuple[int, int] | None:
        """Return where the outermost function around a place begins and ends.

        Args:
            offset: The place in characters.

        Returns:
            Two places; None outside of functions.
        """
        chain = self._enclosing(offset)
        if not chain:
            return None
        header = chain[-1]
        return header.start, _end(self.source.text, header, self._ends)

    def _enclosing(self, offset: int) -> list[_Header]:
        """The headers around a place, down to that of the outermost function."""
        chain = _around(self.source.text, self._headers, offset, self._ends)
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
        chain = self._enclosing(offset)
        names = ["", "", *(each.name for each in chain)]
        return (names[-2] if len(chain) > 1 else ""), names[-1]

    def glance(self, offset: int) -> Glance:
        """Return about where the function around a place is, without reading much.

        Args:
            offset: The place in characters.
        """
        last = bisect_right(self._starts, offset) - 1
        chain: list[_Header] = []
        for number in range(last, -1, -1):
            header = self._headers[number]
            if not chain or header.indent < chain[-1].indent:
                chain.append(header)
            if not header.indent:
                break
        outer = next((each for each in reversed(chain) if not each.is_class), None)
        if outer is None:
            return Glance(0, len(self.source.text), "", "")
        above = chain[chain.index(outer) + 1 :]
        end = next(
            (
                each.start
                for each in self._headers[last + 1 :]
                if each.indent <= outer.indent
            ),
            len(self.source.text),
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

    def named(self, name: str, class_name: str = "") -> FunctionText | None:
        """Return the only outermost function of a name.

        Args:
            name: The name.
            class_name: The class around it; empty for a plain function.
        """
        starts = [x.start for x in self._headers if x.name == name and not x.is_class]
        found = [x for x in starts if self.owner(x) == (class_name, name)]
        return next(iter(self.around(found)), None) if len(found) == 1 else None

    def texts(self, name: str) -> Iterator[str]:
        """Yield the texts of all functions of a name, wherever they are.

        Args:
            name: The name.
        """
        text = self.source.text
        for each in self._headers:
            if each.name == name and not each.is_class:
                yield text[each.start : _end(text, each, self._ends)]

    def bodies(self) -> dict[str, str]:
        """Return the texts of the module's own functions by their names."""
        text = self.source.text
        return {
            each.name: text[each.start : block_end(text, each.start, 0)]
            for each in self._headers
            if not each.indent and not each.is_class
        }

    def _function(self, chain: list[_Header]) -> FunctionText | None:
        header = chain[-1]
        if header.start not in self._parsed:
            class_name = chain[-2].name if len(chain) > 1 else ""
            prefix = _WRAPPER if header.indent else ""
            end = _end(self.source.text, header, self._ends)
            text = prefix + self.source.text[header.start : end]
            start = header.start - len(prefix)
            known = self._former.get((class_name, text))
            if known is None:
                found = _parse(self.source, text, start, class_name)
            else:
                found = replace(known, source=self.source, _start=start)
            self._parsed[header.start] = found
        return self._parsed[header.start]

    def _by_text(self) -> dict[tuple[str, str], FunctionText]:
        """The functions that were parsed, by their classes and texts."""
        found = filter(None, self._parsed.values())
        return {(each.class_name, each._tree.source.text): each for each in found}


@dataclass(frozen=True, slots=True)
class _Header:
    start: int
    indent: int
    is_class: bool
    name: str


def names_around(text: str, offsets: Iterable[int]) -> set[str]:
    """Return the names of the functions and classes around some places in a text."""
    headers, ends = _headers(text), dict[int, int]()
    return {x.name for offset in offsets for x in _around(text, headers, offset, ends)}


def _headers(text: str) -> list[_Header]:
    found = []
    for pattern, is_class in zip(_HEADERS, (True, False), strict=True):
        for match in pattern.finditer(text):
            start = text.rfind("\n", 0, match.start()) + 1
            lead = _LEAD.fullmatch(text, start, match.start())
            if lead is None or (is_class and lead.end() > lead.end(1)):
                continue
            indent = len(lead[1].expandtabs())
            found.append(_Header(start, indent, is_class, match[1]))
    return sorted(found, key=_start)


def _start(header: _Header) -> int:
    return header.start


def _around(
    text: str, headers: list[_Header], offset: int, ends: dict[int, int]
) -> list[_Header]:
    """The class and function headers around a place, the outermost first."""
    chain: list[_Header] = []
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


def _end(text: str, header: _Header, ends: dict[int, int]) -> int:
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


def _parse(
    source: Source, text: str, start: int, class_name: str
) -> FunctionText | None:
    piece = replace(source, text=text)
    try:
        tree = Tree(piece, parse(piece))
    except UnparsableError:
        return None
    inner: cst.CSTNode = tree.module.body[0]
    if text.startswith(_WRAPPER) and isinstance(inner, cst.If):
        inner = inner.body.body[0]
    if not isinstance(inner, cst.FunctionDef):
        return None
    return FunctionText(source, inner, class_name, tree, start)
