# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Findings and edits: plain data that checks yield and outputs print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any


class Severity(StrEnum):
    """How bad a finding is."""

    WARNING = "warning"
    ERROR = "error"

    def reaches(self, other: Severity) -> bool:
        """Return whether this severity is at or above another."""
        return self is Severity.ERROR or other is Severity.WARNING


class Safety(StrEnum):
    """Whether a fix is applied by ``--fix`` or only by ``--unsafe-fixes``."""

    SAFE = "safe"
    UNSAFE = "unsafe"


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A stretch of a file as people count it.

    Attributes:
        path: The file.
        line: First line, from 1.
        column: First column in characters, from 1.
        end_line: Last line.
        end_column: One past the last column.
    """

    path: Path
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    r"""Replace the characters ``start:end`` of a file's text.

    Attributes:
        start: Offset in characters of the first character to go (a BOM not counted).
        end: One past the last; equal to ``start`` for an insertion.
        text: What comes in their stead, with ``\n`` for every line end.
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """What mends a finding, all of it or none, in the finding's own file.

    Attributes:
        safety: Whether behaviour stays as it is.
        title: What it does, in a few words.
        edits: What changes.
        follows_base: It makes text what one release of vLLM has, so that the text may
            be wrong for another.
        is_exact: Its places are known to be those of the file, so that nobody needs to
            parse all of it to make sure.
    """

    safety: Safety
    title: str
    edits: tuple[Edit, ...]
    follows_base: bool = False
    is_exact: bool = False


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that a finding speaks of."""

    place: Place
    message: str


@dataclass(frozen=True, slots=True)
class Proof:
    """What running the code has shown of a finding.

    Attributes:
        is_confirmed: Whether the fault showed.
        text: The smallest case in which it did, or what was tried.
        case: The case as JSON.
    """

    is_confirmed: bool
    text: str
    case: Mapping[str, Any] | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault, as a check reports it.

    Attributes:
        code: The rule, such as ``KV101``.
        severity: Error or warning.
        message: What is wrong, who is concerned, and the remedy.
        place: Where.
        symbol: ``Class`` or ``Class.member``.
        related: Other places that explain it.
        fix: What mends it, if that can be done by machine.
        unfixable: Why there is no fix, where somebody would expect one.
        suppressible_lines: Further lines on which a suppression comment counts, beside
            the finding's first: those of a class's decorators and ``class`` keyword.
        proof: What running the code has shown, if that was asked for.
    """

    code: str
    severity: Severity
    message: str
    place: Place
    symbol: str
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    unfixable: str = ""
    suppressible_lines: frozenset[int] = frozenset()
    proof: Proof | None = None

    @property
    def key(self) -> tuple[Place, str, str]:
        """What tells it from others, and the order in which they are told."""
        return self.place, self.code, self.symbol


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that kvlint could not do; the rest of the run went on.

    Attributes:
        message: One line: what failed and what to do about it.
        path: The file, if it was one.
        code: The check that crashed, if one did.
    """

    message: str
    path: Path | None = None
    code: str | None = None


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with edits made; they must not overlap.

    Args:
        text: The text before.
        edits: In any order.

    Raises:
        ValueError: Two edits overlap, or insert at the same place.
    """
    pieces: list[str] = []
    done = 0
    for index, edit in enumerate(ordered := sorted(edits)):
        if edit.start < done or (index and edit.start == ordered[index - 1].start):
            raise ValueError(f"overlapping edits at {edit.start}")
        pieces += [text[done : edit.start], edit.text]
        done = edit.end
    return "".join([*pieces, text[done:]])
