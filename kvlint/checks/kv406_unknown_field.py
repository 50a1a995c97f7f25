# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV406: a constructor call or a copy that does not fit the fields of the class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

import libcst as cst

from kvlint.faults.other_releases import elsewhere
from kvlint.findings import Finding, Related, Severity
from kvlint.model.classes import SpecClass
from kvlint.project import Project
from kvlint.registry import check
from kvlint.specs.constructors import Constructor
from kvlint.uses.following.expressions import Act
from kvlint.uses.following.values import Shape
from kvlint.uses.spec_uses import Use
from kvlint.wording import names

_MAKING = frozenset({Act.CONSTRUCT, Act.COPY})


@dataclass(frozen=True)
class _Makers:
    """The constructors that a call may be of.

    Attributes:
        all: Those of the class and, where it may be one below it, of those.
        is_certain: There are no others.
    """

    all: Sequence[Constructor]
    is_certain: bool

    def takes(self, name: str) -> bool:
        return any(x.takes_keywords or name in x.arguments for x in self.all)

    @property
    def fields(self) -> set[str]:
        return {name for each in self.all for name in each.arguments}

    @property
    def derived(self) -> set[str]:
        return {name for each in self.all for name in each.derived}

    @property
    def required(self) -> list[str]:
        first, *rest = self.all
        return [x for x in first.required if all(x in y.required for y in rest)]


@check("KV406")
def unknown_field(project: Project) -> Iterator[Finding]:
    """Yield the calls and copies that pass what no field takes, or too little."""
    for use in project.uses:
        if use.touch.act not in _MAKING or use.touch.is_tolerated:
            continue
        makers = _makers(project, use)
        found = [*_faults(project, use, makers)]
        # The project's own class in that place is what the call gets.
        is_replaced = any(each in project.replaced for each in use.specs)
        if found and makers.is_certain and is_replaced:
            found = [*_faults(project, use, replace(makers, is_certain=False))]
        yield from found


def _faults(project: Project, use: Use, makers: _Makers) -> Iterator[Finding]:
    yield from _unknown(project, use, makers)
    if use.touch.act is Act.CONSTRUCT and makers.is_certain:
        yield from _twice(use, makers)
        yield from _count(use, makers)


def _makers(project: Project, use: Use) -> _Makers:
    specs: Sequence[SpecClass] = use.specs
    if use.touch.value.shape is not Shape.CLASS:
        specs = [x for spec in specs for x in project.followed.family(spec).below]
    found = [project.followed.constructor(each) for each in specs]
    return _Makers(
        [each for each in found if each is not None],
        None not in found and not use.touch.value.is_guess,
    )


def _unknown(project: Project, use: Use, makers: _Makers) -> Iterator[Finding]:
    """What is passed by a name that none of the classes takes."""
    families = [project.followed.family(each) for each in use.specs]
    members = set[str]().union(*(each.names for each in families))
    names_at_hand = makers.fields if makers.is_certain else members
    for name, node in use.touch.passed.passed:
        if makers.takes(name):
            continue
        known = elsewhere(project, use.specs, name, names_at_hand)
        # Where a class may be another, names that vLLM's fields had speak.
        if not makers.is_certain and (
            known is None or name in members or project.is_defined(name)
        ):
            continue
        if known is not None:
            what = f"takes no `{name}` {known.told}"
            what += f"; pass `{known.successor}`" if known.successor else ""
        elif name in makers.derived:
            what = f"sets `{name}` itself and does not take it"
        else:
            alike = get_close_matches(name, sorted(makers.fields), 1, 0.8)
            what = f"takes no `{name}`"
            what += f"; did you mean `{alike[0]}`?" if alike else ""
        yield _finding(use, node, what, f".{name}", makers.is_certain)


def _twice(use: Use, makers: _Makers) -> Iterator[Finding]:
    """What is passed by position and by name."""
    for name, node in use.touch.passed.passed:
        if all(name in x.positionals[: use.touch.positionals] for x in makers.all):
            yield _finding(
                use, node, f"is passed `{name}` twice", f".{name}", is_certain=True
            )


def _count(use: Use, makers: _Makers) -> Iterator[Finding]:
    """What is passed without a name, and what is not passed at all."""
    touch = use.touch
    most = max(len(each.positionals) for each in makers.all)
    takes_more = any(each.takes_more for each in makers.all)
    if touch.positionals > most and not takes_more:
        told = f"no more than {most}" if most else "no"
        told += " argument" if most < 2 else " arguments"
        passed = f"{touch.positionals} {'is' if touch.positionals == 1 else 'are'}"
        what = f"takes {told} by position, {passed} passed"
        yield _finding(use, touch.node, what, "", is_certain=True)
        return
    if touch.passed.is_open:
        return
    given = touch.passed.names | touch.passed.perhaps
    for each in makers.all:
        given |= set(each.positionals[: touch.positionals])
    lacking = [each for each in makers.required if each not in given]
    if lacking:
        what = f"needs {names(lacking)}, which {_is(lacking)} not passed"
        yield _finding(use, touch.node, what, "", is_certain=True)


def _is(several: Sequence[str]) -> str:
    return "are" if len(several) > 1 else "is"


def _finding(
    use: Use, node: cst.CSTNode, what: str, symbol: str, is_certain: bool
) -> Finding:
    spec = use.specs[0]
    return Finding(
        "KV406",
        Severity.ERROR if is_certain else Severity.WARNING,
        f"{use.shown} {what}",
        use.place(node),
        f"{spec.name}{symbol}",
        related=(Related(spec.place, "the class that is made"),),
    )
