# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV214: two members of an enum that code of specs compares share a value."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.faults.spec_enums import Indistinct, indistinct_members
from kvlint.findings import Finding, Related, Severity
from kvlint.project import Project
from kvlint.registry import check


@check("KV214")
def aliased_enum_member(project: Project) -> Iterator[Finding]:
    """Yield the members of enums that are other names of earlier ones by accident."""
    for each in indistinct_members(project):
        yield _finding(each)


def _finding(found: Indistinct) -> Finding:
    aliased = found.aliased
    symbol = f"{aliased.owner.name}.{aliased.name}"
    return Finding(
        "KV214",
        Severity.ERROR if found.are_compared else Severity.WARNING,
        f"`{symbol}` has the value of `{aliased.first}`, {aliased.value}, so Python "
        "makes it another name of that and no comparison tells them apart; give it a "
        "value of its own",
        aliased.place,
        symbol,
        related=(Related(aliased.first_place, "the member that it stands for"),),
    )
