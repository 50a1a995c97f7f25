# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Methods that code calls to learn whether they fail an assertion."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import libcst as cst

from kvlint.model.nodes import calls, walk
from kvlint.model.syntax import dotted
from kvlint.model.workspace import Workspace

_HANDLER = re.compile(r"except\b[^:\n]*\bAssertionError\b")
_NEEDLE = b"AssertionError"
_OTHERS = frozenset({"ValueError", "Exception", "BaseException"})


def find_probed(
    workspace: Workspace, files: Iterable[Path], methods: frozenset[str]
) -> frozenset[str]:
    """Return the methods that are called where nothing but assertions is caught.

    vLLM asks ``merge`` in this way whether specs are alike (0.11.0 to 0.33.0), so a
    ``merge`` that raises anything else stops the engine.

    Args:
        workspace: Reads the files.
        files: Where to look; only the functions that need it are parsed.
        methods: The names to look for.
    """
    found: set[str] = set()
    names = [method.encode() for method in methods]
    for path in files:
        content = workspace.content(path)
        if _NEEDLE not in content or not any(each in content for each in names):
            continue
        functions = workspace.functions(path)
        if functions is None:
            continue
        matches = _HANDLER.finditer(functions.source.text)
        for function in functions.around(each.start() for each in matches):
            found |= function.known("probed", partial(_probed_in, function.node))
    return methods & found


def _probed_in(function: cst.FunctionDef) -> set[str]:
    tries = (each for each in walk(function) if isinstance(each, cst.Try))
    return {name for each in tries for name in _probed(each)}


def _probed(node: cst.Try) -> Iterator[str]:
    caught = [name for each in node.handlers for name in _caught(each)]
    if "AssertionError" not in caught or _OTHERS & set(caught):
        return
    for call in calls(node.body):
        if isinstance(call.func, cst.Attribute):
            yield call.func.attr.value


def _caught(handler: cst.ExceptHandler) -> Iterator[str]:
    if handler.type is None:
        yield "BaseException"
        return
    kinds: list[cst.BaseExpression] = [handler.type]
    if isinstance(handler.type, cst.Tuple):
        kinds = [each.value for each in handler.type.elements]
    for kind in kinds:
        yield (dotted(kind) or "").rpartition(".")[2]
