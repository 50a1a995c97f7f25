# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A line of source as a terminal shows it, and the marks below it."""

from __future__ import annotations

import unicodedata

from kvlint.findings import Place
from kvlint.sources import Source

LIMIT = 120  # cells of a source line; longer ones are cut around the mark
_BEFORE = 40  # cells kept before the mark when a line is cut
_TAB = "    "
_MOST_LINES = 3


def excerpt(source: Source, place: Place) -> list[tuple[int, str, str]]:
    """Return line number, shown text and marks for each line of a place.

    Args:
        source: The file.
        place: Where; of a long stretch only the first lines are shown.

    Returns:
        At most three lines; none if the file has no such line.
    """
    # A stretch that ends at the start of a line does not touch that line.
    last = place.end_line - (place.end_column == 1 and place.end_line > place.line)
    last = min(last, place.line + _MOST_LINES - 1, len(source.line_starts))
    shown = []
    for number in range(max(place.line, 1), last + 1):
        line = source.line(number)
        indent = len(line) - len(line.lstrip())
        start = place.column - 1 if number == place.line else indent
        end = place.end_column - 1 if number == place.end_line else len(line)
        shown.append((number, *marked(line, start, end)))
    return shown


def marked(line: str, start: int, end: int) -> tuple[str, str]:
    """Return a line as shown and the carets under some of its characters.

    Args:
        line: The line, without its end.
        start: Index of the first character to mark.
        end: One past the last; at least one cell is marked in any case.
    """
    cells = [_cell(each) for each in line]
    widths = [width for _, width in cells]
    left, room = 0, LIMIT
    before = after = ""
    if sum(widths) > LIMIT:
        left = _reach_back(widths, start)
        before = "…" if left else ""
        room -= len(before) + 1
    right, used = left, 0
    while right < len(cells) and used + widths[right] <= room:
        used += widths[right]
        right += 1
    if right < len(cells):
        after = "…"
    text = before + "".join(shown for shown, _ in cells[left:right]) + after
    gap = len(before) + sum(widths[left:start])
    marks = sum(widths[start : min(end, right)])
    return text.rstrip(), " " * gap + "^" * max(marks, 1)


def _reach_back(widths: list[int], start: int) -> int:
    """Return the index from which to show a long line."""
    left, used = min(start, len(widths)), 0
    while left and used + widths[left - 1] <= _BEFORE:
        left -= 1
        used += widths[left]
    return left


def _cell(character: str) -> tuple[str, int]:
    """Return how a character is shown and how many cells it takes."""
    if character == "\t":
        return _TAB, len(_TAB)
    if character.isascii() and character.isprintable():
        return character, 1
    if character < " ":
        return chr(0x2400 + ord(character)), 1
    category = unicodedata.category(character)
    if category in {"Cc", "Cf", "Cs", "Zl", "Zp"}:
        return "\N{REPLACEMENT CHARACTER}", 1
    if category in {"Mn", "Me"}:
        return character, 0
    return character, 2 if unicodedata.east_asian_width(character) in "WF" else 1
