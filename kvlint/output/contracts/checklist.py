# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The checklist for a bump of vLLM, as text and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.contracts.upgrading.checklist import Checklist, Item
from kvlint.output.view import View, counted, printable


def render(checklist: Checklist, view: View) -> str:
    """Return a line per place, ``path:line:column: must change: ...``."""
    return "".join(f"{_line(each, view)}\n" for each in checklist.items)


def render_markdown(checklist: Checklist, view: View) -> str:
    """Return a list of boxes to tick, what must change first."""
    lines = [f"# vLLM {checklist.before} to {checklist.after}"]
    looks = [each for each in checklist.items if not each.is_due]
    for title, items in (("Must change", checklist.due), ("Worth a look", looks)):
        if items:
            lines += ["", f"## {title}", ""]
            lines += [
                f"- [ ] `{view.location(each.place)}` {printable(each.message)}"
                for each in items
            ]
    if not checklist.items:
        lines += ["", summary(checklist)]
    return "".join(f"{line}\n" for line in lines)


def summary(checklist: Checklist) -> str:
    """Return how much there is to do, in a sentence."""
    releases = f"vLLM {checklist.before} to {checklist.after}"
    files = counted(checklist.files_checked, "file")
    if not checklist.items:
        return f"{releases}: nothing in {files} touches what changed."
    return f"{releases}: {', '.join(_counts(checklist))} in {files}."


def _counts(checklist: Checklist) -> Iterator[str]:
    due = len(checklist.due)
    look = len(checklist.items) - due
    yield f"{counted(due, 'place')} must change"
    if look:
        yield f"{counted(look, 'place')} {'is' if look == 1 else 'are'} worth a look"


def _line(item: Item, view: View) -> str:
    place = view.style(view.location(item.place), bold=True)
    if item.is_due:
        what = view.style("must change", "red", bold=True)
    else:
        what = view.style("look", "yellow", bold=True)
    return f"{place}: {what}: {printable(item.message)}"
