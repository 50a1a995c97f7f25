# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which functions may do something with raw group specs: what is worth parsing.

All this is a quick look at texts that decides nothing. What it lets through is followed
in earnest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from kvlint.model.functions import FunctionIndex

_RAW = ".kv_cache_spec"
_OWNER = re.compile(r"[\w.]+(?:\[[^\]\n]*\])?$")
_LONGEST_OWNER = 80
_PER_LAYER = re.compile(r"attn_group|attention_group|^self$|\bspec$")
_BOUND = re.compile(
    r"(?<![\w.])(\w+)\s*(?::[^=\n]+)?:?=(?!=)"
    r"[^\n]*(?:\n[^\n=]*){0,3}?(?<!self)\.kv_cache_spec\b"
)
_LOOPS = re.compile(r"\bfor\s+([\w\s,()]+?)\s+in\s+(?:\w+\()*([\w.]+)")
_HASHERS = "hash|add|get|setdefault|discard|set|frozenset|Counter|fromkeys"
_COUNTED = re.compile(r"layer_names|kv_cache_tensors|_layers\b|_tensors\b|_count\b")
_TIMES = re.compile(r"\*|\bsum\(|\+=")


class Suspicions:
    """Finds functions in which group specs may be treated as if they were layers'.

    Args:
        classes: Names that a test may ask for.
        holders: Attributes by which a composite is known.
        cached: Functions that hash what they are given.
    """

    def __init__(
        self,
        classes: Collection[str],
        holders: Collection[str],
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
        at = text.find(_RAW)
        while at >= 0:
            after = at + len(_RAW)
            owner = _OWNER.search(text[max(0, at - _LONGEST_OWNER) : at])
            bounds = None
            if owner is not None and not _PER_LAYER.search(owner[0]):
                bounds = index.bounds(at)
            if bounds is not None:
                after = bounds[1]
                is_wanted = expects(*index.owner(at))
                if is_wanted and self._is_suspicious(text[slice(*bounds)]):
                    yield at
            at = text.find(_RAW, after)

    def _is_suspicious(self, body: str) -> bool:
        names = set(_BOUND.findall(body))
        loops = _LOOPS.findall(body)
        for _ in range(2):
            for targets, iterated in loops:
                if iterated.partition(".")[0] in names:
                    names |= set(re.findall(r"\w+", targets))
        bound = rf"(?:{_any(names)})(?:\[\w+\])?"
        raw = rf"(?:{bound}|(?!self\.kv)[\w.\[\]-]+\.kv_cache_spec)"
        if any(re.search(each % raw, body) for each in self._patterns):
            return True
        is_page = rf"{raw}\.page_size_bytes\b"
        is_counted = _COUNTED.search(body) and _TIMES.search(body)
        if is_counted and re.search(is_page, body):
            return True
        return self._case.search(body) is not None


def _any(names: Collection[str]) -> str:
    return "|".join(sorted(map(re.escape, names))) or "(?!)"
