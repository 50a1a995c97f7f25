# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV209: a spec class is no frozen dataclass like those above it."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.faults.dataclass_faults import DataclassFault, Fault, dataclass_faults
from kvlint.findings import Finding, Related, Severity
from kvlint.mending.decorators import repair_decorator, wanted_options
from kvlint.mending.requests import fix_or_reason
from kvlint.project import Project
from kvlint.registry import check
from kvlint.wording import names


@check("KV209")
def spec_not_frozen(project: Project) -> Iterator[Finding]:
    """Yield the spec classes that are no dataclass like those above them."""
    for fault in dataclass_faults(project):
        yield _finding(project, fault)


def _finding(project: Project, fault: DataclassFault) -> Finding:
    spec = fault.spec
    fix, unfixable = fix_or_reason(lambda: repair_decorator(fault))
    is_mild = fault.fault is Fault.UNDECORATED and not any(
        each.default is None or project.makings.producers(each) for each in fault.fields
    )
    return Finding(
        "KV209",
        Severity.WARNING if is_mild else Severity.ERROR,
        f"`{spec.name}` {_said(fault)}",
        spec.place,
        spec.name,
        related=(
            *(Related(each.place, _role(fault)) for each in fault.fields),
            Related(fault.base.place, "the dataclass above it"),
        ),
        fix=fix,
        unfixable=unfixable,
        suppressible_lines=spec.header_lines,
    )


def _said(fault: DataclassFault) -> str:
    fields = names(each.name for each in fault.fields) if fault.fields else ""
    remedy = f"decorate it with `@dataclass{wanted_options(fault)}`"
    match fault.fault:
        case Fault.UNDECORATED:
            is_field = "are no fields" if len(fault.fields) > 1 else "is no field"
            return (
                f"is no dataclass, so {fields} {is_field} that constructors take and "
                f"comparisons see; {remedy}"
            )
        case Fault.REDEFAULTED:
            return (
                f"is no dataclass, so constructors do not use its default of {fields}; "
                f"{remedy}"
            )
        case Fault.UNFROZEN:
            return (
                f"is not frozen as `{fault.base.name}` is, which Python refuses when "
                "the class is made; say `frozen=True`"
            )
        case Fault.UNEQUAL:
            return (
                f"says `eq=False`, so specs are equal that differ in {fields}; "
                "leave that out"
            )
    early, late = fault.fields
    return (
        f"has `{late.name}` without a default behind `{early.name}` with one, which "
        "Python refuses when the class is made; say `kw_only=True`"
    )


def _role(fault: DataclassFault) -> str:
    match fault.fault:
        case Fault.UNDECORATED:
            return "not a field"
        case Fault.REDEFAULTED:
            return "not the default"
        case Fault.UNEQUAL:
            return "not compared"
    return "in this order"
