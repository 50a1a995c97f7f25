# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A project's own functions that look into a composite, or that hash what they get."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from kvlint.model.kinds import Names
from kvlint.model.workspace import Workspace
from kvlint.vocabulary import OPENERS

_CACHED = re.compile(
    r"^[ \t]*@(?:functools\.)?(?:lru_)?cache\b[^\n]*\n(?:[ \t]*@[^\n]*\n)*"
    r"[ \t]*def[ \t]+(\w+)",
    re.M,
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
    members = "|".join(map(re.escape, sorted({*names.holders, *names.firsts})))
    calls = "|".join(sorted(OPENERS))
    pattern = re.compile(rf"\.(?:{members})\b|[\"'](?:{members})[\"']|\b(?:{calls})\(")
    needles = [word.encode() for word in {*names.holders, *names.firsts, *OPENERS}]
    found = set(OPENERS)
    for path in files:
        content = workspace.content(path)
        if not any(needle in content for needle in needles):
            continue
        functions = workspace.functions(path)
        if functions is None:
            continue
        for match in pattern.finditer(functions.source.text):
            found.add(functions.owner(match.start())[1])
    return frozenset(name for name in found if name and not name.startswith("__"))


def find_cached(workspace: Workspace, files: Iterable[Path]) -> frozenset[str]:
    """Return the names of functions that keep answers by their arguments.

    Args:
        workspace: Reads the files.
        files: Where to look.
    """
    found: set[str] = set()
    for path in files:
        content = workspace.content(path)
        if b"lru_cache" in content or b"@cache" in content or b".cache" in content:
            found |= set(_CACHED.findall(content.decode(errors="replace")))
    return frozenset(found)
