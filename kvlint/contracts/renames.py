# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Names that a release lost and names that it gained instead: likely renames.

No name is known here. A pair is likely where every class that lost the one gained the
other, of the same kind and type, and where something besides speaks for it: the same
members read it, the same classes override it, it stands same place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kvlint.contracts.facts import ClassFacts, FieldFacts, MemberFacts
from kvlint.contracts.lineage import Definition, Lineage, own

_ENOUGH = 3
_WEAK_DEFAULTS = frozenset({None, "None", "False", "True", "0"})
_PLAIN_TYPES = frozenset({"int", "bool", "str", "float", "None"})
_FILLERS = frozenset({"get", "set", "is", "has", "num", "max", "min", "per", "of"})


@dataclass(frozen=True, slots=True)
class Rename:
    """A name that likely has another one now.

    Attributes:
        old: The name that is gone.
        new: The name that came.
        classes: The classes that lost the one and gained the other.
        evidence: What speaks for it, as words.
    """

    old: str
    new: str
    classes: tuple[str, ...]
    evidence: tuple[str, ...]


def likely_renames(before: Lineage, after: Lineage) -> tuple[Rename, ...]:
    """Return the likely renames of fields and members between two releases.

    Args:
        before: A family of classes in the one.
        after: The same family in the other.

    Returns:
        Each name at most once on either side, in the order in which they went.
    """
    lost = _turnover(before, after)
    gained = _turnover(after, before)
    weighed = []
    for old, losers in lost.items():
        for new, gainers in gained.items():
            if not losers.keys() <= gainers.keys():
                continue
            pairs = [(losers[each], gainers[each]) for each in losers]
            if all(_fits(*pair) for pair in pairs):
                found = _evidence(_Case(before, after, old, new, tuple(losers)), pairs)
                weight = sum(found.values())
                if weight >= _ENOUGH:
                    weighed.append((weight, old, new, tuple(losers), tuple(found)))
    best_old = _best((weight, old) for weight, old, *_ in weighed)
    best_new = _best((weight, new) for weight, _, new, *_ in weighed)
    return tuple(
        Rename(old, new, classes, evidence)
        for weight, old, new, classes, evidence in weighed
        if best_old[old] == (weight, 1) and best_new[new] == (weight, 1)
    )


def _turnover(here: Lineage, there: Lineage) -> dict[str, dict[str, Definition]]:
    """Names that classes have here and no more there, and what answers to them."""
    found: dict[str, dict[str, Definition]] = {}
    for name, facts in here.classes.items():
        other = there.classes.get(name)
        if other is None:
            continue
        known = there.names(other)
        for member in here.names(facts):
            answer = here.answer(facts, member)
            if member not in known and answer and not member.startswith("_"):
                found.setdefault(member, {})[name] = answer.definition
    return found


def _best(weighed: Iterable[tuple[int, str]]) -> dict[str, tuple[int, int]]:
    """The greatest weight of each name, and how many pairs have it."""
    best: dict[str, tuple[int, int]] = {}
    for weight, name in weighed:
        known, count = best.get(name, (0, 0))
        if weight >= known:
            best[name] = (weight, count + 1 if weight == known else 1)
    return best


def _fits(old: Definition, new: Definition) -> bool:
    """Whether the one can stand for the other: kind, type and parameters agree."""
    if isinstance(old, FieldFacts) or isinstance(new, FieldFacts):
        return (
            isinstance(old, FieldFacts)
            and isinstance(new, FieldFacts)
            and _types_fit(old.type, new.type)
        )
    return (
        old.kind == new.kind
        and old.is_async == new.is_async
        and old.is_abstract == new.is_abstract
        and _types_fit(old.returns, new.returns)
        and [each.kind for each in old.parameters]
        == [each.kind for each in new.parameters]
    )


def plain_type(text: str | None) -> str:
    """Return a type's text without quotes and white space, ``Optional`` spelt out."""
    bare = re.sub(r"[\"'\s]", "", text or "")
    inner = re.fullmatch(r"(?:typing\.)?Optional\[(.*)\]", bare)
    return f"{inner[1]}|None" if inner else bare


