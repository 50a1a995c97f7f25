# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which functions may test spec classes so that it matters; the others cost nothing.

Plain searches find the few places where a pattern may match: tried everywhere, it would
take a hundred times as long.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path

from kvlint.model.functions import FunctionIndex, FunctionText
from kvlint.model.glances import positions
from kvlint.project import Project
from kvlint.specs.hierarchy import last_name
from kvlint.vocabulary import GROUP_ATTRIBUTE, LAYER_NAMES

_Finder = Callable[[str, FunctionIndex | None], Iterator[int]]

_WORD = re.compile(r"\w+")
_TEST = re.compile(
    r"isinstance\(\s*(?P<instance>[^(),]+),\s*\(?([^()]+)"
    r"|type\(\s*(?P<exact>[^(),]+)\)\s*(?:is|in|==)\s*\(?([^()\n:]+)"
    r"|case (?P<case>[^\n:]+)"
)
_JOINT = re.compile(r"\b(if|elif|or|and|while)[\s(]*$")
"""What stands before a test that decides something."""
_NEAR = 60
_COMPARED = r"\s*(?:(?:is|in|not)\b|[!=]=)[\s(\[{\"']*(?:(?:not|in)\s+)?[\s(\[{\"']*"
_CLASS = re.compile(
    r"(?:type\((?P<of>[^()]*(?:\([^()]*\)[^()]*)?)\)|__class__)"
    r"(?:\s*\.\s*__(?:qual)?name__)?"
    rf"(?:{_COMPARED}(?P<with>[\w.]*)|(?P<looked_up>\s*[\],)])|(?P<named>\s*[\n:]))"
)
_LOOKS_UP = re.compile(r"[\w.]*(?:\[|\.get\()(?:[\w.]+\.)?$")
"""What stands before a class that is a key."""
_NAMES = re.compile(
    r"[=!]= *(?:[\w.]+\.)?$|\bis (?:not )?(?:[\w.]+\.)?$|[^=!<>]= *(?:[\w.]+\.)?$"
)
"""What stands before a class that ends a line: a comparison, or a name for it."""
_FIRST = r"(?:0|[\w.]*[gG]roups?\[0\][\w.]*)"
_ENDING = re.compile(
    rf"[ \t]*(?:(?P<returned>return)|(?P<target>[\w.]+)(?:: *[\w. |]+)? =) {_FIRST}"
    r"[ \t]*(?:#[^\n]*)?$",
    re.M,
)
_LOOP = re.compile(r"for [^:]{0,150}?[gG]roup")
_DEFAULT = re.compile(rf",\s*{_FIRST}\s*,?\s*(?:#[^\n]*)?\s*\)")
_LISTED = re.compile(r"\[0\]\s+if\s+\w+\s+$")
_BY_LAYER = re.compile(r"(?:roup|gid)\w*\.get\(\s*[\w.]*$")
_KIND = re.compile(
    r"\b(?:isinstance|type|_?(?:is|has)_\w+|\w*kind\w*)\s*\(|Spec[\"']|__class__"
    rf"|\.{LAYER_NAMES}\b"
)
_LISTED_IN = re.compile(r"\bin [\w.\[\]]+$")
"""What stands before the layers of a group, if they are asked for one."""
_MADE_SURE = re.compile(
    rf"\bassert\b[^\n]*\bin [\w.\[\]]+\.{LAYER_NAMES}\b"
    rf"|\bnot in [\w.\[\]]+\.{LAYER_NAMES}\s*:\s*raise\b"
)
_FAR = 1000
"""How many characters a loop may be away from what stands if it finds nothing."""


