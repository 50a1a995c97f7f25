# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV201: a merge of specs builds one without a field that they have."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.faults.losses import Loss, losses
from kvlint.findings import Finding, Related, Severity
from kvlint.mending.keeping import keep_fields
from kvlint.mending.requests import fix_or_reason
from kvlint.project import Project
from kvlint.registry import check
from kvlint.wording import names

_MOST_PRODUCERS = 5


@check("KV201")
def merge_drops_field(project: Project) -> Iterator[Finding]:
    """Yield the merges that lose fields of the specs that they are given."""
    for loss in losses(project):
        yield _finding(project, loss)


def _finding(project: Project, loss: Loss) -> Finding:
    spec, member = loss.spec, loss.found.member
    build = loss.found.build
    assert build is not None
    is_certain = loss.required or any(each.own for each in loss.lost)
    place = member.owner.file.place(build.call.func)
    if loss.is_inherited:
        place = spec.place
    fix, unfixable = fix_or_reason(lambda: keep_fields(project, loss))
    return Finding(
        "KV201",
        Severity.ERROR if is_certain else Severity.WARNING,
        _message(loss),
        place,
        member.symbol if not loss.is_inherited else f"{spec.name}.{member.name}",
        related=tuple(_notes(loss)),
        suppressible_lines=spec.header_lines if loss.is_inherited else frozenset(),
        fix=fix,
        unfixable=unfixable,
    )


def _message(loss: Loss) -> str:
    member = loss.found.member
    whole, remedy = f"`{member.symbol}`", "pass"
    if loss.is_inherited:
        whole = f"`{loss.spec.name}` inherits {whole}, which"
        remedy = "override it and pass"
    fields = loss.required or tuple(each.field for each in loss.lost)
    left_out = names((each.name for each in fields), len(fields))
    them = "it" if len(fields) == 1 else "them"
    start = f"{whole} builds `{loss.spec.name}` without {left_out}"
    if loss.required:
        have = "has" if len(fields) == 1 else "have"
        return (
            f"{start}, which {have} no default: every merge fails; {remedy} {them} on"
        )
    return (
        f"{start}: whatever the specs have there is lost; {remedy} {them} on and "
        "insist that they agree"
    )


def _notes(loss: Loss) -> Iterator[Related]:
    for field in loss.required:
        yield Related(field.place, f"`{field.name}` has no default")
    for each in loss.lost:
        field = each.field
        yield Related(field.place, f"the default that `{field.name}` is left at")
        for place in each.own[:_MOST_PRODUCERS]:
            yield Related(place, "a spec gets its own value here")
        for place in each.beside[:_MOST_PRODUCERS]:
            yield Related(place, "a spec of a class beside it gets its own value here")
    if loss.is_inherited:
        build = loss.found.build
        assert build is not None
        place = loss.found.member.owner.file.place(build.call.func)
        yield Related(place, "the merged spec is built here")
