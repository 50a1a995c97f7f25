# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``kvlint config``: what is in force, and where from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kvlint.commands.rule_options import (
    configuration_options,
    release_option,
    rule_options,
    severity_option,
    sources_option,
)
from kvlint.streams import FAILED, emit, guarded, wants_colour

_FILE = click.Path(path_type=Path)


@click.command("config", short_help="Show what is in force, and where from.")
@click.argument("paths", nargs=-1, type=_FILE)
@rule_options(
    select="As if these were reported only.",
    ignore="As if these were left out.",
    preview="As if rules in preview counted.",
)
@severity_option("As if findings failed the run from this severity on.")
@sources_option("As if vLLM's sources were there.")
@release_option("As if it were for this release of vLLM. May be repeated.")
@configuration_options
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
