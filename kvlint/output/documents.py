# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What formats for programs share: JSON that every reader takes, columns, failures."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from kvlint.findings import Failure, Place

if TYPE_CHECKING:
    from kvlint.reports import Report
    from kvlint.sources import Source

Span = tuple[int, int, int, int]
"""First line and column, last line and column, as ``Place`` has them."""

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


def dumped(document: Any) -> str:
    """Return a document as JSON, in ASCII so that any terminal holds it.

    The bytes of a path that are no text become question marks on a diamond: half a
    surrogate pair, which Python would write, stops many a reader.
    """
    text = json.dumps(document, indent=2, ensure_ascii=False)
    return _NOT_ASCII.sub(_escaped, text) + "\n"


def _escaped(match: re.Match[str]) -> str:
    each = match[0]
    return "\\ufffd" if "\ud800" <= each <= "\udfff" else json.dumps(each)[1:-1]


def utf8(text: str) -> int:
    """Return how many bytes of UTF-8 a text takes."""
    return len(text.encode("utf-8", "surrogatepass"))


def utf16(text: str) -> int:
    """Return how many code units of UTF-16 a text takes."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def span(place: Place, source: Source | None, measure: Callable[[str], int]) -> Span:
    """Return a place with its columns in other units than characters.

    Args:
        place: The place.
        source: Its file; without it the columns are as they are.
        measure: Counts the units of the text that stands before a column.
    """

    def column(line: int, column: int) -> int:
        if source is None or not 0 < line <= len(source.line_starts):
            return column
        before = source.line(line)[: column - 1]
        return column + measure(before) - len(before)

    return (
        place.line,
        column(place.line, place.column),
        place.end_line,
        column(place.end_line, place.end_column),
    )


def failures_untold(report: Report) -> Iterator[Failure]:
    """Yield the failures that are not told as findings too, as syntax errors are."""
    told = {(each.place.path, each.code) for each in report.findings}
    for each in report.failures:
        if (each.path, each.code) not in told:
            yield each
