# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which functions may do something with raw group specs: what is worth parsing.

All this is a quick look at texts that decides nothing. What it lets through is followed
in earnest. It looks for the few places where a group's spec is read, and from there at
what stands close by: most of a tree is never searched with a pattern.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Set
from functools import cached_property

from kvlint.model.blocks import Glance
from kvlint.model.functions import FunctionIndex
from kvlint.model.glances import positions
from kvlint.model.groups.keeping import Kept, is_one
from kvlint.model.groups.kinds import GROUP_PARAMETERS, Names
from kvlint.vocabulary import LAYER_SPECS, PAGE_SIZE

_RAW = ".kv_cache_spec"
_BY_NAME = re.compile(r"\bgetattr\(\s*[\w.\[\]]+,\s*$")
_NAMED = ('"kv_cache_spec"', "'kv_cache_spec'")
_OWNER = re.compile(r"[\w.]+(?:\[[^\]\n]*\])?$")
_PER_LAYER = re.compile(r"attn_group|attention_group|^self$")
_BOUND = re.compile(
    r"(?<![\w.])(\w+)(?:\[[^\]\n]*\])?\s*(?:(?::[^=\n]+)?:?=(?!=)|\.append\()[^=]*$"
)
_COPIED = re.compile(r"(?<![\w.])(\w+)\s*(?::[^=\n]+)?:?=(?!=)\s*\(*\s*(?:\w+\(\s*)*$")
_PAIRED = re.compile(r"(?<![\w.])(\w+)\s*(?::[^=\n]+)?=\s*\([^=\n]*,\s*$")
_GIVES = ("=", "in", "(", ",")
_DERIVED = re.compile(r"\.(?!values\(|items\(|kv_cache_spec\b)")
_LOOP = re.compile(r"\bfor\s+([\w\s,()]+?)\s+in\s+(?:\w+\()*(?:\w+,\s*)?$")
_TEST = re.compile(r"\bisinstance\(\s*\(?$|\bissubclass\(\s*type\($")
_CONSTANT = r"_*[A-Z][A-Z0-9_]+"
_OPENING = ("(", "[", "{", ",")
_PASSING = ("(", ",", "=")
_HASHERS = "hash|add|get|setdefault|discard|set|frozenset|Counter|fromkeys"
_ASKED = re.compile(r"\b(?:getattr|hasattr|replace)\($")
_KEYED = re.compile(rf"[\w\])]\[\s*\(?$|(?:^|[=\s(,:])\{{$|\b(?:{_HASHERS})\(\s*\(?$")
_ALONE = re.compile(r"\s*(?:[\])}:,]|for\b)")
_PAGE = f".{PAGE_SIZE}"
_COUNTED = re.compile(r"layer_names|kv_cache_tensors|_layers\b|_tensors\b|_count\b")
_HANDED = re.compile(r"(?<![\w.])(?:self\.)?(\w+)\((?:[^()]*,)?\s*(?:\w+=)?$")
_READ = re.compile(r"(?:\.values\(\))?\)*(?:\[0\])?\.(?!kv_cache_spec|values\()(\w+)")
_FIRST = re.compile(r"(?:\b(?:next\(\s*iter\(|list\(|tuple\()\s*|\w, \*\w+ = )[\w.]*$")
_GIVEN = re.compile(rf"\b(?:{'|'.join(sorted(GROUP_PARAMETERS))})\b")
_NEAR, _FAR, _SIGNATURE = 80, 300, 2000


