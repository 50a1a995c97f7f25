# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""How managers are constructed: by which call, with which keywords."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import libcst as cst

from kvlint.findings import Place
from kvlint.model.classes import SpecClass, SpecFile
from kvlint.model.glances import beginnings
from kvlint.model.merging.keywords import Passed, passed
from kvlint.model.nodes import calls, walk
from kvlint.model.syntax import dotted, text_of
from kvlint.model.workspace import Workspace
from kvlint.specs.hierarchy import last_name


@dataclass(frozen=True, slots=True)
class Factory:
    """A call that constructs managers.

    Attributes:
        function: The function that it stands in.
        constructed: The class that it names; empty where one is looked up.
        positionals: How many arguments it passes by position.
        always: Keywords that it always passes.
        sometimes: Keywords that it may pass.
        is_open: It may pass keywords that nobody knows.
        passes_more: It hands on keywords of the callers of its function.
        path: In which file it stands.
        find_place: Tells where; that takes time.
        takes: Parameters of the function, which it does not hand on.
        drops: Keywords of callers that it may not hand on.
        has_callers: What callers pass is counted in.
    """

    function: str
    constructed: str
    positionals: int
    always: tuple[str, ...]
    sometimes: tuple[str, ...]
    is_open: bool
    passes_more: bool
    path: Path
    find_place: Callable[[], Place]
    takes: tuple[str, ...] = ()
    drops: tuple[str, ...] = ()
    has_callers: bool = False

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.find_place()


def find_factories(
    workspace: Workspace, files: Sequence[Path], managers: Iterable[SpecClass]
) -> list[Factory]:
    """Return the calls by which functions that give a manager construct it.

    Args:
        workspace: Reads the files.
        files: Where callers of the functions may be.
        managers: The managers; the functions stand beside them.
    """
    managers = list(managers)
    names = {each.name for each in managers}
    found: list[Factory] = []
    for file in dict.fromkeys(each.file for each in managers):
        for function in file.tree.module.body:
            if not isinstance(function, cst.FunctionDef) or function.returns is None:
                continue
            annotation = function.returns.annotation
            if last_name(dotted(annotation) or text_of(annotation) or "") not in names:
                continue
            for call in _constructions(function, names):
                factory = _factory(function, call, names, file)
                found.append(with_callers(factory, workspace, files))
    return found


def _factory(
    function: cst.FunctionDef, call: cst.Call, names: set[str], file: SpecFile
) -> Factory:
    called = dotted(call.func) or ""
    rest = function.params.star_kwarg
    own = rest.name.value if isinstance(rest, cst.Param) else ""
    parameters = (*function.params.params, *function.params.kwonly_params)
    arguments = passed(call, function, own)
    return Factory(
        function.name.value,
        called if called in names else "",
        sum(not each.star and not each.keyword for each in call.args),
        arguments.always,
        arguments.sometimes,
        arguments.is_open or any(each.star == "*" for each in call.args),
        any(each.star == "**" for each in call.args),
        file.path,
        partial(file.place, call),
        tuple(each.name.value for each in parameters),
        arguments.dropped,
    )


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


def with_callers(
    factory: Factory, workspace: Workspace, files: Iterable[Path]
) -> Factory:
    """Return a factory that hands on what some callers pass.

    Args:
        factory: What it passes, whoever calls it; or what it passes for other callers.
        workspace: Reads the files.
        files: Where the callers may be.
    """
    callers = list(_calls_of(factory.function, workspace, files))
    if not factory.passes_more:
        return factory
    if not callers:
        return factory if factory.has_callers else replace(factory, is_open=True)
    kept_back = {*factory.takes, *factory.drops}
    common = set.intersection(*({*each.always} for each in callers))
    if factory.has_callers:
        always = [each for each in factory.always if each in common]
    else:
        first = [each for each in callers[0].always if each in common]
        always = [*factory.always, *(x for x in first if x not in kept_back)]
    told = [name for each in callers for name in (*each.always, *each.sometimes)]
    sometimes = [*factory.always, *factory.sometimes, *told]
    return replace(
        factory,
        always=tuple(dict.fromkeys(always)),
        sometimes=tuple(
            dict.fromkeys(
                each
                for each in sometimes
                if each not in always and each not in factory.takes
            )
        ),
        is_open=factory.is_open or any(each.is_open for each in callers),
        has_callers=True,
    )


def _calls_of(
    name: str, workspace: Workspace, files: Iterable[Path]
) -> Iterator[Passed]:
    pattern = re.compile(rf"{re.escape(name)}\s*\(")
    for path in files:
        if name.encode() not in workspace.content(path):
            continue
        functions = workspace.functions(path)
        if functions is None:
            continue
        text = functions.source.text
        offsets = [
            each
            for each in beginnings(pattern, text)
            if not text.endswith("def ", 0, each)
        ]
        for around in functions.around(offsets):
            for call in calls(around.node):
                if last_name(dotted(call.func) or "") == name:
                    yield passed(call, around.node)
