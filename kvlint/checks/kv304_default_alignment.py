# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV304: a width is rounded up to a default where the spec says to what."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.faults.alignments import Unaligned, unaligned_widths
from kvlint.findings import Finding, Related, Severity
from kvlint.mending.arguments import add_argument
from kvlint.mending.requests import fix_or_reason
from kvlint.project import Project
from kvlint.registry import check


@check("KV304")
def default_alignment(project: Project) -> Iterator[Finding]:
    """Yield the calls that leave the alignment of a spec's width to a default."""
    yield from map(_finding, unaligned_widths(project))


def _finding(found: Unaligned) -> Finding:
    alignment = found.alignment
    fix, unfixable = None, "there is no one spec to ask here"
    if found.spec:
        argument = f"{found.parameter}={found.spec}.{alignment.name}"
        fix, unfixable = fix_or_reason(
            lambda: add_argument(found.function, found.call, argument)
        )
    return Finding(
        "KV304",
        Severity.WARNING,
        f"`{found.name}` rounds the width of a spec's block table up to a default; "
        f"pass the spec's `{alignment.name}`",
        found.function.place(found.call),
        found.function.symbol,
        related=(Related(alignment.place, "what specs publish"),),
        fix=fix,
        unfixable=unfixable,
    )
