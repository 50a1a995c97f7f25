# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""One damage to one file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

Edit = tuple[int, int, str]


@dataclass(frozen=True)
class Mutant:
    """One damage.

    Attributes:
        kind: What is done, in a few words.
        rules: Which of them have to say so, any one.
        path: The file.
        edits: Stretches of its bytes and what comes in their stead.
        symbol: What is damaged, for people.
        zone: The stretch of the file's bytes in which a finding counts.
        spoken: Names of classes whose findings count wherever they stand.
        fixed: Whether ``--fix --unsafe-fixes`` has to give the answer back.
        apart: What is damaged, for damages that are checked together; None for one that
            is checked alone, since it may concern what stands elsewhere.
        kin: What must not be damaged together with it.
    """

    kind: str
    rules: tuple[str, ...]
    path: Path
    edits: tuple[Edit, ...]
    symbol: str
    zone: tuple[int, int]
    spoken: frozenset[str] = frozenset()
    fixed: bool = False
    apart: str | None = None
    kin: frozenset[str] = frozenset()

    def damaged(self, content: bytes) -> bytes:
        """Return the file's bytes after the damage."""
        for start, end, text in sorted(self.edits, reverse=True):
            content = content[:start] + text.encode() + content[end:]
        return content

    def lines(self, content: bytes) -> range:
        """Return the lines of the zone in the damaged file, whose bytes were these."""
        start, end = self.zone
        grown = sum(len(text.encode()) - (e - s) for s, e, text in self.edits)
        damaged = self.damaged(content)
        first = damaged.count(b"\n", 0, start) + 1
        return range(first, damaged.count(b"\n", 0, end + grown) + 2)
