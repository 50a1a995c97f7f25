# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a project's code does with group specs, and which code may see composites."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from kvlint.config import Config
from kvlint.model.glances import occurrences, positions
from kvlint.model.groups.kinds import Names
from kvlint.model.groups.suspicions import Suspicions
from kvlint.model.module_places import below
from kvlint.model.workspace import Workspace
from kvlint.sides import (
    is_planner,
    is_worker,
    must_expect_composites,
    planning_functions,
    sees_composites,
)
from kvlint.specs.contract import Contract
from kvlint.uses.group_uses import Expects, GroupUse, GroupUses
from kvlint.uses.openers import find_cached, find_openers
from kvlint.vocabulary import GUARANTEED, NEVER_WRAPPED, PAGE_SIZE

_IMPORTED = re.compile(r"\s*(?:\([^)]*\)|[^\n(]+)")
_NAME = re.compile(r"[A-Za-z_]\w*")


class Grouping:
    """Looks at a project's own code for what it does with group specs.

    Args:
        workspace: The files.
        contract: The spec classes.
        names: What tells a composite.
        files: The project's own files that speak of specs or groups.
        config: What is in force.
        root: The folder that paths are judged from.

    Attributes:
        files: As given.
    """

    def __init__(
        self,
        workspace: Workspace,
        contract: Contract,
        names: Names,
        files: Sequence[Path],
        config: Config,
        root: Path,
    ) -> None:
        """Keep what is given."""
        self._workspace, self._contract, self._names = workspace, contract, names
        self.files, self._config, self._root = files, config, root
        self._planning: dict[Path, frozenset[str]] = {}

    @cached_property
    def uses(self) -> list[GroupUse]:
        """The uses of group specs in code that may be handed composites."""
        if not self._contract.composites:
            return []
        return self.uses_in(self.files, self.expects_composites, "worker")

    def uses_in(
        self, files: Iterable[Path], wanted: Expects, side: str
    ) -> list[GroupUse]:
        """Return the uses of group specs in some functions, whoever hands them over.

        Args:
            files: Where to look.
            wanted: Tells which functions count by file, class and name.
            side: What to call those.
        """
        asked = {
            name
            for name in self._contract.hierarchy.known_names
            if not NEVER_WRAPPED.fullmatch(name) and name not in self._names.composites
        }
        suspicions = Suspicions(
            asked, self.opening, self._cached, self._open_fields, self._lacking
        )
        uses = GroupUses(
            self._workspace,
            self.opening,
            suspicions,
            wanted,
            self._cached,
            lambda path: (side, self._planned(path)),
        )
        return list(uses.find(files))

    @cached_property
    def opening(self) -> Names:
        """What tells composites, and what opens them."""
        openers = find_openers(self._workspace, self.files, self._names)
        return replace(self._names, openers=openers)

    @cached_property
    def _open_fields(self) -> frozenset[str]:
        """What the layers of a composite need not agree on."""
        specs = self._contract.hierarchy.specs
        fields = {name for each in specs for name in each.fields}
        return frozenset({*fields, PAGE_SIZE} - GUARANTEED)

    @cached_property
    def _lacking(self) -> frozenset[str]:
        """What layers have and no composite has."""
        names = {
            name
            for each in self._contract.layers
            for name in (*each.fields, *each.members)
            if not name.startswith("_")
        }
        return frozenset(
            name
            for name in names
            if not any(
                self._contract.definition(each, name)
                for each in self._contract.composites
            )
        )

    @cached_property
    def _cached(self) -> frozenset[str]:
        return find_cached(self._workspace, self.files)

    def below_root(self, path: Path) -> Path:
        """Return a file's path as sides are judged by it."""
        return below(self._root, path)

    def sees_composites(self, path: Path, class_name: str) -> bool:
        """Return whether code is on a side of vLLM that is handed composites.

        Args:
            path: The file.
            class_name: The class around the code; empty for a plain function.
        """
        said = self._config.sees_composites(path)
        if said is not None:
            return said
        return sees_composites(self.below_root(path), class_name)

    def expects_composites(self, path: Path, class_name: str, function: str) -> bool:
        """Return whether a function can be handed a group spec that is a composite.

        Args:
            path: The file.
            class_name: The class around the function; empty without one.
            function: Its name.
        """
        said = self._config.sees_composites(path)
        if said is not None:
            return said
        return must_expect_composites(
            self.below_root(path), class_name, function, self._planned(path)
        )

    def _planned(self, path: Path) -> frozenset[str]:
        """The functions of a planner's file that are given finished groups."""
        if path not in self._planning:
            self._planning[path] = frozenset()
            if is_planner(path) and (index := self._workspace.functions(path)):
                bodies = index.bodies()
                asked = frozenset(self._asked_by_workers(path, bodies.keys()))
                self._planning[path] = planning_functions(bodies, asked)
        return self._planning[path]

    def _asked_by_workers(self, planner: Path, names: Set[str]) -> Iterator[str]:
        """Which functions of a planner's file a worker imports and calls."""
        mark = f"{planner.stem} import"
        for path in self.files:
            if mark.encode() not in self._workspace.content(path):
                continue
            text = self._workspace.source(path).text
            for at in positions(text, mark):
                imported = _IMPORTED.match(text, at + len(mark))
                words = _NAME.findall(imported[0]) if imported else ()
                for name in names & set(words):
                    if self._is_called_by_worker(path, text, name):
                        yield name

    def _is_called_by_worker(self, path: Path, text: str, name: str) -> bool:
        calls = [
            start
            for start, end in occurrences(text, name, 0, len(text))
            if text[end : end + 1] == "(" and text[start - 1 : start] != "."
        ]
        index = self._workspace.functions(path) if calls else None
        if index is None:
            return False
        around = (index.glance(at).class_name for at in calls)
        return any(is_worker(self.below_root(path), each) for each in around)
