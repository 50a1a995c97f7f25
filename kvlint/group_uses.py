# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where code that can see a composite treats a group spec as if it were a layer's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from kvlint.findings import Place
from kvlint.model.functions import FunctionIndex, FunctionText
from kvlint.model.group_events import GroupEvent, GroupEvents
from kvlint.model.kinds import Names
from kvlint.model.suspicions import Suspicions
from kvlint.model.workspace import Workspace

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
    """

    def __init__(
        self,
        workspace: Workspace,
        names: Names,
        suspicions: Suspicions,
        expects: Expects,
        cached: frozenset[str] = frozenset(),
    ) -> None:
        """Keep what is given."""
        self._workspace, self._names, self._expects = workspace, names, expects
        self._suspicions, self._cached = suspicions, cached

    def find(self, files: Iterable[Path]) -> Iterator[GroupUse]:
        """Yield the uses in some files."""
        for path in files:
            content = self._workspace.content(path)
            if b"kv_cache_spec" not in content and b"kv_cache_groups" not in content:
                continue
            if (functions := self._workspace.functions(path)) is not None:
                yield from self._uses(path, functions)

    def _uses(self, path: Path, functions: FunctionIndex) -> Iterator[GroupUse]:
        offsets = self._suspicions.offsets(functions, partial(self._expects, path))
        for function in functions.around(offsets):
            flow = GroupEvents(self._names, frozenset(), cached=self._cached)
            flow.function(function.node)
            for event in flow.events:
                yield GroupUse(event, function)
