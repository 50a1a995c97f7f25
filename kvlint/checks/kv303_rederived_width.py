# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV303: code works out the width of a block table that a spec would answer."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from kvlint.faults.widths import Width, derived_widths
from kvlint.findings import Finding, Related, Severity
from kvlint.project import Project
from kvlint.registry import check


@check("KV303")
def rederived_width(project: Project) -> Iterator[Finding]:
    """Yield the widths worked out from a model length and a block size."""
    yield from map(_finding, derived_widths(project))


def _finding(width: Width) -> Finding:
    found, answer = width.quotient, width.answer
    subject = f"the width of `{width.name}`"
    if isinstance(width.sink, cst.Arg):
        subject = f"what is passed as `{width.name}`"
    return Finding(
        "KV303",
        Severity.WARNING,
        f"{subject} is worked out here from the model length and a block size, and "
        f"specs may answer otherwise; ask the spec's `{answer.name}`",
        found.function.place(found.node),
        found.function.symbol,
        related=(
            Related(width.function.place(width.sink), "what has this width"),
            Related(answer.place, "how specs answer"),
        ),
    )
