# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``concise``: a finding per line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kvlint.findings import Finding
from kvlint.output.view import View, printable

if TYPE_CHECKING:
    from kvlint.reports import Report


def render(report: Report, view: View) -> str:
    """Return a line per finding: ``path:line:column: KV101 error message [*]``."""
    return "".join(f"{_line(finding, view)}\n" for finding in report.findings)


def _line(finding: Finding, view: View) -> str:
    mark = view.style(" [*]", "cyan") if view.fixable(finding) else ""
    return (
        f"{view.style(view.location(finding.place), bold=True)}: "
        f"{view.severe(finding.severity, f'{finding.code} {finding.severity}')} "
        f"{printable(view.proven(finding))}{mark}"
    )
