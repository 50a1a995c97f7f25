# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV208: a ``__post_init__`` does not call the one that it overrides."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.faults.post_inits import LostPostInit, lost_post_inits
from kvlint.findings import Finding, Fix, Related, Severity
from kvlint.mending.holders import UnwritableError
from kvlint.mending.post_inits import call_base
from kvlint.mending.requests import fix_or_reason
from kvlint.project import Project
from kvlint.registry import check
from kvlint.wording import names


@check("KV208")
def post_init_without_super(project: Project) -> Iterator[Finding]:
    """Yield each ``__post_init__`` under which another one never runs."""
    for lost in lost_post_inits(project):
        yield _finding(lost)


def _finding(lost: LostPostInit) -> Finding:
    own, base = lost.own, lost.base
    fix, unfixable = fix_or_reason(lambda: _fix(lost))
    return Finding(
        "KV208",
        Severity.ERROR if lost.sets and not lost.is_empty else Severity.WARNING,
        f"`{own.symbol}` does not call `{base.symbol}`, so {_harm(lost)}; "
        f"{_remedy(lost)}",
        own.place,
        own.symbol,
        related=(Related(base.place, "never runs for these specs"),),
        fix=fix,
        unfixable=unfixable,
    )


def _harm(lost: LostPostInit) -> str:
    if lost.sets:
        stay = "stay as they were" if len(lost.sets) > 1 else "stays as it was"
        return f"{names(lost.sets)} {stay} passed"
    return "what that does to every spec is not done to these"


def _remedy(lost: LostPostInit) -> str:
    return "remove it" if lost.is_empty else "call `super().__post_init__()`"


def _fix(lost: LostPostInit) -> Fix:
    if lost.is_empty:
        raise UnwritableError("it may be empty on purpose")
    if lost.is_mixed_in:
        raise UnwritableError("its class may be mixed into others too")
    return call_base(lost.own, lost.base)
