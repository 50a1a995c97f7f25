# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV102: a composite answers from some of its layers and ignores the others."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.faults.delegation import own_answers, unlooked_answer
from kvlint.findings import Finding, Safety, Severity
from kvlint.mending.members import rewrite_member
from kvlint.mending.requests import fix_or_reason
from kvlint.model.answering.answer_flow import Answer
from kvlint.model.answering.answers import How
from kvlint.model.classes import Member
from kvlint.project import Project
from kvlint.registry import check
from kvlint.severity import NEVER_MEET, misdelegated_severity
from kvlint.specs.contract import Question
from kvlint.vocabulary import Combine
from kvlint.wording import definition_notes, demand, reader_notes, who_differs

_LOW = Severity.WARNING
_TAKES = {
    How.ONE: "answers from one of the specs in it",
    How.MAX: "takes the largest answer",
    How.MIN: "takes the smallest answer",
    How.SUM: "adds up the answers",
    How.SUM_OF_SET: "adds up the answers that differ",
    How.ANY: "says yes if any layer does",
    How.ALL: "says yes if all layers do",
    How.LAST: "takes the last answer",
    How.ARBITRARY: "takes an arbitrary answer",
}


@check("KV102")
def unchecked_delegation(project: Project) -> Iterator[Finding]:
    """Yield the answers of a composite that pass over what its layers say."""
    for question, own in own_answers(project):
        answer = unlooked_answer(project.contract, question, own)
        if answer is not None:
            yield _finding(project, question, own, answer)


def _finding(
    project: Project, question: Question, own: Member, answer: Answer
) -> Finding:
    severity, reads = misdelegated_severity(project, question)
    fix, unfixable = None, "the body does more than pass an answer on; mend it by hand"
    if answer.is_plain:
        fix, unfixable = fix_or_reason(
            lambda: rewrite_member(project, question, own, Safety.SAFE)
        )
    return Finding(
        "KV102",
        severity,
        f"`{question.symbol}` {_TAKES[answer.how]}, though "
        f"{who_differs(project.contract, question)} and {_why(question)}: "
        f"{demand(question)}",
        own.place,
        question.symbol,
        related=(
            *definition_notes(question),
            *reader_notes(reads, harmless=NEVER_MEET if severity is _LOW else ""),
        ),
        fix=fix,
        unfixable=unfixable,
    )


def _why(question: Question) -> str:
    if question.combine is Combine.AGREE:
        return "nothing makes sure that the layers agree"
    return "every one counts"
