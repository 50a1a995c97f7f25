# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a run prints, where to, and with which code it exits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from kvlint import catalogue
from kvlint.destinations import Destination
from kvlint.errors import KvlintError
from kvlint.findings import Failure
from kvlint.output import FOR_PEOPLE, FORMATS, TELL_FAILURES, diff
from kvlint.output.summary import failure_line, statistics, summary
from kvlint.output.view import View, printable
from kvlint.reports import Report
from kvlint.running import Options, Outcome
from kvlint.streams import FAILED, emit, error_line, wants_colour
from kvlint.writing import write_report

CLEAN, FOUND = 0, 1


def publish(outcome: Outcome, options: Options, folder: Path) -> int:
    """Print an outcome, or put it in files, and return the exit code.

    Findings, or a patch, or mended standard input go to standard output; whatever
    else there is to say goes to standard error.

    Args:
        outcome: What came of the run.
        options: What the command line said.
        folder: The working directory.
    """
    report = outcome.report
    plain = View(folder, catalogue.names(), unsafe=options.unsafe_fixes)

    def view(*, err: bool) -> View:
        return replace(plain, colour=wants_colour(err=err))

    # The mended text takes standard output.
    aside = options.changes and options.reads_stdin and not options.diff
    is_printed = all(each.output_format for each in options.output_file)
    page = _page(report, options, view(err=aside)) if is_printed else ""
    files = [
        FORMATS[each.output_format](report, plain)
        if each.output_format
        else _page(report, options, plain)
        for each in options.output_file
    ]
    if aside and outcome.stdin:
        changed = [each.after.content for each in report.changes]
        emit(changed[0] if changed else outcome.stdin)
    emit(page, err=aside)
    if options.statistics and options.output_format not in FOR_PEOPLE:
        emit(statistics(report, view(err=True)), err=True)
    is_whole = write_all(options.output_file, files)
    _comment(outcome, options, view(err=True))
    return exit_code(outcome, options) if is_whole else FAILED


def _page(report: Report, options: Options, view: View) -> str | bytes:
    """Return what was asked for above all: a patch, counts, or the findings."""
    if options.diff:
        return diff.render(report, view)
    if options.statistics and options.output_format in FOR_PEOPLE:
        return statistics(report, view)
    return FORMATS[options.output_format](report, view)


def publish_failure(
    messages: Sequence[str], output_format: str, output_file: Sequence[Destination]
) -> None:
    """Tell readers of documents that nothing was checked, and why.

    Not all formats can: where one cannot, a report that is missing says more than one
    that is empty.

    Args:
        messages: What standard error said.
        output_format: The format of what is printed.
        output_file: The files for reports.
    """
    failures = tuple(Failure(each) for each in messages)
    report = Report((), failures, (), files_checked=0)
    view = View(Path.cwd(), {})
    able = [
        (each, FORMATS[name](report, view))
        for each in output_file
        if (name := each.output_format or output_format) in TELL_FAILURES
    ]
    is_printed = all(each.output_format for each in output_file)
    if is_printed and output_format in TELL_FAILURES:
        emit(FORMATS[output_format](report, view))
    write_all([each for each, _ in able], [text for _, text in able])


def _comment(outcome: Outcome, options: Options, view: View) -> None:
    """Print to standard error what is not a finding."""
    report = outcome.report
    if options.verbose:
        lines = (*report.notes, f"{report.files_checked} files checked")
        emit("".join(f"note: {printable(each)}\n" for each in lines), err=True)
    emit("".join(failure_line(each, view) for each in report.failures), err=True)
    if options.quiet:
        return
    emit("".join(f"note: {printable(each)}\n" for each in report.remarks), err=True)
    if not report.files_checked and not report.failures:
        emit("warning: there are no Python files under the given paths\n", err=True)
    emit(summary(report, view, dry=options.diff), err=True)


def write_all(
    destinations: Sequence[Destination], contents: Sequence[str | bytes]
) -> bool:
    """Write reports to files, and print why where one cannot be written.

    Args:
        destinations: The files.
        contents: What goes into each.

    Returns:
        Whether all of them were written.
    """
    is_whole = True
    for each, content in zip(destinations, contents, strict=True):
        if isinstance(content, str):
            content = content.encode("utf-8", "backslashreplace")
        try:
            write_report(each.path, content)
        except KvlintError as error:
            emit(error_line(str(error)), err=True)
            is_whole = False
    return is_whole


def exit_code(outcome: Outcome, options: Options) -> int:
    """Return 0 for clean or mended, 1 for findings, 2 for work not done."""
    report = outcome.report
    # With --diff nothing is mended yet.
    found = [*report.findings, *(report.mended if options.diff else ())]
    if report.failures:
        return FAILED
    if options.exit_zero:
        return CLEAN
    fatal = any(each.severity.reaches(outcome.fail_on) for each in found)
    return FOUND if fatal else CLEAN
