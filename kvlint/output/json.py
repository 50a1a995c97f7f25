# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``json``: one document for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kvlint.findings import Failure, Finding, Fix, Place, Proof
from kvlint.output.view import View

if TYPE_CHECKING:
    from kvlint.reports import Report
    from kvlint.sources import Source

VERSION = 1


def render(report: Report, view: View) -> str:
    """Return the report as one JSON document; lines and columns count from 1."""
    return document(
        [finding_entry(each, report, view) for each in report.findings],
        [failure_entry(each, view) for each in report.failures],
        report.files_checked,
    )


def document(
    findings: list[dict[str, Any]],
    errors: list[dict[str, Any]],
    files_checked: int,
    **more: Any,
) -> str:
    """Return the document of given parts, in ASCII so that any terminal holds it."""
    return (
        json.dumps(
            {
                "version": VERSION,
                "findings": findings,
                "errors": errors,
                "files_checked": files_checked,
                **more,
            },
            indent=2,
        )
        + "\n"
    )


def finding_entry(finding: Finding, report: Report, view: View) -> dict[str, Any]:
    """Return a finding of a report, as the document has it."""
    source = report.sources.get(finding.place.path)
    return {
        "code": finding.code,
        "name": view.names.get(finding.code, ""),
        "severity": str(finding.severity),
        "message": view.message(finding),
        "path": view.relative(finding.place.path),
        **_span(finding.place),
        "symbol": finding.symbol,
        "related": [
            {
                "path": view.relative(each.place.path),
                "line": each.place.line,
                "column": each.place.column,
                "message": each.message,
            }
            for each in finding.related
        ],
        "fix": _fix(finding.fix, source) if finding.fix and source else None,
        **_proof(finding.proof),
    }


def _proof(proof: Proof | None) -> dict[str, Any]:
    """What running the code has shown, where that was asked for."""
    if proof is None:
        return {}
    status = "confirmed" if proof.is_confirmed else "not reproduced"
    return {"proof": {"status": status, "message": proof.text, "case": proof.case}}


def _fix(fix: Fix, source: Source) -> dict[str, Any]:
    return {
        "safety": str(fix.safety),
        "title": fix.title,
        "edits": [
            {**_span(source.place(each.start, each.end)), "content": each.text}
            for each in sorted(fix.edits)
        ],
    }


def failure_entry(failure: Failure, view: View) -> dict[str, Any]:
    """Return what could not be done, as the document has it."""
    return {
        "path": view.relative(failure.path) if failure.path else None,
        "code": failure.code,
        "message": view.reason(failure),
    }


def _span(place: Place) -> dict[str, int]:
    return {
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
    }
