# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV313: a copy of a group spec leaves the specs in a composite as they were."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.faults.stale_copies import keeps_in_step, stale_fields
from kvlint.findings import Finding, Severity
from kvlint.model.classes import Field
from kvlint.model.groups.group_events import Deed
from kvlint.project import Project
from kvlint.registry import check
from kvlint.specs.contract import Composite
from kvlint.uses.group_uses import GroupUse
from kvlint.wording import names


@check("KV313")
def stale_group_copy(project: Project) -> Iterator[Finding]:
    """Yield the copies in which a composite would not fit the specs in it."""
    for use in project.group_uses(Deed.COPY):
        for composite in project.contract.composites.values():
            stale = _stale(project, use, composite)
            if stale:
                yield _finding(use, composite, stale)
                break


def _stale(project: Project, use: GroupUse, composite: Composite) -> list[str]:
    """The fields of a composite itself that its specs have too and are left with."""
    contract = project.contract
    if keeps_in_step(contract, composite):
        return []
    return [
        name
        for name in stale_fields(contract, composite, use.event.names)
        if isinstance(contract.definition(composite.spec, name), Field)
    ]


def _finding(use: GroupUse, composite: Composite, stale: list[str]) -> Finding:
    holders = names(holder.name for holder in composite.holders)
    return Finding(
        "KV313",
        Severity.WARNING,
        f"`{use.function.symbol}` copies a group's spec with another {names(stale)}, "
        f"and leaves the specs in {holders} of `{composite.name}` as they were: copy "
        "every one of them too",
        use.place,
        use.function.symbol,
    )
