# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Git's patterns of paths: what they match, and in which order they decide.

pathspec turns a pattern into a regular expression. The order is git's own and applied
here entry by entry on the way down a tree: pathspec asks about whole paths, and takes
a folder for ignored that ``*`` with ``!*/`` lets in. Most entries are nowhere near a
pattern; a screen of names says so without pathspec, which is then not even imported.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

from kvlint.globs import Glob, is_wild

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_TOKEN = re.compile(r"\[\w+\]|.", re.ASCII | re.DOTALL)
_PLAIN = re.compile(r"(?:\[\w+\]|[^\[\\])*", re.ASCII)
_REGEX = {"*": ".*", "?": "."}
_is_special = re.compile(r"[*?\[\\]").search
_SUFFIXES = (".py", ".pyi")
# No entry has such a name, so whatever matches it matches everything in its folder.
_ANY = "\0"


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> GitIgnoreSpec:
    """Return one pattern as pathspec has it.

    Args:
        pattern: A line of a .gitignore file.

    Raises:
        ValueError: It is malformed.
    """
    import warnings

    from pathspec import GitIgnoreSpec

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of `re`, about odd ranges of characters
        return GitIgnoreSpec.from_lines([pattern])


@lru_cache(maxsize=1024)
def wild(pattern: str) -> Glob:
    """Return one pattern that no regular expression is made of."""
    return Glob(pattern)


def fits(pattern: str, relative: str) -> bool:
    """Return whether a path fits a pattern, or a folder above it does.

    Args:
        pattern: As ``compiled`` takes it.
        relative: The path, parted by ``/``.
    """
    if is_wild(pattern):
        return wild(pattern).matches_some(relative)
    return compiled(pattern).match_file(relative)


class Pattern:
    """One pattern, asked about an entry itself and not about what is below it.

    Args:
        line: A line of a .gitignore file that is neither blank nor a comment.
    """

    __slots__ = ("body", "folders_only", "name", "negated")

    def __init__(self, line: str) -> None:
        """Take the line apart."""
        self.negated = line.startswith("!")
        body = line.removeprefix("!")
        self.folders_only = body.endswith("/")
        self.body = body.removesuffix("/")
        plain = not ("/" in self.body or _is_special(self.body))
        self.name = self.body if plain else None
        if self.body.startswith(("#", "!")):
            self.body = (
                "\\" + self.body
            )  # only the first character of a line is special

    def matches(self, relative: str, name: str) -> bool:
        """Return whether the pattern matches an entry.

        Args:
            relative: Its path from the pattern's folder, parted by ``/``.
            name: The last part of that.
        """
        if self.name is not None:
            return name == self.name
        if is_wild(self.body):
            return wild(self.body).match(relative)
        try:
            found = compiled(self.body).patterns[0].match_file(relative)
        except ValueError:
            return False  # git discards what is malformed
        # pathspec marks a match of a folder above the entry.
        return found is not None and not found.match.groupdict().get("ps_d")


class PatternList:
    """The patterns of one file, and the folder that they are relative to.

    Args:
        base: That folder.
        lines: The lines of the file.
    """

    def __init__(self, base: str, lines: Iterable[str]) -> None:
        """Read the lines."""
        self.base = base.rstrip(os.sep) + os.sep
        stripped = (_stripped(line) for line in lines)
        self.patterns = [
            Pattern(line)
            for line in stripped
            if line.strip("!/") and not line.startswith("#")
        ]

    def verdict(self, path: str, name: str, *, folder: bool) -> bool | None:
        """Return whether an entry is ignored; ``None`` where no pattern matches."""
        relative = self._relative(path)
        for pattern in reversed(self.patterns):
            if pattern.folders_only and not folder:
                continue
            if pattern.matches(relative, name):
                return not pattern.negated
        return None

    def without(self, folder: str) -> PatternList:
        """Return the list without the patterns that would ignore all of a folder."""
        if self.base.startswith(folder.rstrip(os.sep) + os.sep):
            return self  # they speak of what is in the folder
        above = [folder, *_parents(folder, self.base)]
        entries = [(self._relative(each), os.path.basename(each)) for each in above]
        entries.append((f"{entries[0][0]}/{_ANY}", _ANY))
        kept = PatternList(self.base, ())
        kept.patterns = [
            pattern
            for pattern in self.patterns
            if pattern.negated or not any(pattern.matches(*each) for each in entries)
        ]
        return kept

    def _relative(self, path: str) -> str:
        relative = path[len(self.base) :] if path.startswith(self.base) else path
        return relative.replace(os.sep, "/").lstrip("/")


