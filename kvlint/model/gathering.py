# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What code gathers and takes apart, at a glance at its text, as in ``glances``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kvlint.model.glances import WORD, is_handed_on, positions, typed_words

_GATHERED = re.compile(
    r"\s*([\w.]+)\s*(?::[^=\n]*)?=\s*(?:\w+\()?\s*[\[({].*\sfor\s.*\bisinstance\("
    r"\s*\w+\s*,[\w.,|(\s]*$",
    re.S,
)
_CHECKED = re.compile(r"[\w.,|\s]*\)*\s*for\s+\w+\s+in\s+([\w.]+)(?![\w.(])")
"""What stands behind a class in ``all(isinstance(x, A) for x in several)``."""
_ZIPPED = re.compile(r"\bfor\s+([\w\s,()]+?)\s+in\s+(?:\w+\()?zip\((?=[^\n]*$)")
_UNPACKED = re.compile(r"\s*([*\w. \t()]+,[*\w., \t()]*?)\s*=(?!=)")
_OTHER = re.compile(r":|\bCallable\b")
KEPT = re.compile(r"self\.(\w+)[ \t]*=[ \t]*(\w+)[ \t]*\n")
"""An attribute that is set to what a name stands for, and the name."""


def gathered_words(before: str, text: str, behind: int) -> Iterator[str]:
    """Yield the words that hold what a comprehension found to be of a class.

    Args:
        before: The statement up to the name of the class.
        text: All of the text.
        behind: Where the name ends.
    """
    if "isinstance(" in before:
        found = [_GATHERED.match(before)]
        if "all(" in before:
            found.append(_CHECKED.match(text, behind))
        for each in found:
            if each is not None:
                yield WORD.findall(each[1])[-1]


def parted_words(before: str) -> Iterator[str]:
    """Yield the words that parts of several values are bound to.

    Args:
        before: The statement up to one of the values.
    """
    if "," not in before:
        return
    found = [_ZIPPED.search(before)] if "zip(" in before else []
    if "=" in before:
        found.append(_UNPACKED.match(before))
    for each in found:
        if each is None or not is_handed_on(before[each.end() :]):
            continue
        parts, place = each[1].split(","), before.count(",", each.end())
        if place or each.re is _ZIPPED:
            parts = parts[place : place + 1]
        for part in parts:
            yield from WORD.findall(part)[-1:]


def line_before(text: str, position: int) -> str:
    """Return a line up to a place."""
    return text[text.rfind("\n", 0, position) + 1 : position]


def givers(
    text: str, classes: Iterable[tuple[int, int]]
) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the functions and attributes that may give instances of classes.

    Args:
        text: A file's.
        classes: Where the classes are named.

    Yields:
        Names, with ``self.`` before an attribute, and where the class is named.
    """
    known = set[tuple[str, str]]()
    for place in classes:
        before = line_before(text, place[0])
        arrow = before.rfind("->")
        if arrow >= 0 and not _OTHER.search(before, arrow):
            defined = text.rfind("def ", 0, place[0])
            if found := WORD.match(text, defined + 4):
                yield found[0], place
        elif ":" in before:
            said = text[slice(*place)]
            for word, _ in {(each, said) for each in typed_words(before)} - known:
                known.add((word, said))
                for position in positions(text, f"= {word}\n"):
                    if kept := KEPT.match(text, text.rfind("self.", 0, position)):
                        yield f"self.{kept[1]}", place
