# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Why a call with certain arguments can never succeed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from kvlint.model.classes import Parameter


class Why(StrEnum):
    """What keeps a call from succeeding."""

    NOT_TAKEN = "a keyword is not taken"
    TWICE = "a keyword names a parameter that has been passed by position"
    NOT_BY_POSITION = "more is passed by position than is taken"
    NOT_PASSED = "a required parameter is not passed"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A reason why a call fails.

    Attributes:
        why: Which.
        name: The keyword or the parameter; empty if there is none.
    """

    why: Why
    name: str = ""


def refusals(
    parameters: Sequence[Parameter],
    positionals: int,
    keywords: Sequence[str],
    further: Collection[str] | None = (),
) -> list[Refusal]:
    """Return why a call fails whatever the values are; nothing if it may succeed.

    Args:
        parameters: What is called takes these.
        positionals: How many arguments are passed by position.
        keywords: What is always passed by keyword.
        further: What may be passed besides; None if that is not known.
    """
    return list(_refusals(parameters, positionals, keywords, further))


def _refusals(
    parameters: Sequence[Parameter],
    positionals: int,
    keywords: Sequence[str],
    further: Collection[str] | None,
) -> Iterator[Refusal]:
    kinds = {each.kind for each in parameters}
    ordered = [x for x in parameters if x.kind in {"positional-only", "positional"}]
    filled = ordered[:positionals]
    if positionals > len(ordered) and "var-positional" not in kinds:
        yield Refusal(Why.NOT_BY_POSITION)
    named = {x.name for x in parameters if x.kind in {"positional", "keyword-only"}}
    for keyword in keywords:
        if keyword in {each.name for each in filled} & named:
            yield Refusal(Why.TWICE, keyword)
        elif keyword not in named and "var-keyword" not in kinds:
            yield Refusal(Why.NOT_TAKEN, keyword)
    passed = {*keywords, *(further or ())} & named
    for each in parameters:
        is_required = each.default is None and not each.kind.startswith("var-")
        is_passed = each in filled or each.name in passed
        if is_required and not is_passed and further is not None:
            yield Refusal(Why.NOT_PASSED, each.name)
