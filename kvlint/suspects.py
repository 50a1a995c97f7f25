# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where code may use a spec in a way that no class knows: a quick look at its text.

It decides no verdict. What it lets pass is not parsed, so it errs on the side of
suspicion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kvlint.constructors import Constructor

_WORD = re.compile(r"\w+")
_AFTER = re.compile(r"(?:\[[^\]\n]*\]|\([^()\n]*\))?\)*\s*\.\s*(\w+)")
_ASKED = re.compile(r"\s*,\s*[\"'](\w+)[\"']\s*,?\s*\)")
_CALL = re.compile(r"\s*\(")
_TOKEN = re.compile(
    r"[\"']{3}|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|#[^\n]*"
    r"|[()\[\]{},]|\*\*?|(\w+)\s*=(?!=)|[^\s()\[\]{},*#\"'\w]+|\w+"
)
_BINDERS = (
    re.compile(r"^\s*([\w., \t*]+?)\s*(?::[^=\n]*)?=(?!=)"),
    re.compile(r"\b(\w+)\s*:=\s*[^=]*$"),
    re.compile(r"\bfor\s+([\w\s,()*]+?)\s+in\s+[^\n]*$"),
    re.compile(r"\b(\w+)\s*:\s*[^:=]*$"),
    re.compile(r"\bisinstance\(\s*(?:\(?\s*(\w+)\s*:=\s*)?[\w.]*?(\w+)\s*,[^)]*$"),
)
_CONTINUED = tuple("([{,=|")
_DUNDER = "__"


@dataclass(frozen=True)
class _Passed:
    """What the text of a call passes."""

    names: frozenset[str]
    positionals: int
    is_clear: bool


