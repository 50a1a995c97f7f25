# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV302: the first spec in a composite is asked for all of them."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.findings import Finding, Related, Severity
from kvlint.model.classes import Field
from kvlint.model.groups.group_events import Deed
from kvlint.project import Project
from kvlint.registry import check
from kvlint.vocabulary import GUARANTEED, PAGE_SIZE


@check("KV302")
def first_spec_speaks_for_all(project: Project) -> Iterator[Finding]:
    """Yield what leaves a function of one layer as if it were the group's."""
    for use in project.group_uses(Deed.FIRST):
        (name,) = use.event.names
        defined = [] if name in GUARANTEED else project.layer_definitions(name)
        if not defined:
            continue
        if name != PAGE_SIZE and not isinstance(defined[0], Field):
            continue
        yield Finding(
            "KV302",
            Severity.WARNING,
            f"`{use.function.symbol}` lets out `{name}` of the first spec in a "
            "composite, but its layers need not agree on that: ask all of them, or "
            "insist that they agree",
            use.place,
            use.function.symbol,
            related=(Related(defined[0].place, "each layer has its own"),),
        )
