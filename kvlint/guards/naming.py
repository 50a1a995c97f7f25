# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Helpers that compare the release, told by their names where a body tells nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from kvlint.guards.values import NO, UNTOLD, YES, Outcome

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_VERSION = re.compile(r"v?\d+(\.\d+)+\S*")
_RANGE = re.compile(r"\s*(==|~=|!=|<=?|>=?)")

_PLAIN = frozenset(
    {
        "at",
        "check",
        "compare",
        "current",
        "equal",
        "equals",
        "exact",
        "exactly",
        "greater",
        "has",
        "in",
        "installed",
        "is",
        "match",
        "matches",
        "or",
        "than",
        "the",
        "version",
        "vllm",
    }
)
_AT_LEAST = frozenset({"ge", "gte", "least", "min", "minimum", "since"})
_AT_MOST = frozenset({"le", "lte", "max", "maximum", "most"})
_ABOVE = frozenset({"above", "after", "greater", "gt", "later", "newer"})
_BELOW = frozenset({"before", "below", "earlier", "less", "lower", "lt", "older"})
_RELEASES = frozenset({"release", "releases", "version", "versions", "vllm"})
_EQUAL = frozenset({"eq", "equal", "equals", "or"})


def speaks_of_release(name: str) -> bool:
    """Return whether a name of which nothing is known speaks of vLLM's version.

    In ``vllm_flash_attn_version`` it is another one's.
    """
    words = [each.lower() for each in _WORD.findall(name)]
    if "vllm" not in words or "version" not in words[words.index("vllm") :]:
        return False
    between = words[words.index("vllm") + 1 : words.index("version")]
    return set(between) <= _PLAIN | {"new", "old"}


def by_name(name: str, arguments: Sequence[Any], release: str | None) -> Outcome | None:
    """Return what a helper of which only the name is known answers.

    Args:
        name: Such as ``vllm_version_is`` or ``is_vllm_version_at_least``.
        arguments: Of several, any that fits will do.
        release: The release at hand.

    Returns:
        None if it does not speak of versions, or of another package's.
    """
    words = _words(name)
    texts = [each for each in _flat(arguments) if isinstance(each, str)]
    unknown = UNTOLD if speaks_of_release(name) else None
    if "version" not in words or not texts:
        return unknown
    ranges = [each for each in texts if _RANGE.match(each)]
    if len(ranges) != len(texts) and not all(map(_VERSION.fullmatch, texts)):
        return unknown
    signs = words - _PLAIN
    holds = _relation(words)
    if (
        release is None
        or holds is None
        or "vllm" not in words
        or signs - (_AT_LEAST | _AT_MOST | _ABOVE | _BELOW | _EQUAL)
    ):
        return UNTOLD
    try:
        version = Version(release)
        if ranges:
            found = any(SpecifierSet(each).contains(version, True) for each in texts)
        else:
            found = any(holds(version, Version(each)) for each in texts)
    except (InvalidSpecifier, InvalidVersion):
        return UNTOLD
    return YES if found else NO


def leaves_out(name: str, arguments: Sequence[Any], release: str | None) -> bool:
    """Return whether a decorator may keep what it stands at for other releases.

    Args:
        name: Of the decorator, such as ``version_range``.
        arguments: Such as ``">=0.8,<0.29"``; of several, any that fits will do.
        release: The release at hand.
    """
    texts = [x for x in _flat(arguments) if isinstance(x, str) and _RANGE.match(x)]
    if not texts or _words(name).isdisjoint(_RELEASES):
        return False
    try:
        ranges = [SpecifierSet(each) for each in texts]
    except InvalidSpecifier:
        return False
    return release is None or not any(each.contains(release, True) for each in ranges)


def _relation(words: frozenset[str]) -> Callable[[Version, Version], bool] | None:
    or_equal = bool(words & _EQUAL)
    if words & _AT_LEAST:
        return lambda one, other: one >= other
    if words & _AT_MOST:
        return lambda one, other: one <= other
    if words & _ABOVE:
        return lambda one, other: one > other or (or_equal and one == other)
    if words & _BELOW:
        return lambda one, other: one < other or (or_equal and one == other)
    if words & (_EQUAL | {"exact", "exactly", "in", "is", "match", "matches"}):
        return lambda one, other: one == other
    return None


def _words(name: str) -> frozenset[str]:
    return frozenset(each.lower() for each in _WORD.findall(name))


def _flat(values: Sequence[Any]) -> list[Any]:
    return [
        item
        for each in values
        for item in (each if isinstance(each, list | tuple) else (each,))
    ]
