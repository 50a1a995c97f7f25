# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV404: a manager's constructor does not take what the factory passes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kvlint.faults.overrides import has_unknown_base, is_unconditional
from kvlint.findings import Finding, Related, Severity
from kvlint.managing.factories import Factory
from kvlint.mending.constructors import pass_on
from kvlint.mending.requests import fix_or_reason
from kvlint.model.classes import Member, SpecClass
from kvlint.model.refusals import Refusal, Why, refusals
from kvlint.model.signatures import has_plain_decorators
from kvlint.project import Project
from kvlint.registry import check
from kvlint.wording import names

_CONSTRUCTOR = "__init__"


@dataclass(frozen=True)
class _Fault:
    """A manager that a factory cannot construct.

    Attributes:
        manager: The manager.
        constructor: Its own or inherited one.
        factory: What constructs it.
        refusals: Why that fails.
    """

    manager: SpecClass
    constructor: Member
    factory: Factory
    refusals: Sequence[Refusal]


@check("KV404")
def manager_constructor(project: Project) -> Iterator[Finding]:
    """Yield the constructors of managers that fail whenever they are called."""
    told: set[Member] = set()
    for manager in project.serving.constructed:
        fault = _fault(project, manager)
        if fault is None or fault.constructor in told:
            continue
        if project.is_own(fault.constructor.owner):
            told.add(fault.constructor)
            if project.is_reported(fault.constructor.owner):
                yield _finding(project, fault)
        elif project.is_reported(manager):
            yield _inherited(fault)


def _fault(project: Project, manager: SpecClass) -> _Fault | None:
    constructor = _constructor(project, manager)
    if constructor is None or not has_plain_decorators(constructor):
        return None
    faults = []
    for factory in project.factories(manager):
        further = None if factory.is_open else factory.sometimes
        found = refusals(
            constructor.parameters, factory.positionals, factory.always, further
        )
        if not found:
            return None  # this one can construct it
        faults.append(_Fault(manager, constructor, factory, found))
    return min(faults, key=lambda each: len(each.refusals), default=None)


def _constructor(project: Project, manager: SpecClass) -> Member | None:
    """What constructs a manager, if that is known for sure."""
    for each in project.serving.hierarchy.mro(manager):
        if each.decorators or "__new__" in each.members:
            return None
        found = each.members.get(_CONSTRUCTOR)
        if found is not None:
            return found if is_unconditional(found) else None
        if has_unknown_base(project.serving.hierarchy, each):
            return None
    return None


def _finding(project: Project, fault: _Fault) -> Finding:
    constructor = fault.constructor
    fix, unfixable = fix_or_reason(
        lambda: pass_on(project.serving.hierarchy, constructor, fault.refusals)
    )
    return Finding(
        "KV404",
        Severity.ERROR,
        f"`{fault.manager.name}` cannot be constructed: its `__init__` "
        f"{_said(fault)}; {_remedy(fault.refusals)}",
        constructor.place,
        constructor.symbol,
        related=_notes(fault),
        fix=fix,
        unfixable=unfixable,
    )


def _inherited(fault: _Fault) -> Finding:
    constructor = fault.constructor
    return Finding(
        "KV404",
        Severity.ERROR,
        f"`{fault.manager.name}` cannot be constructed: `{constructor.symbol}`, which "
        f"it inherits, {_said(fault)}; give it an `__init__` of its own",
        fault.manager.place,
        fault.manager.name,
        related=(
            Related(constructor.place, "the constructor that it inherits"),
            *_notes(fault),
        ),
        unfixable="the constructor is not this project's",
        suppressible_lines=fault.manager.header_lines,
    )


def _notes(fault: _Fault) -> tuple[Related, ...]:
    return (Related(fault.factory.place, "the call that constructs it"),)


def _said(fault: _Fault) -> str:
    by_why: dict[Why, list[str]] = {}
    for each in fault.refusals:
        by_why.setdefault(each.why, []).append(each.name)
    function = f"`{fault.factory.function}`"
    said = {
        Why.NOT_BY_POSITION: f"does not take the spec by position, as {function} "
        "passes it",
        Why.TWICE: "has {} where " + function + " passes the spec",
        Why.NOT_TAKEN: "does not take {}, which " + function + " always passes",
        Why.NOT_PASSED: "requires {}, which " + function + " never passes",
    }
    return " and ".join(said[why].format(names(found)) for why, found in by_why.items())


def _remedy(found: Sequence[Refusal]) -> str:
    whys = {each.why for each in found}
    if whys == {Why.NOT_TAKEN}:
        return f"take {'it' if len(found) == 1 else 'them'} too"
    if whys == {Why.NOT_PASSED}:
        return f"give {'it a default' if len(found) == 1 else 'them defaults'}"
    return "take what its base takes"
