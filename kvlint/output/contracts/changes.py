# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What changed between two releases, as text for people and as Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from kvlint.contracts.changes import (
    CONSTRUCTOR,
    Area,
    Change,
    Difference,
    Family,
    Turn,
)
from kvlint.contracts.lineage import listed
from kvlint.output.contracts.text import DRAWN, Glyphs
from kvlint.output.view import View, printable

_NARROWEST, _WIDEST = 60, 110
_ORDER = (Turn.RENAMED, Turn.REMOVED, Turn.CHANGED, Turn.ADDED)
_SIGNS = {
    Turn.RENAMED: (">", "magenta"),
    Turn.REMOVED: ("-", "red"),
    Turn.CHANGED: ("~", "yellow"),
    Turn.ADDED: ("+", "green"),
}
_ARROW = DRAWN.arrow
_NOTHING = "nothing changed for specs and their managers"
_SHORT = 30
_TITLES = {
    Family.SPEC: "Specs",
    Family.BESIDE: "Groups, tensors and configurations",
    Family.MANAGER: "Managers",
}


def render(
    difference: Difference, view: View, width: int, signs: Glyphs = DRAWN
) -> str:
    """Return the changes as text.

    Args:
        difference: What changed.
        view: Whether to colour.
        width: The columns of the terminal.
        signs: What to draw with.
    """
    room = min(max(width, _NARROWEST), _WIDEST)
    lines = [_headline(difference, view)]
    for family, changes in _sections(difference):
        lines += ["", view.style(_TITLES[family], bold=True)]
        for change in changes:
            lines += _entry(change, view, room)
    return "".join(f"{line}\n" for line in lines).replace(_ARROW, signs.arrow)


def render_markdown(difference: Difference) -> str:
    """Return the changes as Markdown: a heading per family, a list in each."""
    lines = [f"# {headline(difference)}"]
    for family, changes in _sections(difference):
        lines += ["", f"## {_TITLES[family]}"]
        turn = None
        for change in changes:
            if change.turn is not turn:
                turn = change.turn
                lines += ["", f"**{turn.capitalize()}**", ""]
            more = told(change, code=True)
            is_plain = more in {"new", "gone"}
            lines.append(f"- `{subject(change)}`" + ("" if is_plain else f": {more}"))
    return "".join(f"{line}\n" for line in lines)


def headline(difference: Difference) -> str:
    """Return the releases, and how much changed."""
    counts = ", ".join(f"{count} {turn}" for turn, count in _counts(difference))
    return f"vLLM {difference.before} to {difference.after}: {counts or _NOTHING}"


def _counts(difference: Difference) -> Iterator[tuple[Turn, int]]:
    for turn in _ORDER:
        count = sum(each.turn is turn for each in difference.changes)
        if count:
            yield turn, count


def _headline(difference: Difference, view: View) -> str:
    """The same with the signs of the entries, so that it explains them."""
    counts = [
        f"{view.style(_SIGNS[turn][0], _SIGNS[turn][1], bold=True)} {count} {turn}"
        for turn, count in _counts(difference)
    ]
    title = f"vLLM {difference.before} to {difference.after}:"
    return f"{view.style(title, bold=True)} {'  '.join(counts) or _NOTHING}"


def subject(change: Change) -> str:
    """Return what changed: ``Class.member(a, b)``, with what it is called now."""
    if change.area is Area.FACTORY:
        return f"{change.owners[0]}(..., {change.name}=...)"
    if change.area is Area.REGISTRATION:
        return f"registration of {change.name}"
    owner = f"{change.owners[0]}." if change.owners else ""
    name = f"{owner}{change.name}"
    if change.turn is Turn.RENAMED:
        return f"{name} {_ARROW} {change.new_name}"
    if change.turn is Turn.ADDED and change.area is not Area.CLASS:
        gap = "" if change.signature.startswith((":", "(")) else " "
        return f"{name}{gap}{change.signature}".rstrip()
    return name


def told(change: Change, *, code: bool = False) -> str:
    """Return how it changed, in words.

    Args:
        change: What changed.
        code: Whether texts of code are set in backquotes.
    """
    parts = [_turned(change)]
    rest = change.owners[1:]
    if rest and change.turn is not Turn.ADDED and change.area is not Area.FACTORY:
        parts[0] = ", ".join(filter(None, [parts[0], f"also on {listed(rest)}"]))
    tick = "`" if code else ""
    for each in change.aspects:
        texts = [f"{tick}{text}{tick}" for text in (each.before, each.after) if text]
        parts.append(f"{each.name}: {f' {_ARROW} '.join(texts)}")
    if change.turn is Turn.RENAMED:
        parts.append(f"because: {', '.join(change.notes)}")
    elif change.turn is Turn.ADDED and change.notes:
        parts[0] = ", ".join([parts[0], *change.notes])
    else:
        parts += change.notes
    return "; ".join(filter(None, parts))


def _turned(change: Change) -> str:
    what = ""
    if change.area is Area.FACTORY:
        what = {Turn.ADDED: "always passed now", Turn.REMOVED: "passed no more"}[
            change.turn
        ]
    elif change.turn is Turn.ADDED:
        what = "new"
    elif change.turn is Turn.REMOVED:
        what = "gone"
    elif change.turn is Turn.RENAMED:
        what = "gone, likely renamed"
    elif change.name == CONSTRUCTOR:
        what = "constructor"
    return what


def _sections(difference: Difference) -> Iterator[tuple[Family, list[Change]]]:
    for family in Family:
        changes = [each for each in difference.changes if each.family is family]
        if changes:
            yield family, sorted(changes, key=lambda each: _ORDER.index(each.turn))


def _entry(change: Change, view: View, room: int) -> Iterator[str]:
    sign, colour = _SIGNS[change.turn]
    name, more = printable(subject(change)), told(change)
    if len(name) + 4 > room and change.turn is Turn.ADDED and "(" in name:
        name = f"{name.partition('(')[0]}(...)"
    line = f"  {view.style(sign, colour, bold=True)} {view.style(name, bold=True)}"
    if len(more) <= _SHORT and len(name) + len(more) + 6 <= room:
        yield f"{line}  {more}"
        return
    yield line
    yield from _wrapped(more, room)


def _wrapped(text: str, room: int) -> Sequence[str]:
    return textwrap.wrap(
        printable(text),
        room,
        initial_indent="      ",
        subsequent_indent="      ",
        break_on_hyphens=False,
        break_long_words=False,
    )
