# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV301: a group spec that may be a composite is tested for the class of a layer."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.faults.witnesses import witnesses
from kvlint.findings import Finding, Severity
from kvlint.mending.layers import ask_layers
from kvlint.mending.requests import fix_or_reason
from kvlint.model.classes import SpecClass
from kvlint.model.groups.group_events import Deed
from kvlint.model.named_literals import Literals
from kvlint.model.syntax import class_names
from kvlint.project import Project
from kvlint.registry import check
from kvlint.uses.group_uses import GroupUse
from kvlint.wording import names


@check("KV301")
def wrapper_blind_isinstance(project: Project) -> Iterator[Finding]:
    """Yield the tests that a composite fails though its layers would pass them."""
    for use in project.group_uses(Deed.TEST):
        asked = dict.fromkeys(_asked(project, use))
        hidden = [each for each in asked if project.can_be_wrapped(each)]
        if hidden:
            yield _finding(project, use, hidden)


def _asked(project: Project, use: GroupUse) -> Iterator[SpecClass]:
    """The classes that a test names, or that a tuple holds which it names."""
    path = use.function.source.path
    literals = Literals(project.workspace, path)
    for name in use.event.names:
        if (spec := project.names.spec(name, path)) is not None:
            yield spec
        elif not project.names.is_known(name) and (found := literals.find(name)):
            for each in class_names(found):
                specs = (project.names.spec(each, x) for x in literals.paths)
                yield from filter(None, [next(filter(None, specs), None)])


def _finding(project: Project, use: GroupUse, hidden: list[SpecClass]) -> Finding:
    composites = names(sorted(each.name for each in project.contract.composites))
    related = witnesses(project, use, hidden)
    fix, unfixable = fix_or_reason(lambda: ask_layers(project, use))
    return Finding(
        "KV301",
        Severity.ERROR if related else Severity.WARNING,
        f"`{use.function.symbol}` tests a group's spec for "
        f"{names(each.name for each in hidden)}, which {composites} around such specs "
        "is not: ask the specs of its layers",
        use.place,
        use.function.symbol,
        related=related,
        fix=fix,
        unfixable=unfixable,
    )
