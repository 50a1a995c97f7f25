# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""On which line of a TOML file something is set, which its reader does not tell."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from typing import Any


def line_of(content: str, path: Sequence[str]) -> int | None:
    """Return the line on which a key is set, counted from 1.

    What stands above a line is a TOML file of its own if a key may begin there. So the
    line is the first that names the key and with which, or with some after it, the
    file above comes to have it.

    Args:
        content: A valid TOML file.
        path: The key, after the tables that it is in.

    Returns:
        None if the key is not there, or written with escapes.
    """
    lines = content.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if path[-1] not in line or _has(lines[:number], path) is not False:
            continue
        for end in range(number + 1, len(lines) + 1):
            found = _has(lines[:end], path)
            if found:
                return number + 1
            if found is False:
                break
    return None


def _has(lines: Sequence[str], path: Sequence[str]) -> bool | None:
    """Whether a file has a key; None if it is none."""
    try:
        found: Any = tomllib.loads("".join(lines))
    except tomllib.TOMLDecodeError:
        return None
    for key in path:
        if not isinstance(found, dict) or key not in found:
            return False
        found = found[key]
    return True
