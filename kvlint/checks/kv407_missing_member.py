# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV407: a read off a spec of what no spec class has."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from kvlint.faults.other_releases import Elsewhere, elsewhere
from kvlint.findings import Finding, Related, Severity
from kvlint.project import Project
from kvlint.registry import check
from kvlint.uses.following.expressions import Act
from kvlint.uses.following.values import CLASSES
from kvlint.uses.spec_uses import Use

_OF_EVERY_CLASS = frozenset({"mro", "register"})


@check("KV407")
def missing_member(project: Project) -> Iterator[Finding]:
    """Yield the reads of members and fields that no class at hand has."""
    for use in project.uses:
        touch, name = use.touch, use.touch.name
        if touch.act is not Act.READ or touch.is_tolerated or name.startswith("__"):
            continue
        if touch.value.shape in CLASSES and name in _OF_EVERY_CLASS:
            continue
        families = [project.followed.family(each) for each in use.specs]
        names_at_hand = frozenset[str]().union(*(each.names for each in families))
        is_set = project.followed.is_set_by_methods
        if name in names_at_hand or any(is_set(each, name) for each in use.specs):
            continue
        known = elsewhere(project, use.specs, name, names_at_hand)
        is_certain = all(x.is_certain for x in families) and not touch.value.is_guess
        # Of what may be no spec, or of an unknown base, names that vLLM had speak.
        if not is_certain and (known is None or project.is_defined(name)):
            continue
        # Whatever else has methods has a `self`; those of specs are looked at above.
        receivers = {touch.receiver} - {"", "self", "cls"}
        owners = [each.name for family in families for each in family.below]
        if not project.is_set([*receivers, *owners], name):
            yield _finding(use, known, is_certain, names_at_hand)


def _finding(
    use: Use, known: Elsewhere | None, is_certain: bool, at_hand: frozenset[str]
) -> Finding:
    spec, name = use.specs[0], use.touch.name
    told = f" {known.told}" if known is not None else ""
    remedy = ""
    if known is not None and known.successor:
        remedy = f"; read `{known.successor}`"
    elif known is None:
        alike = get_close_matches(name, sorted(at_hand), 1, 0.8)
        remedy = f"; did you mean `{alike[0]}`?" if alike else ""
    return Finding(
        "KV407",
        Severity.ERROR if is_certain else Severity.WARNING,
        f"{use.shown} has no `{name}`{told}{remedy}",
        use.place(use.touch.node),
        f"{spec.name}.{name}",
        related=(Related(spec.place, "the class that it is read off"),),
    )
