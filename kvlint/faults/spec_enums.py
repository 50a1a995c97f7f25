# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Enums that tell specs apart: those of their fields, and those beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kvlint.errors import KvlintError
from kvlint.model.annotations import type_names
from kvlint.model.classes import SpecClass
from kvlint.model.enums import (
    AliasedMember,
    aliased_members,
    compared_names,
    is_enum,
    may_share_values,
)
from kvlint.model.scopes import ImportedName
from kvlint.project import Project
from kvlint.specs.hierarchy import last_name


@dataclass(frozen=True)
class Indistinct:
    """A member of an enum that nothing tells from an earlier one.

    Attributes:
        aliased: The member.
        are_compared: Whether the enum's own file compares something with each of them.
    """

    aliased: AliasedMember
    are_compared: bool


def indistinct_members(project: Project) -> Iterator[Indistinct]:
    """Yield the members to report on that are other names of earlier ones by accident.

    They belong to enums that fields of specs are annotated with, or that stand beside
    specs in a file that compares something with their members.
    """
    annotated = _annotated(project)
    for enum in _enums(project):
        found = list(aliased_members(enum))
        if not found:
            continue
        compared = compared_names(enum.file, enum.name)
        if compared or enum.name in annotated:
            for each in found:
                yield Indistinct(each, {each.name, each.first} <= compared)


def _annotated(project: Project) -> set[str]:
    """The names in annotations of fields."""
    return {
        last_name(name)
        for spec in project.contract.hierarchy.specs
        for field in spec.fields.values()
        for name in type_names(field.annotation)
    }


def _enums(project: Project) -> Iterator[SpecClass]:
    """Enums in files that define specs, and those that their fields import."""
    for file in dict.fromkeys(spec.file for spec in project.contract.hierarchy.specs):
        if project.reports_on(file.path):
            yield from filter(is_enum, file.classes)
    imports: set[tuple[Path, ImportedName]] = set()
    for spec in project.specs():
        for field in spec.fields.values():
            for name in type_names(field.annotation):
                for each in spec.body_scope.lookup(name)[0]:
                    if isinstance(each, ImportedName):
                        imports.add((spec.file.path, each))
    for importer, each in sorted(imports, key=lambda found: (found[0], found[1].name)):
        yield from _imported(project, importer, each)


def _imported(
    project: Project, importer: Path, wanted: ImportedName
) -> Iterator[SpecClass]:
    """The enum that a name of another file of the project is, if it is one."""
    workspace = project.workspace
    path = workspace.module(wanted.module, importer, wanted.level)
    if path is None or not project.reports_on(path):
        return
    if any(spec.file.path == path for spec in project.contract.hierarchy.specs):
        return
    try:
        if not may_share_values(workspace.source(path).text, wanted.name):
            return
    except KvlintError:
        return
    file = workspace.file(path)
    for each in () if file is None else file.classes:
        if each.name == wanted.name and is_enum(each):
            yield each
