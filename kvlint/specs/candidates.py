# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which files are worth parsing: a byte filter that decides no verdict."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from os.path import commonprefix
from pathlib import Path

_LONGEST_HEADER = 4000
_FEWEST_LETTERS = 4
_LETTER = re.compile(rb"[\w\x80-\xff]")
_LETTERS = re.compile(rb"[\w\x80-\xff]*")
_RENAMED = re.compile(rb"[ \t]+as[ \t]+\w")
_ASSIGNED = re.compile(rb"[ \t]*(?:type[ \t]+)?\w+[ \t]*(?::[^=]*)?=(?!=)[^(]*")
_ENDS_VALUE = re.compile(rb"[ \t]*(?:$|[#;\r]|if\b|else\b)")
_HEADER_END = re.compile(rb":[ \t]*(?:#[^\r\n]*)?[\r\n]")


class Candidates:
    """Finds files that may define a class below, or an alias of, any of some names.

    Args:
        names: Simple names of classes.

    Attributes:
        names: The same.
    """

    def __init__(self, names: Iterable[str]) -> None:
        """Prepare the names."""
        ordered = sorted(names, key=len)
        self.names = frozenset(ordered)
        self._names = frozenset(name.encode() for name in ordered)
        # A file without `AttentionSpec` has no `FullAttentionSpec` either.
        shortest: list[str] = []
        for name in ordered:
            if not any(known in name for known in shortest):
                shortest.append(name)
        self._shortest = tuple(name.encode() for name in shortest)
        ending = commonprefix([name[::-1] for name in shortest])[::-1]
        # One search for what all end in, such as `Spec`, unless that is everywhere.
        parts = [ending] if len(ending) >= _FEWEST_LETTERS else shortest
        self._searches = [re.compile(re.escape(each.encode())).search for each in parts]

    def mention(self, content: bytes) -> bool:
        """Return whether a file speaks of any of the names."""
        return any(
            content.endswith(self._shortest, 0, end) for _, end in self._places(content)
        )

    def may_define(self, content: bytes) -> bool:
        """Return whether a file that mentions one may define a descendant or alias."""
        for place in self._places(content):
            start, end = _word_around(content, *place)
            if content[start:end] in self._names and _defines(content, start, end):
                return True
        return False

    def _places(self, content: bytes) -> Iterator[tuple[int, int]]:
        """Where a part of the names stands that one of them must have."""
        for search in self._searches:
            found = search(content)
            while found is not None:
                yield found.span()
                found = search(content, found.start() + 1)


class Idle:
    """Files that a pass over a project need not look at: the last one saw no use.

    Empty at first. Between passes, texts may change and new names come up.
    """

    def __init__(self) -> None:
        """Know of no file yet."""
        self._files: set[Path] = set()
        self._names: set[str] = set()

    def __contains__(self, path: Path) -> bool:
        """Return whether nobody needs to look at a file."""
        return path in self._files

    def rest(
        self,
        files: Iterable[Path],
        names: Iterable[str],
        content: Callable[[Path], bytes],
    ) -> None:
        """Leave files alone from now on.

        Args:
            files: What is not worth holding.
            names: The classes of which they do not speak.
            content: Reads a file.
        """
        fresh = {*files} - self._files
        gone = self._names - {*names}
        if fresh and gone:  # they may come back
            candidates = Candidates(gone)
            fresh = {each for each in fresh if not candidates.mention(content(each))}
        self._files |= fresh
        self._names.update(names)

    def wake(self, path: Path) -> None:
        """Look at a file again, for its text has changed."""
        self._files.discard(path)

    def wake_for(self, names: Iterable[str], content: Callable[[Path], bytes]) -> None:
        """Look again at the files that speak of classes which were not known then.

        Args:
            names: All classes that are known now.
            content: Reads a file.
        """
        fresh = {*names} - self._names
        if not fresh or not self._files:
            return
        candidates = Candidates(fresh)
        self._files -= {x for x in self._files if candidates.mention(content(x))}
        self._names |= fresh


def _word_around(content: bytes, start: int, end: int) -> tuple[int, int]:
    """The word that a piece of a file is in; letters beyond ASCII are part of it."""
    while start and _LETTER.match(content, start - 1):
        start -= 1
    found = _LETTERS.match(content, end)
    return start, end if found is None else found.end()


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
