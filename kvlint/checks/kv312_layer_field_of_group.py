# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV312: a group spec that may be a composite is asked for what only layers have."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from kvlint.faults.witnesses import witnesses
from kvlint.findings import Finding, Related, Severity
from kvlint.model.groups.group_events import Deed
from kvlint.model.syntax import dotted
from kvlint.project import Project
from kvlint.registry import check
from kvlint.specs.contract import Definition
from kvlint.uses.group_uses import GroupUse
from kvlint.wording import names


@check("KV312")
def layer_field_of_group(project: Project) -> Iterator[Finding]:
    """Yield the reads that fail for a composite, one for a function and a name."""
    told: set[tuple[cst.FunctionDef, str]] = set()
    for use in project.group_uses(Deed.READ):
        name = use.event.names[0]
        defined = project.layer_definitions(name)
        at = (use.function.node, name)
        if at in told or not defined or _is_given(project, use, name):
            continue
        if not _is_sifted(project, use, defined):
            told.add(at)
            yield _finding(project, use, defined)


def _is_given(project: Project, use: GroupUse, name: str) -> bool:
    """Whether a composite, or one below it, may have an attribute all the same."""
    composites = list(project.contract.composites)
    followed = project.followed
    for each in composites:
        family = followed.family(each)
        if not family.is_certain or name in family.names:
            return True
        if followed.is_set_by_methods(each, name):
            return True
    receiver = (dotted(use.event.subject) or "").rpartition(".")[2]
    owners = [each.name for each in composites]
    return project.is_set([*filter(None, [receiver]), *owners], name)


def _is_sifted(project: Project, use: GroupUse, defined: list[Definition]) -> bool:
    """Whether a function has sought groups of a class that has what it reads."""
    path, hierarchy = use.function.source.path, project.contract.hierarchy
    sought = [project.names.spec(each, path) for each in use.event.sifted]
    return any(
        spec is not None and hierarchy.is_below(spec, each.owner)
        for spec in sought
        for each in defined
    )


def _finding(project: Project, use: GroupUse, defined: list[Definition]) -> Finding:
    name, *said = use.event.names
    composites = names(sorted(each.name for each in project.contract.composites))
    owners = list(dict.fromkeys(each.owner for each in defined))
    seen = witnesses(project, use, owners)
    cast = f"; the cast to {names(said)} changes nothing" if said else ""
    verb = "has" if len(owners) == 1 else "have"
    return Finding(
        "KV312",
        Severity.ERROR if seen else Severity.WARNING,
        f"`{use.function.symbol}` reads `{name}` off a group's spec, which "
        f"{names(each.name for each in owners)} {verb} and {composites} around such "
        f"specs has not: ask the specs of its layers{cast}",
        use.place,
        use.function.symbol,
        related=(*seen, Related(defined[0].place, "what a layer answers with")),
    )
