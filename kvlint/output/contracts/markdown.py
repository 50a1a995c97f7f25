# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The matrix of a release as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kvlint.contracts.lineage import COMPOSITE, listed
from kvlint.contracts.matrix import MEANINGS, Matrix, Row, Standing
from kvlint.output.contracts.text import DRAWN, headline, told_missing

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z][a-z]+|[A-Z]+|[a-z_]+|\d+")
_SIGNS = DRAWN.standings | {Standing.MISSING: "**✗**", Standing.DELEGATED: "**◆**"}


def render(matrix: Matrix) -> str:
    """Return the class tree, what is missing, and a table of members and of fields."""
    lines = [f"# vLLM {matrix.release}", "", f"{headline(matrix)}.", ""]
    lines += _tree(matrix)
    missing = list(told_missing(matrix))
    if missing:
        lines += ["", "## Missing", ""]
        lines += [f"- `{name}.{label}` {why}" for name, label, why in missing]
    legend = [f"{DRAWN.standings[each]} {each}: {MEANINGS[each]}" for each in Standing]
    for title, rows in (("Members", matrix.members), ("Fields", matrix.fields)):
        lines += ["", f"## {title}", "", f"{'; '.join(legend)}.", ""]
        lines += _table(matrix, rows)
    return "".join(f"{line}\n" for line in lines)


def _tree(matrix: Matrix) -> Iterator[str]:
    for branch in matrix.branches:
        name = branch.facts.name
        notes = ["composite"] if branch.facts.role == COMPOSITE else []
        notes += [matrix.managers.get(name, "")]
        notes += [f"also {listed(branch.others)}"] if branch.others else []
        told = ", ".join(each for each in notes if each)
        more = f" ({told})" if told else ""
        yield f"{'  ' * branch.depth}- `{name}`{more}"


def _table(matrix: Matrix, rows: Sequence[Row]) -> Iterator[str]:
    # Names are broken into words, or a dozen columns would fit on no screen.
    heads = ["<br>".join(_WORD.findall(each)) for each in matrix.names]
    yield f"| | {' | '.join(heads)} |"
    yield f"| --- |{' :-: |' * len(heads)}"
    for row in rows:
        cells = [
            _SIGNS[row.cells[name].standing] if name in row.cells else ""
            for name in matrix.names
        ]
        yield f"| `{row.label}` | {' | '.join(cells)} |"
