# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where specs are constructed: for a layer, or for a whole group at once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import libcst as cst

from kvlint.model.glances import beginnings
from kvlint.model.nodes import calls
from kvlint.model.syntax import dotted
from kvlint.model.workspace import Workspace


@dataclass
class Constructions:
    """How a class is constructed.

    Attributes:
        for_groups: As an argument of a group's constructor.
        for_layers: Otherwise.
    """

    for_groups: bool = False
    for_layers: bool = False

    def look(self, node: cst.CSTNode, name: str, group_classes: frozenset[str]) -> None:
        """Take the calls in a node into account."""
        arguments: set[cst.CSTNode] = set()
        for call in calls(node):
            called = (dotted(call.func) or "").rpartition(".")[2]
            if called in group_classes:
                arguments |= {argument.value for argument in call.args}
            elif called == name:
                self.for_groups |= call in arguments
                self.for_layers |= call not in arguments


def find_constructions(
    workspace: Workspace,
    files: Iterable[Path],
    name: str,
    group_classes: frozenset[str],
) -> Constructions:
    """Return how a class is constructed, as far as it takes to know.

    A spec that is only ever an argument of a group's constructor is never one layer's,
    so no composite can hold it.

    Args:
        workspace: Reads the files.
        files: Where to look; only the functions that need it are parsed.
        name: The class's simple name.
        group_classes: Names of classes of groups.
    """
    found = Constructions()
    what = "constructions", name, group_classes
    for path in files:
        here = workspace.known(
            path, what, partial(_in_file, workspace, path, *what[1:])
        )
        found.for_groups |= here.for_groups
        found.for_layers |= here.for_layers
        if found.for_layers:
            break
    return found


def _in_file(
    workspace: Workspace, path: Path, name: str, group_classes: frozenset[str]
) -> Constructions:
    found = Constructions()
    offsets = _call_offsets(workspace.content(path), name.encode())
    functions = workspace.functions(path) if offsets else None
    if functions is None:
        return found
    pattern = re.compile(rf"{re.escape(name)}\s*\(")
    for offset in beginnings(pattern, functions.source.text):
        for function in functions.around([offset]):
            found.look(function.node, name, group_classes)
        if found.for_layers:
            break
    return found


def _call_offsets(content: bytes, name: bytes) -> list[int]:
    """Places where a name may be called: a quick look that decides nothing."""
    offsets = []
    start = content.find(name)
    while start >= 0:
        end = start + len(name)
        if content[end : end + 20].lstrip()[:1] == b"(":
            offsets.append(start)
        start = content.find(name, end)
    return offsets
