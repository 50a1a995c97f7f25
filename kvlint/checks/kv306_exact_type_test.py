# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV306: a test for the very class of a spec, that leaves out a class as good."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.faults.exact_types import ExactTypes, LeftOut
from kvlint.findings import Finding, Related, Severity
from kvlint.model.class_tests.aftermath import Outcome
from kvlint.model.class_tests.type_tests import code_of
from kvlint.project import Project
from kvlint.registry import check
from kvlint.wording import names

_MOST_SHOWN = 4


@check("KV306")
def exact_type_test(project: Project) -> Iterator[Finding]:
    """Yield the tests for the very class of a spec that leave known classes out."""
    for each in ExactTypes(project):
        yield _finding(each)


def _finding(left: LeftOut) -> Finding:
    function, test = left.function, left.found.test
    tested = names(spec.name for spec in left.tested)
    return Finding(
        "KV306",
        Severity.WARNING,
        f"this asks for the very class of `{code_of(test.subject)}`, {tested}: "
        f"{_said(left)}",
        function.place(test.node),
        function.symbol,
        related=tuple(
            Related(spec.place, f"`{spec.name}`, which is left out")
            for spec in left.specs[:_MOST_SHOWN]
        ),
    )


def _said(left: LeftOut) -> str:
    several, below = len(left.specs) > 1, _them(len(left.tested) > 1)
    who = f"{names(spec.name for spec in left.specs)}, below {below},"
    remedy = f"use `isinstance`, or name {_them(several)} too"
    match left.found.outcome:
        case Outcome.KEY_ERROR:
            fails = "fail" if several else "fails"
            return f"{who} {fails} with a KeyError; look the bases up too"
        case Outcome.SKIPPED:
            return f"{who} {'are' if several else 'is'} left out in silence; {remedy}"
        case _:
            goes = "go" if several else "goes"
            return f"{who} {goes} another way in silence; {remedy}"


def _them(several: bool) -> str:
    return "them" if several else "it"
