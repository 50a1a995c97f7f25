# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV204: all fields are copied into a class that does not take them all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kvlint.findings import Finding, Related, Severity
from kvlint.mending.drop_lists import extend_drop_list
from kvlint.mending.requests import fix_or_reason
from kvlint.project import Project
from kvlint.registry import check
from kvlint.uses.retypes import Retype, Unfit, unfit
from kvlint.wording import names


@check("KV204")
def retype_unknown_field(project: Project) -> Iterator[Finding]:
    """Yield the calls that fail, and the classes for which calls elsewhere fail."""
    for retype in project.makings.retypes:
        found = [
            each
            for each in unfit(project.contract.hierarchy, retype)
            if not project.contract.is_test(each.source.file.path)
        ]
        if project.is_own_file(retype.place.path):
            if found and project.reports_on(retype.place.path):
                yield _call_finding(project, retype, found)
            continue
        for each in found:
            own = _own_fields(each)
            if own and project.reports_on(each.source.file.path):
                yield _class_finding(retype, each, own)


def _own_fields(each: Unfit) -> list[str]:
    """The fields that fail and that the class itself defines.

    Where it has others from a class above, they are told there.
    """
    return [name for name in each.fields if name in each.source.fields]


def _call_finding(project: Project, retype: Retype, found: Sequence[Unfit]) -> Finding:
    first = next((each for each in found if each.is_named), found[0])
    others = [each for each in found if each is not first]
    also = f"; likewise {names(each.source.name for each in others)}" if others else ""
    fix, unfixable = fix_or_reason(lambda: extend_drop_list(project, retype, found))
    return Finding(
        "KV204",
        Severity.ERROR if first.is_named else Severity.WARNING,
        f"`{retype.what}` passes every field of a `{first.source.name}` to "
        f"`{first.target.name}`, which takes no {names(first.fields)}, so that it "
        f"raises a TypeError{also}: leave out what the new class does not have",
        retype.place,
        retype.function,
        related=tuple(_field_note(project, each) for each in (first, *others)),
        fix=fix,
        unfixable=unfixable,
    )


def _class_finding(retype: Retype, each: Unfit, own: Sequence[str]) -> Finding:
    return Finding(
        "KV204",
        Severity.WARNING,
        f"`{retype.function}` passes every field of a `{each.source.name}` to "
        f"`{each.target.name}`, which takes no {names(own)}, so that it raises a "
        f"TypeError: {_given(own)} `init=False`, or keep such layers away from it",
        each.source.place,
        each.source.name,
        related=(Related(retype.place, "the fields are passed on here"),),
        suppressible_lines=each.source.header_lines,
    )


def _given(fields: Sequence[str]) -> str:
    return "give it" if len(fields) == 1 else "give them"


def _field_note(project: Project, each: Unfit) -> Related:
    definition = project.contract.definition(each.source, each.fields[0])
    assert definition is not None
    return Related(
        definition.place, f"`{each.source.name}` has it, `{each.target.name}` has not"
    )
