# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``kvlint rules`` and ``kvlint rule``: what is looked for, and why."""

from __future__ import annotations

import os
import shutil
import sys

import click

from kvlint.commands import choices
from kvlint.streams import emit, guarded, wants_colour


@click.command("rule")
@click.argument("rules", metavar="CODE|NAME...", nargs=-1, shell_complete=choices.rules)
@click.option("--all", "all_rules", is_flag=True, help="Print those of all rules.")
@click.option(
    "--output-format",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="How to print them; text is laid out on a terminal, else it is Markdown.",
)
def show_rule(rules: tuple[str, ...], all_rules: bool, output_format: str) -> None:
    """Print the documents of rules.

    A rule is named by its code or its name, several by what their codes begin with,
    such as KV1. On a terminal, what is longer than the screen goes to $PAGER.
    """
    if bool(rules) == all_rules:
        raise click.UsageError("name a rule, such as KV101, or give --all alone")
    with guarded():
        from kvlint import catalogue
        from kvlint.output import rule_pages
        from kvlint.output.rules import as_json

        if all_rules:
            chosen = [*catalogue.rules().values()]
        else:
            chosen = catalogue.find_all(rules)
        if output_format == "json":
            emit(as_json(chosen, explained=True))
        elif output_format == "text" and wants_colour(err=False):
            texts = map(rule_pages.in_words, chosen)
            columns = shutil.get_terminal_size().columns
            _page("\n".join(rule_pages.for_terminal(x, columns) for x in texts))
        else:
            emit("\n".join(each.text for each in chosen))


@click.command("rules", short_help="List the rules.")
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
        from kvlint.output.rules import as_json, for_terminal, table

        rules = [*catalogue.rules().values()]
        if output_format == "json":
            emit(as_json(rules))
        elif wants_colour(err=False):
            _page(for_terminal(rules, shutil.get_terminal_size().columns))
        else:
            emit(table(rules))


def _page(text: str) -> None:
    """Print to a terminal, through a pager if it does not fit on the screen."""
    fits = text.count("\n") < shutil.get_terminal_size().lines
    # As with git, an empty variable and cat are ways to refuse.
    if fits or os.environ.get("PAGER") in ("", "cat") or not sys.stdin.isatty():
        emit(text)
    else:
        click.echo_via_pager(text)
