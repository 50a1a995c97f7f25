# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``full``: each finding with its source, the related places and the remedy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kvlint.findings import Finding, Place, Safety
from kvlint.output.excerpt import excerpt
from kvlint.output.view import View, printable, proof

if TYPE_CHECKING:
    from kvlint.reports import Report


def render(report: Report, view: View) -> str:
    """Return the findings as blocks, each with an empty line after it."""
    return "".join(
        f"{line}\n"
        for finding in report.findings
        for line in (*_block(finding, report, view), "")
    )


def _block(finding: Finding, report: Report, view: View) -> Iterator[str]:
    places = [finding.place, *(each.place for each in finding.related)]
    frame = _Frame(report, view, max(len(str(each.end_line)) for each in places))
    mark = view.style("[*] ", "cyan") if view.fixable(finding) else ""
    yield (
        f"{view.style(view.location(finding.place), bold=True)}: "
        f"{view.severe(finding.severity, finding.code)} {mark}"
        f"{view.severe(finding.severity, finding.severity)}: "
        f"{printable(finding.message)}"
    )
    yield from frame.source(finding.place, "^", finding)
    for each in finding.related:
        yield (
            f"{frame.margin}{view.style('note', 'blue', bold=True)}: "
            f"{view.location(each.place)}: {printable(each.message)}"
        )
        yield from frame.source(each.place, "-", None)
    if remedy := _remedy(finding, view):
        yield f"{frame.margin}{view.style('=', 'blue', bold=True)} {remedy}"
    if finding.proof is not None:
        told = f"{view.style('proof', bold=True)}: {printable(proof(finding.proof))}"
        yield f"{frame.margin}{view.style('=', 'blue', bold=True)} {told}"


def _remedy(finding: Finding, view: View) -> str:
    """Return what can be done by machine, or why nothing can."""
    fix = finding.fix
    if fix is None:
        why = printable(finding.unfixable)
        return why and f"{view.style('no fix', bold=True)}: {why}"
    flags = ""
    if fix.safety is Safety.UNSAFE:
        flags = " (unsafe: `--fix --unsafe-fixes`)" if view.mends else " (unsafe)"
    return f"{view.style('help', bold=True)}: {printable(fix.title)}{flags}"


class _Frame:
    """Source lines behind a gutter of line numbers, as wide as the widest."""

    def __init__(self, report: Report, view: View, width: int) -> None:
        self._report, self._view, self._width = report, view, width
        self.margin = " " * (width + 1)

    def source(
        self, place: Place, underline: str, finding: Finding | None
    ) -> Iterator[str]:
        """Yield the lines of a place, each with marks below it."""
        source = self._report.sources.get(place.path)
        lines = excerpt(source, place) if source else []
        if not lines:
            return
        yield self._gutter("")
        for number, text, marks in lines:
            yield self._gutter(str(number), text)
            marks = marks.replace("^", underline)
            blank = len(marks) - len(marks.lstrip())
            drawn = (
                self._view.severe(finding.severity, marks[blank:])
                if finding
                else self._view.style(marks[blank:], "blue", bold=True)
            )
            yield self._gutter("", marks[:blank] + drawn)
        yield self._gutter("")

    def _gutter(self, number: str, text: str = "") -> str:
        bar = self._view.style(f"{number:>{self._width}} |", "blue", bold=True)
        return f"{bar} {text}" if text else bar
