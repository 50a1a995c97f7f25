# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV101: a composite inherits a default where its layers override it."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.findings import Finding, Severity
from kvlint.mending.members import insert_member
from kvlint.mending.requests import fix_or_reason
from kvlint.model.answering.bodies import body_facts
from kvlint.model.classes import Field
from kvlint.project import Project
from kvlint.registry import check
from kvlint.severity import NEVER_INSIDE, undelegated_severity
from kvlint.specs.contract import Question, is_concrete
from kvlint.wording import definition_notes, demand, reader_notes, who_differs

_LOW = Severity.WARNING


@check("KV101")
def undelegated_member(project: Project) -> Iterator[Finding]:
    """Yield the members that a composite leaves to the inherited default."""
    for composite in project.composites():
        for question in project.questions(composite):
            if _is_undelegated(question) and not project.is_reported_above(question):
                yield _finding(project, question)


def _is_undelegated(question: Question) -> bool:
    return (
        question.own is None
        and bool(question.overriders)
        and not isinstance(question.inherited, Field)
        and is_concrete(question.inherited)
        # A copier asks nothing: KV105 looks after those.
        and body_facts(question.inherited).replaced is None
    )


def _finding(project: Project, question: Question) -> Finding:
    spec = question.composite.spec
    severity, reads = undelegated_severity(project, question)
    owner = question.inherited.owner.name
    fix, unfixable = fix_or_reason(lambda: insert_member(project, question))
    return Finding(
        "KV101",
        severity,
        f"`{spec.name}` inherits `{question.name}` from `{owner}`, but "
        f"{who_differs(project.contract, question)}: {demand(question)}",
        spec.place,
        question.symbol,
        related=(
            *definition_notes(question),
            *reader_notes(reads, harmless=NEVER_INSIDE if severity is _LOW else ""),
        ),
        fix=fix,
        unfixable=unfixable,
        suppressible_lines=spec.header_lines,
    )
