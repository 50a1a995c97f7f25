# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``kvlint baseline``: write down what is found today."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kvlint.commands.rule_options import (
    configuration_options,
    release_option,
    rule_options,
    sources_option,
)
from kvlint.streams import FAILED, emit, guarded, wants_colour

_EPILOG = """\
\b
Exit codes:
  0  the baseline was written
  2  something could not be done: a wrong option or configuration, a file that
     cannot be read, parsed or written, a check that crashed
"""
_FILE = click.Path(path_type=Path)


@click.command(epilog=_EPILOG, short_help="Write down what is found today.")
@click.argument("paths", nargs=-1, type=_FILE)
@click.option(
    "-o",
    "--output",
    type=_FILE,
    help="The file.  [default: what `baseline` in the configuration names, or "
    "kvlint-baseline.json]",
)
@rule_options(
    select="These only: codes, beginnings of codes, names, or ALL, parted by commas.",
    preview="Also rules in preview.",
)
@sources_option()
@release_option()
@configuration_options
@click.option("-q", "--quiet", is_flag=True, help="Print errors alone.")
def baseline(output: Path | None, quiet: bool, **given: Any) -> None:
    """Write down what is found today, so that `kvlint check` tells what comes after.

    With a file that is there already, what is found no more is taken out, and what is
    new is put in; what was not looked for stays. PATHS are files and folders, by
    default the working directory.
    """
    if Path("-") in given["paths"]:
        raise click.UsageError("a baseline is of files: leave out `-`")
    with guarded():
        from kvlint import baselines, engine, progress
        from kvlint.output.summary import failure_line
        from kvlint.output.view import View, counted
        from kvlint.running import Options, planned

        folder = Path.cwd()
        job, failures = planned(Options(**given), folder)
        path = folder / (output or job.config.baseline or baselines.NAME)
        before = baselines.read(path, job, required=False)
        with progress.shown(quiet=quiet), progress.Step("Checking"):
            report = engine.check(job)
        after = before.renewed(report)
        after.write()
        view = View(folder, {}, wants_colour(err=True))
        failures = (*failures, *report.failures)
        emit("".join(failure_line(each, view) for each in failures), err=True)
        if not quiet:
            old, new = (
                {each.fingerprint for each in x.entries} for x in (before, after)
            )
            told = f"{len(new - old)} new, {len(old - new)} gone"
            name, number = view.relative(path), counted(len(new), "finding")
            emit(f"Wrote {number} to {name}: {told}.\n", err=True)
        if failures:
            raise click.exceptions.Exit(FAILED)
