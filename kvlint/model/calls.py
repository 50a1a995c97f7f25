# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Calls found in a text, where parsing the file around them would cost too much."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

_STRING = (
    r"\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?'''"
    r"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
)
_TOKEN = re.compile(rf"#[^\n]*|{_STRING}|([(\[{{])|([)\]}}])", re.S)
_LONGEST = 20_000
_DEFINES = re.compile(r"(?:class|def)[ \t]+$")


@dataclass(frozen=True)
class TextCall:
    """A call as it stands in a text; whether it is code is not known.

    Attributes:
        name: What is called, the last part of it.
        dotted: All of it.
        start: Its first character.
        end: One past its last.
        text: Its arguments in their parentheses.
    """

    name: str
    dotted: str
    start: int
    end: int
    text: str

    @cached_property
    def node(self) -> ast.Call | None:
        """Its syntax, None if it has none."""
        try:
            node = ast.parse(f"_{self.text}", mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        return node if isinstance(node, ast.Call) else None

    @property
    def keywords(self) -> dict[str, ast.expr]:
        """Its keyword arguments; what it unpacks is left out."""
        keywords = () if self.node is None else self.node.keywords
        return {each.arg: each.value for each in keywords if each.arg}

    @property
    def unpacked(self) -> list[ast.expr]:
        """What it unpacks as keywords."""
        keywords = () if self.node is None else self.node.keywords
        return [each.value for each in keywords if each.arg is None]


def call_pattern(names: Iterable[str]) -> re.Pattern[bytes]:
    """Return what finds the places where any of some names may be called."""
    ordered = sorted(names, key=len, reverse=True)
    options = b"|".join(re.escape(name.encode()) for name in ordered)
    return re.compile(rb"\b(?:" + options + rb")\s*\(")


def find_calls(text: str, pattern: re.Pattern[str]) -> Iterator[TextCall]:
    """Yield the calls of some names in a text.

    Args:
        text: The text.
        pattern: Finds them: a name as its first group, up to the parenthesis.
    """
    for match in pattern.finditer(text):
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if _DEFINES.search(line) or "#" in line:
            continue
        opened = match.end() - 1
        end = closing(text, opened)
        if end is None:
            continue
        head = re.search(r"(?:\w+\s*\.\s*)*$", line)
        dotted = (head[0] if head else "") + match[1]
        start = match.start() - (len(head[0]) if head else 0)
        yield TextCall(match[1], dotted, start, end, text[opened:end])


def closing(text: str, opened: int) -> int | None:
    """Return one past the bracket that closes the one at a place.

    Args:
        text: The text.
        opened: Where the opening bracket stands.
    """
    depth = 0
    for match in _TOKEN.finditer(text, opened, opened + _LONGEST):
        depth += (match[1] is not None) - (match[2] is not None)
        if depth == 0:
            return match.end()
    return None
