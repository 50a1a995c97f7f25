# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which findings a change brought, and which were there before, perhaps elsewhere."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kvlint.findings import Finding
from kvlint.reports import Report
from kvlint.sources import Source

_NAME = re.compile(r"`([^`]+)`|\b(KV\d{3})\b")
_OTHERS = re.compile(r"(\d+) others")
_LINE_END = re.compile(r"\r\n?|\n")


def novel(now: Report, then: Report) -> list[Finding]:
    """Return the findings that a change brought.

    A finding is old if there was one of its rule that said as much of the same code:
    of lines that the change leaves alone, or of the same class or function, in lines
    that read the same wherever they stood. One that has become an error, or that names
    more than before, is new.

    Args:
        now: What is found after the change.
        then: What was found before, under the same paths.
    """
    left: dict[str, list[_Said]] = defaultdict(list)
    for finding in then.findings:
        left[finding.code].append(_Said(finding, then.sources.get(finding.place.path)))
    lines = _Lines(now.sources, then.sources)
    # Those on lines of old know theirs for sure, so they choose first.
    moved = []
    for finding in now.findings:
        said = _Said(finding, now.sources.get(finding.place.path))
        known = left[finding.code]
        same = [each for each in known if said.goes_on(each, lines)]
        if same:
            known.remove(min(same, key=lambda each: each.symbol != said.symbol))
        else:
            moved.append(said)
    found = []
    for said in moved:
        known = left[said.finding.code]
        same = [each for each in known if said.stood_elsewhere(each)]
        if same:
            known.remove(min(same, key=lambda each: each.path != said.path))
        else:
            found.append(said.finding)
    return found


@dataclass(frozen=True, eq=False)
class _Said:
    """A finding, and what is to be compared of it."""

    finding: Finding
    source: Source | None

    @property
    def path(self) -> Path:
        """The file."""
        return self.finding.place.path

    @property
    def symbol(self) -> str:
        """The class or function."""
        return self.finding.symbol

    @cached_property
    def lines(self) -> list[int]:
        """The lines that it stands on: of its place, of a class's decorators."""
        place = self.finding.place
        own = range(place.line, place.end_line + 1)
        return sorted({*own, *self.finding.suppressible_lines})

    @cached_property
    def _text(self) -> str:
        """What these lines say, but for blanks."""
        if self.source is None:
            return ""
        return "".join("".join(map(self.source.line, self.lines)).split())

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(filter(None, sum(_NAME.findall(self.finding.message), ())))

    @cached_property
    def _number(self) -> int:
        """How many names there are, with those that the message only counts."""
        counted = sum(map(int, _OTHERS.findall(self.finding.message)))
        return len(self._names) + counted

    @cached_property
    def _within(self) -> frozenset[str]:
        """The names of what it is in, if it is not about that itself."""
        parts = self.symbol.split(".")
        if self.source is not None:
            start, end = self.source.offsets(self.finding.place)
            if self.source.text[start:end] in parts:
                return frozenset()
        return frozenset({self.symbol, *parts})

    def goes_on(self, old: _Said, lines: _Lines) -> bool:
        """Return whether an old finding says it of the same lines, left as they were.

        The class or function around them may have got another name.
        """
        if self.path != old.path or not self._says_no_more_than(old):
            return False
        if self.symbol != old.symbol and not self._may_replace(old):
            return False
        if self.finding.place.column != old.finding.place.column:
            return False
        return [lines.before(self.path, each) for each in self.lines] == old.lines

    def _may_replace(self, old: _Said) -> bool:
        """Whether what it is in may be what another one was in, under a new name."""
        if self.source is None or not (self._within and old._within):
            return False
        parts, before = self.symbol.split("."), old.symbol.split(".")
        gone = [x for x, part in zip(before, parts, strict=False) if x != part]
        listed = "|".join(map(re.escape, gone))
        still = re.search(rf"\b(?:class|def)\s+(?:{listed})\b", self.source.text)
        return len(parts) == len(before) and still is None

    def stood_elsewhere(self, old: _Said) -> bool:
        """Return whether an old finding says it of lines that read the same."""
        same = self.symbol == old.symbol and self._text == old._text
        return same and self._says_no_more_than(old)

    def _says_no_more_than(self, old: _Said) -> bool:
        return (
            old.finding.severity.reaches(self.finding.severity)
            and self._names - self._within <= old._names - old._within
            and self._number <= old._number
        )


class _Lines:
    """Where lines were before a change."""

    def __init__(self, now: Mapping[Path, Source], then: Mapping[Path, Source]) -> None:
        self._now, self._then = now, then
        self._maps: dict[Path, Mapping[int, int] | None] = {}

    def before(self, path: Path, line: int) -> int | None:
        """Return the number that a line had; None if it is new or changed."""
        if path not in self._maps:
            self._maps[path] = self._map(path)
        known = self._maps[path]
        return line if known is None else known.get(line)

    def _map(self, path: Path) -> Mapping[int, int] | None:
        """The numbers of the lines that were there; None if all are as they were."""
        now, then = self._now.get(path), self._then.get(path)
        if now is None or then is None:
            return {}
        before, after = (_LINE_END.split(each.text) for each in (then, now))
        if before == after:
            return None
        blocks = difflib.SequenceMatcher(None, before, after).get_matching_blocks()
        return {
            block.b + each + 1: block.a + each + 1
            for block in blocks
            for each in range(block.size)
        }
