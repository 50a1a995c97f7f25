# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The closing lines of a run, and the table of ``--statistics``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kvlint.findings import Failure, Finding, Safety, Severity
from kvlint.output.view import View, counted, printable

if TYPE_CHECKING:
    from kvlint.reports import Report


def summary(report: Report, view: View, *, dry: bool = False) -> str:
    """Return what was found, what was mended, and what could be.

    Args:
        report: What came of the run.
        view: Whether unsafe fixes count as available.
        dry: Whether the fixes were only shown, by ``--diff``.
    """
    found = [*report.findings, *report.mended]
    if not found:
        # Silence where something failed: the failures are told apart.
        return "" if report.failures else f"All checks passed{_but(report)}\n"
    severities = Counter(each.severity for each in found)
    told = ", ".join(
        counted(severities[each], each)
        for each in (Severity.ERROR, Severity.WARNING)
        if severities[each]
    )
    line = f"Found {counted(len(found), 'finding')} ({told})"
    if report.mended or dry:
        did = f"would be {report.done}" if dry else report.done
        line += f": {len(report.mended)} {did}, {len(report.findings)} remaining"
    return f"{line}.\n{_doubt(report)}{_offer(report, view)}"


def _but(report: Report) -> str:
    """What a clean result does not say: some specs may not have been seen."""
    if not report.unknown_bases:
        return "!"
    if report.unknown_bases == 1:
        return ", but 1 base class was not found (`--verbose` names it)."
    number = report.unknown_bases
    return f", but {number} base classes were not found (`--verbose` names them)."


def _doubt(report: Report) -> str:
    """What findings do not say: they may be those of another release."""
    if not report.assumed:
        return ""
    return (
        f"Nothing names the project's vLLM: vLLM {report.assumed} was taken, the "
        "newest known (`--vllm-version` or `vllm-version` names it).\n"
    )


def _offer(report: Report, view: View) -> str:
    """Return which of the remaining findings can be mended, and how."""
    ready = sum(view.fixable(each) for each in report.findings)
    held = sum(each.fix is not None for each in report.findings) - ready
    hidden = (
        f"{held} unsafe {'fix' if held == 1 else 'fixes'} held back: "
        "`--fix --unsafe-fixes` applies, `--diff --unsafe-fixes` shows"
    )
    option = "--fix --unsafe-fixes" if _needs_unsafe(report.findings, view) else "--fix"
    if ready:
        line = f"[*] {ready} fixable with `{option}`"
        return f"{line} ({hidden}).\n" if held else f"{line}.\n"
    return f"{hidden}.\n" if held else ""


def _needs_unsafe(findings: Iterable[Finding], view: View) -> bool:
    return view.unsafe and any(
        each.fix is not None and each.fix.safety is Safety.UNSAFE for each in findings
    )


def failure_line(failure: Failure, view: View) -> str:
    """Return what could not be done, on one line."""
    path = f"{view.relative(failure.path)}: " if failure.path else ""
    told = printable(f"{path}{view.reason(failure)}")
    return f"{view.style('error', 'red', bold=True)}: {told}\n"


def statistics(report: Report, view: View) -> str:
    """Return a line per rule: how often, which rule, how many fixable."""
    counts = Counter(each.code for each in report.findings)
    fixable = Counter(each.code for each in report.findings if view.fixable(each))
    width = len(str(max(counts.values(), default=0)))
    return "".join(
        f"{count:>{width}}  {code}  {view.names.get(code, '')}"
        f"{f'  [*] {fixable[code]} fixable' if fixable[code] else ''}\n"
        for code, count in sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    )
