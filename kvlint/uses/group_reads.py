# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where code reads a member off a raw group spec, which may be a composite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from kvlint.findings import Place
from kvlint.model.annotations import TypeName, TypeSubscript, read_annotation
from kvlint.model.answering.delegations import DelegationReader
from kvlint.model.classes import MemberKind
from kvlint.model.glances import read_off
from kvlint.model.groups.flow import GroupFlow
from kvlint.model.groups.kinds import Names
from kvlint.model.module_places import below
from kvlint.model.workspace import Workspace
from kvlint.sides import sees_composites
from kvlint.specs.contract import Contract
from kvlint.vocabulary import GROUP_ATTRIBUTE, GROUPS_ATTRIBUTE


@dataclass(frozen=True, slots=True)
class GroupRead:
    """A read off a raw group spec.

    Attributes:
        member: What is read.
        place: Where.
        sees_composites: Whether the code can hold a group spec that is a composite.
    """

    member: str
    place: Place
    sees_composites: bool


def find_group_reads(
    workspace: Workspace,
    files: Iterable[Path],
    names: Names,
    wanted: frozenset[str],
    root: Path,
) -> list[GroupRead]:
    """Return the reads of some members off raw group specs.

    Args:
        workspace: Reads the files.
        files: Where to look; only the functions that need it are parsed.
        names: What tells a composite.
        wanted: The members.
        root: The folder that paths are judged from.
    """
    needles = [name.encode() for name in wanted]
    found: list[GroupRead] = []

    def look(path: Path) -> Iterator[GroupRead]:
        content = workspace.content(path)
        if GROUP_ATTRIBUTE.encode() not in content:
            return
        if not any(needle in content for needle in needles):
            return
        functions = workspace.functions(path)
        if functions is None:
            return
        text = functions.source.text
        offsets = [at for name in wanted for at in read_off(text, name)]
        relative = below(root, path)
        for function in functions.around(offsets):
            flow = GroupFlow(names, wanted)
            flow.function(function.node)
            sees = sees_composites(relative, function.class_name)
            for member, node in flow.reads:
                yield GroupRead(member, function.place(node), sees)

    for path in files:
        find = partial(tuple[GroupRead, ...], look(path))
        found += workspace.known(path, ("group reads", names, wanted, root), find)
    return found


def composite_names(contract: Contract) -> Names:
    """Return the names that tell composites from other specs."""
    hierarchy = contract.hierarchy
    roots = {root.rpartition(".")[2] for root in hierarchy.root_names}
    composites = {spec.name for spec in contract.composites} | roots
    holders = {
        holder.name
        for composite in contract.composites.values()
        for holder in composite.holders
    }
    return Names(
        frozenset(composites),
        frozenset(holders),
        frozenset(_group_classes(contract)),
        frozenset(_group_lists(contract)),
        frozenset(_firsts(contract)),
    )


def _firsts(contract: Contract) -> Iterator[str]:
    """Properties of composites that give one of the specs in it."""
    for composite in contract.composites.values():
        members = composite.spec.members
        reader = DelegationReader(
            frozenset(each.name for each in composite.holders), members.get
        )
        for name, member in members.items():
            if member.kind is MemberKind.PROPERTY and reader.gives_one(name):
                yield name


def _group_lists(contract: Contract) -> set[str]:
    """Attributes of configurations that hold several of their groups."""
    names = {GROUPS_ATTRIBUTE}
    groups = _group_classes(contract)
    for each in contract.hierarchy.beside():
        if GROUPS_ATTRIBUTE not in each.fields:
            continue
        for name, member in each.members.items():
            returned = (
                None if member.returns is None else read_annotation(member.returns)
            )
            if isinstance(returned, TypeSubscript) and any(
                isinstance(argument, TypeName)
                and argument.name.rpartition(".")[2] in groups
                for argument in returned.arguments
            ):
                names.add(name)
    return names


def _group_classes(contract: Contract) -> set[str]:
    """Names of classes of groups: what a configuration lists as its groups."""
    names = set()
    for file in {spec.file for spec in contract.hierarchy.specs}:
        for each in file.classes:
            field = each.fields.get(GROUPS_ATTRIBUTE)
            annotation = field.annotation if field is not None else None
            if isinstance(annotation, TypeSubscript):
                names |= {
                    argument.name.rpartition(".")[2]
                    for argument in annotation.arguments
                    if isinstance(argument, TypeName)
                }
    return names
