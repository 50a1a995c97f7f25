# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV401: an override does not take the calls that its base takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kvlint.faults.overrides import is_unconditional, overrides
from kvlint.findings import Finding, Related, Severity
from kvlint.mending.overrides import adapt_signature
from kvlint.mending.requests import fix_or_reason
from kvlint.model.answering.bodies import body_facts
from kvlint.model.classes import Member, MemberKind
from kvlint.model.signatures import (
    Departure,
    Difference,
    differences,
    has_plain_decorators,
)
from kvlint.project import Project
from kvlint.registry import check

_CALLED = {MemberKind.METHOD, MemberKind.CLASSMETHOD, MemberKind.STATICMETHOD}
_ADMITTED = re.compile(r"#\s*(type|pyright|ty|pyrefly):\s*ignore\[[^]]*override", re.I)
"""A word to a type checker that the signature departs from the base's on purpose."""
_SAID = {
    Departure.MISSING: "lacks {}",
    Departure.RENAMED: "renames {}",
    Departure.FURTHER: "requires {} as well",
    Departure.REQUIRED: "requires {}, which callers may leave out",
    Departure.BY_KEYWORD: "takes {} by keyword only",
    Departure.BY_POSITION: "takes {} by position only",
    Departure.REORDERED: "takes {}",
    Departure.INSERTED: "takes {}",
}
_REMEDIES = {
    Departure.MISSING: "take it too",
    Departure.RENAMED: "keep the name",
    Departure.FURTHER: "give it a default",
    Departure.REQUIRED: "give it a default",
    Departure.BY_KEYWORD: "take it by position too",
    Departure.BY_POSITION: "take it by keyword too",
    Departure.REORDERED: "keep the order",
    Departure.INSERTED: "put it behind the parameters of the base",
}


@check("KV401")
def override_signature(project: Project) -> Iterator[Finding]:
    """Yield the overrides that do not take every call of their base."""
    for override in overrides(project):
        own, base = override.own, override.base
        if not isinstance(own, Member) or not isinstance(base, Member):
            continue
        if not _are_called_alike(own, base) or _is_meant(own):
            continue
        found = differences(own.parameters, base.parameters)
        if found and all(map(_is_certain, (own, base))):
            yield _finding(project, own, base, found)


def _are_called_alike(own: Member, base: Member) -> bool:
    """Whether both are called, and the override where the base is."""
    is_found = own.kind is not MemberKind.METHOD or base.kind is MemberKind.METHOD
    return {own.kind, base.kind} <= _CALLED and is_found


def _is_meant(own: Member) -> bool:
    """Whether the override is not to be called like its base, and says so."""
    line = own.owner.file.tree.source.line(own.place.line)
    return body_facts(own).only_raises or _ADMITTED.search(line) is not None


def _is_certain(member: Member) -> bool:
    return has_plain_decorators(member) and is_unconditional(member)


def _finding(
    project: Project, own: Member, base: Member, found: Sequence[Difference]
) -> Finding:
    fails_always = any(each.fails_always for each in found)
    failure = (
        f"cannot be called as `{base.symbol}` is"
        if fails_always
        else f"does not take every call that `{base.symbol}` takes"
    )
    remedy = f"take the parameters of `{base.owner.name}`"
    if len(found) == 1:
        remedy = _REMEDIES[found[0].departure]
    resolver = project.contract.hierarchy.resolver
    fix, unfixable = fix_or_reason(lambda: adapt_signature(resolver, own, base, found))
    return Finding(
        "KV401",
        Severity.ERROR if fails_always else Severity.WARNING,
        f"`{own.symbol}` {failure}: it {_said(found)}; {remedy}",
        own.place,
        own.symbol,
        related=(Related(base.place, "the definition that it overrides"),),
        fix=fix,
        unfixable=unfixable,
    )


def _said(found: Sequence[Difference]) -> str:
    by_departure: dict[Departure, list[str]] = {}
    for each in found:
        by_departure.setdefault(each.departure, []).append(_subject(each))
    phrases = [
        _SAID[departure].format(_listed(subjects))
        for departure, subjects in by_departure.items()
    ]
    return _listed(phrases)


def _subject(difference: Difference) -> str:
    name, other = difference.name, difference.other
    match difference.departure:
        case Departure.RENAMED:
            return f"`{name}` to `{other}`"
        case Departure.REORDERED:
            return f"`{other}` before `{name}`"
        case Departure.INSERTED:
            return f"`{name}` before `{other}`"
        case Departure.REQUIRED:
            return f"`{other}`"
    return f"`{name}`"


def _listed(phrases: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(phrases[:-1]), phrases[-1]]))
