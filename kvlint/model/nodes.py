# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Walking trees without their white space: several times as fast as a visitor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache

import libcst as cst

_LAYOUT = frozenset(
    {
        "lpar",
        "rpar",
        "lbracket",
        "rbracket",
        "lbrace",
        "rbrace",
        "comma",
        "semicolon",
        "colon",
        "dot",
        "equal",
        "leading_lines",
        "lines_after_decorators",
        "lines_after_module",
        "header",
        "footer",
        "indent",
        "trailing_whitespace",
        "asynchronous",
    }
)


def children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the nodes directly below one that mean something, layout left out."""
    yield from _below(node)


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield a node and all below it, each before those below itself."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        below = _below(current)
        below.reverse()
        pending += below


def _below(node: cst.CSTNode) -> list[cst.CSTNode]:
    found = []
    for name in _meaningful(type(node)):
        value = getattr(node, name)
        if value is None:
            continue
        if _IS_NODE[type(value)]:
            found.append(value)
        elif isinstance(value, list | tuple):
            found += [each for each in value if _IS_NODE[type(each)]]
    return found


def calls(node: cst.CSTNode) -> Iterator[cst.Call]:
    """Yield the calls in a node."""
    for each in walk(node):
        if isinstance(each, cst.Call):
            yield each


class _IsNode(dict[type, bool]):
    """Whether instances of a class are nodes: an abstract class tells that slowly."""

    def __missing__(self, kind: type) -> bool:
        return self.setdefault(kind, issubclass(kind, cst.CSTNode))


_IS_NODE = _IsNode()


@cache
def _meaningful(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    names = [field.name for field in fields(kind)]
    return tuple(
        name
        for name in names
        if name not in _LAYOUT and not name.startswith("whitespace")
    )
