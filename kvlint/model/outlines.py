# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A file cut down to what its module binds names to: quick to parse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from kvlint.sources import Source

_BINDINGS = re.compile(
    r"^(?P<indent>[ \t]*)(?P<imports>"
    r"from[ \t]+[.\w]+[ \t]+import[ \t]*(?:\([^)]*\)|(?:[^\r\n(\\]|\\\r?\n?)+)"
    r"|import[ \t]+(?:[^\r\n\\]|\\\r?\n?)+)"
    r"|^class[ \t]+(?P<defined>\w+)"
    r"|^(?:async[ \t]+)?def[ \t]+(?P<function>\w+)"
    r"|^(?P<alias>\w+[ \t]*=[ \t]*[A-Za-z_][\w.]*)[ \t]*(?:#.*)?\r?$",
    re.M,
)
_OPENS_BRANCH = re.compile(r"(?:if|elif|else|try|except|finally|with)\b")


def outline(source: Source) -> Source:
    """Return a file's imports, the names of its classes and functions, its aliases.

    What a function or a class imports for itself is left out.

    Args:
        source: The file.
    """
    return replace(source, text="\n".join(_statements(source.text)) + "\n")


def _statements(text: str) -> Iterator[str]:
    for found in _BINDINGS.finditer(text):
        imports, defined = found["imports"], found["defined"]
        if defined:
            yield f"class {defined}: pass"
        elif found["function"]:
            yield f"def {found['function']}(): pass"
        elif found["alias"]:
            yield found["alias"]
        elif not found["indent"] or _is_in_branch(text, found.start()):
            yield imports


def _is_in_branch(text: str, position: int) -> bool:
    """Whether an indented line belongs to a branch of the module itself."""
    while position > 0:
        start = text.rfind("\n", 0, position - 1) + 1
        if text[start : start + 1] not in {" ", "\t", "\r", "\n", "#", ")", ""}:
            return _OPENS_BRANCH.match(text, start) is not None
        position = start
    return False
