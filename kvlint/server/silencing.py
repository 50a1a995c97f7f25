# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The comment that silences a finding, as an edit."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from kvlint import catalogue
from kvlint.findings import Edit, Finding
from kvlint.sources import Source
from kvlint.suppressions import can_be_silenced, directives

_REASON = "TODO: say why"
_OPENED, _CLOSED = (
    {getattr(tokenize, f"{kind}STRING_{end}", None) for kind in "FT"}
    for end in ("START", "END")
)
"""Tokens around a formatted string, in whose braces old Pythons allow no comment."""


def silencing(source: Source, finding: Finding) -> Edit | None:
    """Return the edit that adds a suppression comment to a finding's line.

    A comment that is there already takes the code in as well.

    Args:
        source: The finding's file.
        finding: The finding.

    Returns:
        None if the finding cannot be silenced, or no comment can stand there: the line
        goes on behind a backslash, or a string does.
    """
    if not can_be_silenced(finding.code):
        return None
    names = catalogue.names()
    known = {*names, *names.values()}
    lines = _lines(source.text)
    for line in sorted({finding.place.line, *finding.suppressible_lines}):
        if line in lines.comments:
            column, comment = lines.comments[line]
            start = source.line_starts[line - 1] + column
            for each in directives(source, start, comment):
                if each.codes and all(code.text in known for code in each.codes):
                    end = each.codes[-1].end
                    return Edit(end, end, f", {finding.code}")
    line = finding.place.line
    quoted = line in lines.comments and lines.comments[line][1].count("`") % 2
    if line not in lines.ends or quoted:
        return None
    end = source.line_starts[line - 1] + len(source.line(line).rstrip())
    return Edit(end, end, f"  # kvlint: ignore[{finding.code}] {_REASON}")


@dataclass(frozen=True)
class _Lines:
    """What stands at the ends of lines.

    Attributes:
        comments: Columns and texts of comments, by their lines.
        ends: Lines that end where a comment could stand.
    """

    comments: Mapping[int, tuple[int, str]]
    ends: frozenset[int]


@lru_cache(maxsize=4)
def _lines(text: str) -> _Lines:
    comments: dict[int, tuple[int, str]] = {}
    ends, depth = set(), 0
    read = io.StringIO(text, newline="").readline
    try:
        for token in tokenize.generate_tokens(read):
            if token.type == tokenize.COMMENT:
                comments[token.start[0]] = token.start[1], token.string
            elif token.type in _OPENED:
                depth += 1
            elif token.type in _CLOSED:
                depth -= 1
            elif token.type in (tokenize.NEWLINE, tokenize.NL) and not depth:
                ends.add(token.start[0])
    except (SyntaxError, tokenize.TokenError):
        pass  # what was read until there is right
    return _Lines(comments, frozenset(ends))
