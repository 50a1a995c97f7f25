# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Whether a group answers as its layers do, by the table that the checker has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kvlint.verifying.results import Status
from kvlint.vocabulary import Combine

Answer = Mapping[str, Any]


@dataclass(frozen=True)
class Judgement:
    """What one case says of a member.

    Attributes:
        status: Whether the answers agree.
        group: What the group answers.
        layers: What each layer answers.
        expected: What the group should answer.
        field: The part that differs.
        is_sure: Whether the layers agree, so that there is one right answer.
        is_copy: The answers are copies.
        reason: Why nothing can be said.
    """

    status: Status
    group: Any = None
    layers: tuple[Any, ...] = ()
    expected: Any = None
    field: str = ""
    is_sure: bool = True
    is_copy: bool = False
    reason: str = ""


def judge(combine: Combine, answer: Answer, pages: Answer | None) -> Judgement | None:
    """Return what one case says of a member.

    Args:
        combine: How a composite must combine its layers' answers.
        answer: What was answered.
        pages: What was answered to the size of a page, for ``Combine.PAGES``.

    Returns:
        None if the layers themselves give no answer.
    """
    group = answer["group"]
    if "unknown" in group:
        return Judgement(Status.NOT_TRIED, reason=group["unknown"])
    if "copy" in answer:
        return _copied(group, answer["copy"])
    layers = answer["layers"]
    for each in layers:
        if "unknown" in each:
            return Judgement(Status.NOT_TRIED, reason=each["unknown"])
    if group.get("abstract"):
        return Judgement(Status.ABSTRACT)
    if not all("value" in each for each in layers):
        return None
    values = tuple(each["value"] for each in layers)
    agreed = all(each == values[0] for each in values)
    if combine is Combine.PAGES:
        weighed = _pages(values, pages)
        if weighed is None:
            return None
        expected = weighed
    elif combine is Combine.AGREE or not _fits(combine, values):
        if not agreed:
            if "raised" in group:
                return Judgement(Status.AGREES)
            return Judgement(Status.DISAGREES, group["value"], values, is_sure=False)
        expected = values[0]
    else:
        expected = _WAYS[combine](values)
    if "raised" in group:
        told = {"~": "raised", "text": f"{group['raised']}: {group['text']}"}
        return Judgement(Status.DISAGREES, told, values, expected)
    same = group["value"] == expected
    status = Status.AGREES if same else Status.DISAGREES
    return Judgement(status, group["value"], values, expected)


_WAYS: Mapping[Combine, Callable[[Sequence[Any]], Any]] = {
    Combine.SUM: sum,
    Combine.ALL: all,
    Combine.MAX: max,
}


def _fits(combine: Combine, values: Sequence[Any]) -> bool:
    """Whether there is a way to combine such answers but agreement."""
    return combine in _WAYS and all(isinstance(each, (int, float)) for each in values)


def _pages(values: Sequence[Any], pages: Answer | None) -> int | None:
    """The largest number of pages of any layer, times the group's page."""
    sizes = [each.get("value") for each in pages["layers"]] if pages else []
    if not sizes or not all(isinstance(each, int) and each for each in sizes):
        return None
    most = max(-(-each // size) for each, size in zip(values, sizes, strict=True))
    return int(most * sum(sizes))


def _copied(group: Answer, afresh: Answer) -> Judgement:
    """Compare a copy with a group made afresh of the same layers."""
    if "raised" in group:
        told = {"~": "raised", "text": f"{group['raised']}: {group['text']}"}
        return Judgement(Status.DISAGREES, told, ("a copy",), "a copy", is_copy=True)
    found = difference(group["value"], afresh["value"])
    if found is None:
        return Judgement(Status.AGREES)
    field, one, other = found
    return Judgement(Status.DISAGREES, one, (other,), other, field, is_copy=True)


def difference(one: Any, other: Any, path: str = "") -> tuple[str, Any, Any] | None:
    """Return the first part in which two values differ: its path, and both."""
    if one == other:
        return None
    if isinstance(one, dict) and isinstance(other, dict):
        if one.get("~") == other.get("~") == "spec":
            pairs = [
                (f"{path}.{name}", each, other["fields"].get(name))
                for name, each in one["fields"].items()
            ]
            # A plain field says more than one that is compared as a whole.
            for at, mine, theirs in pairs:
                found = difference(mine, theirs, at)
                if found is not None:
                    return found
        if one.get("~") == other.get("~") == "dict":
            for (key, mine), (_, theirs) in zip(
                one["items"], other["items"], strict=False
            ):
                found = difference(mine, theirs, f"{path}[{key!r}]")
                if found is not None:
                    return found
    return path.removeprefix("."), one, other
