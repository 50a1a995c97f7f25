# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV104: a composite leaves a field at its default while its layers set it."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.faults.fields import UnmirroredField, unmirrored_fields
from kvlint.findings import Finding, Related, Severity
from kvlint.mending.mirroring import mirror_field
from kvlint.mending.requests import fix_or_reason
from kvlint.project import Project
from kvlint.registry import check
from kvlint.specs.contract import Question
from kvlint.wording import names, reader_notes

_MOST_PRODUCERS = 5


@check("KV104")
def unmirrored_field(project: Project) -> Iterator[Finding]:
    """Yield the base's fields that a composite does not take over from its layers."""
    for unmirrored in unmirrored_fields(project):
        if not project.is_reported_above(unmirrored.question):
            yield _finding(project, unmirrored)


def _finding(project: Project, unmirrored: UnmirroredField) -> Finding:
    question, field = unmirrored.question, unmirrored.field
    spec = question.composite.spec
    reads = project.group_reads(question.name)
    through = ""
    if unmirrored.members:
        through = f" (read by {names(each.name for each in unmirrored.members)})"
    fix, unfixable = fix_or_reason(lambda: mirror_field(project, question, field))
    return Finding(
        "KV104",
        Severity.ERROR if reads else Severity.WARNING,
        f"`{spec.name}` leaves `{question.name}`{through} at the default of "
        f"`{field.owner.name}` while {_setters(question)} it: take it over from the "
        "specs in `__post_init__`",
        spec.place,
        question.symbol,
        related=(
            Related(field.place, "the default that it is left at"),
            *(
                Related(each.definition.place, f"`{each.name}` has another default")
                for each in question.overriders
            ),
            *(
                Related(place, "a spec gets its own value here")
                for place in unmirrored.producers[:_MOST_PRODUCERS]
            ),
            *(
                Related(each.place, f"`{each.name}` reads it")
                for each in unmirrored.members
            ),
            *reader_notes(reads),
        ),
        fix=fix,
        unfixable=unfixable,
        suppressible_lines=spec.header_lines,
    )


def _setters(question: Question) -> str:
    if not question.overriders:
        return "the specs in it set"
    verb = "sets" if len(question.overriders) == 1 else "set"
    return f"{names(each.name for each in question.overriders)} {verb}"
