# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where specs are constructed: for a layer, or for a whole group at once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import libcst as cst

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
    call = rf"\b{re.escape(name)}\s*\("
    pattern, quick = re.compile(call), re.compile(call.encode())
    calls = _Calls(name, group_classes)
    for path in files:
        if not quick.search(workspace.content(path)):
            continue
        functions = workspace.functions(path)
        if functions is None:
            continue
        for found in pattern.finditer(functions.source.text):
            for function in functions.around([found.start()]):
                function.node.visit(calls)
            if calls.for_layers:
                return False
    return calls.for_groups


class _Calls(cst.CSTVisitor):
    def __init__(self, name: str, group_classes: frozenset[str]) -> None:
        super().__init__()
        self._name, self._group_classes = name, group_classes
        self.for_groups = False
        self.for_layers = False
        self._arguments: set[cst.CSTNode] = set()

    def visit_Call(self, node: cst.Call) -> None:
        name = (dotted(node.func) or "").rpartition(".")[2]
        if name in self._group_classes:
            self._arguments |= {argument.value for argument in node.args}
        elif name == self._name:
            of_group = node in self._arguments
            self.for_groups |= of_group
            self.for_layers |= not of_group
