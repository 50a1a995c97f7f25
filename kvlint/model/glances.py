# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What code binds and passes, at a glance at its text: nothing is parsed.

It decides no verdict: it only tells which functions are worth parsing, so it errs on
the side of seeing more.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from keyword import iskeyword

LETTERS = frozenset(string.ascii_letters + string.digits + "_")
WORD = re.compile(r"\w+")
CALL = re.compile(r"\(")
_ITEM = r"(?:\[[^\]\n]*\]|\([^()\n]*\))?\)*"
READ = re.compile(_ITEM + r"\s*\.(\w+)")
"""An attribute that is read off what a word gives, or an entry of it."""
ASKED = re.compile(r"\s*,\s*[\"'](\w+)[\"']\s*,?\s*\)")
"""The rest of ``getattr(word, "name")``."""
_TOKEN = re.compile(
    r"[\"']{3}|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|#[^\n]*"
    r"|[()\[\]{},]|\*\*?|(\w+)\s*=(?!=)|[^\s()\[\]{},*#\"'\w]+|\w+"
)
_ANNOTATED = re.compile(r"\b(\w+)\s*:\s*(?:[^:=,()\[\]]|\[[^\]]*\])*(?:\[[^:=()]*)?$")
_NARROWED = re.compile(
    r"\bisinstance\(\s*(?:\(?\s*(\w+)\s*:=\s*)?[\w.]*?(\w+)\s*,[\w.,|(\s]*$"
    r"|\btype\(\s*[\w.]*?(\w+)\s*\)\s*(?:is|==)\s*[\w.]*$"
)
_ASSIGNED = re.compile(r"\s*([\w. \t]+?)\s*(?::[^=\n]*)?=(?!=)")
_NAMED = re.compile(r"\b(\w+)\s*:=\s*[^=]*$")
_LOOPED = re.compile(r"\bfor\s+(?:[\w\s(]+,)?\s*([\w\s)]+?)\s+in\s+[^\n]*$")
_SINGLE = re.compile(r"\s*:\s*[\w.\"'| ]+(?:[,)=\r\n]|$)|\s*:?=\s*[\w.]*\b[A-Z]\w*\(")
"""What stands behind a word that is said to be one thing: its type, what makes it."""
_SEVERAL = re.compile(
    r"\s*:\s*[^=,()]*(?:[Ll]ist|[Dd]ict|Mapping|Sequence|Iterable|[Ss]et|[Tt]uple"
    r"|Collection)\[|\s*(?::[^=\n]*)?=\s*"
    r"(?:[\[{(]|(?:\w+\.)?(?:dict|list|set|tuple|sorted|defaultdict)\b"
    r"|[^\n]*\.(?:values|items|copy)\()"
)
"""What stands behind one that is said to hold several."""
_ASKS_CLASS = "isinstance("
_BEFORE_BRACKET = re.compile(r"(\w+|[\])])\s*$")
CARRIERS = frozenset(
    "cast copy deepcopy dict enumerate iter list next replace reversed set "  # noqa: SIM905
    "sorted tuple type".split()
)
"""Functions that give what they are given, or what that holds."""
_TYPES = frozenset(
    "dict list set tuple type Dict Iterable List Mapping Optional Sequence Set "  # noqa: SIM905
    "Tuple Type Union".split()
)
_CLASS = "\nclass "
_OUTSIDE = re.compile(r"\n(?:if|else|elif|try|except|finally|with|for|while|match)\b")
"""A block of the module in which functions may be defined."""
_LONGEST = 3
_QUOTES = frozenset("\"'")


@dataclass(frozen=True)
class Passed:
    """What the text of a call passes.

    Attributes:
        names: Its keywords.
        positionals: How many arguments have none.
        is_clear: There are no stars.
    """

    names: frozenset[str]
    positionals: int
    is_clear: bool


def passed(text: str, position: int) -> Passed:
    """Return what a call passes.

    Args:
        text: A file's.
        position: Where its bracket opens.
    """
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
        elif is_new:
            if token[1]:
                names.add(token[1])
            else:
                positionals += 1
            is_new = False
    return Passed(frozenset(names), positionals, is_clear)


def headers(text: str) -> Iterator[int]:
    """Yield where functions of a module and of its classes begin."""
    position, outer = text.find("def "), -1
    while position >= 0:
        line = text.rfind("\n", 0, position) + 1
        lead = text[line:position]
        if not lead.strip() or lead.strip() == "async":
            lead = lead.replace("async ", "").expandtabs(4)
            if not lead:
                outer = line
            # What begins in a function of the module is a part of it.
            if not lead or len(lead) <= 4 and not _is_inside(text, outer, line):
                yield line
        position = text.find("def ", position + 4)


def _is_inside(text: str, outer: int, line: int) -> bool:
    """Whether a function of the module goes on up to a line."""
    if outer < 0 or text.find(_CLASS, outer, line) >= 0:
        return False
    return _OUTSIDE.search(text, text.find("\n", outer), line) is None


