# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where specs are constructed: for a layer, or for a whole group at once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import libcst as cst

from kvlint.model.nodes import calls
from kvlint.model.syntax import dotted
from kvlint.model.workspace import Workspace


def is_made_for_groups_only(
    workspace: Workspace,
    files: Iterable[Path],
    name: str,
    group_classes: frozenset[str],
) -> bool:
    """Return whether a class is only ever constructed as a group's own spec.

    Such a spec is never one layer's, so no composite can hold it: every call of the
    class stands as an argument of the group's constructor. A class that nobody
    constructs is none, for nothing is known of it.

    Args:
        workspace: Reads the files.
        files: Where to look; only the functions that need it are parsed.
        name: The class's simple name.
        group_classes: Names of classes of groups.
    """
    found = _Constructions()
    for path in files:
        offsets = _call_offsets(workspace.content(path), name.encode())
        functions = workspace.functions(path) if offsets else None
        if functions is None:
            continue
        pattern = re.compile(rf"\b{re.escape(name)}\s*\(")
        for match in pattern.finditer(functions.source.text):
            for function in functions.around([match.start()]):
                found.look(function.node, name, group_classes)
            if found.for_layers:
                return False
    return found.for_groups


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


@dataclass
class _Constructions:
    """Calls of a class so far: as a group's spec, or otherwise."""

    for_groups: bool = False
    for_layers: bool = False

    def look(self, node: cst.CSTNode, name: str, group_classes: frozenset[str]) -> None:
        arguments: set[cst.CSTNode] = set()
        for call in calls(node):
            called = (dotted(call.func) or "").rpartition(".")[2]
            if called in group_classes:
                arguments |= {argument.value for argument in call.args}
            elif called == name:
                self.for_groups |= call in arguments
                self.for_layers |= call not in arguments