class Suspicions:
    """Finds functions in which group specs may be treated as if they were layers'.

    Args:
        classes: Names that a test may ask for.
        names: What tells a composite.
        cached: Functions that hash what they are given.
        attributes: What the layers of a composite need not agree on.
        lacking: What layers have and no composite has.

    Attributes:
        lacking: As given.
        key: Equal for two that suspect the same.
    """

    def __init__(
        self,
        classes: Collection[str],
        names: Names,
        cached: Collection[str] = (),
        attributes: Collection[str] = (),
        lacking: frozenset[str] = frozenset(),
    ) -> None:
        """Keep what is looked for."""
        self._names, self._attributes, self.lacking = names, attributes, lacking
        looked_for = map(frozenset[str], (classes, cached, attributes, lacking))
        self.key = (names, *looked_for)
        self._classes = re.compile(rf"[^,]*,[^)]*?\b(?:{_any(classes)}|{_CONSTANT})\b")
        self._case = re.compile(rf"\bcase\s[^\n]*\b(?:{_any(classes)})\s*\(")
        self._cached = re.compile(rf"\b(?:{_any(cached)})\([^()]*$")
        self._read = re.compile(rf"\s*\)*\s*\.\s*(?:{_any(lacking)})\b")
        held = _any(names.holders | names.firsts)
        self._held = re.compile(rf"\s*,\s*[\"'](?:{held})[\"']")
        self._telling = re.compile(
            rf"\b(?:isinstance|replace|getattr|hasattr|{_HASHERS})\(|\b{PAGE_SIZE}\b"
            rf"|[\w\])]\[\w+\]|\.(?:{_any(lacking)})\b"
        )
        self._sources = sorted(names.group_lists | names.group_classes)

    def concern(self, content: bytes) -> bool:
        """Return whether a file may hold anything of the kind."""
        marks = [*(x.encode() for x in (_RAW, *_NAMED)), *self._firsts]
        return any(each in content for each in marks)

    @cached_property
    def _firsts(self) -> list[bytes]:
        words = sorted(self._names.firsts | self._names.holders)
        return [*(f".{each}".encode() for each in words), f"{LAYER_SPECS}(".encode()]

    def offsets(
        self,
        index: FunctionIndex,
        kept_ones: Iterable[Kept],
        expects: Callable[[str, str], bool],
    ) -> Iterator[int]:
        """Yield a place in each suspicious function of a file.

        Args:
            index: The functions of the file.
            kept_ones: What its instances keep of groups, and its functions give.
            expects: Tells by a class and a name whether a function may be concerned.
        """
        text = index.source.text
        testing = _Receivers(index, self._telling, self._names.openers)
        kept = {each.word for each in kept_ones}
        marks = [_RAW, *kept, *(each.decode() for each in self._firsts)]
        done: dict[int, bool] = {}
        for at in (at for mark in _NAMED for at in positions(text, mark)):
            read = _BY_NAME.search(text, max(0, at - _NEAR), at)
            around = index.glance(at)
            if read is None or around.start in done or _PER_LAYER.search(read[0]):
                continue
            done[around.start] = self._is_user(around) and expects(
                around.class_name, around.name
            )
            if done[around.start]:
                yield at
        for mark in marks:
            for at in positions(text, mark):
                around = index.glance(at)
                if around.start not in done and self._may_matter(text, at, mark):
                    body = text[around.start : around.end]
                    done[around.start] = (
                        self._is_user(around)
                        and expects(around.class_name, around.name)
                        and self._is_suspicious(body, kept, testing)
                    )
                    if done[around.start]:
                        yield at

    def _is_user(self, around: Glance) -> bool:
        """Whether a function is none of a composite itself."""
        return around.class_name not in self._names.composites

    def _may_matter(self, text: str, at: int, mark: str) -> bool:
        """Whether a mark is that of a group, or of the first spec in a composite."""
        before = text[max(0, at - _NEAR) : at]
        if mark == _RAW:
            owner = _OWNER.search(before)
            return owner is not None and not _PER_LAYER.search(owner[0])
        if mark[1:] in self._names.holders or mark.startswith(LAYER_SPECS):
            return _FIRST.search(before) is not None
        return True

    def _is_suspicious(
        self, body: str, kept: Collection[str], testing: Container[str]
    ) -> bool:
        if self._lets_out_first(body):
            return True
        used = [each for each in kept if each in body]
        is_given = any(each in body for each in self._sources)
        if not used and not is_given and not _GIVEN.search(body[:_SIGNATURE]):
            return False
        names: set[str] = set()
        for at in positions(body, _RAW):
            owner = _OWNER.search(body, max(0, at - _NEAR), at)
            if owner is None or _is_per_layer(body, owner[0]):
                continue
            if self._is_treated(body, owner.start(), at + len(_RAW), testing):
                return True
            names |= _bound(body, at)
        return self._are_treated(body, names | set(used), testing)

    def _lets_out_first(self, body: str) -> bool:
        """Whether more than what layers agree on is read off a first spec."""
        names = set()
        for mark in (each.decode() for each in self._firsts):
            for at in positions(body, mark):
                if not self._may_matter(body, at, mark):
                    continue
                read = _READ.match(body, at + len(mark))
                if read is not None and read[1] in self._attributes:
                    return True
                names |= _bound(body, at)
        return any(
            (read := _READ.match(body, at + len(name))) and read[1] in self._attributes
            for name in names
            for at in positions(body, name)
        )

    def _are_treated(self, body: str, names: set[str], testing: Container[str]) -> bool:
        """Whether things of some names, or made of them, are treated as layers'."""
        pending, done, called = list(names), set(names), set(names)
        while pending:
            name = pending.pop()
            for at in positions(body, name):
                end = at + len(name)
                before = body[at - 1 : at]
                if before == "_" or before.isalnum():
                    continue
                if body[end : end + 1].isidentifier():
                    continue
                if before == "." and (owner := _OWNER.search(body, 0, at - 1)):
                    at = owner.start()
                if body[end : end + 1] == "(" and name in called:
                    end = body.find(")", end) + 1
                if self._is_treated(body, at, end, testing):
                    return True
                before = body[max(0, at - _NEAR) : at]
                copied = None
                if before.rstrip().endswith(_GIVES):
                    copied = _COPIED.search(before) or _LOOP.search(before)
                    if copied is None and not self._is_asked(body, name):
                        copied = _PAIRED.search(before)
                if _DERIVED.match(body, end):
                    continue
                fresh = re.findall(r"\w+", copied[1]) if copied else []
                fresh = fresh["enumerate(" in before :] if len(fresh) > 1 else fresh
                pending += [each for each in fresh if each not in done]
                done.update(fresh)
        return False

    def _is_asked(self, body: str, name: str) -> bool:
        """Whether something is asked whether it is a composite."""
        asked = f"isinstance({name}, "
        return any(f"{asked}{each})" in body for each in self._names.composites)

    def _is_treated(
        self, body: str, start: int, end: int, testing: Container[str]
    ) -> bool:
        if self._read.match(body, end):
            return True
        before = _before(body, start)
        if before[-1:] in _PASSING:
            handed = _HANDED.search(before)
            if handed is not None and handed[1] in testing:
                return True
        if before.endswith("match"):
            return self._case.search(body, end) is not None
        if before[-1:] in _OPENING and not self._held.match(body, end):
            if before[-1:] == "(" and _TEST.search(before):
                return self._classes.match(body, end) is not None
            if _ASKED.search(before) or self._cached.search(before):
                return True
            if _KEYED.search(before) and _ALONE.match(body, end):
                return True
        return body.startswith(_PAGE, end) and bool(_COUNTED.search(body))


