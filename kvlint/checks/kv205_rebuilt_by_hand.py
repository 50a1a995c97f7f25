# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV205: a spec is rebuilt field by field, and fields are lost."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.faults.rebuilds import Rebuild, rebuilds
from kvlint.findings import Finding, Related, Severity
from kvlint.mending.replacing import replace_call
from kvlint.mending.requests import fix_or_reason
from kvlint.project import Project
from kvlint.registry import check
from kvlint.wording import names

_MOST_PLACES = 3


@check("KV205")
def rebuilt_by_hand(project: Project) -> Iterator[Finding]:
    """Yield the constructor calls that copy a spec and lose fields of it."""
    for each in rebuilds(project):
        yield _finding(project, each)


def _finding(project: Project, rebuild: Rebuild) -> Finding:
    target, function = rebuild.target.name, rebuild.function
    fix, unfixable = fix_or_reason(lambda: replace_call(project, rebuild))
    remedy = f"pass {'it' if len(rebuild.lost) == 1 else 'them'} on, or copy all fields"
    if rebuild.keeps_class:
        remedy = f"write `dataclasses.replace({rebuild.source}, ...)`"
    owner = f"{function.class_name}." if function.class_name else ""
    return Finding(
        "KV205",
        Severity.WARNING,
        f"`{target}` is built from `{rebuild.source}` field by field and loses "
        f"{names(rebuild.lost)}, of which the new spec gets the default: {remedy}",
        function.place(rebuild.call.func),
        owner + function.node.name.value,
        related=tuple(
            Related(place, f"`{name}` is set here")
            for name, places in rebuild.lost.items()
            for place in places[:1]
        )[:_MOST_PLACES],
        fix=fix,
        unfixable=unfixable,
    )
