# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``github``: workflow commands that GitHub shows beside the lines of a diff."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kvlint.findings import Finding
from kvlint.output.view import View

if TYPE_CHECKING:
    from kvlint.reports import Report

_MESSAGE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans(
    {"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"}
)


def render(report: Report, view: View) -> str:
    """Return a workflow command per finding."""
    return "".join(f"{_command(finding, view)}\n" for finding in report.findings)


def _command(finding: Finding, view: View) -> str:
    place = finding.place
    properties = {
        "file": view.relative(place.path),
        "line": place.line,
        "col": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
        "title": f"kvlint ({finding.code})",
    }
    if place.line != place.end_line:
        # GitHub takes columns only for a place within one line.
        del properties["col"], properties["endColumn"]
    told = ",".join(
        f"{key}={str(value).translate(_PROPERTY)}" for key, value in properties.items()
    )
    return f"::{finding.severity} {told}::{view.proven(finding).translate(_MESSAGE)}"
