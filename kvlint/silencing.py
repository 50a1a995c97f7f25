# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where a comment can silence a finding, and the edits that make it do so."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from kvlint import catalogue
from kvlint.findings import Edit, Finding
from kvlint.sources import Source
from kvlint.suppressions import Suppression, can_be_silenced, directives

_OPENED, _CLOSED = (
    {getattr(tokenize, f"{kind}STRING_{end}", None) for kind in "FT"}
    for end in ("START", "END")
)
"""Tokens around a formatted string, in whose braces old Pythons allow no comment."""


class CommentLines:
    """The lines of a file that may end with a comment.

    In a string, and before a line that a backslash continues, there is none.

    Args:
        source: The file. It need not parse: what stands above the fault counts.
    """

    def __init__(self, source: Source) -> None:
        """Tell strings and comments from code."""
        self._source = source
        self._comments, self._ends = _line_ends(source.text)

    def line_for(self, finding: Finding) -> int | None:
        """Return the line for the comment that silences a finding.

        Args:
            finding: The finding.

        Returns:
            One whose comment silences something already, or else the finding's first
            line, or another on which a comment does as well; None if there is none, or
            if no comment silences findings of this rule.
        """
        if not can_be_silenced(finding.code):
            return None
        first, others = finding.place.line, sorted(finding.suppressible_lines)
        known = [x for x in (first, *others) if self._suppression(x) is not None]
        return next((x for x in (*known, first, *others) if self._takes_one(x)), None)

    def edits(
        self, line: int, codes: Sequence[str], reason: str, *, added_reason: str = ""
    ) -> list[Edit]:
        """Return what makes a line's comment silence some codes more.

        Args:
            line: A line that ``line_for`` gave.
            codes: The codes.
            reason: What a new comment gives as its reason.
            added_reason: What is added to the reason of one that is there, unless it
                says so already.
        """
        known = self._suppression(line)
        if known is None:
            text = self._source.line(line)
            start = self._source.line_starts[line - 1]
            end = start + len(text.rstrip())
            return [Edit(end, start + len(text), f"  {comment(codes, reason)}")]
        after = known.codes[-1].end
        edits = [Edit(after, after, "".join(f", {code}" for code in codes))]
        if added_reason not in self._source.text[after : known.end]:
            edits.append(Edit(known.end, known.end, f"; {added_reason}"))
        return edits

    def _takes_one(self, line: int) -> bool:
        if self._suppression(line) is not None:
            return True
        _, text = self._comments.get(line, (0, ""))
        return line in self._ends and text.count("`") % 2 == 0

    def _suppression(self, line: int) -> Suppression | None:
        """The comment on a line that silences something, if all of its codes exist."""
        if line not in self._comments:
            return None
        names = catalogue.names()
        known = {*names, *names.values()}
        column, text = self._comments[line]
        start = self._source.line_starts[line - 1] + column
        for each in directives(self._source, start, text):
            if each.codes and all(code.text in known for code in each.codes):
                return each
        return None


def comment(codes: Iterable[str], reason: str) -> str:
    """Return a comment that silences findings.

    Args:
        codes: Their codes.
        reason: Why.
    """
    return f"# kvlint: ignore[{', '.join(codes)}] {reason}"


@lru_cache(maxsize=4)
def _line_ends(text: str) -> tuple[Mapping[int, tuple[int, str]], frozenset[int]]:
    """The comments of a text with their columns, by line; where one might stand."""
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
    return comments, frozenset(ends)
