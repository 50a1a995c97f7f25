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
_ENDING = "Spec"
_CALLED = re.compile(r"(?:\w+\s*\.\s*)*(\w+)\s*\($")
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


class CallFinder:
    """Finds the calls of some names in texts.

    Args:
        names: The names, without dots.

    Attributes:
        names: The same.
    """

    def __init__(self, names: Iterable[str]) -> None:
        """Prepare one search for all names that end alike, such as in ``Spec``."""
        self.names = frozenset(names)
        endings = {
            _ENDING if name.endswith(_ENDING) else re.escape(name)
            for name in self.names
        }
        # A pattern that begins with letters is many times as fast as one of many.
        self._patterns = [re.compile(rf"{each}\s*\(") for each in sorted(endings)]
        self._bytes = [re.compile(each.pattern.encode()) for each in self._patterns]

    def is_in(self, content: bytes) -> bool:
        """Return whether a file may call one of them."""
        return any(each.search(content) for each in self._bytes)

    def calls(self, text: str) -> Iterator[TextCall]:
        """Yield the calls in a text, in its order."""
        matches = [
            each for pattern in self._patterns for each in pattern.finditer(text)
        ]
        for match in sorted(matches, key=lambda each: each.start()):
            line = text[text.rfind("\n", 0, match.start()) + 1 : match.end()]
            head = _CALLED.search(line)
            if head is None or head[1] not in self.names:
                continue
            before = line[: head.start()]
            if _DEFINES.search(before) or "#" in before:
                continue
            opened = match.end() - 1
            end = closing(text, opened)
            if end is not None:
                start = match.end() - len(head[0])
                dotted = "".join(head[0][:-1].split())
                yield TextCall(head[1], dotted, start, end, text[opened:end])


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
