# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What attributes and functions may give groups or their specs, by a look at texts.

Attributes that a method sets are found, properties, and functions that return or yield
what stands at the place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kvlint.model.functions import FunctionIndex
from kvlint.model.glances import positions
from kvlint.model.groups.subjects import Names, answer_of
from kvlint.vocabulary import GROUP_ATTRIBUTE

_SET = re.compile(
    r"\bself\.(\w+)(?:\[[^\]\n]*\])?\s*(?::[^=\n]+)?(?:=(?!=)|\.append\()"
    r"[^=]*(?:(?<=\w)=[^=]+)*$"
)
_REDUCED = re.compile(r"\b(?:len|isinstance|any|all|sum|max|min|range|get\w*)\(")
_GIVES = ("return ", "yield ")
_BOUND = re.compile(r"[ \t]*(\w+)\s*(?::[^=\n]+)?=(?!=)[^=]*")
_PROPERTY = re.compile(r"@(?:\w+\.)?(?:cached_)?property\s*\n\s*$")
_FAR = 300


@dataclass(frozen=True, slots=True)
class Kept:
    """What may give groups or their specs wherever it is named.

    Attributes:
        word: How it is named: ``self.groups``, ``self.spec_of``, ``spec_of``.
        class_name: The class whose instances have it; empty for a plain function.
        offset: Where it is set, or what it returns.
        place: Under which name a function's answer is known; empty for what is set.
    """

    word: str
    class_name: str
    offset: int
    place: str = ""


def find_kept(index: FunctionIndex, names: Names) -> list[Kept]:
    """Return what a file's functions keep on instances, or give.

    Args:
        index: The functions of the file.
        names: What groups are called, and what unwraps them.
    """
    text, found = index.source.text, list[Kept]()
    lists = sorted(names.group_lists)
    for mark in (f".{GROUP_ATTRIBUTE}", *(f".{each}" for each in lists)):
        for at in positions(text, mark):
            found += _at(index, names, at, at + len(mark))
    for mark in lists:
        found += _parameters(index, mark)
    return found


def _at(index: FunctionIndex, names: Names, at: int, end: int) -> Iterator[Kept]:
    """What is kept of something that stands at a place."""
    text = index.source.text
    if text[end : end + 1] in {".", "["}:
        return
    start = max(0, at - _FAR)
    before = text[start:at]
    is_set = _SET.search(before) if "self." in before else None
    if is_set is not None and is_one(is_set[0]) and not _REDUCED.search(is_set[0]):
        offset = start + is_set.start()
        yield Kept(f"self.{is_set[1]}", index.owner(offset)[0], offset)
        return
    given = _given_name(before)
    if given is None:
        return
    around = index.glance(at)
    is_given = not given or f"return {given}\n" in text[at : around.end]
    if is_given and around.name not in {"", *names.openers}:
        yield _given(index, at)


def _given_name(before: str) -> str | None:
    """The name of what a function may give that stands behind a text.

    Empty if it has none, as in ``return group.kv_cache_spec``.
    """
    at = max(before.rfind(each) for each in _GIVES)
    if at >= 0 and "=" not in before[at:] and is_one(before[at:]):
        gives_numbers = "enumerate(" in before[at:]
        return None if gives_numbers or _REDUCED.search(before, at) else ""
    line = before[before.rfind("\n") + 1 :]
    bound = _BOUND.fullmatch(line)
    return None if bound is None or _REDUCED.search(line) else bound[1]


def _given(index: FunctionIndex, at: int) -> Kept:
    """What a function around a place gives."""
    around = index.glance(at)
    is_method = bool(around.class_name)
    word = f"self.{around.name}" if is_method else around.name
    header = index.source.text[max(0, around.start - _FAR) : around.start]
    is_property = is_method and _PROPERTY.search(header) is not None
    place = word if is_property else answer_of(word)
    return Kept(word, around.class_name, at, place)


def _parameters(index: FunctionIndex, name: str) -> Iterator[Kept]:
    """The attributes that a parameter is kept under, such as ``kv_cache_groups``."""
    text = index.source.text
    for at in positions(text, f"= {name}\n"):
        start = max(0, at - _FAR)
        is_set = _SET.search(text[start : at + 1])
        if is_set is not None and is_one(is_set[0]):
            offset = start + is_set.start()
            yield Kept(f"self.{is_set[1]}", index.owner(offset)[0], offset)


def is_one(text: str) -> bool:
    """Return whether a text does not go beyond the end of a statement.

    Args:
        text: It begins within the statement.
    """
    opened = sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))
    return opened > 0 or "\n" not in text
