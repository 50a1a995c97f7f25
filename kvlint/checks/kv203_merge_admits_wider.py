# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV203: a merge accepts specs of a wider class than it builds."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.faults.takes import Width, widths
from kvlint.findings import Finding, Related, Severity
from kvlint.project import Project
from kvlint.registry import check
from kvlint.wording import names

_MOST_OTHERS = 4


@check("KV203")
def merge_admits_wider(project: Project) -> Iterator[Finding]:
    """Yield the merges that accept specs which they cannot build."""
    for width in widths(project):
        yield _finding(width)


def _finding(width: Width) -> Finding:
    member, built = width.found.member, width.built.name
    wide = width.demanded.name
    harms = []
    if width.read:
        harms.append(f"reads {names(width.read)}, which a `{wide}` need not have")
    if width.lost:
        harms.append(f"loses {names(width.lost)} of other classes below it")
    return Finding(
        "KV203",
        Severity.WARNING,
        f"`{member.symbol}` accepts every `{wide}` and builds a `{built}`: it "
        f"{' and '.join(harms)}; demand `{built}`",
        member.owner.file.place(width.demand.node),
        member.symbol,
        related=tuple(
            Related(each.place, f"`{each.name}` is let through")
            for each in width.others[:_MOST_OTHERS]
        ),
    )
