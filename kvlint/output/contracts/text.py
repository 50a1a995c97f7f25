# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The matrix of a release for a terminal: each branch of the tree heads a column."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field

from click import style

from kvlint.contracts.lineage import COMPOSITE, Branch, listed
from kvlint.contracts.matrix import MEANINGS, Matrix, Row, Standing
from kvlint.output.view import View, counted, printable

_NARROWEST, _WIDEST = 80, 200
_SHORTEST_LABEL = 16
_ROOM_FOR_SIGNATURES = 24
_COLOURS: dict[Standing, tuple[str | None, bool]] = {
    Standing.OWN: ("green", False),
    Standing.INHERITED: (None, False),
    Standing.ABSTRACT: ("yellow", False),
    Standing.DELEGATED: ("cyan", True),
    Standing.MISSING: ("red", True),
}


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The signs of the table.

    Attributes:
        standings: One for each standing.
        fork: In front of a class that is not the last below its base.
        last: In front of the last one.
        bar: Beside what stands below a class that is not the last.
        rule: From a class to its column.
        corner: Where that turns down.
        crossing: Where it meets a column.
        column: Below a class.
        ellipsis: In place of what does not fit.
        arrow: From what was to what is.
    """

    standings: dict[Standing, str]
    fork: str
    last: str
    bar: str
    rule: str
    corner: str
    crossing: str
    column: str
    ellipsis: str
    arrow: str


DRAWN = Glyphs(
    dict(zip(Standing, "●·○◆✗", strict=True)),
    fork="├─ ",
    last="└─ ",
    bar="│  ",
    rule="─",
    corner="┐",
    crossing="┼",
    column="│",
    ellipsis="…",
    arrow="→",
)
ASCII = Glyphs(
    dict(zip(Standing, "O.aDX", strict=True)),
    fork="|- ",
    last="`- ",
    bar="|  ",
    rule="-",
    corner=".",
    crossing="+",
    column="|",
    ellipsis="~",
    arrow="->",
)


def glyphs(encoding: str | None) -> Glyphs:
    """Return the signs that an encoding has."""
    try:
        "".join([*DRAWN.standings.values(), DRAWN.fork, DRAWN.crossing]).encode(
            encoding or "ascii"
        )
    except (UnicodeError, LookupError):
        return ASCII
    return DRAWN


def render(matrix: Matrix, view: View, width: int, signs: Glyphs = DRAWN) -> str:
    """Return the class tree and the matrix.

    Args:
        matrix: The release.
        view: Whether to colour.
        width: The columns of the terminal.
        signs: What to draw with.
    """
    table = _Table(matrix, view, min(max(width, _NARROWEST), _WIDEST), signs)
    return "".join(f"{line.rstrip()}\n" for line in table.lines())


def headline(matrix: Matrix) -> str:
    """Return what the matrix holds, in numbers."""
    number = len(matrix.branches)
    return (
        f"{number} spec {'class' if number == 1 else 'classes'}, "
        f"{counted(len(matrix.members), 'member')}, "
        f"{counted(len(matrix.fields), 'field')}, {len(matrix.missing)} missing"
    )


def told_missing(matrix: Matrix) -> Iterator[tuple[str, str, str]]:
    """Yield each composite, the member that it misses, and why that matters."""
    for name, row in matrix.missing:
        differ = row.differ[name]
        verb = "overrides" if len(differ) == 1 else "override"
        owner = row.cells[name].owner
        yield (
            name,
            row.label,
            f"inherits the default of {owner}, which {listed(differ)} {verb}",
        )


@dataclass
class _Table:
    matrix: Matrix
    view: View
    width: int
    signs: Glyphs
    _label: int = field(init=False)
    _step: int = field(init=False)

    def __post_init__(self) -> None:
        heads = [len(self._head(each)) + 1 for each in self.matrix.branches]
        rows = [len(row.label) + 3 for row in self.matrix.members]
        self._label = max([*heads, *rows, _SHORTEST_LABEL])
        count = len(self.matrix.branches)
        room = self.width - self._label
        self._step = next(
            (
                step
                for step in (3, 2)
                if room >= step * count + (_ROOM_FOR_SIGNATURES if step == 3 else 0)
            ),
            1,
        )
        if self._label + self._step * count > self.width:
            self._label = max(_SHORTEST_LABEL, self.width - self._step * count)

    def lines(self) -> Iterator[str]:
        title = f"vLLM {self.matrix.release}"
        yield f"{self.view.style(title, bold=True)}: {headline(self.matrix)}"
        yield ""
        yield from self._tree()
        yield from self._members()
        yield ""
        composites = [
            each.facts.name
            for each in self.matrix.branches
            if each.facts.role == COMPOSITE
        ]
        if composites:
            yield f"composite: {listed(composites)}"
        yield from self._legend()
        for index, (name, label, why) in enumerate(told_missing(self.matrix)):
            if not index:
                yield ""
            subject, *rest = textwrap.wrap(
                f"{name}.{label} {why}", self.width - 2, break_on_hyphens=False
            )
            yield f"{self._sign(Standing.MISSING)} {self.view.style(subject, 'red')}"
            yield from (f"  {self.view.style(each, 'red')}" for each in rest)
        yield from self._fields()

    def _tree(self) -> Iterator[str]:
        count = len(self.matrix.branches)
        notes = [self._note(each, each.facts.name) for each in self.matrix.branches]
        room = self.width - self._label - self._step * count - 1
        shows_notes = max(map(len, notes), default=0) <= room
        for index, branch in enumerate(self.matrix.branches):
            head = self._fitted(self._head(branch))
            stem, _, shown = head.rpartition(" ")
            stem = f"{stem} " if stem else ""
            is_composite = branch.facts.role == COMPOSITE
            drawn = self._dim(stem) + self.view.style(
                shown, "cyan" if is_composite else None, bold=True
            )
            start = len(head) + 1
            rule = self.signs.rule * (self._label - start)
            rule += (self.signs.crossing + self.signs.rule * (self._step - 1)) * index
            line = f"{drawn} {self._dim(rule + self.signs.corner)}"
            used = self._label + self._step * index + 1
            if shows_notes:
                gap = " " * (self._label + self._step * count + 1 - used)
                line += gap + self._dim(notes[index])
            yield line

    def _note(self, branch: Branch, name: str) -> str:
        """A class's manager, and bases that the tree does not show."""
        parts = [self.matrix.managers.get(name, "")]
        parts += [f"also {listed(branch.others)}"] if branch.others else []
        return ", ".join(each for each in parts if each)

    def _head(self, branch: Branch) -> str:
        *above, last = branch.lasts
        if not branch.depth:
            return branch.facts.name
        stems = [" " * 3 if each else self.signs.bar for each in above[1:]]
        fork = self.signs.last if last else self.signs.fork
        return f"{''.join(stems)}{fork}{printable(branch.facts.name)}"

    def _members(self) -> Iterator[str]:
        since = ""
        for row in self.matrix.members:
            if row.since != since:
                since = row.since
                title = self._fitted(since)
                bars = self.signs.column + " " * (self._step - 1)
                yield self.view.style(f"{title:<{self._label}}", bold=True) + self._dim(
                    bars * len(self.matrix.branches)
                )
            yield self._row(row)

    def _row(self, row: Row) -> str:
        label = self._fitted(f"  {printable(row.label)}")
        is_missing = bool(row.differ)
        line = self.view.style(
            f"{label:<{self._label}}", "red" if is_missing else None, bold=is_missing
        )
        for name in self.matrix.names:
            cell = row.cells.get(name)
            line += self._sign(cell.standing) if cell else " "
            line += " " * (self._step - 1)
        room = self.width - self._label - self._step * len(self.matrix.branches) - 1
        if room >= _ROOM_FOR_SIGNATURES:
            line += " " + self._dim(self._cut(printable(row.signature), room))
        return line

    def _fields(self) -> Iterator[str]:
        """What each class adds to the constructor, as its signature would say it."""
        yield ""
        yield self.view.style("Fields that each class adds or gives anew", bold=True)
        for branch in self.matrix.branches:
            texts = [
                f"{each.name}={each.default or self.signs.ellipsis}"
                if each.has_default
                else each.name
                for each in branch.facts.fields
                if not each.name.startswith("_")
            ]
            if texts:
                name = branch.facts.name
                first, *rest = textwrap.wrap(
                    f"{name}: {printable(', '.join(texts))}",
                    self.width,
                    initial_indent="  ",
                    subsequent_indent="    ",
                    break_on_hyphens=False,
                )
                yield first.replace(name, self.view.style(name, bold=True), 1)
                yield from rest

    def _legend(self) -> Iterator[str]:
        """The signs and what they mean, as many on a line as there is room for."""
        line, used = "", 0
        for standing in Standing:
            text = f"{standing}: {MEANINGS[standing]}"
            length = len(text) + 2
            if used and used + 3 + length > self.width:
                yield line
                line, used = "", 0
            gap = "   " if used else ""
            line += f"{gap}{self._sign(standing)} {text}"
            used += len(gap) + length
        yield line

    def _sign(self, standing: Standing) -> str:
        if standing is Standing.INHERITED:
            return self._dim(self.signs.standings[standing])
        colour, bold = _COLOURS[standing]
        return self.view.style(self.signs.standings[standing], colour, bold=bold)

    def _dim(self, text: str) -> str:
        # Not grey: some palettes have the background's own colour there.
        return style(text, dim=True) if self.view.colour and text.strip() else text

    def _fitted(self, text: str) -> str:
        return self._cut(text, self._label - 1)

    def _cut(self, text: str, room: int) -> str:
        if len(text) <= room:
            return text
        return text[: room - 1] + self.signs.ellipsis
