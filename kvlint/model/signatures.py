# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Signatures: whether an override takes every call that its base takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from kvlint.model.classes import Member, Parameter

_KEEPING = frozenset(
    {
        "abstractclassmethod",
        "abstractmethod",
        "abstractproperty",
        "abstractstaticmethod",
        "cache",
        "cached_property",
        "classmethod",
        "deprecated",
        "final",
        "inference_mode",
        "lru_cache",
        "no_grad",
        "override",
        "property",
        "staticmethod",
    }
)
"""Decorators after which a function is called, or read, as it is written."""


class Departure(StrEnum):
    """A way in which an override departs from the signature of its base."""

    MISSING = "a parameter is missing"
    RENAMED = "a parameter is called otherwise"
    FURTHER = "a further parameter is required"
    REQUIRED = "an optional parameter is required"
    BY_KEYWORD = "a parameter is taken by keyword only"
    BY_POSITION = "a parameter is taken by position only"
    REORDERED = "parameters are in another order"
    INSERTED = "a parameter stands before those of the base"


@dataclass(frozen=True, slots=True)
class Difference:
    """A departure.

    Attributes:
        departure: Which.
        name: The parameter: as the base calls it, if the base has it.
        other: What the override calls it, where that is told; of misplaced ones, the
            other parameter that it is about.
        fails_always: No call that the base takes succeeds.
    """

    departure: Departure
    name: str
    other: str = ""
    fails_always: bool = False


def has_plain_decorators(member: Member) -> bool:
    """Return whether no decorator may change how a member is asked."""
    return all(each.rpartition(".")[2] in _KEEPING for each in member.decorators)


def differences(
    override: Sequence[Parameter], base: Sequence[Parameter]
) -> list[Difference]:
    """Return what keeps an override from taking every call that its base takes.

    What the base takes by ``*args`` and ``**kwargs`` is not asked of the override:
    those stand for whatever overrides list.

    Args:
        override: The parameters that its callers see.
        base: Likewise.
    """
    comparison = _Comparison(override, base)
    found = [*comparison.of_the_base(), *comparison.misplaced()]
    told = {each.name for each in found}
    return found + [each for each in comparison.further() if each.name not in told]


class _Comparison:
    """Finds, for each of the base's parameters, the one that takes its values."""

    def __init__(
        self, override: Sequence[Parameter], base: Sequence[Parameter]
    ) -> None:
        self._positional = list(_positional(override))
        self._by_name = {each.name: each for each in override if not _is_variable(each)}
        self._takes_more = "var-positional" in {each.kind for each in override}
        self._takes_any_name = "var-keyword" in {each.kind for each in override}
        self._base = base
        # A name that callers never use says nothing: another may be in its place.
        self._base_names = {
            each.name for each in base if each.kind in {"positional", "keyword-only"}
        }
        self._partners: dict[str, Parameter] = {}
        self._find_partners()

    def _find_partners(self) -> None:
        for number, each in enumerate(_positional(self._base)):
            partner = None
            if each.kind == "positional":
                partner = self._by_name.get(each.name)
            at = self._at(number)
            if partner is None and at and at.name not in self._base_names:
                partner = at
            if partner is not None:
                self._partners[each.name] = partner
        for each in self._base:
            if each.kind == "keyword-only" and each.name in self._by_name:
                self._partners[each.name] = self._by_name[each.name]

    def _at(self, number: int) -> Parameter | None:
        return self._positional[number] if number < len(self._positional) else None

    def of_the_base(self) -> Iterator[Difference]:
        """Parameters of the base that the override does not take as it does."""
        for number, each in enumerate(_positional(self._base)):
            partner, at = self._partners.get(each.name), self._at(number)
            if partner is None:
                yield from self._unmatched(each, at)
            elif partner.kind == "keyword-only":
                is_caught = at is None and self._takes_more
                if not is_caught or partner.default is None:
                    yield Difference(Departure.BY_KEYWORD, each.name)
                yield from _required(each, partner)
            else:
                yield from self._matched(each, partner)
        for each in self._base:
            if each.kind == "keyword-only":
                yield from self._by_keyword(each)

    def _matched(self, each: Parameter, partner: Parameter) -> Iterator[Difference]:
        is_caught = self._takes_any_name and partner.default is not None
        if each.kind == "positional" and not is_caught:
            if partner.kind == "positional-only":
                yield Difference(Departure.BY_POSITION, each.name)
            elif partner.name != each.name:
                yield Difference(Departure.RENAMED, each.name, partner.name)
        yield from _required(each, partner)

    def _unmatched(self, each: Parameter, at: Parameter | None) -> Iterator[Difference]:
        is_required = each.default is None
        takes_position = at is None and self._takes_more
        if each.kind == "positional-only":
            if takes_position:
                return
            named = self._by_name.get(each.name)
            is_there = named is not None and named.kind == "keyword-only"
            departure = Departure.BY_KEYWORD if is_there else Departure.MISSING
            yield Difference(departure, each.name, fails_always=is_required)
            return
        if not takes_position and not self._takes_any_name:
            yield Difference(Departure.MISSING, each.name, fails_always=is_required)
        elif not takes_position:
            yield Difference(Departure.BY_KEYWORD, each.name)
        elif not self._takes_any_name:
            yield Difference(Departure.BY_POSITION, each.name)

    def _by_keyword(self, each: Parameter) -> Iterator[Difference]:
        is_required = each.default is None
        partner = self._partners.get(each.name)
        if partner is None:
            if not self._takes_any_name:
                yield Difference(Departure.MISSING, each.name, fails_always=is_required)
            return
        is_caught = self._takes_any_name and partner.default is not None
        if partner.kind == "positional-only" and not is_caught:
            yield Difference(Departure.BY_POSITION, each.name, fails_always=is_required)
        yield from _required(each, partner)

    def further(self) -> Iterator[Difference]:
        """Parameters that the override alone has, and requires."""
        base_kinds = {each.kind for each in self._base}
        matched = set(self._partners.values())
        for each in self._by_name.values():
            if each in matched or each.default is not None:
                continue
            by_position = each.kind != "keyword-only" and "var-positional" in base_kinds
            by_name = each.kind != "positional-only" and "var-keyword" in base_kinds
            if not by_position and not by_name:
                yield Difference(Departure.FURTHER, each.name, fails_always=True)

    def misplaced(self) -> Iterator[Difference]:
        """Parameters that both have, where a position means another one."""
        places = {each.name: at for at, each in enumerate(self._positional)}
        common = [
            (places[partner.name], each.name)
            for each in _positional(self._base)
            if (partner := self._partners.get(each.name)) and partner.name in places
        ]
        for (place, name), (following, other) in zip(common, common[1:], strict=False):
            if following < place:
                yield Difference(Departure.REORDERED, name, other)
        matched, at_home = set(self._partners.values()), {at for at, _ in common}
        for at, each in enumerate(self._positional):
            behind = [name for place, name in common if place > at]
            is_further = each not in matched and each.default is None
            if at not in at_home and behind and not is_further:
                yield Difference(Departure.INSERTED, each.name, behind[0])


def _required(each: Parameter, partner: Parameter) -> Iterator[Difference]:
    if each.default is not None and partner.default is None:
        yield Difference(Departure.REQUIRED, each.name, partner.name)


def _positional(parameters: Iterable[Parameter]) -> Iterator[Parameter]:
    for each in parameters:
        if each.kind in {"positional-only", "positional"}:
            yield each


def _is_variable(parameter: Parameter) -> bool:
    return parameter.kind in {"var-positional", "var-keyword"}
