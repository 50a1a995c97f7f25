# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV210: an assertion alone says that a set holds one value, which is then taken."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kvlint.findings import Finding, Related, Severity
from kvlint.mending.raising import raise_instead
from kvlint.mending.requests import fix_or_reason
from kvlint.model.assertions import AssertedSets, asserted_sets
from kvlint.model.functions import FunctionText
from kvlint.project import Project
from kvlint.registry import check
from kvlint.wording import names

# It begins with letters: many times as fast to search for.
_IS_ONE = re.compile(
    rb"len\((?:(?<=1 == len\()|(?<=1==len\()"
    rb"|\s*[\w.]+(?:\s*:=[^\n]*)?\s*\)\s*(?:==\s*1|<=\s*1|<\s*2|>\s*1)\b)"
)
_ASSERTED = re.compile(rb"assert\b[^\n]*(?:\n[^\n]*)?\b" + _IS_ONE.pattern)


@check("KV210")
def assert_then_pop(project: Project) -> Iterator[Finding]:
    """Yield the assertions without which spec code takes an arbitrary value."""
    for function in project.functions(_ASSERTED, _IS_ONE):
        if not project.trusts_assertions(function):
            for found in asserted_sets(function.node):
                yield _finding(project, function, found)


def _finding(project: Project, function: FunctionText, found: AssertedSets) -> Finding:
    is_probed = project.is_probed(function.node.name.value)
    error = "AssertionError" if is_probed else "ValueError"
    fix, unfixable = fix_or_reason(lambda: raise_instead(function, found, error))
    taken = names(found.taken)
    holds = "holds" if len(found.taken) == 1 else "each hold"
    return Finding(
        "KV210",
        Severity.WARNING,
        f"`{function.symbol}` takes the value of {taken}, and an assertion alone says "
        f"that {'it' if len(found.taken) == 1 else 'they'} {holds} one: under "
        f"`python -O` the answer is arbitrary; raise `{error}` instead",
        function.place(found.node),
        function.symbol,
        related=tuple(
            Related(function.place(each), f"the value of `{name}` is taken here")
            for name, each in zip(found.taken, found.takes, strict=True)
        ),
        fix=fix,
        unfixable=unfixable,
    )
