# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The command line: read options, call, print, exit."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from kvlint import __version__
from kvlint.streams import emit, guarded

_EPILOG = """\
\b
Exit codes:
  0  nothing at or above --fail-on was found, or all of it was mended
  1  findings remain; with --diff, which mends nothing, also those it would mend
  2  something could not be done: a wrong option or configuration, a file that
     cannot be read, parsed or written, a check that crashed
"""
_FILE = click.Path(path_type=Path)


class _Commands(click.Group):
    """The commands, of which some are imported only when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), "audit", "contract"])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name == "audit":
            from kvlint.audit_commands import audit

            return audit
        if cmd_name == "contract":
            from kvlint.contract_commands import contract

            return contract
        return super().get_command(ctx, cmd_name)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kvlint", message="%(prog)s %(version)s")
def main() -> None:
    """Find and mend KV cache specs of vLLM that do not answer for what they wrap.

    Findings go to standard output, everything else to standard error.
    """


@main.command(epilog=_EPILOG)
@click.argument("paths", nargs=-1, type=_FILE)
@click.option("--fix", is_flag=True, help="Apply safe fixes.")
@click.option(
    "--unsafe-fixes",
    is_flag=True,
    help="Count unsafe fixes as available too; with --fix, apply them.",
)
@click.option(
    "--diff",
    is_flag=True,
    help="Print what --fix would do as a patch, in place of the findings; write "
    "nothing.",
)
@click.option(
    "--select",
    multiple=True,
    metavar="RULES",
    help="Report these only: codes, beginnings of codes, names, or ALL, parted by "
    "commas.",
)
@click.option("--ignore", multiple=True, metavar="RULES", help="Leave these out.")
@click.option(
    "--preview",
    is_flag=True,
    help="Also report rules in preview; else only those selected by their own code.",
)
@click.option(
    "--output-format",
    type=click.Choice(["full", "concise", "json", "github"]),
    default="full",
    show_default=True,
    help="How to print findings.",
)
@click.option(
    "--statistics",
    is_flag=True,
    help="Count by rule, in place of the findings; beside json and github, on "
    "standard error.",
)
@click.option(
    "--exit-zero", is_flag=True, help="Exit with 0 even if there are findings."
)
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning"]),
    help="From which severity on findings fail the run.  [default: error]",
)
@click.option("--vllm-path", type=_FILE, help="The folder of vLLM's sources.")
@click.option(
    "--vllm-version",
    multiple=True,
    metavar="VERSION",
    help="A release of vLLM, or a specifier such as '>=0.29,<0.34'. May be repeated.",
)
@click.option(
    "--config",
    "config_file",
    type=_FILE,
    help="Read [tool.kvlint] of this file, not of the nearest pyproject.toml.",
)
@click.option("--isolated", is_flag=True, help="Read no configuration.")
@click.option(
    "--stdin-filename", type=_FILE, help="What to call standard input, given as `-`."
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
    with guarded(verbose=given["verbose"], json=given["output_format"] == "json"):
        import gc

        # Syntax trees are many objects, and none of them garbage until the end.
        gc.set_threshold(500_000, 50, 100)
        from kvlint.reporting import publish
        from kvlint.running import Options, run

        options = Options(**given)
        folder = Path.cwd()
        stdin = b""
        if options.reads_stdin:
            stdin = sys.stdin.buffer.read()
        code = publish(run(options, folder, stdin), options, folder)
    raise click.exceptions.Exit(code)


@main.command("rule")
@click.argument("rule", metavar="CODE|NAME")
def show_rule(rule: str) -> None:
    """Print the document of a rule."""
    with guarded():
        from kvlint import catalogue

        emit(catalogue.find(rule).text)


@main.command("rules")
@click.option(
    "--output-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print them.",
)
def list_rules(output_format: str) -> None:
    """List the rules: code, name, whether there is a fix, and what it finds."""
    with guarded():
        from kvlint import catalogue

        rules = catalogue.rules().values()
        keys = ("code", "name", "fix", "summary")
        rows = [{key: getattr(each, key) for key in keys} for each in rules]
        if output_format == "json":
            import json

            more = [
                {"since": each.since, "vllm": each.vllm, "stage": each.stage}
                for each in rules
            ]
            both = [{**row, **rest} for row, rest in zip(rows, more, strict=True)]
            emit(json.dumps(both, indent=2) + "\n")
            return
        for row, each in zip(rows, rules, strict=True):
            row["summary"] += " (preview)" if each.stage == "preview" else ""
        widths = [max(len(row[key]) for row in rows) for key in keys]
        for row in rows:
            cells = [
                f"{row[key]:<{width}}" for key, width in zip(keys, widths, strict=True)
            ]
            emit("  ".join(cells).rstrip() + "\n")


def _refuse_contradictions(given: dict[str, Any]) -> None:
    """Refuse options that cannot be had together.

    Raises:
        click.UsageError: There are some.
    """
    dashed = Path("-") in given["paths"]
    structured = given["output_format"] in ("json", "github")
    refusals: dict[str, bool] = {
        "`-` stands alone: no other paths beside it": (
            dashed and len(given["paths"]) > 1
        ),
        "--stdin-filename names what `-` reads: give `-` too": (
            given["stdin_filename"] is not None and not dashed
        ),
        "--diff prints a patch: leave out --output-format json and github": (
            given["diff"] and structured
        ),
        "--diff prints a patch: leave out --statistics": (
            given["diff"] and given["statistics"]
        ),
        "--verbose and --quiet cannot both be had": given["verbose"] and given["quiet"],
    }
    for message, refused in refusals.items():
        if refused:
            raise click.UsageError(message)
