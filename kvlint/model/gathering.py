# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What code gathers and takes apart, at a glance at its text, as in ``glances``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kvlint.model.glances import WORD

_GATHERED = re.compile(
    r"\s*([\w.]+)\s*(?::[^=\n]*)?=\s*(?:\w+\()?\s*[\[({].*\sfor\s.*\bisinstance\(", re.S
)
_CHECKED = re.compile(r"[\w.,|\s]*\)*\s*for\s+\w+\s+in\s+([\w.]+)")
"""What stands behind a class in ``all(isinstance(x, A) for x in several)``."""
_ZIPPED = re.compile(r"\bfor\s+([\w\s,()]+?)\s+in\s+(?:\w+\()?zip\([^\n]*$")
_UNPACKED = re.compile(r"\s*([*\w. \t()]+,[*\w., \t()]*?)\s*=(?!=)")


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
    found = [_ZIPPED.search(before)] if "zip(" in before else []
    if "=" in before and "," in before:
        found.append(_UNPACKED.match(before))
    for each in found:
        yield from WORD.findall(each[1]) if each is not None else ()
