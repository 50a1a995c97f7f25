# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV309: a default hides that a composite does not have what layers have."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from kvlint.findings import Finding, Related, Severity
from kvlint.model.groups.group_events import Deed
from kvlint.project import Project
from kvlint.registry import check
from kvlint.specs.contract import Definition
from kvlint.uses.group_uses import GroupUse
from kvlint.wording import names


@check("KV309")
def hidden_missing_member(project: Project) -> Iterator[Finding]:
    """Yield the questions with a default that a composite can only answer with it."""
    for use in project.group_uses(Deed.GUESS):
        (name,) = use.event.names
        lacking = [
            each.name
            for each in project.contract.composites
            if project.contract.definition(each, name) is None
        ]
        defined = project.layer_definitions(name)
        if lacking and defined:
            yield _finding(use, name, sorted(lacking), defined)


def _finding(
    use: GroupUse, name: str, lacking: list[str], defined: list[Definition]
) -> Finding:
    asked = use.event.node
    is_test = isinstance(asked, cst.Call) and len(asked.args) == 2
    answer = "`False`" if is_test else "the default"
    owners = names(dict.fromkeys(each.owner.name for each in defined))
    return Finding(
        "KV309",
        Severity.WARNING,
        f"`{use.function.symbol}` gets {answer} for `{name}` of a group's spec that is "
        f"{names(lacking)}, whatever its layers say: ask the specs of its layers, as "
        f"{owners} {'has' if len(defined) == 1 else 'have'} it",
        use.place,
        use.function.symbol,
        related=(Related(defined[0].place, "what a layer answers with"),),
    )
