# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Second witnesses that a test of group specs must not be blind to composites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import libcst as cst

from kvlint.findings import Related
from kvlint.model.classes import SpecClass
from kvlint.model.glances import positions
from kvlint.model.nodes import walk
from kvlint.project import Project
from kvlint.sides import is_worker
from kvlint.uses.group_uses import GroupUse
from kvlint.vocabulary import STATE

_BEFORE, _BEHIND = 80, 400
_SCHEDULER, _WORKER = "scheduler", "worker"


def witnesses(
    project: Project, use: GroupUse, hidden: Sequence[SpecClass]
) -> tuple[Related, ...]:
    """Return what shows that a test has to come out alike for a composite.

    Args:
        project: The project.
        use: The test.
        hidden: The classes that it asks for and a composite may hold.

    Returns:
        Nothing if there is no such witness.
    """
    if not _is_common(project, hidden):
        return ()
    called = _callers(project, use)
    if called:
        return called
    if use.event.question is not None:
        return tuple(islice(_alike(project, use, hidden), 1))
    return ()


def _alike(
    project: Project, use: GroupUse, hidden: Sequence[SpecClass]
) -> Iterator[Related]:
    """Where the same is asked of the layers, or by the scheduler's half."""
    yield from _of_layers(project, use, hidden)
    yield from _on_other_side(project, use)


def _is_common(project: Project, hidden: Sequence[SpecClass]) -> bool:
    """Whether composites hold such layers in more than one odd kind of model."""
    hierarchy = project.contract.hierarchy
    return project.vllm.holds_state or not all(
        any(each.name == STATE for each in hierarchy.mro(spec)) for spec in hidden
    )


def _callers(project: Project, use: GroupUse) -> tuple[Related, ...]:
    """The calls of a plain function by the scheduler and by a worker, if both call."""
    name = use.function.node.name.value
    if use.function.class_name:
        return ()
    sides: dict[str, Related] = {}
    for path in project.grouping.files:
        if name.encode() not in project.workspace.content(path):
            continue
        functions = project.workspace.functions(path)
        if functions is None:
            continue
        for found in re.finditer(rf"(?<!def )\b{name}\(", functions.source.text):
            around = functions.glance(found.start())
            side = ""
            if around.name:
                side = _side(project, path, around.class_name, around.name)
            if side:
                place = functions.source.place(found.start(), found.end() - 1)
                sides.setdefault(side, Related(place, f"the {side} asks too"))
    if len(sides) < 2:
        return ()
    told = f"the {_SCHEDULER}, which sees no composite, asks this too"
    return (
        Related(sides[_SCHEDULER].place, told),
        Related(sides[_WORKER].place, "a worker, which sees them, asks here"),
    )


def _side(project: Project, path: Path, class_name: str, function: str) -> str:
    if is_worker(project.grouping.below_root(path), class_name):
        return _WORKER
    return (
        ""
        if project.grouping.expects_composites(path, class_name, function)
        else _SCHEDULER
    )


def _on_other_side(project: Project, use: GroupUse) -> Iterator[Related]:
    """The same question that the scheduler's half of a package asks."""
    asked = _normal(use.event.question)
    folder = use.function.source.path.parent
    name = use.event.names[0].rpartition(".")[2].encode()
    files = [
        path
        for path in project.grouping.files
        if path.parent == folder and name in project.workspace.content(path)
    ]

    def is_of_scheduler(path: Path, class_name: str, function: str) -> bool:
        return _side(project, path, class_name, function) == _SCHEDULER

    for other in project.grouping.uses_in(files, is_of_scheduler, _SCHEDULER):
        if other.event.question is not None and _normal(other.event.question) == asked:
            told = "the scheduler, which sees no composite, asks the same here"
            yield Related(other.place, told)


def _of_layers(
    project: Project, use: GroupUse, hidden: Sequence[SpecClass]
) -> Iterator[Related]:
    """The same question, put to the layers of all groups elsewhere in the project."""
    asked = use.event.question
    quantifier = getattr(asked.func if asked else None, "value", "")
    if use.event.names != (hidden[0].name,):
        return
    name = hidden[0].name
    openers = "|".join(map(re.escape, sorted(project.grouping.opening.openers)))
    pattern = re.compile(
        rf"\b{quantifier}\(\s*isinstance\(\s*(\w+)\s*,\s*{name}\s*\)"
        rf"[^=]{{0,200}}?\bfor\s+\1\s+in\s+(?:{openers})\("
    )
    for path in project.grouping.files:
        if f", {name})".encode() not in project.workspace.content(path):
            continue
        source = project.workspace.source(path)
        for at in positions(source.text, f", {name})"):
            start = max(0, at - _BEFORE)
            found = pattern.search(source.text[start : at + _BEHIND])
            if found is not None:
                at = start + found.start()
                place = source.place(at, at + len(quantifier))
                yield Related(place, "the layers of all groups are asked the same here")
                return


def _normal(question: cst.Call | None) -> str:
    """The text of a question, whatever its loops and its configuration are called."""
    if question is None:
        return ""
    text = re.sub(r"#[^\n]*", "", cst.Module([]).code_for_node(question))
    text = "".join(text.split())
    targets = [
        each.target.value
        for each in walk(question)
        if isinstance(each, cst.CompFor) and isinstance(each.target, cst.Name)
    ]
    for number, target in enumerate(targets):
        word = rf"(?<=\W){target}(?=[.,)])|(?<=for){target}(?=in)"
        text = re.sub(word, f"_{number}", text)
    return re.sub(r"in[\w.]*?kv_cache_groups", "in_", text)
