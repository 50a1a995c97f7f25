# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which functions may do something with raw group specs: what is worth parsing.

All this is a quick look at texts that decides nothing. What it lets through is followed
in earnest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from kvlint.model.functions import FunctionIndex

_RAW = ".kv_cache_spec"
_OWNER = re.compile(r"[\w.]+(?:\[[^\]\n]*\])?$")
_LONGEST_OWNER = 80
_PER_LAYER = re.compile(r"attn_group|attention_group|^self$|\bspec$")
_BOUND = re.compile(
    r"(?<![\w.])(\w+)\s*(?::[^=\n]+)?:?=(?!=)"
    r"[^\n]*(?:\n[^\n=]*){0,3}?(?<!self)\.kv_cache_spec\b"
)
_KEPT = re.compile(
    r"\bself\.(\w+)(?:\[[^\]\n]*\])?\s*(?::[^=\n]+)?(?:=(?!=)|\.append\()"
    r"[^=\n]*(?:\n[^=\n]*){0,3}?\b(?:kv_cache_groups\b(?!\[)|(?<!self\.)kv_cache_spec\b)"
)
_LOOPS = re.compile(r"\bfor\s+([\w\s,()]+?)\s+in\s+(?:\w+\()*([\w.]+)")
_ASSIGNED = re.compile(r"(?<![\w.])(\w+)\s*(?::[^=\n]+)?:?=(?!=)\s*(?:\w+\()*([\w.]+)")
_HASHERS = "hash|add|get|setdefault|discard|set|frozenset|Counter|fromkeys"
_COUNTED = re.compile(r"layer_names|kv_cache_tensors|_layers\b|_tensors\b|_count\b")
_TIMES = re.compile(r"\*|\bsum\(|\+=")


class Suspicions:
    """Finds functions in which group specs may be treated as if they were layers'.

    Args:
        classes: Names that a test may ask for.
        holders: Attributes by which a composite is known.
        firsts: Properties that give the first spec in one.
        cached: Functions that hash what they are given.
    """

    def __init__(
        self,
        classes: Collection[str],
        holders: Collection[str],
        firsts: Collection[str] = (),
        cached: Collection[str] = (),
    ) -> None:
        """Write down what is looked for; ``%s`` stands for a raw group spec."""
        names = _any(classes)
        self._patterns = [
            rf"\bisinstance\(\s*\(?\s*%s\b[^,]*,[^)]*?\b(?:{names})\b",
            rf"\b(?:get|has)attr\(\s*%s\s*,\s*[\"'](?!(?:{_any(holders)})[\"'])",
            rf"(?:(?<=[\w\])])\[|\{{|\b(?:{_HASHERS})\()\s*%s\s*(?:[\])}}:,]|for\b)",
        ]
        if cached:
            self._patterns.append(rf"\b(?:{_any(cached)})\([^)]*%s")
        held = rf"\([^()]*\.(?:{_any(holders)})(?:\.values\(\))?\)"
        self._first = re.compile(
            rf"\.(?:{_any(firsts)})\b|{held}\[0\]"
            rf"|\bnext\(\s*iter\(\s*[\w.]*\.(?:{_any(holders)})\b"
        )
        self._case = re.compile(rf"\bcase\s[^\n]*\b(?:{names})\s*\(")

    def offsets(
        self, index: FunctionIndex, expects: Callable[[str, str], bool]
    ) -> Iterator[int]:
        """Yield a place in each suspicious function of a file.

        Args:
            index: The functions of the file.
            expects: Tells by a class and a name whether a function may be concerned.
        """
        text = index.source.text
        kept = {f"self.{each.attribute}" for each in attributes(index)}
        yield from self._of_first(index, expects)
        for mark in sorted({_RAW, *kept}):
            at = text.find(mark)
            while at >= 0:
                after = at + len(mark)
                bounds = self._bounds(index, at) if mark == _RAW else index.bounds(at)
                if bounds is not None:
                    after = bounds[1]
                    is_wanted = expects(*index.owner(at))
                    if is_wanted and self._is_suspicious(text[slice(*bounds)], kept):
                        yield at
                at = text.find(mark, after)

    def _of_first(
        self, index: FunctionIndex, expects: Callable[[str, str], bool]
    ) -> Iterator[int]:
        for found in self._first.finditer(index.source.text):
            if expects(*index.owner(found.start())):
                yield found.start()

    def _bounds(self, index: FunctionIndex, at: int) -> tuple[int, int] | None:
        """The function around a group's spec; None if it is no group's."""
        owner = _OWNER.search(index.source.text[max(0, at - _LONGEST_OWNER) : at])
        is_group = owner is not None and not _PER_LAYER.search(owner[0])
        return index.bounds(at) if is_group else None

    def _is_suspicious(self, body: str, kept: Collection[str]) -> bool:
        names = {*_BOUND.findall(body), *kept}
        loops = [*_LOOPS.findall(body), *_ASSIGNED.findall(body)]
        for _ in range(2):
            for targets, iterated in loops:
                head = ".".join(
                    iterated.split(".")[: 2 if iterated[:5] == "self." else 1]
                )
                if head in names:
                    names |= set(re.findall(r"\w+", targets))
        bound = rf"(?:{_any(names)})(?:\[[\w-]+\])?"
        raw = rf"(?:{bound}|(?!self\.kv)[\w.\[\]-]+\.kv_cache_spec)"
        if any(re.search(each % raw, body) for each in self._patterns):
            return True
        is_page = rf"{raw}\.page_size_bytes\b"
        is_counted = _COUNTED.search(body) and _TIMES.search(body)
        if is_counted and re.search(is_page, body):
            return True
        return self._case.search(body) is not None


@dataclass(frozen=True, slots=True)
class Kept:
    """An attribute of an instance that may hold groups or their specs.

    Attributes:
        class_name: The class.
        attribute: Its name.
        offset: Where it is set.
    """

    class_name: str
    attribute: str
    offset: int


def attributes(index: FunctionIndex) -> list[Kept]:
    """Return the attributes of a file's classes that may hold groups or their specs."""
    return [
        Kept(index.owner(found.start())[0], found[1], found.start())
        for found in _KEPT.finditer(index.source.text)
    ]


def _any(names: Collection[str]) -> str:
    return "|".join(sorted(map(re.escape, names))) or "(?!)"
