# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""How managers are constructed: by which call, with which keywords."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import libcst as cst

from kvlint.contracts.describing import Describer
from kvlint.contracts.facts import FactoryCall
from kvlint.hierarchy import last_name
from kvlint.model.classes import SpecClass
from kvlint.model.nodes import calls, walk
from kvlint.model.syntax import dotted, text_of
from kvlint.model.workspace import Workspace


def find_factories(
    workspace: Workspace,
    files: Sequence[Path],
    managers: Sequence[SpecClass],
    describer: Describer,
) -> list[FactoryCall]:
    """Return the calls by which functions that give a manager construct it.

    Args:
        workspace: Reads the files.
        files: Where callers of the functions may be.
        managers: The managers; the functions stand beside them.
        describer: Names places.
    """
    names = {each.name for each in managers}
    found: list[FactoryCall] = []
    for file in dict.fromkeys(each.file for each in managers):
        for function in file.tree.module.body:
            if not isinstance(function, cst.FunctionDef) or function.returns is None:
                continue
            annotation = function.returns.annotation
            if last_name(dotted(annotation) or text_of(annotation) or "") not in names:
                continue
            for call in _constructions(function, names):
                keywords = _keywords(call)
                more = any(each.star == "**" for each in call.args)
                if more:
                    keywords += _always_passed(workspace, files, function)
                found.append(
                    FactoryCall(
                        function.name.value,
                        tuple(dict.fromkeys(keywords)),
                        more,
                        describer.spot(file.place(call)),
                        sum(not each.star and not each.keyword for each in call.args),
                    )
                )
    return found


def _constructions(function: cst.FunctionDef, names: set[str]) -> Iterator[cst.Call]:
    """Calls of a manager, or of a local name that a look-up has given a class."""
    looked_up = {
        target.target.value
        for node in walk(function.body)
        if isinstance(node, cst.Assign)
        and isinstance(node.value, cst.Call | cst.Subscript)
        for target in node.targets
        if isinstance(target.target, cst.Name)
    }
    for call in calls(function.body):
        if (dotted(call.func) or "") in looked_up | names:
            yield call


def _always_passed(
    workspace: Workspace, files: Sequence[Path], function: cst.FunctionDef
) -> list[str]:
    """Keywords that every call of a function hands to its ``**kwargs``."""
    given = [
        _keywords(call) for call in _calls_of(function.name.value, workspace, files)
    ]
    parameters = (*function.params.params, *function.params.kwonly_params)
    own = {each.name.value for each in parameters}
    return [
        each
        for each in (given[0] if given else ())
        if each not in own and all(each in others for others in given)
    ]


def _calls_of(
    name: str, workspace: Workspace, files: Sequence[Path]
) -> Iterator[cst.Call]:
    pattern = re.compile(rf"\b{re.escape(name)}\s*\(")
    for path in files:
        if name.encode() not in workspace.content(path):
            continue
        functions = workspace.functions(path)
        if functions is None:
            continue
        offsets = [each.start() for each in pattern.finditer(functions.source.text)]
        for around in functions.around(offsets):
            for call in calls(around.node):
                if last_name(dotted(call.func) or "") == name:
                    yield call


def _keywords(call: cst.Call) -> list[str]:
    return [each.keyword.value for each in call.args if each.keyword is not None]
