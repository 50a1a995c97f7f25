# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``kvlint config``: what is in force, and where from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kvlint.commands import choices
from kvlint.streams import FAILED, emit, guarded, wants_colour

_FILE = click.Path(path_type=Path)


@click.command("config", short_help="Show what is in force, and where from.")
@click.argument("paths", nargs=-1, type=_FILE)
@click.option(
    "--select",
    multiple=True,
    metavar="RULES",
    shell_complete=choices.rule_list,
    help="As if these were reported only.",
)
@click.option(
    "--ignore",
    multiple=True,
    metavar="RULES",
    shell_complete=choices.rule_list,
    help="As if these were left out.",
)
@click.option("--preview", is_flag=True, help="As if rules in preview counted.")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning"]),
    help="As if findings failed the run from this severity on.",
)
@click.option("--vllm-path", type=_FILE, help="As if vLLM's sources were there.")
@click.option(
    "--vllm-version",
    multiple=True,
    metavar="VERSION",
    shell_complete=choices.releases,
    help="As if it were for this release of vLLM. May be repeated.",
)
@click.option(
    "--config",
    "config_file",
    type=_FILE,
    help="Read [tool.kvlint] of this file, not of the nearest pyproject.toml.",
)
@click.option("--isolated", is_flag=True, help="Read no configuration.")
@click.option(
    "--output-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print it.",
)
def show_config(output_format: str, **given: Any) -> None:
    """Show what is in force for files and folders, as `kvlint check` would have it.

    Every setting is told with the line or the option that it comes from, and the vLLM
    that is meant with the reason.
    """
    with guarded():
        from kvlint import catalogue, progress
        from kvlint.in_force import in_force
        from kvlint.output import settings
        from kvlint.output.summary import failure_line
        from kvlint.output.view import View
        from kvlint.running import Options, planned

        folder = Path.cwd()
        with progress.shown():
            job, failures = planned(Options(**given), folder)
        found = in_force(job)
        view = View(folder, catalogue.names(), wants_colour(err=False))
        render = settings.as_json if output_format == "json" else settings.render
        emit(render(found, view))
        aside = View(folder, catalogue.names(), wants_colour(err=True))
        emit("".join(failure_line(each, aside) for each in failures), err=True)
        if failures:
            raise click.exceptions.Exit(FAILED)
