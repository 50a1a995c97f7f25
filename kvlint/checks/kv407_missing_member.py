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
        family = project.followed.family(use.spec)
        if name in family.names or project.followed.is_set_by_methods(use.spec, name):
            continue
        known = elsewhere(project, use.spec, name, family.names)
        is_certain = family.is_certain and not touch.value.is_guess
        # Of what may be no spec, or of an unknown base, names that vLLM had speak.
        if not is_certain and (known is None or project.is_defined(name)):
            continue
        owners = [each.name for each in family.below]
        if not project.is_set([*filter(None, [touch.receiver]), *owners], name):
            yield _finding(use, known, is_certain, family.names)


def _finding(
    use: Use, known: Elsewhere | None, is_certain: bool, names: frozenset[str]
) -> Finding:
    spec, name = use.spec, use.touch.name
    told = f" {known.told}" if known is not None else ""
    remedy = ""
    if known is not None and known.successor:
        remedy = f"; read `{known.successor}`"
    elif known is None:
        alike = get_close_matches(name, sorted(names), 1, 0.8)
        remedy = f"; did you mean `{alike[0]}`?" if alike else ""
    return Finding(
        "KV407",
        Severity.ERROR if is_certain else Severity.WARNING,
        f"`{spec.name}` has no `{name}`{told}{remedy}",
        use.place(use.touch.node),
        f"{spec.name}.{name}",
        related=(Related(spec.place, "the class that it is read off"),),
    )
