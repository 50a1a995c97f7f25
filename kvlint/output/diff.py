# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A patch of the changes that fixes make, byte for byte, as ``git apply`` takes it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kvlint.output.view import View

if TYPE_CHECKING:
    from kvlint.reports import Change, Report

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_NO_NEWLINE = b"\n\\ No newline at end of file\n"


def render(report: Report, view: View) -> bytes:
    """Return a unified diff of every changed file, in the files' own encodings."""
    return b"".join(line for change in report.changes for line in _patch(change, view))


def _patch(change: Change, view: View) -> Iterator[bytes]:
    import difflib

    path = view.relative(change.before.path)
    for line in difflib.diff_bytes(
        difflib.unified_diff,
        _lines(change.before.content),
        _lines(change.after.content),
        _header(f"a/{path}"),
        _header(f"b/{path}"),
    ):
        shown = _coloured(line, view) if view.colour else line
        yield shown if line.endswith(b"\n") else shown + _NO_NEWLINE


def _lines(content: bytes) -> list[bytes]:
    """Return the lines as git counts them: a line feed ends one, nothing else."""
    *lines, last = content.split(b"\n")
    return [line + b"\n" for line in lines] + ([last] if last else [])


def _header(path: str) -> bytes:
    """Return a path as git writes it in a patch."""
    if any(each < " " or each in '"\\' for each in path):
        escaped = "".join(
            _ESCAPES.get(each) or (f"\\{ord(each):03o}" if each < " " else each)
            for each in path
        )
        return os.fsencode(f'"{escaped}"')
    # Without the tab, git takes the name to end at the space.
    return os.fsencode(f"{path}\t" if " " in path else path)


def _coloured(line: bytes, view: View) -> bytes:
    text = line.decode("utf-8", "surrogateescape")
    body = text.rstrip("\r\n")
    header = body.startswith(("--- ", "+++ "))
    styled = view.style(body, None if header else _COLOURS.get(text[:1]), bold=header)
    return (styled + text[len(body) :]).encode("utf-8", "surrogateescape")
