# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The report of ``kvlint audit``: what was found in each distribution, and a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from kvlint.contracts.selection import described
from kvlint.findings import Severity
from kvlint.output import FOR_PEOPLE, FORMATS
from kvlint.output import json as documents
from kvlint.output.view import View, counted, printable
from kvlint.reports import Report

if TYPE_CHECKING:
    from kvlint.auditing.audits import Audit, Audited

_GAP = "  "


def render(audit: Audit, output_format: str, view: View) -> str:
    """Return the report in a format of ``kvlint check``.

    For people each distribution has a heading, and several have a table of counts.

    Args:
        audit: What came of it.
        output_format: The name of the format.
        view: Its folder is the one that the distributions are in.
    """
    if output_format == "json":
        return _document(audit, view)
    show = FORMATS[output_format]
    if output_format not in FOR_PEOPLE:
        return show(_whole(audit), view)
    blocks = [
        _heading(each, view) + (show(each.report, view).rstrip("\n") or _clean(each))
        for each in audit.audited
    ]
    if len(audit.audited) > 1 and any(x.report.findings for x in audit.audited):
        blocks.append(table(audit, view).rstrip("\n"))
    return "\n\n".join(blocks) + "\n" if blocks else ""


def _whole(audit: Audit) -> Report:
    """Return one report on all distributions."""
    reports = [each.report for each in audit.audited]
    return Report(
        tuple(finding for each in reports for finding in each.findings),
        tuple(audit.all_failures),
        (),
        files_checked=sum(each.files_checked for each in reports),
        sources={path: text for each in reports for path, text in each.sources.items()},
    )


def _heading(audited: Audited, view: View) -> str:
    report = audited.report
    name = str(audited.distribution)
    lines = [view.style(name, bold=True), "=" * len(name)]
    if report.against:
        which, _, why = report.against.partition(": ")
        files = counted(report.files_checked, "file")
        lines += [f"{files} against {which}, {printable(why)}", ""]
    return "".join(f"{line}\n" for line in lines)


def _clean(audited: Audited) -> str:
    report = audited.report
    if report.failures:
        return "not checked" if not report.against else "see the errors"
    if report.unknown_bases:
        what = counted(report.unknown_bases, "base")
        return f"No findings, but {what} of specs could not be found."
    return "No findings."


def table(audit: Audit, view: View) -> str:
    """Return how often each rule reports each distribution.

    Where all are releases of one distribution, it also tells what is found in which.
    """
    codes = sorted({x.code for each in audit.audited for x in each.report.findings})
    if not codes:
        return "".join(f"{x.distribution}: {_clean(x)}\n" for x in audit.audited)
    width = max(len(str(each.distribution)) for each in audit.audited)
    header = _GAP.join([" " * width, *codes])
    rows = [view.style(header.rstrip(), bold=True)]
    for each in audit.audited:
        counts = Counter(x.code for x in each.report.findings)
        cells = [f"{counts[code] or '.':>{len(code)}}" for code in codes]
        if not each.report.against:
            cells = [f"{'?':>{len(code)}}" for code in codes]
        rows.append(_GAP.join([f"{each.distribution!s:{width}}", *cells]))
    history = list(_history(audit.audited))
    if history:
        rows += ["", *history]
    return "".join(f"{row}\n" for row in rows)


def _history(audited: Sequence[Audited]) -> Iterator[str]:
    """Tell which releases have what, if all are of one distribution."""
    if len({x.distribution.name for x in audited}) > 1 or len(audited) < 2:
        return
    audited = sorted(audited, key=lambda each: each.distribution.version)
    releases = [str(each.distribution.version) for each in audited]
    found: dict[tuple[str, str], list[str]] = {}
    for release, each in zip(releases, audited, strict=True):
        for finding in each.report.findings:
            path = finding.place.path.relative_to(each.distribution.folder)
            what = finding.symbol or path.as_posix()
            told = found.setdefault((finding.code, what), [])
            if release not in told:
                told.append(release)
    width = max((len(symbol) for _, symbol in found), default=0)
    for (code, symbol), told in sorted(found.items()):
        span = described(told, releases, goes_on=False)
        yield f"{code}  {printable(symbol):{width}}  {span}"


def summary(audit: Audit) -> str:
    """Return the closing line."""
    found = [x for each in audit.audited for x in each.report.findings]
    if not found:
        return "" if audit.all_failures else "No findings.\n"
    severities = Counter(each.severity for each in found)
    told = ", ".join(
        counted(severities[each], each)
        for each in (Severity.ERROR, Severity.WARNING)
        if severities[each]
    )
    line = f"Found {counted(len(found), 'finding')} ({told})"
    if len(audit.audited) > 1:
        having = sum(bool(each.report.findings) for each in audit.audited)
        line += f" in {having} of {len(audit.audited)} distributions"
    return f"{line}.\n"


def _document(audit: Audit, view: View) -> str:
    """The document of ``kvlint check``, and what was audited."""
    findings: list[dict[str, Any]] = []
    rows = []
    for each in audit.audited:
        report, distribution = each.report, each.distribution
        counts = Counter(x.code for x in report.findings)
        findings += [documents.finding_entry(x, report, view) for x in report.findings]
        rows.append(
            {
                "name": distribution.name,
                "version": str(distribution.version),
                "path": view.relative(distribution.folder),
                "against": report.against or None,
                "files_checked": report.files_checked,
                "counts": dict(sorted(counts.items())),
            }
        )
    errors = [documents.failure_entry(each, view) for each in audit.all_failures]
    files = sum(each.report.files_checked for each in audit.audited)
    return documents.document(findings, errors, files, distributions=rows)
