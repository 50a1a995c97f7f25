# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``rdjson``: reviewdog's diagnostics, with the fixes as suggestions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kvlint.output.documents import dumped, failures_untold, span, utf8
from kvlint.output.view import View

if TYPE_CHECKING:
    from kvlint.findings import Failure, Finding, Fix, Place
    from kvlint.reports import Report
    from kvlint.sources import Source

_BOM = 3  # bytes of UTF-8
Object = dict[str, Any]


def render(report: Report, view: View) -> str:
    """Return the findings as diagnostics; columns count bytes of UTF-8.

    What could not be checked is one too if it is a file, for there is none without.
    """
    diagnostics = [_diagnostic(each, report, view) for each in report.findings]
    diagnostics += [
        _failure(each, view) for each in failures_untold(report) if each.path
    ]
    return dumped({"source": {"name": "kvlint"}, "diagnostics": diagnostics})


def _diagnostic(finding: Finding, report: Report, view: View) -> Object:
    source = report.sources.get(finding.place.path)
    told: Object = {
        "message": view.proven(finding),
        "severity": finding.severity.upper(),
        "code": {"value": finding.code},
        "location": _location(finding.place, source, view),
    }
    related = [
        {
            "message": each.message,
            "location": _location(
                each.place, report.sources.get(each.place.path), view
            ),
        }
        for each in finding.related
        if each.place.path.is_absolute()  # else it is no file that somebody could open
    ]
    if related:
        told["related_locations"] = related
    if (fix := view.offered(finding)) and source:
        told["suggestions"] = _suggestions(fix, source)
    return told


def _suggestions(fix: Fix, source: Source) -> list[Object]:
    """What a fix replaces by what: the longest text first.

    On GitHub, reviewdog shows the first one beside the code, and of others only those
    that are in the same lines.
    """
    return [
        {
            "range": _range(source.place(each.start, each.end), source),
            "text": source.native(each.text),
        }
        for each in sorted(fix.edits, key=lambda each: (-len(each.text), each.start))
    ]


def _location(place: Place, source: Source | None, view: View) -> Object:
    return {"path": view.relative(place.path), "range": _range(place, source)}


def _range(place: Place, source: Source | None) -> Object:
    line, column, end_line, end_column = span(place, source, utf8)
    if source and source.has_bom:  # it is three bytes of the first line
        column += _BOM * (line == 1)
        end_column += _BOM * (end_line == 1)
    return {
        "start": {"line": line, "column": column},
        "end": {"line": end_line, "column": end_column},
    }


def _failure(failure: Failure, view: View) -> Object:
    assert failure.path
    return {
        "message": view.reason(failure),
        "severity": "ERROR",
        **({"code": {"value": failure.code}} if failure.code else {}),
        "location": {"path": view.relative(failure.path)},
    }
