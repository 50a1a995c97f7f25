# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV206: a builder leaves out a field that goes with what it passes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from kvlint.faults.omissions import Omission, omissions
from kvlint.findings import Finding, Related, Severity
from kvlint.model.classes import default_text
from kvlint.model.functions import FunctionText
from kvlint.model.nodes import calls
from kvlint.project import Project
from kvlint.registry import check

_MOST_PLACES = 3
_LONGEST = 60


@check("KV206")
def builder_omits_field(project: Project) -> Iterator[Finding]:
    """Yield the constructor calls that leave out what goes with what they pass."""
    for omission in omissions(project):
        function = _function(project, omission)
        if function is not None:
            yield _finding(omission, *function)


def _function(
    project: Project, omission: Omission
) -> tuple[FunctionText, cst.Call] | None:
    """The function around a call, which shows that it is code."""
    start = omission.call.text.start
    functions = project.workspace.functions(omission.call.path)
    for function in functions.around([start]) if functions is not None else ():
        for each in calls(function.node):
            if function.span(each).start == start:
                return function, each
    return None


def _finding(omission: Omission, function: FunctionText, call: cst.Call) -> Finding:
    spec, field = omission.call.spec.name, omission.field.name
    owner = f"{function.class_name}." if function.class_name else ""
    return Finding(
        "KV206",
        Severity.WARNING,
        f"`{spec}` gets {_why(omission)}: it stays `{_default(omission)}`; pass "
        f"`{_remedy(omission)}`",
        function.place(call.func),
        owner + function.node.name.value,
        related=tuple(
            Related(place, f"a builder that passes `{field}`")
            for place in omission.places[:_MOST_PLACES]
        ),
    )


def _why(omission: Omission) -> str:
    field, source = omission.field.name, omission.source
    if source is None:
        return f"no `{field}`, unlike the other specs that this function builds"
    return (
        f"`{omission.given}` but no `{field}`, which other builders work out from the "
        f"same `{source.name}`"
    )


def _default(omission: Omission) -> str:
    return " ".join(default_text(omission.field).split()) or "its default"


def _remedy(omission: Omission) -> str:
    """What to pass, in the words of the call itself where they are few."""
    field, source = omission.field.name, omission.source
    if source is None:
        return field
    value = omission.call.text.keywords.get(omission.given)
    written = "..." if value is None else ast.unparse(value)
    if len(written) > _LONGEST:
        written = "..."
    return f"{field}={source.function}({written})"
