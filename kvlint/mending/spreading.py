# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A longer call in place of an expression, broken over lines as a formatter would."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kvlint.findings import Edit
from kvlint.mending.holders import UnwritableError
from kvlint.model.syntax import Span

_ALONE = re.compile(
    r"\s*(?:(?:if|elif|while|return|assert)\s+|[\w.]+\s*=\s*)?(?:not\s+)?"
)
"""What may stand before an expression that is all there is on its line."""
_OPERATOR = re.compile(r"\b(?:and|or|if|else)\b")
_SECOND = re.compile(
    r"\s*(?P<first>(?:(?! and | or | if | else ).)+) (?:and|or) (?:not )?"
)
"""What stands before the second of two operands."""
_COMMENTS = re.compile(r"(?:^[ \t]*#[^\n]*\n)+\Z", re.MULTILINE)
_FIRST_INSIDE = re.compile(r"[^()\[\]{}#]*(?P<open>[(\[])(?:not )?")
_LOOP_BEHIND = re.compile(r"(?P<loop> for [\w, ]+ in [^#]+)(?P<close>[)\]]):?")


def spread(
    text: str, span: Span, function: str, parts: Sequence[str], most: int
) -> list[Edit]:
    """Return the edits that put a call where an expression stands in its line.

    Args:
        text: The file's.
        span: The expression, within one line.
        function: What is called.
        parts: What it is called with: an element, and a loop.
        most: How long a line may get.

    Raises:
        UnwritableError: A formatter would break the line at other places as well.
    """
    start, stop = text.rfind("\n", 0, span.start) + 1, text.find("\n", span.end)
    stop = len(text) if stop < 0 else stop
    before, after = text[start : span.start], text[span.end : stop]
    margin = before[: len(before) - len(before.lstrip())]
    step = "\t" if "\t" in margin else "    "
    whole = f"{function}({' '.join(parts)})"
    if len(before) + len(whole) + len(after) <= most:
        return [Edit(span.start, span.end, whole)]
    if _ALONE.fullmatch(before) and _OPERATOR.search(after) is None:
        call = _broken(function, parts, margin, step)
        return [Edit(span.start, span.end, call)]
    second = _SECOND.fullmatch(before)
    above = _COMMENTS.sub("", text[:start])
    is_inside = above.rstrip().endswith(("(", "[", ","))
    if second is not None and is_inside and not after.strip():
        end = start + second.end("first")
        call = _broken(function, parts, margin, step)
        return [Edit(end, end + 1, f"\n{margin}"), Edit(span.start, span.end, call)]
    first, loop = _FIRST_INSIDE.fullmatch(before), _LOOP_BEHIND.fullmatch(after)
    if first is None or loop is None or _OPERATOR.search(loop["loop"]):
        raise UnwritableError("its line would have to be broken elsewhere as well")
    opened, inner = start + first.end("open"), margin + step
    lead = before[first.end("open") :]
    if len(inner) + len(lead) + len(whole) > most:
        whole = _broken(function, parts, inner, step)
    if len(inner) + len(loop["loop"]) - 1 > most:
        raise UnwritableError("its line would have to be broken elsewhere as well")
    new = f"\n{inner}{lead}{whole}\n{inner}{loop['loop'].strip()}\n{margin}"
    return [Edit(opened, span.end + loop.end("loop"), new)]


def _broken(function: str, parts: Sequence[str], margin: str, step: str) -> str:
    inside = "".join(f"\n{margin}{step}{each}" for each in parts)
    return f"{function}({inside}\n{margin})"
