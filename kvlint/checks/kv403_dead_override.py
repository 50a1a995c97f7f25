# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV403: an override of what its base had in an earlier release and has no more."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.faults.lost_overrides import LostOverride, lost_overrides
from kvlint.findings import Finding, Related, Severity
from kvlint.project import Project
from kvlint.registry import check
from kvlint.specs.contract import Definition


@check("KV403")
def dead_override(project: Project) -> Iterator[Finding]:
    """Yield the overrides that nothing asks any more, or under another name."""
    for lost in lost_overrides(project):
        symbol = f"{lost.own.owner.name}.{lost.own.name}"
        if lost.successor is None:
            yield Finding(
                "KV403",
                Severity.WARNING,
                f"`{symbol}` overrides nothing: `{lost.base.name}` has it no more "
                f"since vLLM {lost.past.gone}, and nothing here reads it; remove it",
                lost.own.place,
                symbol,
            )
        else:
            yield _renamed(project, lost, lost.successor, symbol)


def _renamed(
    project: Project, lost: LostOverride, successor: Definition, symbol: str
) -> Finding:
    new = successor.name
    remedy = f"define `{new}`{' too' if len(project.releases) > 1 else ''}"
    readers = "only code of this project still reads it; " if lost.is_read else ""
    return Finding(
        "KV403",
        Severity.WARNING if lost.is_read else Severity.ERROR,
        f"`{symbol}` overrides nothing: since vLLM {lost.past.renamed} "
        f"`{lost.base.name}` has `{new}` in its stead, and what answers that is "
        f"`{successor.owner.name}.{new}`; {readers}{remedy}",
        lost.own.place,
        symbol,
        related=(Related(successor.place, "what vLLM asks instead"),),
    )
