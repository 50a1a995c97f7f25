# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Page sizes that do not follow what the planner changes to make pages alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import libcst as cst

from kvlint.faults.member_reads import are_derived, fields_read
from kvlint.findings import Place
from kvlint.model.annotations import read_annotation, type_names
from kvlint.model.answering.bodies import body_facts
from kvlint.model.classes import Member, MemberKind, SpecClass
from kvlint.model.functions import FunctionText
from kvlint.model.nodes import calls, walk
from kvlint.model.syntax import dotted
from kvlint.model.workspace import Workspace
from kvlint.project import Project

PAGE = "page_size_bytes"
PADDED = "page_size_padded"
BLOCK = "block_size"
_COPIER = "copy_with_new_block_size"
_CHANGES = (
    re.compile(rf"replace\(\s*\w+\s*,\s*{BLOCK}\s*="),
    re.compile(rf"{_COPIER}\("),
)
_CHANGING = (b"replace(", _COPIER.encode())


@dataclass(frozen=True)
class Unpadded:
    """A page size that stays as it is when a spec is padded.

    Attributes:
        page: What gives it.
        setters: Where specs are padded.
    """

    page: Member
    setters: list[Place]


@dataclass(frozen=True)
class Unscaled:
    """A change of the block size that is to change a page and cannot.

    Attributes:
        function: The function around it.
        call: The call that changes it.
        pages: The page sizes that do not depend on the block size.
    """

    function: FunctionText
    call: cst.Call
    pages: list[Member]


def unpadded_pages(project: Project) -> Iterator[Unpadded]:
    """Yield the page sizes to report on that leave out padding that specs are given."""
    hierarchy = project.contract.hierarchy
    layers = set(project.contract.layers)
    for spec in project.specs():
        page = spec.members.get(PAGE)
        if spec not in layers or page is None or page.kind is not MemberKind.PROPERTY:
            continue
        if body_facts(page).only_raises or _looks_at_padding(spec):
            continue
        fields = [x.fields[PADDED] for x in hierarchy.mro(spec) if PADDED in x.fields]
        if not fields:
            continue
        read = fields_read(project, spec, PAGE)
        if read is None or PADDED in read:
            continue
        below = [each for each in hierarchy.specs if hierarchy.is_below(each, spec)]
        setters = project.makings.setters(
            fields[0], frozenset(each.name for each in below)
        )
        if setters:
            yield Unpadded(page, setters)


def _looks_at_padding(spec: SpecClass) -> bool:
    """Whether a class sees to padding when its specs are made: it may refuse it."""
    member = spec.members.get("__post_init__")
    return member is not None and PADDED in body_facts(member).reads


def unscaled_pages(project: Project) -> Iterator[Unscaled]:
    """Yield the changes of block sizes to report on that leave some pages as they are.

    They are those whose outcome the same function asks for its page size and compares.
    """
    for path in filter(project.reports_on, project.workspace.kept):
        for function in _changing(project.workspace, path):
            for call, subject in _changes(function.node):
                pages = list(_fixed(project, function, subject))
                if pages:
                    yield Unscaled(function, call, pages)


def _changing(workspace: Workspace, path: Path) -> list[FunctionText]:
    """The functions of a file that may change block sizes and ask for pages."""
    content = workspace.content(path)
    if PAGE.encode() not in content or not any(x in content for x in _CHANGING):
        return []
    functions = workspace.functions(path)
    if functions is None:
        return []
    text = functions.source.text
    return functions.around(
        each.start()
        for pattern in _CHANGES
        for each in pattern.finditer(text)
        if (bounds := functions.bounds(each.start())) is not None
        and text.find(f".{PAGE}", each.end(), bounds[1]) >= 0
    )


def _changes(function: cst.FunctionDef) -> Iterator[tuple[cst.Call, str]]:
    """Copies with another block size, and nothing else, whose pages are compared."""
    compared = {
        dotted(each)
        for comparison in walk(function)
        if isinstance(comparison, cst.Comparison)
        for each in walk(comparison)
        if isinstance(each, cst.Attribute)
    }
    for node in walk(function):
        target: cst.BaseExpression
        match node:
            case (
                cst.Assign(targets=[cst.AssignTarget(target)], value=cst.Call() as call)
                | cst.AnnAssign(target=target, value=cst.Call() as call)
            ):
                pass
            case _:
                continue
        match call:
            case cst.Call(
                func=cst.Name("replace") | cst.Attribute(attr=cst.Name("replace")),
                args=[
                    cst.Arg(value=cst.Name(subject), keyword=None),
                    cst.Arg(keyword=cst.Name("block_size")),
                ],
            ) if f"{dotted(target)}.{PAGE}" in compared:
                yield call, subject
            case cst.Call(
                func=cst.Attribute(value=cst.Name(subject), attr=cst.Name(copier)),
                args=[_],
            ) if copier == _COPIER and f"{dotted(target)}.{PAGE}" in compared:
                yield call, subject


def _fixed(project: Project, function: FunctionText, subject: str) -> Iterator[Member]:
    """The page sizes of specs that get there and do not depend on the block size."""
    hierarchy, path = project.contract.hierarchy, function.source.path
    admitted = [
        spec
        for each in function.node.params.params
        if each.annotation is not None
        for name in type_names(read_annotation(each.annotation.annotation))
        if (spec := project.names.spec(name, path)) is not None
    ]
    told_apart = list(_told_apart(project, function, subject))
    found: dict[Member, None] = {}
    for spec in project.contract.layers:
        order = hierarchy.mro(spec)
        if not set(order) & set(admitted) or set(order) & set(told_apart):
            continue
        read = fields_read(project, spec, PAGE)
        if not read or BLOCK in read or are_derived(project, spec, read):
            continue
        if project.makings.is_wrappable(spec):
            page = next(each.members[PAGE] for each in order if PAGE in each.members)
            found[page] = None
    yield from found


def _told_apart(
    project: Project, function: FunctionText, subject: str
) -> Iterator[SpecClass]:
    """The classes that the function asks its spec for."""
    for call in calls(function.node):
        match call:
            case cst.Call(
                func=cst.Name("isinstance"),
                args=[cst.Arg(value=cst.Name(asked)), cst.Arg(value=kinds)],
            ) if asked == subject:
                for each in walk(kinds):
                    name = (
                        dotted(each) if isinstance(each, cst.BaseExpression) else None
                    )
                    if name is not None:
                        spec = project.names.spec(name, function.source.path)
                        if spec is not None:
                            yield spec
