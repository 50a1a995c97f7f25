# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``kvlint check``: the findings of files and folders, and their fixes."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from pathlib import Path
from typing import Any

import click

from kvlint import progress
from kvlint.commands.output_options import output_options
from kvlint.commands.rule_options import (
    configuration_options,
    release_option,
    rule_options,
    severity_option,
    sources_option,
)
from kvlint.output import FOR_PEOPLE
from kvlint.streams import announce_run, guarded, heed_interrupts

_EPILOG = """\
\b
Exit codes:
  0  nothing at or above --fail-on was found, or all of it was mended
  1  findings remain; with --diff, which mends nothing, also those it would mend
  2  something could not be done: a wrong option or configuration, a file that
     cannot be read, parsed or written, a check that crashed
"""
_FILE = click.Path(path_type=Path)
# At its end, Python would look through a hundred thousand objects for garbage.
atexit.register(gc.freeze)


@click.command(epilog=_EPILOG)
@click.argument("paths", nargs=-1, type=_FILE)
@click.option("--fix", is_flag=True, help="Apply safe fixes.")
@click.option(
    "--unsafe-fixes",
    is_flag=True,
    help="Count unsafe fixes as available too; with --fix, apply them.",
)
@click.option(
    "--add-ignore",
    metavar="REASON",
    help="Silence what is found by comments that give this reason.",
)
@click.option(
    "--diff",
    is_flag=True,
    help="Print what --fix or --add-ignore would do as a patch, in place of the "
    "findings; write nothing.",
)
@rule_options(
    select="Report these only: codes, beginnings of codes, names, or ALL, parted by "
    "commas.",
    preview="Also report rules in preview; else only those selected by their own code.",
)
@output_options
@click.option(
    "--statistics",
    is_flag=True,
    help="Count by rule, in place of the findings; beside formats for programs, on "
    "standard error.",
)
@click.option(
    "--exit-zero", is_flag=True, help="Exit with 0 even if there are findings."
)
@severity_option()
@click.option(
    "--baseline",
    type=_FILE,
    help="Leave out what is in this file, which `kvlint baseline` wrote.",
)
@click.option(
    "--no-baseline", is_flag=True, help="Tell also what the configured baseline has."
)
@click.option(
    "--since",
    metavar="REV",
    help="Tell only what was not there where HEAD and this branch, tag or commit of "
    "git went apart.",
)
@sources_option()
@release_option()
@configuration_options
@click.option(
    "--stdin-filename", type=_FILE, help="What to call standard input, given as `-`."
)
@click.option(
    "--verify",
    is_flag=True,
    help="Run the code, as `kvlint verify` does, and tell which findings of KV1xx and "
    "KV2xx show.",
)
@click.option(
    "--python",
    type=_FILE,
    metavar="INTERPRETER",
    help="With --verify, the Python that has what vLLM imports.",
)
@click.option("-v", "--verbose", is_flag=True, help="Tell what was not resolved.")
@click.option("-q", "--quiet", is_flag=True, help="Print findings and errors alone.")
def check(**given: Any) -> None:
    """Check files and folders, by default the working directory.

    The hierarchy of specs is always read from the whole project. `-` checks standard
    input; with --fix the mended text goes to standard output and findings to standard
    error.
    """
    _refuse_contradictions(given)

    def tell(messages: list[str]) -> None:
        from kvlint.reporting import publish_failure

        if not given["diff"]:
            publish_failure(messages, given["output_format"], given["output_file"])

    with guarded(verbose=given["verbose"], tell=tell):
        # Syntax trees are many objects, and none of them garbage until the end.
        gc.set_threshold(500_000, 50, 100)
        from kvlint.reporting import publish
        from kvlint.running import Options, run

        options = Options(**given)
        folder = Path.cwd()
        stdin = b""
        if options.reads_stdin:
            stdin = sys.stdin.buffer.read()
        with progress.shown(quiet=options.quiet):
            outcome = run(options, folder, stdin, announce_run)
        heed_interrupts()
        code = publish(outcome, options, folder)
    raise click.exceptions.Exit(code)


def _refuse_contradictions(given: dict[str, Any]) -> None:
    """Refuse options that cannot be had together.

    Raises:
        click.UsageError: There are some.
    """
    checked = {os.path.realpath(each) for each in given["paths"]}
    dashed = Path("-") in given["paths"]
    structured = given["output_format"] not in FOR_PEOPLE
    beside = any(each.output_format for each in given["output_file"])
    refusals: dict[str, bool] = {
        "`-` stands alone: no other paths beside it": (
            dashed and len(given["paths"]) > 1
        ),
        "--stdin-filename names what `-` reads: give `-` too": (
            given["stdin_filename"] is not None and not dashed
        ),
        f"--diff prints a patch: leave out --output-format {given['output_format']}": (
            given["diff"] and structured
        ),
        "--diff makes a patch: leave out the FORMAT= of --output-file": (
            given["diff"] and beside
        ),
        "--diff prints a patch: leave out --statistics": (
            given["diff"] and given["statistics"]
        ),
        "--verify runs what is on the disk: leave out --diff and `-`": (
            given["verify"] and (given["diff"] or dashed)
        ),
        "--python is for --verify: give that too": (
            given["python"] is not None and not given["verify"]
        ),
        "--add-ignore silences what --fix mends: run one after the other": (
            given["add_ignore"] is not None and (given["fix"] or given["unsafe_fixes"])
        ),
        "--baseline and --no-baseline cannot both be had": (
            given["baseline"] is not None and given["no_baseline"]
        ),
        "--output-file names a file that is to be checked": any(
            os.path.realpath(each.path) in checked for each in given["output_file"]
        ),
        "--verbose and --quiet cannot both be had": given["verbose"] and given["quiet"],
    }
    for message, refused in refusals.items():
        if refused:
            raise click.UsageError(message)
