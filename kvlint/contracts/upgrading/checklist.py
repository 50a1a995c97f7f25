# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The checklist for a bump of vLLM: what changed where this project touches it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kvlint.contracts import at_hand
from kvlint.contracts.facts import ContractFacts
from kvlint.contracts.upgrading.holdings import attribute_table
from kvlint.contracts.upgrading.judging import Judge
from kvlint.contracts.upgrading.patches import patches, patching
from kvlint.contracts.upgrading.plugin import PlugIn
from kvlint.contracts.upgrading.verdicts import Verdict
from kvlint.findings import Place
from kvlint.model.reach import Reach
from kvlint.model.syntax import deep_trees
from kvlint.uses.following.evaluation import Attributes
from kvlint.uses.following.touches import find_touches


@dataclass(frozen=True, order=True)
class Item:
    """A place that a bump concerns.

    Attributes:
        place: Where.
        is_due: It must change; else it is worth a look.
        message: What is the matter, in words.
        symbol: The class, member or field of vLLM.
    """

    place: Place
    is_due: bool
    message: str
    symbol: str


@dataclass(frozen=True)
class Checklist:
    """What a bump asks of a project.

    Attributes:
        before: The release that the project builds on.
        after: The one that it is to build on.
        items: By place.
        failures: Files that could not be read or parsed, and why.
        files_checked: How many files were looked at.
    """

    before: str
    after: str
    items: tuple[Item, ...]
    failures: tuple[str, ...]
    files_checked: int

    @property
    def due(self) -> list[Item]:
        """The items that must change."""
        return [each for each in self.items if each.is_due]


@deep_trees()
def checklist(
    before: ContractFacts, after: ContractFacts, files: Sequence[Path], root: Path
) -> Checklist:
    """Return what of a project must change, or is worth a look.

    Args:
        before: The release that it builds on.
        after: The one that it is to build on.
        files: Its files.
        root: Its folder, which absolute imports are looked up in.
    """
    known = {
        each.name: each
        for facts in (after, before)
        for each in (*facts.classes, *facts.managers)
    }
    plug_in = PlugIn(files, root, known, at_hand.known(after))
    judge = Judge(before, after, plug_in)
    items = set(_items(plug_in, judge, before))
    return Checklist(
        before.release,
        after.release,
        tuple(sorted(items)),
        tuple(str(each) for each in plug_in.workspace.failures.values()),
        len(plug_in.files),
    )


def _items(plug_in: PlugIn, judge: Judge, before: ContractFacts) -> Iterator[Item]:
    for own in plug_in.own.values():
        for verdict in judge.own_class(own):
            yield from _item(plug_in, own.spec.file.place(verdict.node), verdict)
    attributes = Attributes(attribute_table(before.classes))
    for file in plug_in.mentioning(judge.pattern):
        for touch in find_touches(plug_in, file, attributes):
            for verdict in judge.touch(touch):
                yield from _item(plug_in, file.place(verdict.node), verdict)
    for file in patching(plug_in, judge.releases):
        for verdict in patches(file, judge.releases, plug_in):
            yield from _item(plug_in, file.place(verdict.node), verdict)


def _item(plug_in: PlugIn, place: Place, verdict: Verdict) -> Iterator[Item]:
    """What a verdict comes to where the later release may run the code."""
    reach = plug_in.guards.at(place)
    if reach is Reach.NEVER:
        return
    if reach is Reach.UNKNOWN:
        verdict = verdict.softened()
    yield Item(place, verdict.is_due, verdict.message, verdict.symbol)
