# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where code may use a spec in a way that no class knows: a quick look at its text.

It decides no verdict. What it lets pass is not parsed, so it errs on the side of
suspicion.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from kvlint.model.gathering import gathered_words, givers, parted_words
from kvlint.model.glances import (
    ASKED,
    CALL,
    CARRIERS,
    READ,
    WORD,
    bound_words,
    headers,
    is_handed_on,
    is_one,
    occurrences,
    passed,
    statement_before,
    typed_words,
    word_around,
)
from kvlint.specs.glossary import Glossary

_FIRST = re.compile(r"\(\s*(?:\w+\.)*(\w+)")
_OF_ITS_TYPE = re.compile(r"\)\(|\.__class__\(")
"""The rest of ``type(word)(...)``: another one like it is made."""
_IS_BOUND = re.compile(r"\s?=(?!=)")
"""What stands behind a word that is itself bound there, or a keyword."""
_ALIAS = re.compile(r"[ \t]+as[ \t]+(\w+)")
_WORDS = re.compile(r"[A-Z]?[^A-Z]+|[A-Z]")
_CLASS = "\nclass "
_PARTIAL = "partial("
_TYPE_OF = ("type[", "Type[")
_SEVERAL = 3
_OF_INSTANCES = ("self", "cls", "super")
_DUNDER = "__"
_HANDING_ON = frozenset({"values", "items", "get", "pop", "copy", "__class__"})
_OF_CONTAINERS = _HANDING_ON | frozenset(
    "add append clear count difference extend index insert intersection "  # noqa: SIM905
    "isdisjoint issubset keys popitem remove setdefault sort union update".split()
)


@dataclass(frozen=True, slots=True, order=True)
class _Hit:
    """A name of a class, or of what gives its instances: attributes, functions."""

    start: int
    end: int
    word: str
    gives: bool = False


_Read = tuple[int, int, re.Match[str] | None]


@dataclass(frozen=True, slots=True)
class _Segment:
    """A stretch of a file's text.

    Attributes:
        text: All of the text.
        start: Where it begins.
        end: Where it ends.
        owner: The class of the module that it begins in; empty for none.
    """

    text: str
    start: int
    end: int
    owner: str
    _reads: dict[str, list[_Read]] = field(default_factory=dict)

    def before(self, position: int) -> str:
        return statement_before(self.text, self.start, position)

    def is_one(self, word: str) -> bool:
        return is_one(self.text, word, self.start, self.end)

    def occurrences(self, word: str) -> Iterator[tuple[int, int]]:
        return occurrences(self.text, word, self.start, self.end)

    def reads(self, word: str) -> list[_Read]:
        """Where a word stands, and what is read off it there."""
        if word not in self._reads:
            self._reads[word] = [
                (at, behind, READ.match(self.text, behind))
                for at, behind in self.occurrences(word)
            ]
        return self._reads[word]


@dataclass(frozen=True, slots=True)
class _Saying:
    """That a word may be an instance of a class, or hold some."""

    word: str
    said: str
    position: int
    is_instance: bool = False