class _Receivers:
    """The functions of a file that may do something with what they are handed."""

    def __init__(
        self, index: FunctionIndex, telling: re.Pattern[str], openers: Set[str]
    ) -> None:
        self._index, self._telling, self._openers = index, telling, openers
        self._known: dict[str, bool] = {}

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str) or name in self._openers:
            return False
        if name not in self._known:
            texts = self._index.texts(name)
            self._known[name] = any(map(self._telling.search, texts))
        return self._known[name]


def _before(body: str, start: int) -> str:
    """What stands close before a place, without comments at the ends of lines."""
    line = body.rfind("\n", 0, start)
    while line >= 0 and not body[line:start].strip():
        above = body.rfind("\n", 0, line) + 1
        code, mark, _ = body[above:line].partition("#")
        if not mark:
            break
        if code.strip():
            return code.rstrip()
        start, line = above, above - 1
    return body[max(0, start - _NEAR) : start].rstrip()


def _is_per_layer(body: str, owner: str) -> bool:
    """Whether something is a group of layers that share a backend and a spec."""
    if _PER_LAYER.search(owner):
        return True
    loops = [*positions(body, f"for {owner} in "), *positions(body, f", {owner} in ")]
    lines = [body[at : body.find("\n", at)] for at in loops]
    return bool(lines) and all("attn_group" in each for each in lines)


def _bound(body: str, at: int) -> set[str]:
    """The name that a statement binds in which a place stands."""
    found = _BOUND.search(body[max(0, at - _FAR) : at])
    return {found[1]} if found is not None and is_one(found[0]) else set()


def _any(names: Collection[str]) -> str:
    return "|".join(sorted(map(re.escape, names))) or "(?!)"