def _types_fit(old: str | None, new: str | None) -> bool:
    """Whether types are the same, or one is a part of the other's union."""
    olds, news = set(plain_type(old).split("|")), set(plain_type(new).split("|"))
    return olds <= news or news <= olds


@dataclass(frozen=True)
class _Case:
    before: Lineage
    after: Lineage
    old: str
    new: str
    classes: tuple[str, ...]


def _evidence(
    case: _Case, pairs: list[tuple[Definition, Definition]]
) -> dict[str, int]:
    """What speaks for a rename, with its weight."""
    old, new = pairs[0]
    found: dict[str, int] = {}
    readers = _users(case.before, case.old, _reads) & _users(
        case.after, case.new, _reads
    )
    if readers:
        found[f"read by {sorted(readers)[0]} before and after"] = 3
    compared = _users(case.before, case.old, _compared) & _users(
        case.after, case.new, _compared
    )
    if compared:
        found[f"compared by {sorted(compared)[0]} before and after"] = 3
    overriders = _definers(case.before, case.old) & _definers(case.after, case.new)
    if len(overriders) > 1:
        found["defined by the same classes"] = 2
    found |= _same_value(old, new)
    if _same_type(old, new):
        found["same type"] = 1
    if isinstance(old, MemberFacts) and isinstance(new, MemberFacts):
        if old.reads and old.reads == new.reads and not old.is_abstract:
            found["reads the same"] = 2
        names = [each.name for each in old.parameters]
        if names and names == [each.name for each in new.parameters]:
            found["same parameters"] = 1
    found |= _same_place(case)
    if _words(case.old) & _words(case.new):
        found["names alike"] = 1
    return found


def _same_value(old: Definition, new: Definition) -> dict[str, int]:
    values = [
        each.default if isinstance(each, FieldFacts) else each.constant
        for each in (old, new)
    ]
    if values[0] is None or values[0] != values[1]:
        return {}
    told = "default" if isinstance(old, FieldFacts) else "answer"
    return {f"same {told} {values[0]}": 1 if values[0] in _WEAK_DEFAULTS else 2}


def _same_type(old: Definition, new: Definition) -> bool:
    kinds = [
        plain_type(each.type if isinstance(each, FieldFacts) else each.returns)
        for each in (old, new)
    ]
    return kinds[0] == kinds[1] and bool(kinds[0])


def _same_place(case: _Case) -> dict[str, int]:
    """Whether what stands beside them in a body is the same."""
    for name in case.classes:
        sides = [
            _neighbours(case.before.classes[name], case.old),
            _neighbours(case.after.classes[name], case.new),
        ]
        if not all(sides):
            continue
        (above, below, index), (above_now, below_now, index_now) = (
            side for side in sides if side
        )
        same = (above == above_now) + (below == below_now)
        if index == index_now or same == 2:
            return {"at the same place": 2}
        if same:
            return {"same neighbour": 1}
    return {}


def _neighbours(facts: ClassFacts, name: str) -> tuple[str, str, int] | None:
    definition = own(facts).get(name)
    if definition is None:
        return None
    kin = facts.fields if isinstance(definition, FieldFacts) else facts.members
    names = [each.name for each in kin]
    index = names.index(name)
    above = names[index - 1] if index else ""
    return above, "".join(names[index + 1 : index + 2]), index


def _reads(member: MemberFacts) -> Iterable[str]:
    return member.reads


def _compared(member: MemberFacts) -> Iterable[str]:
    return member.compared


def _users(
    lineage: Lineage, name: str, uses: Callable[[MemberFacts], Iterable[str]]
) -> set[str]:
    """Members that use a name, as ``Class.member``."""
    return {
        f"{facts.name}.{member.name}"
        for facts in lineage.classes.values()
        for member in facts.members
        if name in uses(member)
    }


def _definers(lineage: Lineage, name: str) -> set[str]:
    return {facts.name for facts in lineage.classes.values() if name in own(facts)}


def _words(name: str) -> set[str]:
    return {each.rstrip("s") for each in name.split("_")} - _FILLERS
