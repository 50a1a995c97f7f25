# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a piece of a function gives another value."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted

_CHAIN = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def rebound(node: cst.CSTNode) -> set[str]:
    """Return the names and dotted attributes that a node, or one in it, binds.

    Of ``x[i] = y`` that is ``x``.
    """
    found: set[str] = set()
    for each in walk(node):
        for target in _targets(each):
            found.update(_names(target))
        if isinstance(each, cst.FunctionDef | cst.ClassDef):
            found.add(each.name.value)
        elif isinstance(each, cst.ImportAlias):
            found.add((each.evaluated_alias or each.evaluated_name).split(".")[0])
    return found


def depends_on(code: str, names: set[str]) -> bool:
    """Return whether an expression may be another thing when names are bound anew.

    Args:
        code: Its text.
        names: Names and dotted attributes.
    """
    for chain in _CHAIN.findall(code):
        parts = chain.split(".")
        if any(".".join(parts[:end]) in names for end in range(1, len(parts) + 1)):
            return True
    return False


def _targets(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    match node:
        case cst.AssignTarget() | cst.AnnAssign() | cst.AugAssign() | cst.NamedExpr():
            yield node.target
        case cst.For() | cst.CompFor():
            yield node.target
        case cst.AsName() | cst.MatchAs() | cst.MatchStar() | cst.MatchMapping():
            name = node.rest if isinstance(node, cst.MatchMapping) else node.name
            if name is not None:
                yield name
        case cst.Del():
            yield node.target


def _names(target: cst.CSTNode) -> Iterator[str]:
    match target:
        case cst.Tuple() | cst.List():
            for element in target.elements:
                yield from _names(element.value)
        case cst.Subscript(value=value):
            yield from _names(value)
        case cst.Name() | cst.Attribute():
            name = dotted(target)
            if name is not None:
                yield name
