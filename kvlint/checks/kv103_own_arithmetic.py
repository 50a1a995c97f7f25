# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV103: a composite works an answer out by itself."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.faults.delegation import consults, is_right_constant, own_answers
from kvlint.findings import Finding, Safety, Severity
from kvlint.mending.members import rewrite_member
from kvlint.mending.requests import fix_or_reason
from kvlint.model.answering.bodies import body_facts
from kvlint.model.classes import Member
from kvlint.project import Project
from kvlint.registry import check
from kvlint.severity import NEVER_INSIDE, undelegated_severity
from kvlint.specs.contract import Question
from kvlint.wording import definition_notes, demand, reader_notes, who_differs

_LOW = Severity.WARNING


@check("KV103")
def own_arithmetic(project: Project) -> Iterator[Finding]:
    """Yield the answers of a composite that never consult the specs in it."""
    for question, own in own_answers(project):
        facts = body_facts(own)
        if facts.is_abstract or facts.only_raises:
            continue
        if consults(project.contract, question, own) or is_right_constant(
            question, own
        ):
            continue
        yield _finding(project, question, own)


def _finding(project: Project, question: Question, own: Member) -> Finding:
    severity, reads = undelegated_severity(project, question)
    fix, unfixable = fix_or_reason(
        lambda: rewrite_member(project, question, own, Safety.UNSAFE)
    )
    return Finding(
        "KV103",
        severity,
        f"`{question.symbol}` never consults the specs that the composite holds, "
        f"though {who_differs(project.contract, question)}: {demand(question)}",
        own.place,
        question.symbol,
        related=(
            *definition_notes(question),
            *reader_notes(reads, harmless=NEVER_INSIDE if severity is _LOW else ""),
        ),
        fix=fix,
        unfixable=unfixable,
    )
