# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV307: a test of a spec class behind one that takes all specs of that class."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from kvlint.faults.type_sites import TypeSites
from kvlint.findings import Finding, Related, Severity
from kvlint.model.class_tests.ladders import Ladders, Shadowed
from kvlint.model.functions import FunctionText
from kvlint.project import Project
from kvlint.registry import check
from kvlint.wording import names


@check("KV307")
def shadowed_branch(project: Project) -> Iterator[Finding]:
    """Yield the tests of spec classes that no spec of those classes gets to."""
    sites = TypeSites(project)
    for function in sites.ladders():
        ladders = Ladders(partial(sites.is_below, path=function.source.path))
        ladders.function(function.node)
        for each in ladders.found:
            yield _finding(function, each)


def _finding(function: FunctionText, found: Shadowed) -> Finding:
    taken = {test: name for name, test in found.by.values()}
    shadowed, takers = names(found.by), names(taken.values())
    what = "this branch is never reached"
    if not found.is_dead:
        what = f"no {shadowed} gets here"
    why = f"{takers} {'was' if len(taken) == 1 else 'were'} tested before"
    if any(name != taker for name, (taker, _) in found.by.items()):
        why = f"{why}, and takes {shadowed} too; test the narrower class first"
    return Finding(
        "KV307",
        Severity.WARNING if found.repeats or not found.is_dead else Severity.ERROR,
        f"{what}: {why}",
        function.place(found.test.node),
        function.symbol,
        related=tuple(
            Related(function.place(test.node), f"takes every `{name}`")
            for test, name in taken.items()
        ),
    )
