# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV202: a merge takes a field of one spec, and nothing says that the others agree."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.faults.takes import Take, takes
from kvlint.findings import Finding, Related, Severity
from kvlint.mending.keeping import compare_fields
from kvlint.mending.requests import fix_or_reason
from kvlint.project import Project
from kvlint.registry import check
from kvlint.wording import names


@check("KV202")
def merge_takes_first(project: Project) -> Iterator[Finding]:
    """Yield the merges that let one spec speak for all."""
    for take in takes(project):
        yield _finding(project, take)


def _finding(project: Project, take: Take) -> Finding:
    member = take.found.member
    fields = [*take.firsts, *(field for field, _ in take.arbitrary)]
    taken = names((each.name for each in fields), len(fields))
    file = member.owner.file
    fix, unfixable = None, "it takes the spec, or what another merge gave, as a whole"
    if take.found.build is not None:
        fix, unfixable = fix_or_reason(lambda: compare_fields(project, take))
    return Finding(
        "KV202",
        Severity.WARNING,
        f"`{member.symbol}` takes {taken} of {_source(take)}, and nothing makes sure "
        "that the others agree: compare them",
        file.place(take.node),
        member.symbol,
        related=tuple(
            Related(file.place(take.given[each.name]), f"`{each.name}` is taken here")
            for each in fields
            if each.name in take.given
        ),
        fix=fix,
        unfixable=unfixable,
    )


def _source(take: Take) -> str:
    if take.firsts and take.arbitrary:
        return "one spec"
    return "the first spec" if take.firsts else "an arbitrary spec"
