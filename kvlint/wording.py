# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Sentences that several rules share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kvlint.findings import Related
from kvlint.specs.contract import Contract, Question, is_concrete
from kvlint.uses.group_reads import GroupRead
from kvlint.vocabulary import Combine

_DEMANDS = {
    Combine.AGREE: "ask every spec in {holders} and insist that they agree",
    Combine.SUM: "add up the answers of the specs in {holders}",
    Combine.PAGES: "take the most pages that any spec in {holders} needs",
    Combine.ALL: "say yes only if every spec in {holders} does",
    Combine.MAX: "take the largest answer of the specs in {holders}",
}
_MOST_NAMED = 4


def names(words: Iterable[str], most: int = _MOST_NAMED) -> str:
    """Return names in back quotes: ``a``, ``b`` and ``c``, or how many more.

    Args:
        words: The names.
        most: How many are told at most.
    """
    quoted = [f"`{word}`" for word in dict.fromkeys(words)]
    if len(quoted) > most:
        quoted[most - 1 :] = [f"{len(quoted) - most + 1} others"]
    return " and ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))


def who_differs(contract: Contract, question: Question) -> str:
    """Return who overrides the inherited answer: ``a`` and ``b`` override it."""
    if not question.overriders:
        return "each layer has its own answer"
    several = len(question.overriders) > 1
    owner, hierarchy = question.inherited.owner, contract.hierarchy
    verb = "override it" if several else "overrides it"
    if not all(
        hierarchy.is_below(x.definition.owner, owner) for x in question.overriders
    ):
        verb = "answer otherwise" if several else "answers otherwise"
    return f"{names(each.name for each in question.overriders)} {verb}"


def demand(question: Question) -> str:
    """Return what a composite must do to answer a question."""
    holders = names(holder.name for holder in question.composite.holders)
    if question.composite.holds_one:
        return f"ask the spec in {holders}"
    return _DEMANDS[question.combine].format(holders=holders)


def definition_notes(question: Question) -> list[Related]:
    """Return the places of the inherited definition and of those that override it."""
    notes = []
    if is_concrete(question.inherited):
        owner = question.inherited.owner.name
        notes.append(Related(question.inherited.place, f"the default of `{owner}`"))
    notes += [
        Related(each.definition.place, f"`{each.name}` answers otherwise")
        for each in question.overriders
    ]
    return notes


def reader_notes(reads: Sequence[GroupRead], *, harmless: str = "") -> list[Related]:
    """Return the places that read a member off a group spec.

    Args:
        reads: The reads.
        harmless: Why they do no harm today, if they do none.
    """
    seen = "read here off a group's spec"
    told = (
        f"{seen}: harmless while {harmless}"
        if harmless
        else (f"{seen}, which may be a composite")
    )
    return [Related(read.place, told) for read in reads]
