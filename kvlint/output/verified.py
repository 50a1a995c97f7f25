# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What ``kvlint verify`` prints: a table for each class, or a document for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from kvlint.output.view import View, counted, printable
from kvlint.verifying.results import ClassResult, MemberResult, Status, Verified
from kvlint.verifying.telling import case_entry, case_text, plain

VERSION = 1
_COLOURS = {Status.AGREES: "green", Status.DISAGREES: "red"}


def render(found: Verified, view: View) -> str:
    """Return a table for each class, with an empty line after it."""
    return "".join(
        f"{line}\n"
        for each in found.classes
        if not each.untried
        for line in (*_table(each, view), "")
    )


def _table(found: ClassResult, view: View) -> Iterator[str]:
    yield view.style(printable(found.class_name), bold=True)
    width = max((len(each.member) for each in found.members), default=0)
    cases = max((len(str(each.cases)) for each in found.members), default=0)
    for each in found.members:
        status = view.style(str(each.status), _COLOURS.get(each.status))
        told = f"  {each.member:<{width}}  {each.cases:>{cases}}  {status}"
        why = each.reason
        if each.example is not None:
            why = case_text(each.member, each.example)
        yield told + (f": {printable(why)}" if why else "")


def document(found: Verified) -> str:
    """Return what was found as one JSON document, in ASCII."""
    composites = [
        {
            "class": each.class_name,
            "members": [_entry(member) for member in each.members],
        }
        for each in found.classes
    ]
    return json.dumps({"version": VERSION, "composites": composites}, indent=2) + "\n"


def _entry(member: MemberResult) -> dict[str, Any]:
    example = member.example
    return {
        "member": member.member,
        "status": str(member.status),
        "cases": member.cases,
        "case": None if example is None else case_entry(example),
        "group": None if example is None else plain(example.group),
        "layers": [] if example is None else list(map(plain, example.answers)),
    }


def summary(found: Verified) -> str:
    """Return a line that counts."""
    members = [member for each in found.classes for member in each.members]
    disagreeing = [each for each in members if each.status is Status.DISAGREES]
    tried = [each for each in members if each.status is not Status.NOT_TRIED]
    classes = "1 class" if len(found.classes) == 1 else f"{len(found.classes)} classes"
    told = f"{counted(len(tried), 'member')} of {classes} tried"
    if not disagreeing:
        return f"{told}, no disagreement.\n"
    return f"{told}, {counted(len(disagreeing), 'disagreement')}.\n"
