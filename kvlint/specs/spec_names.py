# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which spec class a name means in a file, without parsing all of the file."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from kvlint.errors import KvlintError
from kvlint.model.classes import SpecClass, SpecFile
from kvlint.model.imported import read_imports
from kvlint.model.workspace import Workspace
from kvlint.specs.hierarchy import Hierarchy, last_name


class SpecNames:
    """Looks names up that stand in code outside of class statements.

    Args:
        hierarchy: The spec classes.
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        """Begin with no file read."""
        self._hierarchy = hierarchy
        self._known = set(hierarchy.specs)
        self._files: dict[Path, SpecFile | None] = {}
        self._meanings: dict[tuple[Path, str], SpecClass | None] = {}

    def spec(self, name: str, path: Path) -> SpecClass | None:
        """Return the spec class that a dotted name means in a file.

        Args:
            name: As written.
            path: The file.
        """
        key = path, name
        if key not in self._meanings:
            self._meanings[key] = self._look_up(name, path)
        return self._meanings[key]

    def is_known(self, name: str) -> bool:
        """Return whether some file calls a spec class by a name."""
        return last_name(name) in self._hierarchy.known_names

    def is_imported(self, name: str, path: Path) -> bool:
        """Return whether a file imports something under a name."""
        file = self._file(path)
        return file is not None and (name in file.scope.names or bool(file.scope.stars))

    def _look_up(self, name: str, path: Path) -> SpecClass | None:
        if not self.is_known(name):
            return None
        file = self._file(path)
        if file is None:
            return None
        meanings = self._hierarchy.resolver.resolve(name, file.scope, file)
        for each in meanings:
            if isinstance(each, SpecClass) and each in self._known:
                return each
        return None

    def _file(self, path: Path) -> SpecFile | None:
        """A file's names: all of them if it was parsed anyhow, else its imports."""
        if path not in self._files:
            workspace = self._hierarchy.workspace
            if path in self._hierarchy.files:
                self._files[path] = workspace.file(path)
            else:
                self._files[path] = workspace.known(
                    path, "imports", partial(_imports, workspace, path)
                )
        return self._files[path]


def _imports(workspace: Workspace, path: Path) -> SpecFile | None:
    try:
        return read_imports(workspace.source(path))
    except KvlintError:
        return None
