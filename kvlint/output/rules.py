# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The list of rules: as columns, as lines for a terminal, and as JSON."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from kvlint.catalogue import Rule

_CODE = re.compile(r"`([^`]+)`")
_ROOMY = 110
"""Columns from which on summaries have one of their own."""
_HUES = {"safe": "green", "unsafe": "yellow", "none": None}


def table(rules: Sequence[Rule]) -> str:
    """Return a line for each rule: code, name, fix, summary."""
    rows = [(each.code, each.name, each.fix, _summary(each)) for each in rules]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        for row in rows
    )
    return "".join(f"{line.rstrip()}\n" for line in lines)


def for_terminal(rules: Sequence[Rule], columns: int) -> str:
    """Return the table for a terminal with colours, its summaries filled.

    Args:
        rules: The rules, in the order of their codes.
        columns: How wide the terminal is.
    """
    names = max(len(each.name) for each in rules)
    has_room = columns >= _ROOMY
    indent = " " * (names + 17 if has_room else 7)
    blocks: dict[str, str] = {}
    for each in rules:
        head = "  ".join(
            [
                click.style(each.code, bold=True),
                click.style(each.name, fg="cyan") + " " * (names - len(each.name)),
                click.style(each.fix, fg=_HUES[each.fix]),
            ]
        )
        head += " " * (8 - len(each.fix)) if has_room else f"\n{indent}"
        filled = textwrap.wrap(_summary(each), max(columns - len(indent) - 1, 20))
        told = _CODE.sub(
            lambda found: click.style(found[1], fg="cyan"), f"\n{indent}".join(filled)
        )
        hundred = each.code[:3]
        blocks[hundred] = blocks.get(hundred, "") + f"{head}{told}\n"
    return "\n".join(blocks.values())


def as_json(rules: Sequence[Rule], *, explained: bool = False) -> str:
    """Return an array of objects.

    Args:
        rules: The rules.
        explained: Whether each has its document, under ``explanation``.
    """
    keys = ("code", "name", "fix", "summary", "since", "vllm", "stage")
    listed = [
        {key: getattr(each, key) for key in keys}
        | ({"explanation": each.text} if explained else {})
        for each in rules
    ]
    return json.dumps(listed, indent=2) + "\n"


def _summary(rule: Rule) -> str:
    return rule.summary + (" (preview)" if rule.stage == "preview" else "")
