# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a run prints, where to, and with which code it exits."""

from __future__ import annotations

from pathlib import Path

from kvlint import catalogue
from kvlint.output import FORMATS, diff
from kvlint.output.summary import failure_line, statistics, summary
from kvlint.output.view import View, printable
from kvlint.running import Options, Outcome
from kvlint.streams import FAILED, emit, wants_colour

CLEAN, FOUND = 0, 1
_FOR_PEOPLE = ("full", "concise")


def publish(outcome: Outcome, options: Options, folder: Path) -> int:
    """Print an outcome and return the exit code.

    Findings, or a patch, or mended standard input go to standard output; whatever
    else there is to say goes to standard error.

    Args:
        outcome: What came of the run.
        options: What the command line said.
        folder: The working directory.
    """
    report = outcome.report
    names = catalogue.names()

    def view(*, err: bool) -> View:
        return View(folder, names, wants_colour(err=err), options.unsafe_fixes)

    if options.diff:
        emit(diff.render(report, view(err=False)))
    else:
        # The mended text takes standard output.
        aside = options.changes and options.reads_stdin
        if aside and outcome.stdin:
            changed = [each.after.content for each in report.changes]
            emit(changed[0] if changed else outcome.stdin)
        people = options.output_format in _FOR_PEOPLE
        if not (options.statistics and people):
            render = FORMATS[options.output_format]
            emit(render(report, view(err=aside)), err=aside)
        if options.statistics:
            err = aside or not people
            emit(statistics(report, view(err=err)), err=err)
    _comment(outcome, options, view(err=True))
    return exit_code(outcome, options)


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
