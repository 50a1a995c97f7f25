# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What changed between two releases, for someone who subclasses or reads specs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kvlint.contracts.aspects import Aspect
from kvlint.contracts.changes import Area, Change, Difference, Family, Turn
from kvlint.contracts.comparing import Comparison
from kvlint.contracts.facts import ClassFacts, ContractFacts, Registration
from kvlint.contracts.lineage import SPEC_ROLES, Lineage


def difference(before: ContractFacts, after: ContractFacts) -> Difference:
    """Return what changed between two releases.

    Args:
        before: The one.
        after: The other.
    """
    changes: list[Change] = []
    for family in Family:
        sides = Lineage(classes(before, family)), Lineage(classes(after, family))
        changes += Comparison(family, *sides).changes()
    changes += _factories(before, after)
    changes += _registrations(before, after)
    return Difference(before.release, after.release, tuple(changes))


def classes(facts: ContractFacts, family: Family) -> Iterable[ClassFacts]:
    """Return the classes of a family."""
    if family is Family.MANAGER:
        return facts.managers
    wants_specs = family is Family.SPEC
    return [each for each in facts.classes if (each.role in SPEC_ROLES) == wants_specs]


def _factories(before: ContractFacts, after: ContractFacts) -> Iterator[Change]:
    """Keywords that managers are, or are no more, always constructed with."""
    old, new = _passed(before), _passed(after)
    spots = {each.function: each.spot for each in after.factories}
    for function in new:
        if function not in old:
            continue
        for turn, names in (
            (Turn.ADDED, new[function] - old[function]),
            (Turn.REMOVED, old[function] - new[function]),
        ):
            for name in sorted(names):
                yield Change(
                    Family.MANAGER,
                    Area.FACTORY,
                    turn,
                    name,
                    (function,),
                    after=spots[function],
                )


def _passed(facts: ContractFacts) -> dict[str, set[str]]:
    passed: dict[str, set[str]] = {}
    for call in facts.factories:
        known = passed.setdefault(call.function, set(call.keywords))
        known &= set(call.keywords)
    return passed


def _registrations(before: ContractFacts, after: ContractFacts) -> Iterator[Change]:
    old = {each.spec: each for each in before.registrations}
    new = {each.spec: each for each in after.registrations}
    for spec in dict.fromkeys([*new, *old]):
        was, now = old.get(spec), new.get(spec)
        turn = Turn.ADDED if was is None else Turn.CHANGED if now else Turn.REMOVED
        aspects = tuple(_registered(was, now))
        if aspects:
            yield Change(
                Family.MANAGER,
                Area.REGISTRATION,
                turn,
                spec,
                (),
                aspects=aspects,
                before=was.spot if was else None,
                after=now.spot if now else None,
            )


def _registered(was: Registration | None, now: Registration | None) -> Iterator[Aspect]:
    sides = was, now
    managers = [each.manager if each else "" for each in sides]
    if managers[0] != managers[1]:
        yield Aspect("manager", *managers)
    absent = "nothing" if was and now else ""
    bases = [(each and each.uniform_base) or absent for each in sides]
    if bases[0] != bases[1]:
        yield Aspect("grouped by", *bases)
