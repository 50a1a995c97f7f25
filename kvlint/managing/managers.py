# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which classes are managers of specs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from kvlint.managing.registering import ReadFile
from kvlint.model.classes import SpecClass
from kvlint.specs.candidates import Candidates
from kvlint.specs.hierarchy import Hierarchy


def find_managers(
    hierarchy: Hierarchy,
    files: Sequence[Path],
    seeds: Iterable[SpecClass],
    read: ReadFile,
) -> list[SpecClass]:
    """Return the classes of managers: some, what they share, and all below those.

    Args:
        hierarchy: Looks bases up.
        files: Where to look; only those that may define one are parsed.
        seeds: Managers that are known.
        read: Reads a file, or its outline.
    """
    seeds = list(dict.fromkeys(seeds))
    above = Counter(each for seed in seeds for each in hierarchy.mro(seed))
    # What is above a few alone may be a mixin, which others have too.
    shared = [each for each, count in above.items() if 2 * count >= len(seeds)]
    found = dict.fromkeys([*seeds, *shared])
    workspace = hierarchy.workspace
    searched: set[str] = set()
    while fresh := {each.name for each in found} - searched:
        searched |= fresh
        candidates = Candidates(fresh)
        held = {each.file.path for each in found}
        paths = [
            path
            for path in files
            if path in held
            or workspace.known(
                path,
                ("may define", candidates.names),
                partial(_may_define, candidates, workspace.content(path)),
            )
        ]
        for path in paths:
            file = read(path)
            for each in file.classes if file is not None else ():
                if not found.keys().isdisjoint(hierarchy.mro(each)):
                    found[each] = None
    return list(found)


def _may_define(candidates: Candidates, content: bytes) -> bool:
    return candidates.mention(content) and candidates.may_define(content)
