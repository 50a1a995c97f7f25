# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A small document printer that breaks lines where ``ruff format`` breaks them.

Documents are groups that are printed on one line if they fit and broken if not, after
Wadler. How a group is measured follows ruff's printer, so that the same documents give
the same lines.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal

from kvlint.mending.documents import (
    HARD,
    Doc,
    Expandable,
    Group,
    IfBroken,
    Indent,
    Line,
    Mark,
    Rescued,
)


@dataclass(frozen=True, slots=True)
class Style:
    """How a project lays its code out.

    Attributes:
        line_length: The columns that a line may have.
        indent: One step of indentation: spaces or a tab.
        quote: The quote of strings.
        tab_width: The columns that a tab counts for.
    """

    line_length: int = 88
    indent: str = "    "
    quote: Literal['"', "'"] = '"'
    tab_width: int = 4


def width(text: str) -> int:
    """Return how many columns a text without tabs and line ends takes.

    Args:
        text: Any characters.

    Returns:
        The columns, wide East Asian characters counted twice.
    """
    if text.isascii():
        return len(text)
    return sum(
        (not unicodedata.combining(each))
        + (unicodedata.east_asian_width(each) in ("W", "F"))
        for each in text
    )


def columns(line: str, style: Style) -> int:
    """Return how many columns a line or an indentation takes.

    Args:
        line: Its characters, without a line end.
        style: Tells how wide a tab is.
    """
    return width(line.expandtabs(style.tab_width))


def overflows(text: str, style: Style) -> bool:
    """Return whether a line of a text is longer than it may be."""
    return any(columns(line, style) > style.line_length for line in text.split("\n"))


def render(doc: Doc, style: Style, indent: str = "") -> str:
    """Return the text of a statement.

    Args:
        doc: The statement.
        style: The line length and the step of indentation.
        indent: What its lines start with.

    Returns:
        Its lines, each with a line end.
    """
    return _Printer(style, indent).printed(doc) + "\n"


class _Measure(Enum):
    """How far and how strictly to measure."""

    FIRST_LINE = auto()
    ALL_LINES = auto()
    OVERFLOW_ALLOWED = auto()


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the document that waits to be printed or measured."""

    doc: Doc
    level: int
    flat: bool
    measure: _Measure = _Measure.FIRST_LINE

    def of(self, doc: Doc, *, flat: bool | None = None, deeper: int = 0) -> _Part:
        return _Part(
            doc,
            self.level + deeper,
            self.flat if flat is None else flat,
            self.measure,
        )


class _Printer:
    def __init__(self, style: Style, indent: str) -> None:
        self._style = style
        self._indent = indent
        self._pieces = [indent]
        self._column = columns(indent, style)
        self._broken: dict[Mark, bool] = {}
        self._measured = False

    def printed(self, doc: Doc) -> str:
        rest = [_Part(doc, 0, flat=False)]
        while rest:
            part = rest.pop()
            match part.doc:
                case str(text):
                    self._pieces.append(text)
                    self._column += width(text)
                case Line(flat=text, hard=hard):
                    if part.flat and not hard:
                        self._pieces.append(text)
                        self._column += len(text)
                    else:
                        self._pieces.append("\n" + self._margin(part.level))
                        self._column = self._start(part.level)
                        self._measured = False
                case Group(content, mark, broken):
                    flat = not broken and self._fits_flat(part, content, mark, rest)
                    self._note(mark, not flat)
                    rest.append(part.of(content, flat=flat))
                case Rescued(content, mark):
                    rest.append(self._rescued(part, content, mark, rest))
                case Expandable(content, mark):
                    # It was measured with its brackets broken: measure them anew.
                    self._measured &= self._broken.get(mark, True)
                    rest.append(part.of(content))
                case _:
                    rest += reversed(self._opened(part))
        return "".join(self._pieces)

    def _margin(self, level: int) -> str:
        return self._indent + self._style.indent * level

    def _start(self, level: int) -> int:
        return columns(self._margin(level), self._style)

    def _note(self, mark: Mark | None, broken: bool) -> None:
        if mark is not None:
            self._broken[mark] = broken

    def _opened(self, part: _Part) -> list[_Part]:
        """Return the parts of which a part consists, in order."""
        match part.doc:
            case IfBroken(broken, flat, mark):
                is_broken = self._broken[mark] if mark else not part.flat
                return [part.of(broken if is_broken else flat)]
            case Indent(content, mark):
                deeper = mark is None or self._broken[mark]
                return [part.of(content, deeper=int(deeper))]
            case tuple(docs):
                return [part.of(each) for each in docs]
        raise TypeError(f"not a document: {part.doc!r}")

    def _fits_flat(
        self, part: _Part, content: Doc, mark: Mark | None, rest: list[_Part]
    ) -> bool:
        if part.flat and self._measured:
            return True  # a group around it was found to fit
        self._measured = True
        self._note(mark, False)
        return self._fits([part.of(content, flat=True)], rest)

    def _rescued(
        self, part: _Part, content: Doc, mark: Mark, rest: list[_Part]
    ) -> _Part:
        if not self._fits_flat(part, content, mark, rest):
            indented: Doc = ("(", Indent((HARD, content)), HARD, ")")
            trial = _Part(indented, part.level, False, _Measure.ALL_LINES)
            self._note(mark, True)
            if self._fits([trial], rest):
                return part.of(indented, flat=False)
        self._note(mark, False)
        return part.of(content, flat=True)

    def _fits(self, parts: list[_Part], rest: list[_Part]) -> bool:
        """Return whether parts, and the rest up to its first break, fit."""
        column, waiting = self._column, len(rest)
        while parts or waiting:
            if not parts:
                waiting -= 1
                parts.append(rest[waiting])
            part = parts.pop()
            match part.doc:
                case Line(flat=text, hard=hard):
                    if part.flat and not hard:
                        column += len(text)
                    elif part.flat or part.measure is _Measure.FIRST_LINE:
                        return True
                    else:
                        column = self._start(part.level)
                case str(text):
                    column += width(text)
                case Group(content, mark, broken):
                    flat = part.flat and not broken
                    self._note(mark, not flat)
                    parts.append(part.of(content, flat=flat))
                case Rescued(content, mark):
                    self._note(mark, not part.flat)
                    parts.append(part.of(content))
                case Expandable(content, mark):
                    if part.flat and not self._broken.get(mark, True):
                        measure = _Measure.OVERFLOW_ALLOWED
                        parts.append(_Part(content, part.level, False, measure))
                    else:
                        parts.append(part.of(content))
                case _:
                    parts += reversed(self._opened(part))
            if (
                column > self._style.line_length
                and part.measure is not _Measure.OVERFLOW_ALLOWED
            ):
                return False
        return True
