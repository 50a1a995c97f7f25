# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV105: an inherited copier changes a composite and not the specs in it."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.faults.stale_copies import stale_fields
from kvlint.findings import Finding, Related, Severity
from kvlint.mending.copying import copy_member
from kvlint.mending.requests import fix_or_reason
from kvlint.model.answering.bodies import body_facts
from kvlint.model.classes import Member
from kvlint.project import Project
from kvlint.registry import check
from kvlint.specs.contract import Question
from kvlint.wording import names


@check("KV105")
def stale_copy(project: Project) -> Iterator[Finding]:
    """Yield the inherited copiers that leave the wrapped specs as they were."""
    for composite in project.composites():
        for question in project.questions(composite):
            changed = _changed(project, question)
            if changed and not project.is_reported_above(question):
                yield _finding(project, question, changed)


def _changed(project: Project, question: Question) -> list[str]:
    """The fields that a copier changes on a composite and its specs have too."""
    inherited = question.inherited
    if question.own is not None or not isinstance(inherited, Member):
        return []
    replaced = body_facts(inherited).replaced or frozenset()
    return stale_fields(project.contract, question.composite, replaced)


def _finding(project: Project, question: Question, changed: list[str]) -> Finding:
    spec = question.composite.spec
    owner = question.inherited.owner.name
    fields = "fields" if changed == ["**"] else names(changed)
    holders = names(holder.name for holder in question.composite.holders)
    left = f"the specs in {holders} as they were: copy every one of them too"
    if question.composite.holds_one:
        left = f"the spec in {holders} as it was: copy it too"
    fix, unfixable = fix_or_reason(lambda: copy_member(project, question))
    return Finding(
        "KV105",
        Severity.WARNING,
        f"`{spec.name}` inherits `{question.name}` from `{owner}`, which changes "
        f"{fields} of the copy and leaves {left}",
        spec.place,
        question.symbol,
        related=(Related(question.inherited.place, "the copier that it inherits"),),
        fix=fix,
        unfixable=unfixable,
        suppressible_lines=spec.header_lines,
    )
