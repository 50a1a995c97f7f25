# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Whether this Python accepts a text, most of which it has read before an edit."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kvlint.model.syntax import python_syntax
from kvlint.sources import Source

_WRAPPER = "if True:\n"
_Row = tuple[int, ...]


@dataclass(frozen=True)
class Accepted:
    """A text that this Python accepts.

    Attributes:
        text: The text.
        rows: Where statements begin that begin a line: first those of the module, then
            those of each class in it.
    """

    text: str
    rows: tuple[_Row, ...]


def accepted(source: Source, former: Accepted | None = None) -> Accepted | None:
    """Return a file's text if this Python accepts it.

    Args:
        source: The file.
        former: What it accepted before an edit: only statements around that are read.
    """
    if former is not None:
        edit = _Edit.between(former.text, source.text)
        for number in sorted(range(len(former.rows)), reverse=True):
            found = _read_again(source, former, number, edit)
            if found is not None:
                return found
    syntax = python_syntax(source.text)
    if not isinstance(syntax, ast.Module):
        return None
    return Accepted(source.text, _rows(source, syntax.body, 0))


@dataclass(frozen=True)
class _Edit:
    """What has changed between two texts.

    Attributes:
        start: Where it begins.
        end: Where it ends in the first text.
        growth: How many characters the second text has more.
    """

    start: int
    end: int
    growth: int

    @classmethod
    def between(cls, old: str, new: str) -> _Edit:
        start = common_start(old, new)
        same = common_start(old[start:][::-1], new[start:][::-1])
        return cls(start, len(old) - same, len(new) - len(old))

    def moved(self, row: _Row) -> _Row:
        """Places behind it, as they are in the second text."""
        return tuple(each + self.growth if each >= self.end else each for each in row)


def _read_again(
    source: Source, former: Accepted, number: int, edit: _Edit
) -> Accepted | None:
    """Read the statements of a row that an edit meets, and one on either side.

    Returns:
        None if it is not within the row, or Python does not accept them.
    """
    row = former.rows[number]
    first = bisect_left(row, edit.start) - 2
    last = bisect_left(row, edit.end) + 1
    if first < 0 or last >= len(row):
        return None
    begin, end = row[first], row[last] + edit.growth
    prefix = _WRAPPER if number else ""
    piece = replace(source, text=prefix + source.text[begin:end])
    syntax = python_syntax(piece.text)
    if not isinstance(syntax, ast.Module):
        return None
    body: Sequence[ast.stmt] = syntax.body
    if number:
        (wrapper,) = body if len(body) == 1 else (None,)
        if not isinstance(wrapper, ast.If) or wrapper.orelse:
            return None
        body = wrapper.body
    fresh = _rows(piece, body, begin - len(prefix))
    rows = []
    for each in former.rows:
        if each is row:
            rows.append((*row[:first], *fresh[0], *edit.moved(row[last:])))
        elif not row[first] < each[0] < row[last]:  # else the class is read again
            rows.append(edit.moved(each))
    return Accepted(source.text, (*rows, *fresh[1:]))


def _rows(source: Source, body: Sequence[ast.stmt], offset: int) -> tuple[_Row, ...]:
    """Where statements begin, and those of classes among them."""
    classes = (each for each in body if isinstance(each, ast.ClassDef))
    found = (
        _starts(source, each, offset) for each in (body, *(x.body for x in classes))
    )
    own, *inner = map(tuple, found)
    return (own, *filter(None, inner))


def _starts(source: Source, body: Sequence[ast.stmt], offset: int) -> Iterator[int]:
    """The beginnings of the lines that statements begin."""
    for each in body:
        start = source.line_starts[each.lineno - 1]
        if source.text[start : start + each.col_offset].strip():
            continue  # it stands behind another one
        decorators = getattr(each, "decorator_list", ())
        line = min(x.lineno for x in (each, *decorators))
        yield source.line_starts[line - 1] + offset


def common_start(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
