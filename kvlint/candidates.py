# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which files are worth parsing: a byte filter that decides no verdict."""

from __future__ import annotations

import re
from collections.abc import Iterable
from os.path import commonprefix

_LONGEST_HEADER = 4000
_WORD = re.compile(rb"\w")
_RENAMED = re.compile(rb"[ \t]+as[ \t]+\w")
_ASSIGNED = re.compile(rb"[ \t]*(?:type[ \t]+)?\w+[ \t]*(?::[^=]*)?=(?!=)[^(]*")
_ENDS_VALUE = re.compile(rb"[ \t]*(?:$|[#;\r]|if\b|else\b)")
_HEADER_END = re.compile(rb":[ \t]*(?:#[^\r\n]*)?[\r\n]")


class Candidates:
    """Finds files that may define a class below, or an alias of, any of some names.

    Args:
        names: Simple names of classes.
    """

    def __init__(self, names: Iterable[str]) -> None:
        """Prepare the names."""
        ordered = sorted(names, key=len)
        self._names = [name.encode() for name in ordered]
        # A file without `AttentionSpec` has no `FullAttentionSpec` either.
        shortest: list[str] = []
        for name in ordered:
            if not any(known in name for known in shortest):
                shortest.append(name)
        self._shortest = [name.encode() for name in shortest]
        self._ending = commonprefix([name[::-1] for name in shortest])[::-1].encode()

    def mention(self, content: bytes) -> bool:
        """Return whether a file speaks of any of the names."""
        return self._ending in content and any(
            map(content.__contains__, self._shortest)
        )

    def may_define(self, content: bytes) -> bool:
        """Return whether a file that mentions one may define a descendant or alias."""
        for name in self._names:
            start = content.find(name)
            while start >= 0:
                end = start + len(name)
                if _is_word(content, start, end) and _defines(content, start, end):
                    return True
                start = content.find(name, end)
        return False


def _is_word(content: bytes, start: int, end: int) -> bool:
    before, after = content[start - 1 : start], content[end : end + 1]
    return not _WORD.match(before) and not _WORD.match(after)


def _defines(content: bytes, start: int, end: int) -> bool:
    """Whether a name stands where a class is defined or called otherwise."""
    line_end = content.find(b"\n", end)
    rest = content[end : line_end if line_end >= 0 else len(content)]
    if _RENAMED.match(rest):
        return True
    line = content[content.rfind(b"\n", 0, start) + 1 : start]
    if b"=" in line and _ENDS_VALUE.match(rest) and _ASSIGNED.fullmatch(line):
        return True
    return _is_in_header(content, start)


def _is_in_header(content: bytes, start: int) -> bool:
    """Whether a class statement begins before a name and may not have ended."""
    lowest = max(0, start - _LONGEST_HEADER)
    position = content.rfind(b"class", lowest, start)
    while position >= 0:
        line = content[lowest:position].replace(b"\r", b"\n").rpartition(b"\n")[2]
        if not line.strip(b" \t\f"):
            return not _HEADER_END.search(content, position, start)
        position = content.rfind(b"class", lowest, position)
    return False
