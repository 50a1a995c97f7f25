# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``gitlab``: a code quality report, which GitLab shows in merge requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kvlint.findings import Failure, Severity
from kvlint.fingerprints import fingerprints
from kvlint.output.documents import dumped, failures_untold
from kvlint.output.view import View

if TYPE_CHECKING:
    from kvlint.findings import Finding
    from kvlint.reports import Report

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "minor"}
_UNCHECKED = "blocker"


def render(report: Report, view: View) -> str:
    """Return a list of issues.

    What could not be checked is an issue too if it is a file, for GitLab takes no issue
    without one.
    """
    known_by = fingerprints(report.findings, report.sources, view.relative)
    issues = [
        _issue(finding, fingerprint, view)
        for finding, fingerprint in zip(report.findings, known_by, strict=True)
    ]
    issues += [_failure(each, view) for each in failures_untold(report) if each.path]
    return dumped(issues)


def _issue(finding: Finding, fingerprint: str, view: View) -> dict[str, Any]:
    place = finding.place
    lines = {"begin": place.line, "end": place.end_line}
    return {
        "type": "issue",
        "check_name": finding.code,
        "description": f"{finding.code}: {view.proven(finding)}",
        "categories": ["Bug Risk"],
        "severity": _SEVERITIES[finding.severity],
        "fingerprint": fingerprint,
        "location": {"path": view.relative(place.path), "lines": lines},
    }


def _failure(failure: Failure, view: View) -> dict[str, Any]:
    assert failure.path
    name = failure.code or "kvlint"
    path = view.relative(failure.path)
    return {
        "type": "issue",
        "check_name": name,
        "description": f"{name}: {view.reason(failure)}",
        "categories": ["Bug Risk"],
        "severity": _UNCHECKED,
        "fingerprint": f"{name} {path} {view.reason(failure)}",
        "location": {"path": path, "lines": {"begin": 1, "end": 1}},
    }
