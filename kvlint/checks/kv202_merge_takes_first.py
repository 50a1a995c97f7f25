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
    member, build = take.found.member, take.found.build
    assert build is not None
    fields = [*take.firsts, *(field for field, _ in take.arbitrary)]
    taken = names((each.name for each in fields), len(fields))
    file = member.owner.file
    fix, unfixable = fix_or_reason(lambda: compare_fields(project, take))
    return Finding(
        "KV202",
        Severity.WARNING,
        f"`{member.symbol}` takes {taken} of {_source(take)}, and nothing makes sure "
        "that the others agree: compare them",
        file.place(build.call.func),
        member.symbol,
        related=tuple(
            Related(file.place(build.given[each.name]), f"`{each.name}` is taken here")
            for each in fields
            if each.name in build.given
        ),
        fix=fix,
        unfixable=unfixable,
    )


def _source(take: Take) -> str:
    if take.firsts and take.arbitrary:
        return "one spec"
    return "the first spec" if take.firsts else "an arbitrary spec"