@dataclass
class Suspects:
    """Looks at texts.

    Attributes:
        classes: The classes that are followed, by their simple names.
        held: Attributes that hold instances, with the class.
        telling: Those of them that say something on whatever they are read off.
    """

    classes: Mapping[str, Glossary]
    held: Mapping[str, str]
    telling: frozenset[str]
    _needles: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Look for as few texts as will do."""
        endings = Counter(map(_ending, self.classes))
        classes = {
            x if endings[_ending(x)] < _SEVERAL else _ending(x) for x in self.classes
        }
        for name in sorted({*classes, *self.telling & self.held.keys()}, key=len):
            if not any(each in name for each in self._needles):
                self._needles.append(name)

    def offsets(self, text: str, *, defines: bool) -> list[int]:
        """Return the places that may be at fault.

        Args:
            text: The file's.
            defines: Whether it defines classes that are followed.
        """
        hits = sorted(self._hits(text))
        if not hits and not defines:
            return []
        found: set[int] = set()
        number = 0
        classes = list(_classes(text))
        for start, end in pairwise([0, *headers(text), len(text)]):
            inside = []
            while number < len(hits) and hits[number].start < end:
                inside.append(hits[number])
                number += 1
            if inside or defines:
                above = bisect_right(classes, (start, "")) - 1
                owner = classes[above][1] if above >= 0 else ""
                segment = _Segment(text, start, end, owner)
                found.update(self._at(segment, inside, defines))
        return sorted(found)

    def _hits(self, text: str) -> Iterator[_Hit]:
        """Names of followed classes, and of attributes that hold their instances."""
        aliases: dict[str, str] = {}
        classes: list[_Hit] = []
        for needle in self._needles:
            position = text.find(needle)
            while position >= 0:
                start, end = word_around(text, position)
                word = text[start:end]
                if word in self.classes:
                    classes.append(_Hit(start, end, word))
                    if alias := _ALIAS.match(text, end):
                        aliases[alias[1]] = word
                elif word in self.telling and text[start - 1 : start] == ".":
                    yield _Hit(start, end, word)
                position = text.find(needle, end)
        yield from classes
        for name, word in aliases.items():
            for start, end in occurrences(text, name, 0, len(text)):
                yield _Hit(start, end, word)
        for name, place in givers(text, [(x.start, x.end) for x in classes]):
            word = text[slice(*place)]
            if name.rpartition(".")[2] in self.held:
                continue
            for start, end in occurrences(text, name, 0, len(text)):
                if not text.endswith("def ", 0, start):
                    yield _Hit(start, end, word, gives=True)

    def _at(
        self, segment: _Segment, hits: Sequence[_Hit], defines: bool
    ) -> Iterator[int]:
        sayings: list[_Saying] = []
        if defines and (owner := segment.owner) in self.classes:
            sayings += [_Saying(x, owner, segment.start) for x in _OF_INSTANCES]
        for hit in hits:
            before = segment.before(hit.start)
            said = self.held.get(hit.word, hit.word)
            words = set[str]()
            if hit.word in self.classes and not hit.gives:
                words.update(typed_words(before))
                words.update(gathered_words(before, segment.text, hit.end))
                is_handed = before.endswith(_PARTIAL)
                if is_handed or self._is_odd_call(segment.text, hit):
                    yield hit.start
            read = READ.match(segment.text, hit.end)
            is_instance = not before.endswith(_TYPE_OF)
            sayings += [_Saying(x, said, hit.start, is_instance) for x in words]
            sayings += self._handed_on(before, read, said, hit.start)
            if self._is_odd_read(segment, hit.start, hit.end, read, [said]):
                yield hit.start
        said_of = self._followed(segment, sayings)
        for word, about in said_of.items():
            yield from self._odd_word(segment, word, about)
        yield from self._odd_copies(segment, said_of)
        yield from self._odd_makers(segment)

    def _followed(
        self, segment: _Segment, sayings: list[_Saying]
    ) -> dict[str, list[_Saying]]:
        """What is said of words, also of those that others are handed on to."""
        found: dict[str, list[_Saying]] = {}
        seen: set[tuple[str, str]] = set()
        pending = list(sayings)
        while pending:
            saying = pending.pop()
            found.setdefault(saying.word, []).append(saying)
            if (saying.word, saying.said) in seen:
                continue
            seen.add((saying.word, saying.said))
            for at, behind, read in segment.reads(saying.word):
                is_bound = read is None and _IS_BOUND.match(segment.text, behind)
                if not is_bound and self._is_handing_on(read):
                    before = segment.before(at)
                    pending += self._handed_on(before, read, saying.said, at)
        return found

    def _handed_on(
        self, before: str, read: re.Match[str] | None, said: str, position: int
    ) -> Iterator[_Saying]:
        """What is said of words that something of a class is bound to, or its part."""
        if self._is_handing_on(read):
            given = said if read is None else self.held.get(read[1], said)
            for word in (*bound_words(before), *parted_words(before)):
                yield _Saying(word, given, position)

    def _odd_word(
        self, segment: _Segment, word: str, about: Sequence[_Saying]
    ) -> Iterator[int]:
        """Reads off a word of what its class does not have: what was said last counts.

        Before anything is said, all does.
        """
        for at, behind, read in segment.reads(word):
            earlier = [each for each in about if each.position <= at]
            counts = [max(earlier, key=_position)] if earlier else about
            said = [each.said for each in counts]
            if (
                self._is_odd_read(segment, at, behind, read, said)
                or _OF_ITS_TYPE.match(segment.text, behind)
                or (word != "super" and self._makes(segment, behind, counts))
            ):
                yield at

    def _is_handing_on(self, read: re.Match[str] | None) -> bool:
        """Whether a word, or what is read off it, may be something followed."""
        return read is None or read[1] in self.held or read[1] in _HANDING_ON

    def _is_odd_read(
        self,
        segment: _Segment,
        start: int,
        end: int,
        read: re.Match[str] | None,
        said: Sequence[str],
    ) -> bool:
        """Whether what stands at a place is asked for what a class does not have."""
        found = read or ASKED.match(segment.text, end)
        if found is None or all(found[1] in self.classes[x].names for x in said):
            return False
        name = found[1]
        if name.startswith(_DUNDER):
            return False
        if name in _OF_CONTAINERS and not segment.is_one(segment.text[start:end]):
            # Things that hold specs have them, and are as often read.
            return False
        return found[0].lstrip()[:1] != ")" or is_handed_on(segment.before(start))

    def _odd_makers(self, segment: _Segment) -> Iterator[int]:
        """Calls of ``cls``, whatever class that may be."""
        known = self.classes.get(segment.owner)
        if known is None:
            return
        for at, behind in segment.occurrences("cls"):
            if CALL.match(segment.text, behind):
                call = passed(segment.text, behind)
                if known.is_odd_call(call) or known.is_odd_copy(call):
                    yield at

    def _makes(self, segment: _Segment, behind: int, about: Sequence[_Saying]) -> bool:
        """Whether a word that may be a class is called in an odd way."""
        if not CALL.match(segment.text, behind):
            return False
        call = passed(segment.text, behind)
        return any(
            not each.is_instance and self.classes[each.said].is_odd_call(call)
            for each in about
        )

    def _odd_copies(
        self, segment: _Segment, said_of: Mapping[str, Sequence[_Saying]]
    ) -> Iterator[int]:
        for at, behind in segment.occurrences("replace"):
            first = _FIRST.match(segment.text, behind)
            if first is None:
                continue
            said = {each.said for each in said_of.get(first[1], ())}
            if first[1] in CARRIERS:
                said = {each.said for about in said_of.values() for each in about}
            if not said and first[1] in self.held:
                said = {self.held[first[1]]}
            if said:
                call = passed(segment.text, behind)
                if any(self.classes[each].is_odd_copy(call) for each in said):
                    yield at

    def _is_odd_call(self, text: str, hit: _Hit) -> bool:
        if not CALL.match(text, hit.end) or text.endswith("class ", 0, hit.start):
            return False
        return self.classes[hit.word].is_odd_call(passed(text, hit.end))


def _classes(text: str) -> Iterator[tuple[int, str]]:
    """Where class statements of a module end their first words, and the names."""
    position = text.find(_CLASS)
    while position >= 0:
        position += len(_CLASS)
        name = WORD.match(text, position)
        yield position, name[0] if name else ""
        position = text.find(_CLASS, position)


def _position(saying: _Saying) -> int:
    return saying.position


def _ending(name: str) -> str:
    """The last word of a name in camel case."""
    return str(_WORDS.findall(name)[-1])
