# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The matrix of a release as one page that needs nothing else."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Sequence
from html import escape

from kvlint.contracts.lineage import COMPOSITE, listed
from kvlint.contracts.matrix import MEANINGS, Cell, Matrix, Row, Standing
from kvlint.output.contracts.text import DRAWN, headline, told_missing

_PACKAGE = "kvlint.output.contracts"
_ORDER = (
    Standing.MISSING,
    Standing.DELEGATED,
    Standing.OWN,
    Standing.ABSTRACT,
    Standing.INHERITED,
)
"""How a column is sorted: what one looks for stands at the top."""


def render(matrix: Matrix) -> str:
    """Return the page."""
    title = f"vLLM {matrix.release}: who answers what"
    return "".join(
        f"{line}\n"
        for line in (
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{_asset('page.css')}</style>",
            "</head>",
            "<body>",
            f"<header><h1>{escape(title)}</h1>",
            f"<p>{escape(headline(matrix))}.</p>",
            *_legend(),
            "</header>",
            *_missing(matrix),
            *_controls(),
            *_table("Members", matrix, matrix.members),
            *_table("Fields", matrix, matrix.fields),
            *_tree(matrix),
            f"<script>\n{_asset('page.js')}</script>",
            "</body>",
            "</html>",
        )
    )


def _asset(name: str) -> str:
    content = pkgutil.get_data(_PACKAGE, name)
    assert content is not None, "this loader keeps no data"
    return content.decode()


def _legend() -> Iterator[str]:
    yield '<ul class="legend">'
    for each in Standing:
        yield (
            f'<li><span class="sign {each}">{DRAWN.standings[each]}</span> '
            f"<b>{each}</b> {escape(MEANINGS[each])}</li>"
        )
    yield "</ul>"


def _missing(matrix: Matrix) -> Iterator[str]:
    found = list(told_missing(matrix))
    if not found:
        return
    yield '<section class="warning"><h2>Missing</h2><ul>'
    for name, label, why in found:
        yield f"<li><code>{escape(f'{name}.{label}')}</code> {escape(why)}</li>"
    yield "</ul></section>"


def _controls() -> Iterator[str]:
    yield '<form class="controls" onsubmit="return false">'
    yield (
        '<label>Filter <input type="search" id="filter" '
        'placeholder="member or class" autocomplete="off"></label>'
    )
    yield "<span>Click a heading to sort by it; point at a sign for more.</span>"
    yield "</form>"


def _table(title: str, matrix: Matrix, rows: Sequence[Row]) -> Iterator[str]:
    yield f"<section><h2>{title}</h2>"
    yield '<div class="scroll"><table class="matrix">'
    yield "<thead><tr>"
    yield _heading("Name", "name", "text")
    for branch in matrix.branches:
        facts = branch.facts
        kind = "class composite" if facts.role == COMPOSITE else "class"
        yield _heading(facts.name, kind, "sign")
    yield _heading("First in", "since", "text")
    yield _heading("Takes and gives", "signature", "text")
    yield "</tr></thead><tbody>"
    for row in rows:
        told = " ".join([row.name, *row.cells])
        yield f'<tr data-told="{escape(told.lower())}">'
        marked = ' class="marked"' if row.differ else ""
        yield f'<th scope="row"{marked}><code>{escape(row.label)}</code></th>'
        for name in matrix.names:
            yield _cell(name, row, row.cells.get(name))
        yield f'<td class="since">{escape(row.since)}</td>'
        yield f'<td class="signature"><code>{escape(row.signature)}</code></td>'
        yield "</tr>"
    yield "</tbody></table></div></section>"


def _heading(text: str, kind: str, sort: str) -> str:
    return (
        f'<th scope="col" class="{kind}" data-sort="{sort}" aria-sort="none">'
        f"<button>{escape(text)}</button></th>"
    )


def _cell(name: str, row: Row, cell: Cell | None) -> str:
    if cell is None:
        return f'<td data-order="{len(_ORDER)}"></td>'
    spot = cell.spot
    told = f"{name}.{row.label} is {cell.standing}"
    if cell.owner != name:
        told += f", from {cell.owner}"
    if cell.differ:
        told += f"; overridden by {listed(cell.differ)}"
    told += f" ({spot.path}:{spot.line})"
    return (
        f'<td class="sign {cell.standing}" data-order="{_ORDER.index(cell.standing)}" '
        f'title="{escape(told)}"><span aria-hidden="true">'
        f"{DRAWN.standings[cell.standing]}</span>"
        f'<span class="spoken">{cell.standing}</span></td>'
    )


def _tree(matrix: Matrix) -> Iterator[str]:
    yield "<section><h2>Classes</h2>"
    depth = -1
    for branch in matrix.branches:
        if branch.depth > depth:
            yield '<ul class="tree">' * (branch.depth - depth)
        else:
            yield "</li>" + "</ul></li>" * (depth - branch.depth)
        depth = branch.depth
        facts = branch.facts
        notes = [f"{facts.spot.path}:{facts.spot.line}"]
        if facts.role == COMPOSITE:
            notes.append("composite")
        if facts.name in matrix.managers:
            notes.append(f"served by {matrix.managers[facts.name]}")
        if branch.others:
            notes.append(f"also below {listed(branch.others)}")
        yield (
            f"<li><code>{escape(facts.name)}</code> "
            f"<small>{escape(', '.join(notes))}</small>"
        )
    yield "</li></ul>" * (depth + 1)
    yield "</section>"