class TypeSites:
    """Finds functions, and tells what the classes in them are.

    Args:
        project: The project.
    """

    def __init__(self, project: Project) -> None:
        """Look at nothing yet."""
        self._project = project

    def ladders(self) -> Iterator[FunctionText]:
        """Yield the functions in which a test of a base comes before one of a class."""
        return self._functions(self._late)

    def exact_tests(self) -> Iterator[FunctionText]:
        """Yield the functions that may ask for the very class of a spec."""
        return self._functions(self._exact)

    def group_searches(self) -> Iterator[FunctionText]:
        """Yield the functions that may search for a group and end with the first."""
        return self._functions(_searches)

    def is_below(self, name: str, other: str, path: Path) -> bool:
        """Return whether a class is or is below another, both as a file names them."""
        names, hierarchy = self._project.names, self._project.contract.hierarchy
        spec, above = names.spec(name, path), names.spec(other, path)
        if spec is None or above is None:
            return False
        return hierarchy.is_below(spec, above)

    def is_spec(self, name: str, path: Path) -> bool:
        """Return whether a name is that of a spec class, or means one in a file."""
        specs = self._project.contract.hierarchy.specs
        if name == last_name(name) and any(each.name == name for each in specs):
            return True
        return self._project.names.spec(name, path) is not None

    def _functions(self, find: _Finder) -> Iterator[FunctionText]:
        for path, content in self._project.spec_code():
            # Whether there is any is all that is asked: what keeps ASCII will do.
            if next(find(content.decode("latin-1"), None), None) is None:
                continue
            functions = self._project.workspace.functions(path)
            if functions is not None:
                yield from functions.around(find(functions.source.text, functions))

    def _late(self, text: str, functions: FunctionIndex | None) -> Iterator[int]:
        """Where a class is tested of which a base was tested before.

        Args:
            text: A file's text.
            functions: Its functions; None to take the whole file for one.
        """
        starts = [*positions(text, "isinstance(")]
        starts += positions(text, "type(") if starts else ()
        starts += positions(text, "case ") if "match " in text else ()
        seen: dict[str, set[str]] = {}
        end = 0
        for start in sorted(starts):
            match = _TEST.match(text, start)
            if match is None:
                continue
            tested = self._ancestors.keys() & _WORD.findall(match[match.lastindex or 0])
            joint = _JOINT.search(text, max(0, start - _NEAR), start)
            if not tested or joint is None and match["case"] is None:
                continue
            if functions is not None and start >= end:
                bounds = functions.bounds(start)
                end, seen = bounds[1] if bounds is not None else start, {}
            subject = match["instance"] or match["exact"] or ""
            before = seen.setdefault("".join(subject.split()), set())
            if any(self._ancestors[each] & before for each in tested):
                yield start
            rest = text[match.end() : match.end() + _NEAR].lstrip(") \t\n")
            is_joint = joint is not None and joint[1] == "and"
            if not is_joint and not rest.startswith("and"):
                before |= tested

    def _exact(self, text: str, _: FunctionIndex | None) -> Iterator[int]:
        """Where something is compared with, or looked up by, the class of a spec.

        Either a class is named, or what is asked has the word in its name.
        """
        for needle in ("type(", "__class__"):
            for start in positions(text, needle):
                match = _CLASS.match(text, start)
                if match is None or _WORD.match(text, start - 1):
                    continue
                before = text[text.rfind("\n", 0, start) + 1 : start]
                asked = match["of"] or before
                if match["with"] is None:
                    before_it = _NAMES if match["named"] else _LOOKS_UP
                    if before_it.search(before) is None:
                        continue
                    asked = before + match[0]
                named = last_name(match["with"] or "")
                if "spec" in asked.lower() or named in self._ancestors:
                    yield start

    @cached_property
    def _ancestors(self) -> dict[str, set[str]]:
        """The names of specs, each with those of the classes above it."""
        hierarchy = self._project.contract.hierarchy
        found: dict[str, set[str]] = {}
        for spec in hierarchy.specs:
            above = {each.name for each in hierarchy.mro(spec)[1:]}
            found.setdefault(spec.name, set()).update(above)
        for alias in hierarchy.known_names - found.keys():
            found[alias] = {*found}
        return found


def _searches(text: str, _: FunctionIndex | None) -> Iterator[int]:
    """Where something near a test of the kind of groups has the first as a default."""
    for start, end in _near_groups(text):
        for needle in ("= 0\n", "= 0  #", "return 0", "roups[0]"):
            for place in positions(text, needle, start, end):
                if _is_default(text, place):
                    yield place
        for place in positions(text, "next(", start, end):
            near = text[place : place + _FAR]
            if "roup" in near and _KIND.search(near) and _DEFAULT.search(near):
                yield place
        for place in positions(text, "default=0", start, end):
            near = text[max(start, place - _FAR // 2) : place]
            if "enumerate(" in near and "roup" in near and _KIND.search(near):
                yield place
        for place in positions(text, "else 0", start, end):
            near = text[max(start, place - _FAR) : place]
            if "roup" in near and _LISTED.search(near) and _KIND.search(near):
                yield place
    for place in positions(text, "layer_name, 0)"):
        if _BY_LAYER.search(text, max(0, place - _NEAR), place):
            yield place


def _near_groups(text: str) -> Iterator[tuple[int, int]]:
    """The stretches of a text around reads of groups' specs and of their layers."""
    first = last = -1
    layers = [
        place
        for place in positions(text, f".{LAYER_NAMES}")
        if _LISTED_IN.search(text, max(0, place - _NEAR), place)
    ]
    for place in sorted([*positions(text, GROUP_ATTRIBUTE), *layers]):
        if first >= 0 and place - _FAR <= last:
            last = place + _FAR
            continue
        if first >= 0:
            yield first, last
        first, last = max(0, place - _FAR), place + _FAR
    if first >= 0:
        yield first, last


def _is_default(text: str, place: int) -> bool:
    """Whether a statement gives what a loop over groups gives if it finds one."""
    line_start = text.rfind("\n", 0, place) + 1
    match = _ENDING.match(text, line_start)
    if match is None:
        return False
    end = line_start if match["returned"] else match.end() + _FAR
    near = text[max(0, line_start - _FAR) : line_start] + text[match.end() : end]
    if "roup" not in near or _LOOP.search(near) is None or _KIND.search(near) is None:
        return False
    target = match["target"]
    if target is None:
        return "return " in near
    return f"{target} = " in near and is_read(target, text)


def asks_for_membership(mapping: str, text: str) -> bool:
    """Return whether a text asks, outside of loops, whether something is in a mapping.

    Args:
        mapping: As it is written.
        text: All of the file.
    """
    test = rf"(?<!for )\b[\w.]+\s+(?:not\s+)?in\s+{re.escape(mapping)}(?![\w.(\[])"
    return re.search(test, text) is not None


def makes_sure_of_layers(text: str) -> bool:
    """Return whether a text fails if a layer is not in a group that it is sought in.

    Args:
        text: All of a file.
    """
    return _MADE_SURE.search(text) is not None


def is_read(target: str, text: str) -> bool:
    """Return whether a text reads an attribute, or may read a name.

    Args:
        target: As it is assigned.
        text: All of the file.
    """
    owner, _, name = target.rpartition(".")
    read = rf"\.{re.escape(name)}\b(?!\s*(?::[^=\n]*)?=(?!=))"
    return not owner or re.search(read, text) is not None
