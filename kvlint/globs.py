# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Git's patterns with many wildcards, matched in a time that cannot explode.

A regular expression with some ``.*`` in a row tries all ways to part a name among them:
twelve are enough to keep a run busy for years. Whoever wrote a .gitignore or a
configuration should not be able to do that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_MOST_STARS = 2
_STAR = None
_TOKEN = re.compile(
    r"\*+|\?|\\(?P<escaped>.)|(?P<range>\[[!^]?\]?[^\]]*\])|.", re.DOTALL
)


def is_wild(pattern: str) -> bool:
    """Return whether a pattern has more wildcards than a regular expression bears.

    Args:
        pattern: A line of a .gitignore file.
    """
    return pattern.count("*") > _MOST_STARS


class Glob:
    """A pattern of paths.

    Args:
        pattern: A line of a .gitignore file, without what turns it round.
    """

    def __init__(self, pattern: str) -> None:
        """Part the pattern."""
        self._is_below = pattern.endswith("/**")
        body = pattern.removesuffix("/**").strip("/")
        is_anchored = "/" in pattern.rstrip("/")
        parts = body.split("/") if is_anchored else ["**", body]
        self._parts = [None if part == "**" else _tokens(part) for part in parts]

    def match(self, relative: str) -> bool:
        """Return whether a path fits, itself and not for a folder above it.

        Args:
            relative: Parted by ``/``.
        """
        names = relative.split("/")
        if not self._is_below:
            return self._fits(names)
        return any(self._fits(names[:end]) for end in range(1, len(names)))

    def matches_some(self, relative: str) -> bool:
        """Return whether a path fits, or a folder above it."""
        names = relative.split("/")
        return any(self.match("/".join(names[: end + 1])) for end in range(len(names)))

    def _fits(self, names: Sequence[str]) -> bool:
        reached = self._with_gaps({0})
        for name in names:
            stays = {each for each in reached if self._at(each) is None}
            goes = {
                each + 1
                for each in reached - stays
                if each < len(self._parts) and _fits(self._parts[each] or (), name)
            }
            reached = self._with_gaps(stays | goes)
        return len(self._parts) in reached

    def _at(self, place: int) -> object:
        return self._parts[place] if place < len(self._parts) else ()

    def _with_gaps(self, places: set[int]) -> set[int]:
        """Places, and those behind a ``**``, which may stand for no folder at all."""
        found = set(places)
        for each in sorted(places):
            while self._at(each) is None:
                each += 1
                found.add(each)
        return found


def _tokens(part: str) -> tuple[re.Pattern[str] | str | None, ...]:
    """A name's pattern as characters, ranges, and None for any number of characters."""
    found: list[re.Pattern[str] | str | None] = []
    for token in _TOKEN.finditer(part):
        if token[0].startswith("*"):
            found.append(_STAR)
        elif token[0] == "?":
            found.append(re.compile(".", re.DOTALL))
        elif token["range"]:
            found.append(_range(token[0]))
        else:
            found.append(token["escaped"] or token[0])
    return tuple(found)


def _range(text: str) -> re.Pattern[str] | str:
    inside = text[1:-1]
    turned = "^" if inside[:1] in ("!", "^") else ""
    inside = inside[1:] if turned else inside
    try:
        return re.compile(f"[{turned}{inside.replace('[', chr(92) + '[')}]")
    except re.error:
        return ""  # malformed: it stands for no character


def _fits(tokens: Sequence[re.Pattern[str] | str | None], name: str) -> bool:
    """Whether a name fits.

    Each star stands for as little as it can; only the last one that was met is asked to
    stand for more.
    """
    at = token = 0
    star = begun = -1
    while at < len(name):
        if token < len(tokens) and tokens[token] is _STAR:
            star, begun = token, at
            token += 1
        elif token < len(tokens) and _is_one(tokens[token], name[at]):
            at, token = at + 1, token + 1
        elif star >= 0:
            begun += 1
            at, token = begun, star + 1
        else:
            return False
    return all(each is _STAR for each in tokens[token:])


def _is_one(token: re.Pattern[str] | str | None, character: str) -> bool:
    if isinstance(token, re.Pattern):
        return token.fullmatch(character) is not None
    return token == character
