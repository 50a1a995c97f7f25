# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Going down folders: which Python files are in them that nothing says to ignore."""

from __future__ import annotations

import os
from collections.abc import Iterable

from kvlint.patterns import Ignores, PatternList, read_patterns

SUFFIXES = (".py", ".pyi")
_MARKS = frozenset({".git", ".gitignore", "pyvenv.cfg"})
# As ruff has them, and what Python itself puts into folders.
_SKIPPED_SUFFIXES = (".egg-info", ".dist-info")
_SKIPPED = frozenset(
    {
        ".bzr",
        ".direnv",
        ".eggs",
        ".git",
        ".git-rewrite",
        ".hg",
        ".hypothesis",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".nox",
        ".pants.d",
        ".pyenv",
        ".pytest_cache",
        ".pytype",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        ".vscode",
        "__pycache__",
        "__pypackages__",
        "_build",
        "buck-out",
        "build",
        "dist",
        "node_modules",
        "site-packages",
        "venv",
    }
)


class Walk:
    """Goes down folders and gathers the Python files that nothing says to ignore.

    Folders behind symlinks are not entered, as git and ruff do not: so no loop is
    endless and no file is met twice. Files behind symlinks count.

    Args:
        root: The project's folder.
        excluded: The patterns of the configuration.

    Attributes:
        files: The files so far.
        failures: Why a path could not be read, by that path.
    """

    def __init__(self, root: str, excluded: PatternList) -> None:
        """Begin with nothing."""
        self.root = root
        self.excluded = excluded
        self.files: set[str] = set()
        self.failures: dict[str, str] = {}
        self._tops: list[str] = []
        self._seen: set[str] = set()
        self._lacking: set[str] = set()  # seen, but patterns left something out
        self._links: set[str] = set()

    def enter(self, top: str, *, deep: bool = True) -> None:
        """Go down a folder, whatever its own name, unless that was done before."""
        if top in self._tops or (top in self._seen and top not in self._lacking):
            return
        self._tops.append(top)
        self._seen.discard(top)
        stack = [(top, self._in_force(top))]
        while stack:
            folder, ignores = stack.pop()
            if folder in self._seen:
                continue
            try:
                with os.scandir(folder) as found:
                    entries = list(found)
            except OSError as error:
                self.failures[folder] = f"cannot read the folder: {error.strerror}"
                continue
            files, folders, marks = _sorted_out(entries)
            if "pyvenv.cfg" in marks and folder != top:
                continue
            if ".git" in marks:
                exclude = read_patterns(_git_exclude(folder), folder)
                ignores = Ignores((exclude,), ignores.excluded)
            if ".gitignore" in marks:
                patterns = read_patterns(os.path.join(folder, ".gitignore"), folder)
                ignores = ignores.below(patterns)
            kept_files = ignores.kept(folder, files, folders=False)
            kept_folders = ignores.kept(folder, folders, folders=True)
            if len(kept_files) < len(files) or len(kept_folders) < len(folders):
                self._lacking.add(folder)
            for entry in kept_files:
                if not entry.is_symlink() or self._leads_to_file(entry.path):
                    self.files.add(entry.path)
            if deep:
                self._seen.add(folder)
                stack += [(entry.path, ignores) for entry in kept_folders]

    def without_twins(self, paths: set[str]) -> set[str]:
        """Return paths without the second name that a symlink gives to a file.

        A file with two names would be reported, and mended, twice.
        """
        links = {path for path in paths - self.files if os.path.islink(path)}
        links |= self._links
        if not links and all(top == os.path.realpath(top) for top in self._tops):
            return paths
        folders: dict[str, str] = {}
        by_file: dict[str, str] = {}
        for path in in_order(paths):
            folder, name = os.path.split(path)
            if folder not in folders:
                folders[folder] = os.path.realpath(folder)
            real = os.path.join(folders[folder], name)
            real = os.path.realpath(real) if path in links else real
            if path == real or real not in by_file:
                by_file[real] = path
        return set(by_file.values())

    def _leads_to_file(self, link: str) -> bool:
        if os.path.isfile(link):
            self._links.add(link)
            return True
        # Emacs locks a file by a symlink to nowhere.
        if not os.path.exists(link) and not os.path.basename(link).startswith(".#"):
            self.failures[link] = why_missing(link)
        return False

    def _in_force(self, top: str) -> Ignores:
        """Return what the folders above one say to ignore in it."""
        above = []
        for folder in upwards(top):
            above.append(folder)
            if os.path.exists(os.path.join(folder, ".git")):
                break
        else:
            # No repository: what the project's own folders say counts all the same.
            inside = f"{top}{os.sep}".startswith(self.root.rstrip(os.sep) + os.sep)
            above = above[: above.index(self.root) + 1] if inside else [top]
        lists = []
        for folder in reversed(above[1:]):
            if folder == above[-1]:
                lists.append(read_patterns(_git_exclude(folder), folder))
            lists.append(read_patterns(os.path.join(folder, ".gitignore"), folder))
        return Ignores(tuple(lists), self.excluded).without(top)


def _sorted_out(
    entries: Iterable[os.DirEntry[str]],
) -> tuple[list[os.DirEntry[str]], list[os.DirEntry[str]], set[str]]:
    """Return a folder's Python files, the folders to enter, and the marks in it."""
    files, folders, marks = [], [], set()
    for entry in entries:
        name = entry.name
        if name.endswith(SUFFIXES) and (entry.is_symlink() or entry.is_file()):
            files.append(entry)
        elif name in _MARKS:
            marks.add(name)
        elif entry.is_dir(follow_symlinks=False) and is_entered(name):
            folders.append(entry)
    return files, folders, marks


def is_entered(name: str) -> bool:
    """Return whether folders of a name are looked into."""
    return name not in _SKIPPED and not name.endswith(_SKIPPED_SUFFIXES)


def _git_exclude(folder: str) -> str:
    """Return where a repository keeps patterns of its own, also of a worktree."""
    git = os.path.join(folder, ".git")
    try:
        with open(git, encoding="utf-8", errors="surrogateescape") as file:
            git = os.path.join(folder, file.read().removeprefix("gitdir:").strip())
        with open(os.path.join(git, "commondir"), encoding="utf-8") as file:
            git = os.path.join(git, file.read().strip())
    except OSError:
        pass  # an ordinary repository, or a submodule
    return os.path.join(git, "info", "exclude")


def upwards(folder: str) -> Iterable[str]:
    """Yield a folder and those above it."""
    yield folder
    while (above := os.path.dirname(folder)) != folder:
        yield (folder := above)


def why_missing(path: str) -> str:
    """Return why there is nothing to read at a path."""
    if os.path.islink(path):
        return f"a symlink to {os.readlink(path)}, which does not lead to a file"
    return "no such file or folder"


def in_order(paths: Iterable[str]) -> list[str]:
    """Return paths in the order that Path objects have."""
    return sorted(paths, key=lambda path: path.replace(os.sep, "\0"))
