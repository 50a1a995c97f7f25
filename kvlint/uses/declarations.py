# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which classes declare a field, as their text shows; nothing is parsed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from kvlint.model.workspace import Workspace

_CLASS = re.compile(rb"class[ \t]+(\w+)")


def declaring(
    workspace: Workspace, files: Iterable[Path], field: str
) -> set[tuple[Path, str]]:
    """Return the classes that annotate a name in their bodies, with their files.

    Args:
        workspace: Reads the files.
        files: Where to look.
        field: The name.
    """
    annotated = re.compile(rf"^([ \t]+){field}[ \t]*:".encode(), re.M)
    found = set()
    for path in files:
        content = workspace.content(path)
        if field.encode() not in content:
            continue
        for each in annotated.finditer(content):
            head = _CLASS.match(_head(content, each.start(), len(each[1])))
            if head is not None:
                found.add((path, head[1].decode()))
    return found


def _head(content: bytes, end: int, depth: int) -> bytes:
    """The line that what is indented so far belongs to."""
    while end > 0:
        start = content.rfind(b"\n", 0, end - 1) + 1
        line = content[start:end]
        bare = line.lstrip()
        if bare and not bare.startswith(b"#") and len(line) - len(bare) < depth:
            return bare
        end = start
    return b""
