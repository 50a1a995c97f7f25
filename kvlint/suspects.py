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
from itertools import pairwise
from keyword import iskeyword

from kvlint.constructors import Constructor

_WORD = re.compile(r"\w+")
_ITEM = r"(?:\[[^\]\n]*\]|\([^()\n]*\))?\)*"
_AFTER = re.compile(_ITEM + r"\s*\.(\w+)")
_ASKED = re.compile(r"\s*,\s*[\"'](\w+)[\"']\s*,?\s*\)")
_CALL = re.compile(r"\s*\(")
_FIRST = re.compile(r"\s*\(\s*(?:\w+\.)*(\w+)")
_ALIAS = re.compile(r"[ \t]+as[ \t]+(\w+)")
_TOKEN = re.compile(
    r"[\"']{3}|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|#[^\n]*"
    r"|[()\[\]{},]|\*\*?|(\w+)\s*=(?!=)|[^\s()\[\]{},*#\"'\w]+|\w+"
)
_ANNOTATED = re.compile(r"\b(\w+)\s*:\s*(?:[^:=,()\[\]]|\[[^\]]*\])*(?:\[[^:=()]*)?$")
_NARROWED = re.compile(
    r"\bisinstance\(\s*(?:\(?\s*(\w+)\s*:=\s*)?[\w.]*?(\w+)\s*,[^)]*$"
    r"|\btype\(\s*[\w.]*?(\w+)\s*\)\s*(?:is|==)\s*[\w.]*$"
)
_BINDERS = (
    re.compile(r"^\s*([\w., \t*]+?)\s*(?::[^=\n]*)?=(?!=)"),
    re.compile(r"\b(\w+)\s*:=\s*[^=]*$"),
    re.compile(r"\bfor\s+([\w\s,()*]+?)\s+in\s+[^\n]*$"),
)
_CONTINUED = tuple("([{,=|")
_ASKS = re.compile(r"(\w+|[\])])\s*$")
_DUNDER = "__"
_MARKS = (":", "=", "(", " in ")
"""Without any of them, nothing is bound."""
_CARRIERS = frozenset(
    "cast copy deepcopy enumerate iter list next replace reversed set sorted tuple "  # noqa: SIM905
    "type dict".split()
)
"""Functions that give what they are given, or what that holds."""
_TYPES = frozenset(
    "dict list set tuple type Dict Iterable List Mapping Optional Sequence Set "  # noqa: SIM905
    "Tuple Type Union".split()
)
_HANDING_ON = frozenset({"values", "items", "get", "pop", "copy", "__class__"})
_OF_CONTAINERS = _HANDING_ON | frozenset(
    "add append clear count extend index insert keys remove setdefault sort "  # noqa: SIM905
    "update".split()
)


@dataclass(frozen=True)
class _Passed:
    """What the text of a call passes."""

    names: frozenset[str]
    positionals: int
    is_clear: bool


