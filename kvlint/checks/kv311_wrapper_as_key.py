# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV311: a group spec that may be a composite is made a key."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.findings import Finding, Related, Severity
from kvlint.hashing import unhashable_field
from kvlint.model.groups.group_events import Deed
from kvlint.project import Project
from kvlint.registry import check
from kvlint.wording import names


@check("KV311")
def wrapper_as_key(project: Project) -> Iterator[Finding]:
    """Yield the places where a composite would be hashed, and cannot be."""
    uses = project.group_uses(Deed.HASH)
    if not uses:
        return
    hierarchy = project.contract.hierarchy
    found = {
        each.name: field
        for each in project.contract.composites
        if (field := unhashable_field(hierarchy, each)) is not None
    }
    for use in uses if found else ():
        yield Finding(
            "KV311",
            Severity.WARNING,
            f"`{use.function.symbol}` hashes a group's spec, which fails for "
            f"{names(sorted(found))}: use the group's number or the specs of its "
            "layers",
            use.place,
            use.function.symbol,
            related=tuple(
                Related(field.place, "cannot be hashed") for field in found.values()
            ),
        )