def word_around(text: str, position: int) -> tuple[int, int]:
    """Return where the word begins and ends that a place is in."""
    start = position
    while text[start - 1 : start] in LETTERS:
        start -= 1
    found = WORD.match(text, position)
    return start, found.end() if found else position + 1


def occurrences(
    text: str, word: str, start: int, end: int
) -> Iterator[tuple[int, int]]:
    """Yield where a word stands in a stretch of a text."""
    position = text.find(word, start, end)
    while position >= 0:
        behind = position + len(word)
        if (
            text[position - 1 : position] not in LETTERS
            and text[behind : behind + 1] not in LETTERS
        ):
            yield position, behind
        position = text.find(word, behind, end)


def beginnings(pattern: re.Pattern[str], text: str) -> Iterator[int]:
    r"""Yield where matches begin that are not the rest of a longer word.

    A search for what begins with letters is many times as fast as one for ``\b``.

    Args:
        pattern: What to look for; it begins with letters.
        text: Where.
    """
    for match in pattern.finditer(text):
        if not _is_letter(text, match.start() - 1):
            yield match.start()


def read_off(text: str, name: str) -> Iterator[int]:
    """Yield where a name stands behind a dot, or alone in quotes.

    Args:
        text: A file's.
        name: An attribute.
    """
    yield from quoted(text, name)
    for position in positions(text, name):
        if not _is_letter(text, position + len(name)):
            while text[position - 1 : position].isspace():
                position -= 1
            if text.startswith(".", position - 1) and position:
                yield position - 1


def quoted(text: str, name: str) -> Iterator[int]:
    """Yield where a name stands alone in quotes.

    Args:
        text: A file's.
        name: The name.
    """
    for position in positions(text, name):
        end = position + len(name)
        if position and {text[position - 1], text[end : end + 1]} <= _QUOTES:
            yield position - 1


def positions(
    text: str, part: str, start: int = 0, end: int | None = None
) -> Iterator[int]:
    """Yield where a stretch of characters stands in a text.

    Args:
        text: The text.
        part: The characters.
        start: Where to begin.
        end: Where to end; None for the end of the text.
    """
    position = text.find(part, start, end)
    while position >= 0:
        yield position
        position = text.find(part, position + len(part), end)


def _is_letter(text: str, position: int) -> bool:
    if not 0 <= position < len(text):
        return False
    return text[position].isalnum() or text[position] == "_"


def statement_before(text: str, lowest: int, position: int) -> str:
    """Return a statement up to a place, as far as some lines go."""
    line = text.rfind("\n", lowest, position) + 1 or lowest
    for _ in range(_LONGEST):
        last = line - 1
        while last > lowest and text[last].isspace():
            last -= 1
        if last <= lowest or text[last] not in "([{,=|":
            break
        line = text.rfind("\n", lowest, last) + 1 or lowest
    return text[line:position]


def typed_words(before: str) -> Iterator[str]:
    """Yield the words that a class is said to be of, by what stands before its name."""
    if ":" in before:
        yield from _words(_ANNOTATED.search(before))
    if "isinstance(" in before or "type(" in before:
        yield from _words(_NARROWED.search(before))


def bound_words(before: str) -> Iterator[str]:
    """Yield the words that a value is bound to, by what stands before it."""
    found = []
    if " in " in before:
        found.append(_LOOPED.search(before))
        if found[0] is not None and is_handed_on(before[found[0].end(1) :]):
            # What is gone through is not what comes of it.
            yield from _words(found[0])
            return
    if "=" in before:
        found.append(_ASSIGNED.match(before))
        if ":=" in before:
            found.append(_NAMED.search(before))
    for each in found:
        if each is not None and is_handed_on(before[each.end(1) :]):
            yield from _words(each)


def _words(found: re.Match[str] | None) -> Iterator[str]:
    for group in found.groups() if found is not None else ():
        yield from WORD.findall(group or "")[-1:]


def is_handed_on(before: str) -> bool:
    """Return whether what follows a piece of a statement is what the whole gives.

    Not so what is handed to a function, or is the key of a mapping.
    """
    depth = 0
    for position in range(len(before) - 1, -1, -1):
        if before[position] in ")]}":
            depth += 1
        elif before[position] in "([{" and depth:
            depth -= 1
        elif before[position] in "([":
            asked = _BEFORE_BRACKET.search(before[:position])
            allowed = CARRIERS if before[position] == "(" else _TYPES
            if asked and asked[1] not in allowed and not iskeyword(asked[1]):
                return False
    return True


def is_one(text: str, word: str, start: int, end: int) -> bool:
    """Return whether a piece of code says of a word that it is a single thing."""
    found = list(occurrences(text, word, start, end))
    return any(
        text.endswith(_ASKS_CLASS, 0, at) or _SINGLE.match(text, behind)
        for at, behind in found
    ) and not any(_SEVERAL.match(text, behind) for _, behind in found)
