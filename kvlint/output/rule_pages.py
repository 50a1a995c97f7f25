# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Rule documents for people: on a terminal, and as Markdown with its data in words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from kvlint.catalogue import Rule

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]*\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_CODE = re.compile(r"`([^`]+)`")
_ASIDE = re.compile(r"^\*(.*)\*$", re.MULTILINE)
_FIXES = {"safe": "safe fix", "unsafe": "unsafe fix", "none": "no fix"}
_WIDEST = 100
_STYLES = {
    "markdown.h1": "bold",
    "markdown.h2": "bold magenta",
    "markdown.code": "cyan",
    "markdown.em": "dim",
}


def in_words(rule: Rule) -> str:
    """Return the Markdown of a rule's document with its metadata as sentences.

    Args:
        rule: The rule.
    """
    facts = [_FIXES[rule.fix], f"since kvlint {rule.since}"]
    if rule.vllm:
        facts.append(f"vLLM {rule.vllm}")
    if rule.stage == "preview":
        facts.append("in preview: off unless asked for")
    told = f"{rule.summary}.\n\n*{' · '.join(facts)}*\n"
    return _FENCE.sub(lambda _: told, rule.text, count=1)


def for_terminal(text: str, columns: int) -> str:
    """Return Markdown as it reads well on a terminal with colours.

    With rich at hand, from the extra ``pretty``, code is highlighted and paragraphs are
    filled; else headings and code are told apart by colour and indentation.

    Args:
        text: The Markdown. Links to other documents become mere words.
        columns: How wide the terminal is.
    """
    text = _outside_fences(text, lambda prose: _LINK.sub(r"\1", prose))
    try:
        return _by_rich(text, columns)
    except ImportError:
        return _by_click(text)


def _by_rich(text: str, columns: int) -> str:
    from io import StringIO

    from rich.console import Console
    from rich.markdown import Markdown
    from rich.theme import Theme

    page = StringIO()
    console = Console(
        file=page,
        width=min(columns, _WIDEST),
        force_terminal=True,
        color_system="standard",
        legacy_windows=False,
        theme=Theme(_STYLES),
    )
    # Colours of the terminal's own, whatever its background is.
    console.print(Markdown(text, code_theme="ansi_dark", hyperlinks=False))
    lines = page.getvalue().lstrip().splitlines()  # a title stands at the left here
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _by_click(text: str) -> str:
    return _outside_fences(text, _prose, _block)


def _prose(text: str) -> str:
    text = _HEADING.sub(lambda found: click.style(found[1], bold=True), text)
    text = _ASIDE.sub(lambda found: click.style(found[1], dim=True), text)
    return _CODE.sub(lambda found: click.style(found[1], fg="cyan"), text)


def _block(fence: re.Match[str]) -> str:
    hues = {"+": "green", "-": "red"} if fence[1] == "diff" else {}
    lines = (click.style(x, fg=hues.get(x[:1], "cyan")) for x in fence[2].splitlines())
    return "".join(f"    {line}\n" for line in lines)


def _outside_fences(
    text: str,
    change: Callable[[str], str],
    inside: Callable[[re.Match[str]], str] = lambda fence: fence[0],
) -> str:
    """Return Markdown with its prose changed one way and its code another."""
    made, end = [], 0
    for fence in _FENCE.finditer(text):
        made += [change(text[end : fence.start()]), inside(fence)]
        end = fence.end()
    return "".join([*made, change(text[end:])])