class Ignores:
    """Everything that says what to ignore in a folder.

    Args:
        lists: Git's, from the outermost folder inwards; the innermost is asked first.
        excluded: The configuration's, which no other list can take back.
    """

    def __init__(self, lists: tuple[PatternList, ...], excluded: PatternList) -> None:
        """Prepare the screen."""
        self.lists = lists
        self.excluded = excluded
        names: set[str] = set()
        globs: list[str] = []
        folders: set[str] = set()
        stretches: set[tuple[str, str]] = set()
        for each in (*lists, excluded):
            for pattern in each.patterns:
                if pattern.negated:
                    continue  # it only takes back what another one says
                *above, last = pattern.body.split("/")
                if not _is_special(last):
                    names.add(last)
                elif above in ([], ["**"]):
                    globs.append(last)
                elif "**" not in last and not any(map(_is_special, above)):
                    folders.add(_below(each.base, above))
                else:
                    plain = [part for part in above if part and not _is_special(part)]
                    needed = f"{os.sep}{plain[-1]}{os.sep}" if plain else ""
                    stretches.add((_below(each.base, above), needed))
        self._lists_anything = bool(names or globs or folders or stretches)
        self._names = frozenset(names)
        self._folders = frozenset(folders)
        self._stretches = stretches
        self._any_folder = _alternatives(globs)
        self._any_file = _alternatives(filter(_may_be_python, globs))

    def below(self, patterns: PatternList) -> Ignores:
        """Return what is in force in a folder with patterns of its own."""
        return Ignores((*self.lists, patterns), self.excluded)

    def kept(
        self, folder: str, entries: list[os.DirEntry[str]], *, folders: bool
    ) -> list[os.DirEntry[str]]:
        """Return the entries of a folder that are not ignored.

        Args:
            folder: A folder that is not ignored itself.
            entries: Folders or Python files in it.
            folders: Which of the two they are.
        """
        if not self._lists_anything:
            return entries
        prefix = folder.rstrip(os.sep) + os.sep
        everywhere = prefix in self._folders or any(
            prefix.startswith(head) and needed in prefix
            for head, needed in self._stretches
        )
        names = self._names
        glob = self._any_folder if folders else self._any_file
        return [
            entry
            for entry in entries
            if not (
                (everywhere or entry.name in names or (glob and glob(entry.name)))
                and self.ignores(entry.path, entry.name, folder=folders)
            )
        ]

    def ignores(self, path: str, name: str, *, folder: bool) -> bool:
        """Return whether an entry is ignored, its folder not being so."""
        if self.excluded.verdict(path, name, folder=folder):
            return True
        for each in reversed(self.lists):
            verdict = each.verdict(path, name, folder=folder)
            if verdict is not None:
                return verdict
        return False

    def without(self, folder: str) -> Ignores:
        """Return what is in force in a folder that somebody asked for by name."""
        return Ignores(
            tuple(each.without(folder) for each in self.lists),
            self.excluded.without(folder),
        )


def read_patterns(path: str, base: str) -> PatternList:
    """Return the patterns of a file; none if it cannot be read.

    Args:
        path: A .gitignore file, or one like it.
        base: The folder that it speaks of.
    """
    try:
        with open(path, encoding="utf-8-sig", errors="surrogateescape") as lines:
            return PatternList(base, lines)
    except OSError:
        return PatternList(base, ())


def _stripped(line: str) -> str:
    """Return a line without its end; an escaped space stays."""
    line = line.rstrip("\r\n")
    return line if line.endswith("\\ ") else line.rstrip()


def _parents(folder: str, base: str) -> Iterable[str]:
    while (folder := os.path.dirname(folder)).startswith(base) and folder != base:
        yield folder


def _below(base: str, above: Iterable[str]) -> str:
    """Return the folder below another that the plain ones of some names lead to."""
    plain = takewhile(lambda each: not _is_special(each), above)
    return base + "".join(each + os.sep for each in plain if each)


def _alternatives(globs: Iterable[str]) -> Callable[[str], object] | None:
    """Return an expression for every name that a glob matches, and perhaps more."""
    found = []
    for glob in dict.fromkeys(globs):
        plain = _PLAIN.match(glob)
        parts = _TOKEN.findall(plain[0]) if plain else []
        if is_wild(glob):
            found.append(".*")
            continue
        each = "".join(_REGEX.get(part) or _literal(part) for part in parts)
        # What an escape or any other range begins may be anything.
        found.append(each if plain and plain[0] == glob else each + ".*")
    return re.compile("|".join(found), re.S).fullmatch if found else None


def _literal(part: str) -> str:
    """Return a regular expression for a character, or for a simple range."""
    return part if len(part) > 1 else re.escape(part)


def _may_be_python(glob: str) -> bool:
    """Return whether a glob can match the name of a Python file."""
    tail = re.split(r"[*?\[\]\\]", glob)[-1]
    return any(tail.endswith(each) or each.endswith(tail) for each in _SUFFIXES)