@dataclass(frozen=True, slots=True, order=True)
class _Hit:
    """A name of a class, or of an attribute that holds its instances."""

    start: int
    end: int
    word: str


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
        for start, end in _segments(text, [each.start for each in hits], defines):
            inside = [each for each in hits if start <= each.start < end]
            found += self._segment(text, start, end, inside, defines)
        return sorted(set(found))

    def _hits(self, text: str) -> Iterator[_Hit]:
        """Names of followed classes, and of attributes that hold their instances."""
        aliases: dict[str, str] = {}
        for needle in self._needles:
            position = text.find(needle)
            while position >= 0:
                start, end = _word_around(text, position)
                word = text[start:end]
                if word in self.constructors:
                    yield _Hit(start, end, word)
                    if alias := _ALIAS.match(text, end):
                        aliases[alias[1]] = word
                elif word in self.held and text[start - 1 : start] == ".":
                    yield _Hit(start, end, word)
                position = text.find(needle, end)
        for name, word in aliases.items():
            for start, end in _occurrences(text, name, 0, len(text)):
                yield _Hit(start, end, word)

    def _segment(
        self, text: str, start: int, end: int, hits: Sequence[_Hit], defines: bool
    ) -> Iterator[int]:
        words = {"self"} if defines else set()
        for hit in hits:
            words |= self._bound(text, start, hit.start, hit.end)
            if self._is_odd_call(text, hit):
                yield hit.start
            yield from self._odd_reads(text, start, end, hit.start, hit.end)
        if defines:
            yield from self._odd_makers(text, start, end)
        yield from self._words(text, start, end, words)
        yield from self._odd_copies(text, start, end, words)

    def _words(self, text: str, start: int, end: int, words: set[str]) -> Iterator[int]:
        """Reads off what words may be bound to, and off what those are bound to.

        Those are added to the words.
        """
        pending = sorted(words)
        while pending:
            word = pending.pop()
            for at, behind in _occurrences(text, word, start, end):
                yield from self._odd_reads(text, start, end, at, behind)
                fresh = self._bound(text, start, at, behind) - words
                words |= fresh
                pending += sorted(fresh)

    def _bound(self, text: str, lowest: int, start: int, end: int) -> set[str]:
        """The words that a statement binds to what stands at a place, or may."""
        before = _before(text, lowest, start)
        if not any(each in before for each in _MARKS):
            return set()
        found = [_ANNOTATED.search(before), _NARROWED.search(before)]
        after = _AFTER.match(text, end)
        if after is None or after[1] in self.held or after[1] in _HANDING_ON:
            found += [
                each
                for pattern in _BINDERS
                for each in [pattern.search(before)]
                if each is not None and _is_handed_on(before[each.end(1) :])
            ]
        return {
            word
            for each in found
            for group in (each.groups() if each is not None else ())
            if group
            for part in group.split(",")
            for word in _WORD.findall(part)[-1:]
            if word != "self"
        }

    def _odd_reads(
        self, text: str, lowest: int, highest: int, start: int, end: int
    ) -> Iterator[int]:
        for pattern in (_AFTER, _ASKED):
            found = pattern.match(text, end)
            if found is None or found[1] in self.known:
                continue
            if found[1] in _OF_CONTAINERS:
                word = text[start:end]
                if word in self.held or _is_container(text[lowest:highest], word):
                    continue
            if found[0].lstrip().startswith(")") and not _is_handed_on(
                _before(text, lowest, start)
            ):
                continue
            if not found[1].startswith(_DUNDER):
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

    def _odd_copies(
        self, text: str, start: int, end: int, words: set[str]
    ) -> Iterator[int]:
        for at, behind in _occurrences(text, "replace", start, end):
            first = _FIRST.match(text, behind)
            if first is None or first[1] not in words | self.held | _CARRIERS:
                continue
            if not self._is_plain(_passed(text, behind)):
                yield at

    def _is_plain(self, passed: _Passed) -> bool:
        return passed.is_clear and passed.names <= self.fields

    def _is_odd_call(self, text: str, hit: _Hit) -> bool:
        makers = self.constructors.get(hit.word, ())
        if not makers or not _CALL.match(text, hit.end):
            return False
        if text.endswith("class ", 0, hit.start):
            return False
        passed = _passed(text, hit.end)
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
    text: str, places: Sequence[int], defines: bool
) -> Iterator[tuple[int, int]]:
    """Functions and what stands between them, where there is a hit.

    Of a file that defines followed classes, all of them.
    """
    if not places and not defines:
        return
    starts = [0, *_headers(text), len(text)]
    remaining = iter([*places, len(text)])
    place = next(remaining)
    for start, end in pairwise(starts):
        if defines or start <= place < end:
            yield start, end
        while place < end:
            place = next(remaining, len(text))


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


def _before(text: str, lowest: int, position: int) -> str:
    """The statement up to a place, as far as three lines go."""
    line = max(text.rfind("\n", 0, position) + 1, lowest)
    for _ in range(3):
        above = text[lowest:line].rstrip()
        if not above.endswith(_CONTINUED):
            break
        line = max(text.rfind("\n", 0, len(above) + lowest) + 1, lowest)
    return text[line:position]


def _is_handed_on(before: str) -> bool:
    """Whether what follows is given whole, not handed to a function."""
    depth = 0
    for position in range(len(before) - 1, -1, -1):
        if before[position] in ")]}":
            depth += 1
        elif before[position] in "([{" and depth:
            depth -= 1
        elif before[position] in "([":
            asked = _ASKS.search(before[:position])
            allowed = _CARRIERS if before[position] == "(" else _TYPES
            if asked and asked[1] not in allowed and not iskeyword(asked[1]):
                return False
    return True


def _is_container(segment: str, word: str) -> bool:
    """Whether a word is said to hold several."""
    return bool(
        re.search(
            rf"\b{word}\s*:\s*[^=,()]*(?:[Ll]ist|[Dd]ict|Mapping|Sequence|Iterable|[Ss]et"
            rf"|[Tt]uple|Collection)\[|\b{word}\s*(?::[^=\n]*)?=\s*"
            r"(?:[\[{(]|(?:\w+\.)?(?:dict|list|set|tuple|sorted|defaultdict)\b"
            r"|[^\n]*\.(?:values|items|copy)\()",
            segment,
        )
    )
