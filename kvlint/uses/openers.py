# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A project's own functions that look into a composite, or that hash what they get."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from kvlint.model.glances import positions
from kvlint.model.groups.kinds import Names
from kvlint.model.workspace import Workspace
from kvlint.vocabulary import GROUP_ATTRIBUTE, OPENERS

_CACHES = (b"@lru_cache", b"@cache\n", b"@functools.lru_cache", b"@functools.cache\n")
_SCOPE = re.compile(r"^([ \t]*)(?:async[ \t]+)?(def|class)[ \t]+(\w+)", re.M)
_FAR = 2000
_CACHED = re.compile(
    rb"@(?:functools\.)?(?:lru_)?cache\b[^\n]*\n(?:[ \t]*@[^\n]*\n)*"
    rb"[ \t]*def[ \t]+(\w+)"
)


def find_openers(
    workspace: Workspace, files: Iterable[Path], names: Names
) -> frozenset[str]:
    """Return the names of functions that look into a composite, vLLM's too.

    Args:
        workspace: Reads the files.
        files: Where the project's own functions are.
        names: What tells a composite.
    """
    members = sorted({*names.holders, *names.firsts})
    marks = [f".{each}" for each in members]
    marks += [f"{quote}{each}{quote}" for each in members for quote in "\"'"]
    marks += [f"{each}(" for each in sorted(OPENERS)]
    needles = [each.encode() for each in marks]
    common = [each.encode() for each in {GROUP_ATTRIBUTE, *names.holders}]
    found = set(OPENERS)
    for path in files:
        content = workspace.content(path)
        if not any(each in content for each in common):
            continue
        found |= workspace.known(
            path,
            ("openers", *needles),
            partial(_around, workspace, path, needles),
        )
    return frozenset(name for name in found if name and not name.startswith("__"))


def _around(workspace: Workspace, path: Path, needles: Sequence[bytes]) -> set[str]:
    """The names of a file's functions that hold one of some words."""
    content = workspace.content(path)
    held = [each.decode() for each in needles if each in content]
    functions = workspace.functions(path) if held else None
    if functions is None:
        return set()
    text = functions.source.text
    places = [at for each in held for at in positions(text, each)]
    inner = {name for at in places for name in _inner_names(text, at)}
    return {functions.glance(at).name for at in places} | inner


def _inner_names(text: str, at: int) -> Iterator[str]:
    """The functions around a place within the one that a module or class has."""
    depth = _depth(text, at)
    for each in reversed([*_SCOPE.finditer(text, max(0, at - _FAR), at)]):
        if len(each[1]) < depth:
            depth = len(each[1])
            if each[2] == "def":
                yield each[3]


def _depth(text: str, at: int) -> int:
    line = text.rfind("\n", 0, at) + 1
    return len(text[line:at]) - len(text[line:at].lstrip())


def find_cached(workspace: Workspace, files: Iterable[Path]) -> frozenset[str]:
    """Return the names of functions that keep answers by their arguments.

    Args:
        workspace: Reads the files.
        files: Where to look.
    """
    return frozenset(
        name
        for path in files
        for name in workspace.known(
            path, "cached", partial(_cached_in, workspace, path)
        )
    )


def _cached_in(workspace: Workspace, path: Path) -> list[str]:
    content = workspace.content(path)
    if GROUP_ATTRIBUTE.encode() not in content:
        return []
    if not any(each in content for each in _CACHES):
        return []
    return [name.decode() for name in _CACHED.findall(content)]