@dataclass
class Suspects:
    """Looks at texts.

    Attributes:
        constructors: What classes take, by their simple names; none of them where that
            cannot be told.
        known: Every name that some class knows.
        held: Names of attributes that hold specs and the like.
        fields: Every name that some constructor takes.
    """

    constructors: Mapping[str, Sequence[Constructor | None]]
    known: frozenset[str]
    held: frozenset[str]
    fields: frozenset[str] = frozenset()
    _needles: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Look for as few texts as will do."""
        for name in sorted({*self.constructors, *self.held}, key=len):
            if not any(each in name for each in self._needles):
                self._needles.append(name)

    def offsets(self, text: str, *, defines: bool) -> list[int]:
        """Return the places that may be at fault.

        Args:
            text: The file's.
            defines: Whether it defines classes that are followed.
        """
        hits = sorted(self._hits(text))
        found: list[int] = []
        for start, end in _segments(text, hits, defines):
            found += self._segment(text, start, end, hits, defines)
        return sorted(set(found))

    def _hits(self, text: str) -> Iterator[tuple[int, int]]:
        """Words that speak of followed classes, and of what holds their instances."""
        seen: set[int] = set()
        for needle in self._needles:
            position = text.find(needle)
            while position >= 0:
                start, end = _word_around(text, position)
                if start not in seen:
                    seen.add(start)
                    yield start, end
                position = text.find(needle, end)

    def _segment(
        self,
        text: str,
        start: int,
        end: int,
        hits: Sequence[tuple[int, int]],
        defines: bool,
    ) -> Iterator[int]:
        words = {"self"} if defines else set()
        for hit, hit_end in hits:
            if not start <= hit < end:
                continue
            word = text[hit:hit_end]
            words |= _bound(text, start, hit)
            if word in self.held:
                words.add(word)
            elif self._is_odd_call(text, hit, hit_end):
                yield hit
            yield from self._odd_reads(text, hit, hit_end)
        if defines:
            yield from self._odd_makers(text, start, end)
        yield from self._odd_copies(text, start, end)
        yield from self._words(text, start, end, words)

    def _words(self, text: str, start: int, end: int, words: set[str]) -> Iterator[int]:
        """Reads off what words may be bound to, and off what those are bound to."""
        pending, seen = sorted(words), set(words)
        while pending:
            word = pending.pop()
            for at, behind in _occurrences(text, word, start, end):
                yield from self._odd_reads(text, at, behind)
                if word != "self":
                    fresh = _bound(text, start, at) - seen
                    seen |= fresh
                    pending += sorted(fresh)

    def _odd_reads(self, text: str, start: int, end: int) -> Iterator[int]:
        for pattern in (_AFTER, _ASKED):
            found = pattern.match(text, end)
            if (
                found
                and found[1] not in self.known
                and not found[1].startswith(_DUNDER)
            ):
                yield start

    def _odd_makers(self, text: str, start: int, end: int) -> Iterator[int]:
        """Calls of ``cls``, whatever class that may be."""
        for at, behind in _occurrences(text, "cls", start, end):
            if _CALL.match(text, behind):
                passed = _passed(text, behind)
                header = text.rfind("\nclass ", 0, at)
                name = _WORD.match(text, header + len("\nclass "))
                makers = self.constructors.get(name[0], ()) if name else ()
                is_odd = any(_is_odd(passed, each) for each in makers)
                if is_odd or not self._is_plain(passed):
                    yield at

    def _odd_copies(self, text: str, start: int, end: int) -> Iterator[int]:
        for at, behind in _occurrences(text, "replace", start, end):
            is_call = _CALL.match(text, behind) is not None
            if is_call and not self._is_plain(_passed(text, behind)):
                yield at

    def _is_plain(self, passed: _Passed) -> bool:
        return passed.is_clear and passed.names <= self.fields

    def _is_odd_call(self, text: str, start: int, end: int) -> bool:
        makers = self.constructors.get(text[start:end], ())
        if not makers or not _CALL.match(text, end):
            return False
        passed = _passed(text, end)
        return any(_is_odd(passed, each) for each in makers)


def _is_odd(passed: _Passed, maker: Constructor | None) -> bool:
    if maker is None:
        return False
    if not passed.is_clear:
        return True
    positional = maker.positionals[: passed.positionals]
    given = passed.names | set(positional)
    return (
        (not maker.takes_keywords and not passed.names <= maker.arguments.keys())
        or len(positional) < passed.positionals
        or not given.issuperset(maker.required)
        or not passed.names.isdisjoint(positional)
    )


def _passed(text: str, position: int) -> _Passed:
    """Read the arguments of a call, from before its bracket on."""
    depth, names, positionals = 0, set[str](), 0
    is_clear = is_new = True
    for token in _TOKEN.finditer(text, position):
        first = token[0][0]
        if first in "([{":
            if depth == 1 and is_new:
                positionals += 1
                is_new = False
            depth += 1
            continue
        if first in ")]}":
            depth -= 1
            if not depth:
                break
            continue
        if depth != 1 or first == "#":
            continue
        if first == ",":
            is_new = True
        elif is_new and first == "*":
            is_clear = is_new = False
        elif is_new and token[1]:
            names.add(token[1])
            is_new = False
        elif is_new:
            positionals += 1
            is_new = False
    return _Passed(frozenset(names), positionals, is_clear)


def _segments(
    text: str, hits: Sequence[tuple[int, int]], defines: bool
) -> Iterator[tuple[int, int]]:
    """Functions and what stands between them, where there is a hit.

    Of a file that defines followed classes, all of them.
    """
    if not hits and not defines:
        return
    starts = [0, *_headers(text), len(text)]
    places = iter([*(start for start, _ in hits), len(text)])
    place = next(places)
    for start, end in zip(starts, starts[1:], strict=False):
        if defines or start <= place < end:
            yield start, end
        while place < end:
            place = next(places, len(text))


def _headers(text: str) -> Iterator[int]:
    """Where functions of the module and of its classes begin."""
    position = text.find("def ")
    while position >= 0:
        line = text.rfind("\n", 0, position) + 1
        lead = text[line:position].replace("async ", "").expandtabs(4)
        if len(lead) <= 4 and not lead.strip():
            yield line
        position = text.find("def ", position + 4)


def _word_around(text: str, position: int) -> tuple[int, int]:
    start = position
    while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    found = _WORD.match(text, position)
    return start, found.end() if found else position + 1


def _occurrences(
    text: str, word: str, start: int, end: int
) -> Iterator[tuple[int, int]]:
    position = text.find(word, start, end)
    while position >= 0:
        if _word_around(text, position) == (position, position + len(word)):
            yield position, position + len(word)
        position = text.find(word, position + len(word), end)


def _bound(text: str, lowest: int, position: int) -> set[str]:
    """The words that a statement binds to what stands at a place, or may."""
    line = max(text.rfind("\n", 0, position) + 1, lowest)
    for _ in range(3):
        above = text[lowest:line].rstrip()
        if not above.endswith(_CONTINUED):
            break
        line = max(text.rfind("\n", 0, len(above) + lowest) + 1, lowest)
    before = text[line:position]
    if not any(mark in before for mark in "=:(") and " in " not in before:
        return set()
    return {
        word
        for pattern in _BINDERS
        for found in pattern.finditer(before)
        for group in found.groups()
        if group
        for part in group.split(",")
        for word in _WORD.findall(part)[-1:]
    }
