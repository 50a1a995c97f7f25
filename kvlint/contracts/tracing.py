# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""From the facts of releases to the history of their names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise

from kvlint.contracts.changes import Family
from kvlint.contracts.differences import classes
from kvlint.contracts.facts import ContractFacts
from kvlint.contracts.history import History
from kvlint.contracts.lineage import Lineage
from kvlint.contracts.renames import likely_renames


def trace(releases: Sequence[ContractFacts]) -> History:
    """Return the history of some releases.

    Args:
        releases: Their facts, from the oldest to the newest.
    """
    families = [
        {each: Lineage(classes(facts, each)) for each in Family} for facts in releases
    ]
    named = [_named(each.values()) for each in families]
    renames = [
        (number, each.old, each.new, each.classes)
        for number, (before, after) in enumerate(pairwise(families), start=1)
        for family in Family
        for each in likely_renames(before[family], after[family])
    ]
    owners = sorted({owner for each in named for owner in each})
    names = {
        owner: {
            name: _spans([name in each.get(owner, ()) for each in named])
            for name in sorted({x for each in named for x in each.get(owner, ())})
        }
        for owner in owners
    }
    return History(
        [each.release for each in releases],
        {owner: _spans([owner in each for each in named]) for owner in owners},
        names,
        renames,
    )


def to_json(history: History) -> str:
    """Return a history as text, the same for the same history."""
    return json.dumps(asdict(history), sort_keys=True, separators=(",", ":")) + "\n"


def _named(lineages: Iterable[Lineage]) -> Mapping[str, set[str]]:
    """The public names of each class of a release."""
    return {
        facts.name: {x for x in lineage.names(facts) if not x.startswith("_")}
        for lineage in lineages
        for facts in lineage.classes.values()
    }


def _spans(has_it: Sequence[bool]) -> list[list[int]]:
    spans: list[list[int]] = []
    for number, has in enumerate(has_it):
        if not has:
            continue
        if spans and spans[-1][1] == number:
            spans[-1][1] = number + 1
        else:
            spans.append([number, number + 1])
    return spans
