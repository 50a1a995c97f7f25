# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``kvlint rules`` and ``kvlint rule``: what is looked for, and why."""

from __future__ import annotations

import click

from kvlint.streams import emit, guarded


@click.command("rule")
@click.argument("rule", metavar="CODE|NAME")
def show_rule(rule: str) -> None:
    """Print the document of a rule."""
    with guarded():
        from kvlint import catalogue

        emit(catalogue.find(rule).text)


@click.command("rules")
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
