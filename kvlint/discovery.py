# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which files to check, and which to read the hierarchy from."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from kvlint.config import Config
from kvlint.findings import Failure
from kvlint.patterns import PatternList
from kvlint.walking import SUFFIXES, Walk, in_order, is_entered, upwards, why_missing

ROOT_MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
_TEST_FOLDERS = ("tests", "test")


@dataclass(frozen=True)
class Found:
    """What there is to look at.

    Attributes:
        files: The files to check: absolute, sorted, each once.
        named: Those of them that were named outright, or are below a folder of tests
            that was: they are checked although they are test code.
        project_files: Every Python file of the project, and ``files``.
        failures: Paths that do not exist or cannot be read.
    """

    files: tuple[Path, ...]
    named: frozenset[Path]
    project_files: tuple[Path, ...]
    failures: tuple[Failure, ...]


def project_root(paths: Sequence[Path]) -> Path:
    """Return the folder of the project that some paths belong to.

    Args:
        paths: Files and folders; none stands for the working directory.

    Returns:
        The nearest folder above all of them with a project's marker; without one the
        top of the package that holds them, or the folder that they have in common.
    """
    absolute = [os.path.abspath(path) for path in paths] or [os.getcwd()]
    common = os.path.commonpath(
        [path if os.path.isdir(path) else os.path.dirname(path) for path in absolute]
    )
    for folder in upwards(common):
        if _has_marker(folder):
            return Path(folder)
    return Path(_package_top(common))


def is_test_file(path: Path, root: Path) -> bool:
    """Return whether a file is test code, by its name and folders below the root."""
    text = os.fspath(path)
    if not (text.startswith(os.sep) or os.path.isabs(text)):
        text = os.path.abspath(text)
    folder, _, name = text.rpartition(os.sep)
    return _is_test_name(name) or _is_below_tests(folder, os.fspath(root))


@lru_cache(maxsize=4096)
def _is_below_tests(folder: str, top: str) -> bool:
    above = top.rstrip(os.sep) + os.sep
    if f"{folder}{os.sep}".startswith(above):
        return _has_tests(folder[len(above) :])
    return _has_tests(os.path.relpath(folder, top))


def _has_tests(relative: str) -> bool:
    return any(each in _TEST_FOLDERS for each in relative.split(os.sep))


def discover(paths: Sequence[Path], config: Config, root: Path) -> Found:
    """Return the files to check and the files of their project.

    Args:
        paths: What the user named; none stands for the working directory.
        config: Whose ``exclude`` counts.
        root: The project's folder, as ``project_root`` gives it.
    """
    excluded = PatternList(os.path.abspath(config.root), config.exclude)
    walk = Walk(os.path.abspath(root), excluded)
    wanted = {os.path.abspath(path) for path in paths or [Path()]}
    folders = sorted(path for path in wanted if os.path.isdir(path))
    lone = {path for path in wanted if os.path.exists(path)} - {*folders}
    missing = {path: why_missing(path) for path in wanted - {*folders} - lone}
    if _has_marker(walk.root):
        walk.enter(walk.root)
    else:
        # Nothing says where the project ends: never read a home folder for one file.
        for path in folders:
            walk.enter(_package_top(path))
        for folder in sorted({os.path.dirname(path) for path in lone}):
            top = _package_top(folder)
            walk.enter(top, deep=os.path.exists(os.path.join(top, "__init__.py")))
    for folder in folders:
        walk.enter(folder)
    prefixes = tuple(each.rstrip(os.sep) + os.sep for each in folders)
    project = _as_paths(in_order(walk.files | lone))
    chosen = {each for each in walk.files if each.startswith(prefixes)}
    chosen = walk.without_twins(chosen | lone)
    tests = tuple(
        prefix
        for folder, prefix in zip(folders, prefixes, strict=True)
        if is_test_file(Path(folder, "any.py"), root)
    )
    named = (each for each in chosen if each in lone or each.startswith(tests))
    # What nobody asked for is not worth a failed run.
    unread = {
        path: why
        for path, why in walk.failures.items()
        if f"{path}{os.sep}".startswith(prefixes)
    }
    everything = tuple(project.values())
    if len(chosen) == len(everything):
        files = everything
    else:
        files = tuple(each for path, each in project.items() if path in chosen)
    return Found(
        files,
        frozenset(project[path] for path in named),
        everything,
        tuple(
            Failure(f"{_shown(path)}: {why}", Path(path))
            for path, why in sorted({**missing, **unread}.items())
        ),
    )


def may_be_found(path: Path, config: Config, root: Path) -> bool:
    """Return whether a file would be a project's if it were there.

    Args:
        path: A file that git once had, so that it ignored it no more than now.
        config: Whose ``exclude`` counts.
        root: The project's folder.
    """
    if not path.is_relative_to(root) or path.suffix not in SUFFIXES:
        return False
    excluded = PatternList(os.path.abspath(config.root), config.exclude)
    if excluded.verdict(os.fspath(path), path.name, folder=False):
        return False
    folders = [each for each in path.parents if each != root and root in each.parents]
    return not any(
        not is_entered(each.name)
        or excluded.verdict(os.fspath(each), each.name, folder=True)
        for each in folders
    )


def _has_marker(folder: str) -> bool:
    return any(os.path.exists(os.path.join(folder, each)) for each in ROOT_MARKERS)


def _package_top(folder: str) -> str:
    """Return the outermost package that holds a folder, or the folder."""
    top = folder
    for each in upwards(folder):
        if not os.path.exists(os.path.join(each, "__init__.py")):
            break
        top = each
    return top


def _is_test_name(name: str) -> bool:
    if "test" not in name or not name.endswith(SUFFIXES):
        return False
    stem = name.rpartition(".")[0]
    return stem == "conftest" or stem.startswith("test_") or stem.endswith("_test")


def _shown(path: str) -> str:
    """Return a path from the working directory, if it is below that."""
    here = os.getcwd().rstrip(os.sep) + os.sep
    return path.removeprefix(here)


def _as_paths(paths: Iterable[str]) -> dict[str, Path]:
    """Return a Path for each; a folder is taken apart only once."""
    folders: dict[str, Path] = {}
    made = {}
    for path in paths:
        head, name = os.path.split(path)
        folder = folders.get(head)
        if folder is None:
            folder = folders[head] = Path(head)
        made[path] = folder / name
    return made
