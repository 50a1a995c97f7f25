# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where modules stand on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path


class ModulePlaces:
    """Finds the files of modules, each at most once.

    Args:
        search: Folders that absolute imports are looked up in, after the one that the
            importing file's own package stands in.
        bundled: The paths of modules that are imported from nowhere on disk, by their
            dotted names.
    """

    def __init__(self, search: Sequence[Path], bundled: Mapping[str, Path]) -> None:
        """Begin with nothing looked up."""
        self._search = tuple(search)
        self._bundled = bundled
        self._modules: dict[tuple[Path, str], Path | None] = {}
        self._roots: dict[Path, Path] = {}

    def module(self, name: str, importer: Path, level: int = 0) -> Path | None:
        """Return the file of a module.

        Args:
            name: Its dotted name; may be empty for ``from . import x``.
            importer: The file that imports it.
            level: The number of dots of a relative import.

        Returns:
            The module's file or its package's ``__init__``; None if there is none.
        """
        if level:
            folder = importer.parent
            for _ in range(level - 1):
                folder = folder.parent
            return self._below(folder, name)
        folder = importer.parent
        if folder not in self._roots:
            self._roots[folder] = package_root(importer)
        for root in (self._roots[folder], *self._search):
            found = self._below(root, name)
            if found is not None and found != importer:
                return found
        return self._bundled.get(name)

    def _below(self, folder: Path, name: str) -> Path | None:
        key = (folder, name)
        if key not in self._modules:
            self._modules[key] = _module_file(folder.joinpath(*name.split(".")))
        return self._modules[key]


def package_root(path: Path) -> Path:
    """Return the folder that a file's outermost package stands in."""
    folder = path.parent
    while (folder / "__init__.py").is_file() or (folder / "__init__.pyi").is_file():
        folder = folder.parent
    return folder


def below(root: Path, path: Path) -> Path:
    """Return a file's path below a folder, or else below what it is a package of.

    Args:
        root: The folder.
        path: The file.
    """
    return path.relative_to(root if path.is_relative_to(root) else package_root(path))


def _module_file(path: Path) -> Path | None:
    """The source of a module at a path without suffix; a stub only where alone."""
    for candidate in (
        path / "__init__.py",
        path.with_name(path.name + ".py"),
        path / "__init__.pyi",
        path.with_name(path.name + ".pyi"),
    ):
        if candidate.is_file():
            return candidate
    return None
