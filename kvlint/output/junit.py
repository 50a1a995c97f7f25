# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``junit``: a report of tests, which nearly every CI service shows."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from kvlint.output import full
from kvlint.output.documents import failures_untold
from kvlint.output.view import View, counted, printable

if TYPE_CHECKING:
    from kvlint.findings import Failure, Finding
    from kvlint.reports import Report

_NO_CHARACTER = re.compile("[\ufffe\uffff]")  # of those that ``printable`` leaves
_SUITE = "kvlint"
_HEADER = '<?xml version="1.0" encoding="utf-8"?>\n'


def render(report: Report, view: View) -> str:
    """Return a suite with a failed test for each finding, or one that passed."""
    view = replace(view, colour=False)
    failures = list(failures_untold(report))
    root = ElementTree.Element("testsuites", name=_SUITE)
    suite = ElementTree.SubElement(root, "testsuite", name=_SUITE)
    names: Counter[tuple[str, str]] = Counter()
    for finding in report.findings:
        _failed(suite, finding, names, report, view)
    for failure in failures:
        _erred(suite, failure, names, view)
    if not len(suite):
        case = ElementTree.SubElement(suite, "testcase", classname=_SUITE)
        case.set("name", "no findings")
        told = f"{counted(report.files_checked, 'file')} checked"
        ElementTree.SubElement(case, "system-out").text = told
    for each in (root, suite):
        each.set("tests", str(len(suite)))
        each.set("failures", str(len(report.findings)))
        each.set("errors", str(len(failures)))
    suite.set("skipped", "0")
    ElementTree.indent(root)
    # In ASCII, whatever the terminal's own encoding.
    text = ElementTree.tostring(root, encoding="us-ascii", xml_declaration=False)
    return f"{_HEADER}{text.decode('ascii')}\n"


def _failed(
    suite: ElementTree.Element,
    finding: Finding,
    names: Counter[tuple[str, str]],
    report: Report,
    view: View,
) -> None:
    path = view.relative(finding.place.path)
    case = _case(suite, path, f"{finding.code} {finding.symbol}".strip(), names)
    failure = ElementTree.SubElement(case, "failure", type=str(finding.severity))
    failure.set("message", _attribute(view.proven(finding)))
    shown = full.render(replace(report, findings=(finding,)), view)
    failure.text = _NO_CHARACTER.sub("\ufffd", shown.rstrip("\n"))


def _erred(
    suite: ElementTree.Element,
    failure: Failure,
    names: Counter[tuple[str, str]],
    view: View,
) -> None:
    path = view.relative(failure.path) if failure.path else _SUITE
    case = _case(suite, path, failure.code or "cannot be checked", names)
    error = ElementTree.SubElement(case, "error", type="error")
    error.set("message", _attribute(view.reason(failure)))


def _case(
    suite: ElementTree.Element,
    path: str,
    name: str,
    names: Counter[tuple[str, str]],
) -> ElementTree.Element:
    """Add a test by a name of its own that does not change when lines move.

    Services compare one run with the next by class and name.
    """
    names[path, name] += 1
    if (number := names[path, name]) > 1:
        name = f"{name} ({number})"
    case = ElementTree.SubElement(suite, "testcase", classname=_attribute(path))
    case.set("name", _attribute(name))
    return case


def _attribute(text: str) -> str:
    """Return a text on one line, of characters that XML has."""
    return _NO_CHARACTER.sub("\ufffd", printable(text))
