# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Whether code reads an attribute of some name, off whatever object."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterable, Iterator
from functools import lru_cache
from io import StringIO
from pathlib import Path

from kvlint.errors import KvlintError
from kvlint.model.workspace import Workspace


def attribute_reads(
    workspace: Workspace, files: Iterable[Path], name: str
) -> Iterator[tuple[Path, int]]:
    """Yield where files may read an attribute: ``x.name``, or its name as a text.

    Nothing is parsed, so a docstring counts like code: what is not found here is read
    nowhere.

    Args:
        workspace: Reads the files.
        files: Where to look.
        name: The attribute.

    Yields:
        Files and places in characters.
    """
    bare = re.escape(name)
    pattern = re.compile(rf"\.\s*{bare}\b(?!\s*=(?!=))|[\"']{bare}[\"']")
    needle = name.encode()
    for path in files:
        if needle not in workspace.content(path):
            continue
        try:
            text = workspace.source(path).text
        except KvlintError:
            continue
        for each in pattern.finditer(text):
            if not _is_in_comment(text, each.start()):
                yield path, each.start()


def _is_in_comment(text: str, offset: int) -> bool:
    line_start = text.rfind("\n", 0, offset) + 1
    if "#" not in text[line_start:offset]:
        return False
    line = text.count("\n", 0, offset) + 1
    return offset - line_start >= _comments(text).get(line, len(text))


@lru_cache(maxsize=1)
def _comments(text: str) -> dict[int, int]:
    """Where comments begin: the column, from 0, by the line, from 1."""
    found = {}
    try:
        for token in tokenize.generate_tokens(StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                found[token.start[0]] = token.start[1]
    except (tokenize.TokenError, SyntaxError):
        pass  # newer syntax; what was found up to there is right
    return found
