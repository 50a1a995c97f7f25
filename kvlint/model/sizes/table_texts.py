# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where a text makes block tables with a width that may be worked out by hand.

Nothing is parsed: what is found here says which functions are worth that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

TABLE = r"(?:block|page)_?tables?"
MAKER = r"(?:zeros|ones|empty|full|[bB]uffer|_tensor)"
_MADE = rf"\s*(?::[^=\n]+)?=\s*(?:\w+\s*\.\s*)*\w*{MAKER}\("
_TABLE_MADE = rf"tables?\w*{_MADE}"
_ROWS = rf"\s*(?:\w+\.)*\w*?{TABLE}(?:_tensor|_[cg]pu|_np)?\b(?!\s*\()"
_COPIED = re.compile(rf"\.copy_\({_ROWS}")
_SET = re.compile(rf"\]\s*={_ROWS}")
_COPIED_TO = re.compile(r"((?:\w+\.)*\w+)(?:\[[^\]]*\])*$")
_SET_IN = re.compile(r"((?:\w+\.)*\w+)(?:\[[^\]]*\])*\[[^\]]*$")
_BEFORE = 300
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")
_OWN = re.compile(r"self\.\w+")
_IS_ASSIGNED = re.compile(
    r"(?:\[[^\]\n]*\])?(?:[ \t]*,[ \t]*[\w.]+)*[ \t]*(?::[^=\n]+)?[-+*/:]{0,2}=(?!=)"
    r"|\.append\("
)
_IS_LOOPED = re.compile(r"[\w.,() \t]*?\bin\b")
_LOOPS = re.compile(r"\bfor\b[\w.,( \t]*$")
_PARAMETERS = re.compile(r"def \w+\(([^)]*)")
_KEYWORD = re.compile(r"\s*\b\w+=(?!=)")
_STRUCTURE = re.compile(r"[(\[{)\]}\n]")
_DIVIDES = re.compile(r"//|div|ceil", re.I)
_LENGTH = re.compile(r"model_len")
_BLOCK = re.compile(r"(?:block|page)_?sizes?\b")
_SPEC = re.compile(r"specs?\b|block_sizes\b|kv_cache_groups\b")
_MOST_NAMES = 40
_LONGEST = 2_000


def makes_tables(
    parameters: Iterable[str], takers: Iterable[str] = ()
) -> Callable[[bytes], bool]:
    """Return what tells whether a file makes tables, or passes a width.

    Args:
        parameters: Those that take a width.
        takers: The classes that have one.
    """
    patterns = [
        re.compile(pattern.encode())
        for pattern in (
            *(rf"{each}\s*[=:](?!=)" for each in parameters),
            _TABLE_MADE,
            _COPIED.pattern,
            _SET.pattern,
            *(rf"{each}\(" for each in takers),
        )
    ]
    return lambda content: any(each.search(content) for each in patterns)


def receivers(text: str) -> set[str]:
    """Return the dotted names of what rows of block tables are copied to."""
    found = set()
    for pattern, before in ((_COPIED, _COPIED_TO), (_SET, _SET_IN)):
        for each in pattern.finditer(text):
            prefix = text[max(0, each.start() - _BEFORE) : each.start()]
            if (name := before.search(prefix)) is not None:
                found.add(name[1])
    return found


@dataclass(frozen=True)
class Sinks:
    """The places of a text where a width goes to.

    Attributes:
        text: The text.
        answer: The member that gives a width.
        parameters: Those that take one.
        takers: The classes that have such a parameter.
        receiving: The tensors that rows are copied to.
    """

    text: str
    answer: str
    parameters: Sequence[str]
    takers: Sequence[str]
    receiving: Sequence[str]

    def places(self) -> Iterator[int]:
        """Yield where they stand."""
        passed = rf"(?:{'|'.join(self.parameters)})\s*=(?!=)"
        for each in re.finditer(passed, self.text):
            yield each.start()
        for start in (x for name in self.takers for x in _calls(self.text, name)):
            if _positional(self.text, start):
                yield start - 1
        tensors = [rf"{re.escape(each)}{_MADE}" for each in self.receiving]
        for pattern in (_TABLE_MADE, *tensors):
            for each in re.finditer(pattern, self.text):
                if not self._is_argument(each.start()):
                    yield each.start()

    def _is_argument(self, place: int) -> bool:
        """Whether a line goes on with what a bracket holds."""
        before = self.text[:place].rpartition("\n")[0][-_BEFORE:].rstrip()
        return before.endswith(("(", ","))

    def may_divide(self, place: int, bounds: tuple[int, int]) -> bool:
        """Whether what goes to a place may be a length divided by a spec's blocks.

        Args:
            place: Where it stands.
            bounds: The function around it.
        """
        function = self.text[slice(*bounds)]
        reached = [self._statement(place)]
        seen: set[str] = set()
        for piece in reached:
            for name in _NAME.findall(piece):
                if name in seen or len(seen) >= _MOST_NAMES:
                    continue
                seen.add(name)
                is_own = _OWN.fullmatch(name) is not None
                text = self.text if is_own else function
                reached += (rest_of(text, each) for each in _assigned(text, name))
        known = "\n".join(reached)
        if f".{self.answer}(" in known:
            return False
        parameters = "".join(each[1] for each in _PARAMETERS.finditer(function))
        return (
            all(each.search(known) for each in (_DIVIDES, _LENGTH, _BLOCK))
            and (_SPEC.search(known) or _SPEC.search(parameters)) is not None
        )

    def _statement(self, place: int) -> str:
        if self.text[place] == "(":
            return _positional(self.text, place + 1)
        return rest_of(self.text, self.text.find("=", place) + 1)


def _calls(text: str, name: str) -> Iterator[int]:
    """Yield where the arguments of a class's calls begin."""
    called = f"{name}("
    place = text.find(called)
    while place >= 0:
        before = text[max(0, place - 6) : place]
        place += len(called)
        if before != "class " and not before[-1:].isidentifier():
            yield place
        place = text.find(called, place)


def _positional(text: str, start: int) -> str:
    """The arguments of a call that are passed by position."""
    arguments = rest_of(text, start)
    keyword = _KEYWORD.search(arguments)
    return arguments[: keyword.start()] if keyword is not None else arguments


def _assigned(text: str, name: str) -> Iterator[int]:
    """Yield where values begin that a name is assigned, given, or loops over."""
    place = text.find(name)
    while place >= 0:
        end = place + len(name)
        if not text[place - 1 : place].isidentifier():
            found = _IS_ASSIGNED.match(text, end)
            if found is None and _LOOPS.search(text, text.rfind("\n", 0, place), place):
                found = _IS_LOOPED.match(text, end)
            if found is not None:
                yield found.end()
        place = text.find(name, end)


def rest_of(text: str, start: int) -> str:
    """Return the rest of a statement, or of what the brackets around a place hold.

    Args:
        text: The text.
        start: The place.
    """
    depth = 0
    is_inside = text[start - 1 : start] in {"(", "[", "{"}
    for each in _STRUCTURE.finditer(text, start, start + _LONGEST):
        if each[0] == "\n":
            if depth == 0 and not is_inside and text[start : each.start()].strip():
                return text[start : each.start()]
        elif each[0] in "([{":
            depth += 1
        else:
            depth -= 1
            if depth < 0:
                return text[start : each.start()]
    return text[start : start + _LONGEST]
