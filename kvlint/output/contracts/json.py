# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The matrix, the changes and the checklist as JSON, for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kvlint.contracts.changes import Change, Difference
from kvlint.contracts.facts import ClassFacts, Spot
from kvlint.contracts.lineage import Branch
from kvlint.contracts.matrix import Matrix, Row
from kvlint.contracts.upgrading.checklist import Checklist
from kvlint.output.view import View

VERSION = 1


def matrix_document(matrix: Matrix) -> str:
    """Return the matrix as one JSON document."""
    return _text(
        {
            "version": VERSION,
            "release": matrix.release,
            "classes": [_branch(each, matrix) for each in matrix.branches],
            "members": [_row(each) for each in matrix.members],
            "fields": [_row(each) for each in matrix.fields],
            "missing": [
                {
                    "composite": name,
                    "member": row.name,
                    "inherited_from": row.cells[name].owner,
                    "overridden_by": list(row.differ[name]),
                }
                for name, row in matrix.missing
            ],
        }
    )


def difference_document(difference: Difference) -> str:
    """Return the changes as one JSON document."""
    return _text(
        {
            "version": VERSION,
            "from": difference.before,
            "to": difference.after,
            "changes": [_change(each) for each in difference.changes],
        }
    )


def checklist_document(checklist: Checklist, view: View) -> str:
    """Return the checklist as one JSON document."""
    return _text(
        {
            "version": VERSION,
            "from": checklist.before,
            "to": checklist.after,
            "items": [
                {
                    "due": each.is_due,
                    "path": view.relative(each.place.path),
                    "line": each.place.line,
                    "column": each.place.column,
                    "end_line": each.place.end_line,
                    "end_column": each.place.end_column,
                    "symbol": each.symbol,
                    "message": each.message,
                }
                for each in checklist.items
            ],
            "errors": list(checklist.failures),
            "files_checked": checklist.files_checked,
        }
    )


def _text(document: Mapping[str, Any]) -> str:
    """The document in ASCII, so that any terminal holds it."""
    return json.dumps(document, indent=2) + "\n"


def _spot(spot: Spot | None) -> dict[str, Any] | None:
    if spot is None:
        return None
    return {"path": spot.path, "line": spot.line, "column": spot.column}


def _branch(branch: Branch, matrix: Matrix) -> dict[str, Any]:
    facts: ClassFacts = branch.facts
    return {
        "name": facts.name,
        "module": facts.module,
        "bases": list(facts.bases),
        "role": facts.role,
        "depth": branch.depth,
        "manager": matrix.managers.get(facts.name),
        "place": _spot(facts.spot),
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "kind": row.kind,
        "signature": row.signature,
        "since": row.since,
        "classes": {
            name: {
                "standing": str(cell.standing),
                "owner": cell.owner,
                "place": _spot(cell.spot),
            }
            for name, cell in row.cells.items()
        },
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "family": str(change.family),
        "area": str(change.area),
        "turn": str(change.turn),
        "name": change.name,
        "new_name": change.new_name or None,
        "owners": list(change.owners),
        "signature": change.signature,
        "aspects": [
            {"name": each.name, "before": each.before, "after": each.after}
            for each in change.aspects
        ],
        "notes": list(change.notes),
        "before": _spot(change.before),
        "after": _spot(change.after),
    }
