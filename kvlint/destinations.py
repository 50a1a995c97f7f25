# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where reports go: standard output, a file in its place, files beside it."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from kvlint.errors import KvlintError
from kvlint.walking import SUFFIXES

_FORMAT = re.compile(r"([a-z]+)=(.*)", re.DOTALL)


@dataclass(frozen=True)
class Destination:
    """A file for a report.

    Attributes:
        path: The file.
        output_format: The name of a format; none for what would else be printed.
    """

    path: Path
    output_format: str | None = None


def parse(words: Iterable[str], formats: Collection[str]) -> tuple[Destination, ...]:
    """Return what ``--output-file`` says.

    Args:
        words: ``FILE``, at most once, and ``FORMAT=FILE``. A file whose name looks like
            the latter is named with its folder.
        formats: Those that there are.

    Raises:
        KvlintError: A format is unknown, a file cannot be one, or two reports are to be
            in the same place.
    """
    found: list[Destination] = []
    taken: set[str] = set()
    for word in words:
        match = _FORMAT.fullmatch(word)
        name, text = (match[1], match[2]) if match else (None, word)
        if name and name not in formats:
            raise KvlintError(
                f'"{word}": unknown format "{name}"; known: {", ".join(formats)}'
            )
        path = Path(text)
        _refuse(word, text, path)
        if name is None and any(each.output_format is None for each in found):
            raise KvlintError(
                f'"{word}": a second file without a format; write FORMAT={word}'
            )
        # A device takes several; in a file one report would go over the other.
        real = os.path.realpath(path)
        if real in taken and (path.is_file() or not path.exists()):
            raise KvlintError(f'"{word}": two reports in the same file')
        taken.add(real)
        found.append(Destination(path, name))
    return tuple(found)


def _refuse(word: str, text: str, path: Path) -> None:
    """Refuse what can be no file, before any work is done."""
    if text in ("", "-"):
        raise KvlintError(f'"{word}": it names no file')
    if path.is_dir() or text.endswith(("/", os.sep)):
        raise KvlintError(f'"{word}": {path} is a folder; name a file in it')
    if not path.parent.is_dir():
        raise KvlintError(f'"{word}": there is no folder {path.parent}; make it first')
    if os.path.realpath(path).endswith(SUFFIXES) and path.exists():
        raise KvlintError(
            f'"{word}": {path} is a Python file, and no report goes over one'
        )
