# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV305: a composite is asked for a layer that shares another one's cache."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.faults.shared_layers import SharedLookup, shared_lookups
from kvlint.findings import Finding, Related, Severity
from kvlint.project import Project
from kvlint.registry import check


@check("KV305")
def shared_layer_lookup(project: Project) -> Iterator[Finding]:
    """Yield the lookups by names of a group that a composite may have no entry for."""
    yield from map(_finding, shared_lookups(project))


def _finding(found: SharedLookup) -> Finding:
    related: tuple[Related, ...] = ()
    if found.cause is not None:
        related = (Related(found.cause, "adds layers that share a cache to groups"),)
    return Finding(
        "KV305",
        Severity.WARNING,
        "the group's names also hold layers that share another layer's cache here, and "
        "a composite has no entry for them; look up the layer whose cache it is",
        found.function.place(found.node),
        found.function.symbol,
        related=related,
    )
