# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The project's modules as conditions see them, each looked at when it is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from kvlint.guards.frames import Frame
from kvlint.model.syntax import Tree
from kvlint.model.workspace import Workspace

_SPEAKS = re.compile(rb"version|hasattr|getattr|find_spec|\bimport\b")
"""What a module holds that a name of which may depend on the release."""


class Modules:
    """Frames of modules.

    Args:
        workspace: The files.
        is_own: Tells the project's files; no others are followed.

    Attributes:
        asked: The files that were followed, or looked at for that.
    """

    def __init__(self, workspace: Workspace, is_own: Callable[[Path], bool]) -> None:
        """Look at nothing yet."""
        self._workspace, self._is_own = workspace, is_own
        self.asked: set[Path] = set()
        self._frames: dict[Path, Frame] = {}
        self._found: dict[Path, Frame | None] = {}

    def frame(self, tree: Tree) -> Frame:
        """Return the frame of a file."""
        path = tree.source.path
        known = self._frames.get(path)
        if known is None or known.tree is not tree:
            known = self._frames[path] = Frame(tree, tree.module)
        return known

    def find(self, name: str, importer: Path, level: int = 0) -> Frame | None:
        """Return the frame of a module of the project.

        Args:
            name: Its dotted name.
            importer: The file that imports it.
            level: The number of dots of a relative import.

        Returns:
            None if it is no module of the project, or cannot be of interest.
        """
        path = self._workspace.module(name, importer, level)
        if path is None or not self._is_own(path):
            return None
        self.asked.add(path)
        if not _SPEAKS.search(self._workspace.content(path)):
            return None
        if path not in self._found:
            tree = self._workspace.keyhole(path)
            self._found[path] = None if tree is None else self.frame(tree)
        return self._found[path]
