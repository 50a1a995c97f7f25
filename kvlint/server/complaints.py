# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Mistakes in a configuration, shown where they were made."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from lsprotocol import types

_IN_FILE = re.compile(r"(?P<path>\S.*?\.toml): (?P<what>.*)")
_KEY = re.compile(r"tool\.kvlint\.([\w-]+)")
_LINE = re.compile(r"\(at line (\d+)")


def complaints(problems: Mapping[Path, str]) -> dict[Path, list[types.Diagnostic]]:
    """Return what to show in files of configuration.

    Args:
        problems: Why projects cannot be checked, by their folders: a line for each
            mistake.
    """
    found: dict[Path, list[types.Diagnostic]] = {}
    for message in dict.fromkeys(problems.values()):
        for each in filter(None, map(_IN_FILE.fullmatch, message.splitlines())):
            path = Path(each["path"])
            diagnostic = types.Diagnostic(
                _range(path, each["what"]),
                each["what"],
                severity=types.DiagnosticSeverity.Error,
                source="kvlint",
            )
            found.setdefault(path, []).append(diagnostic)
    return found


def _range(path: Path, what: str) -> types.Range:
    """The line that a mistake is in, or else the first."""
    number = 0
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError):
        lines = []
    key, told = _KEY.match(what), _LINE.search(what)
    if told is not None:
        number = int(told[1]) - 1
    elif key is not None:
        wanted = re.compile(rf"\s*[\"']?{re.escape(key[1])}[\"']?\s*=")
        numbers = (at for at, line in enumerate(lines) if wanted.match(line))
        number = next(numbers, 0)
    return types.Range(types.Position(number, 0), types.Position(number + 1, 0))
