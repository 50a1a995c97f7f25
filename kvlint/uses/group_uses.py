# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where code that can see a composite treats a group spec as if it were a layer's."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import libcst as cst

from kvlint.findings import Place
from kvlint.model.functions import FunctionIndex, FunctionText
from kvlint.model.groups.first_specs import FirstSpecs, other_reads
from kvlint.model.groups.flow import GroupFlow
from kvlint.model.groups.group_events import Deed, GroupEvent
from kvlint.model.groups.handing import Handed, HandingEvents, receiver
from kvlint.model.groups.keeping import Kept, find_kept
from kvlint.model.groups.kinds import Environment, Kind, Names
from kvlint.model.groups.suspicions import Suspicions
from kvlint.model.workspace import Workspace
from kvlint.vocabulary import LAYER_SPECS

_KEPT = frozenset(
    [Kind.RAW, Kind.RAWS, Kind.MAPPED, Kind.GROUP, Kind.GROUPS, Kind.MAPPED_GROUPS]
)
_FOLLOWED = frozenset({Deed.TEST, Deed.COPY})
"""What counts in a function whoever hands it a group spec.

The rest does not where that one has made sure of something.
"""
Expects = Callable[[Path, str, str], bool]


@dataclass(frozen=True, eq=False)
class GroupUse:
    """What a function does with a group spec that may be a composite.

    Attributes:
        event: What it does.
        function: The function.
    """

    event: GroupEvent
    function: FunctionText

    @property
    def place(self) -> Place:
        """Where it does so."""
        return self.function.place(self.event.node)


class GroupUses:
    """Looks for uses of group specs.

    Args:
        workspace: Reads the files.
        names: What tells a composite.
        suspicions: Finds what to parse.
        expects: Tells whether a function of a file and a class may hold a composite.
        cached: Functions that hash what they are given.
        side: What to call those that do, by a file: for that, it always means the same.
    """

    def __init__(
        self,
        workspace: Workspace,
        names: Names,
        suspicions: Suspicions,
        expects: Expects,
        cached: frozenset[str] = frozenset(),
        side: Callable[[Path], Hashable] = str,
    ) -> None:
        """Keep what is given."""
        self._workspace, self._names, self._expects = workspace, names, expects
        self._suspicions, self._cached, self._side = suspicions, cached, side

    def find(self, files: Iterable[Path]) -> Iterator[GroupUse]:
        """Yield the uses in some files."""
        for path in files:
            if not self._suspicions.concern(self._workspace.content(path)):
                continue
            if (functions := self._workspace.functions(path)) is not None:
                yield from self._workspace.known(
                    path,
                    ("group uses", self._names, self._suspicions.key, self._side(path)),
                    partial(self._uses, path, functions),
                )

    def _uses(self, path: Path, functions: FunctionIndex) -> list[GroupUse]:
        found: list[GroupUse] = []
        pending: list[tuple[FunctionText, Handed]] = []
        kept = find_kept(functions, self._names)
        expects = partial(self._expects, path)
        offsets = sorted(self._suspicions.offsets(functions, kept, expects))
        for function in functions.around(offsets):
            owner = function.class_name
            if owner in self._names.composites:
                continue
            if not self._expects(path, owner, function.node.name.value):
                continue
            known = self._kept(functions, function, kept)
            given = (self._names, self._cached, self._suspicions.lacking)
            events, handed = function.known(
                ("group events", given, frozenset(known.items())),
                partial(self._events, function, known),
            )
            found += (GroupUse(event, function) for event in events)
            pending += ((function, each) for each in handed)
        told = {use.event.node for use in found}
        for use in self._received(functions, pending, expects):
            if use.event.node not in told:
                told.add(use.event.node)
                found.append(use)
        return found

    def _events(
        self, function: FunctionText, known: Environment
    ) -> tuple[list[GroupEvent], list[Handed]]:
        flow = self._flow()
        flow.function(function.node, known)
        return [*flow.events, *self._first(function)], flow.handed

    def _flow(self) -> HandingEvents:
        lacking, cached = self._suspicions.lacking, self._cached
        return HandingEvents(self._names, frozenset(), cached=cached, lacking=lacking)

    def _received(
        self,
        functions: FunctionIndex,
        pending: Iterable[tuple[FunctionText, Handed]],
        expects: Callable[[str, str], bool],
    ) -> Iterator[GroupUse]:
        """What functions do that raw group specs are handed to."""
        done: set[tuple[cst.FunctionDef, str]] = set()
        waiting = [*pending]
        while waiting:
            giver, handed = waiting.pop(0)
            found = receiver(functions, giver, handed, self._names)
            if found is None or (found.node, found.parameter) in done:
                continue
            done.add((found.node, found.parameter))
            name = found.function.node.name.value
            if not expects(found.function.class_name, name):
                continue
            flow = self._flow()
            flow.function(found.node, given={found.parameter: Kind.RAW})
            for event in flow.events:
                if handed.is_certain or event.deed in _FOLLOWED:
                    yield GroupUse(event, found.function)
            waiting += ((found.function, each) for each in flow.handed)

    def _first(self, function: FunctionText) -> Iterator[GroupEvent]:
        """What a function lets out of the first specs in composites."""
        text = function.source.text[slice(*function.extent)]
        words = self._names.holders | self._names.firsts | {LAYER_SPECS}
        if not any(word in text for word in words):
            return
        flow = FirstSpecs(self._names, frozenset())
        flow.function(function.node)
        for each in flow.found:
            if not other_reads(function.node, each, flow.raws):
                name = each.attr.value
                yield GroupEvent(Deed.FIRST, each, each.value, (name,))

    def _kept(
        self, functions: FunctionIndex, user: FunctionText, kept: Sequence[Kept]
    ) -> Environment:
        """What other methods of a class keep on the instance, as far as one uses it."""
        text = functions.source.text[slice(*user.extent)]
        found: Environment = {}
        own = [
            each
            for each in kept
            if each.word in text and each.class_name in {"", user.class_name}
        ]
        for setter in functions.around(x.offset for x in own if not x.place):
            if setter is user or setter.class_name != user.class_name:
                continue
            flow = GroupFlow(self._names, frozenset())
            for place, kind in flow.function(setter.node).items():
                if place.startswith("self.") and kind in _KEPT:
                    found[place] = kind
        for each in own:
            for giver in functions.around([each.offset] if each.place else ()):
                flow = GroupFlow(self._names, frozenset())
                flow.function(giver.node, dict(found))
                if giver is not user and len(flow.gives) == 1 and flow.gives <= _KEPT:
                    found |= dict.fromkeys([each.place], *flow.gives)
        return found
