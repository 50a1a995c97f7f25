# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Looks for cases in which a composite does not answer as its layers, and shrinks them.

Hypothesis runs here, in kvlint's own process; the specs are made elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, find, given, reject, seed
from hypothesis import settings as running
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample, Unsatisfiable

from kvlint.verifying.asking import REPLACED, Asker
from kvlint.verifying.cases import Case, Cases
from kvlint.verifying.domains import DCP
from kvlint.verifying.kinds import Kind
from kvlint.verifying.results import Example, MemberResult, Status

_QUIET: dict[str, Any] = {
    "database": None,
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
    "verbosity": Verbosity.quiet,
}
_MORE = 2
"""For how many classes of layers more than there are, to mix those that there are."""
_MOST_SHRINKING = 1000
_SIZES = (1, 2, 4)


@dataclass(frozen=True)
class Effort:
    """How much to try.

    Attributes:
        cases: How many cases for each class of layers.
        seed: Where randomness begins.
    """

    cases: int = 40
    seed: int = 0


@dataclass
class _Tally:
    cases: Counter[Status] = field(default_factory=Counter)
    sure: bool = False
    alone: set[str] = field(default_factory=set)
    seen: Case | None = None
    reason: str = ""


class Search:
    """Asks one composite again and again.

    Args:
        asker: Makes it and asks it.
        kinds: The classes of layers that may be in it.
        more: Further settings and their values.
        effort: How much to try.
        above: For each member and class of layers, those above it that answer by the
            same definition.
    """

    def __init__(
        self,
        asker: Asker,
        kinds: Sequence[Kind],
        more: Mapping[str, Sequence[Any]],
        effort: Effort,
        above: Mapping[str, Mapping[str, frozenset[str]]],
    ) -> None:
        """Ask nothing yet."""
        self._asker, self._kinds, self._above = asker, kinds, above
        self._more, self._effort = more, effort

    def results(self, *, with_rows: bool) -> list[MemberResult]:
        """Return what is known of each member, and of copies that hold other layers.

        Args:
            with_rows: Whether to look for the rows of a test as well.
        """
        tallies = {name: _Tally() for name in [*self._asker.members, REPLACED]}
        if not self._kinds:
            reason = "no class of layers can be made"
            return [untried(name, reason) for name in tallies]
        self._look(tallies)
        return [self._result(name, tally, with_rows) for name, tally in tallies.items()]

    def _look(self, tallies: dict[str, _Tally]) -> None:
        """Ask for all members at once, in many cases."""

        def look(case: Case) -> bool:
            judged = self._asker.judge(case, list(tallies))
            classes = {each.class_name for each in case.layers}
            for name, (judgement, _) in judged.items():
                tally = tallies[name]
                tally.cases[judgement.status] += 1
                tally.reason = tally.reason or judgement.reason
                if judgement.status is Status.DISAGREES:
                    if tally.seen is None or (judgement.is_sure and not tally.sure):
                        tally.seen = case
                    tally.sure |= judgement.is_sure
                    if judgement.is_sure and len(classes) == 1:
                        tally.alone |= classes
            return bool(judged)

        drawn = self._drawn(self._kinds)
        number = self._effort.cases * (len(self._kinds) + _MORE)
        if not each_case(drawn, look, number, self._effort.seed):
            for tally in tallies.values():
                tally.reason = f"no group could be made: {self._asker.refusal}"

    def _result(self, name: str, tally: _Tally, with_rows: bool) -> MemberResult:
        compared = tally.cases[Status.AGREES] + tally.cases[Status.DISAGREES]
        if tally.cases[Status.DISAGREES]:
            rows: list[Example] = []
            found: list[Example] = []
            above = self._above.get(name, {})
            for kind in self._kinds:
                # A class that inherits its answer would show the same once more.
                is_new = not above.get(kind.class_name, frozenset()) & tally.alone
                if kind.class_name in tally.alone and (
                    not found or (with_rows and is_new)
                ):
                    case = self._smallest(name, [kind], sure=True)
                    found += self._examples(name, case)
                    rows += self._variants(name, case) if with_rows else []
            if not found:
                found = rows = self._mixed(name, tally)
            first = found[0] if found else None
            return MemberResult(name, Status.DISAGREES, compared, first, tuple(rows))
        if compared:
            return MemberResult(name, Status.AGREES, compared)
        if tally.cases[Status.ABSTRACT]:
            return MemberResult(name, Status.ABSTRACT, tally.cases[Status.ABSTRACT])
        return untried(name, tally.reason or "its layers do not answer it")

    def _mixed(self, name: str, tally: _Tally) -> list[Example]:
        """The smallest case of layers of several classes, or of such as differ."""
        assert tally.seen is not None
        classes = {each.class_name for each in tally.seen.layers}
        kinds = [each for each in self._kinds if each.class_name in classes]
        case = self._smallest(name, kinds, sure=tally.sure)
        return self._examples(name, case or tally.seen)

    def _smallest(self, name: str, kinds: Sequence[Kind], *, sure: bool) -> Case | None:
        """Return the smallest disagreement on a member."""

        def disagrees(case: Case) -> bool:
            judged = self._asker.judge(case, [name])
            if name not in judged:
                return False
            judgement = judged[name][0]
            return judgement.status is Status.DISAGREES and judgement.is_sure is sure

        found: Case | None = smallest(self._drawn(kinds), disagrees, self._effort.seed)
        return found

    def _examples(self, name: str, case: Case | None) -> list[Example]:
        """A case with the answers; none if there is no case."""
        judged = {} if case is None else self._asker.judge(case, [name])
        return [judged[name][1]] if name in judged else []

    def _variants(self, name: str, case: Case | None) -> list[Example]:
        """A case at several sizes of DCP, if that has a part in it."""
        found = self._examples(name, case)
        if case is None or not found or DCP not in found[0].read:
            return found
        varied = [replace(case, settings={**case.settings, DCP: x}) for x in _SIZES]
        return [row for each in varied for row in self._examples(name, each)]

    def _drawn(self, kinds: Sequence[Kind]) -> st.SearchStrategy[Case]:
        return Cases(kinds, self._more, mixed=self._asker.making.has_gate).groups()


def each_case(
    drawn: st.SearchStrategy[Case],
    look: Callable[[Case], bool],
    number: int,
    beginning: int,
) -> bool:
    """Look at many cases.

    Args:
        drawn: What cases there are.
        look: Looks at one, and tells whether it counts.
        number: How many shall count.
        beginning: Where randomness begins.

    Returns:
        Whether any counted.
    """

    @seed(beginning)
    @running(max_examples=number, phases=[Phase.generate], **_QUIET)
    @given(drawn)
    def run(case: Case) -> None:
        if not look(case):
            reject()

    try:
        run()
    except Unsatisfiable:
        return False
    return True


def smallest(
    drawn: st.SearchStrategy[Any], is_meant: Callable[[Any], bool], number: int
) -> Any:
    """Return the smallest value that is meant, None if none is found."""
    try:
        return find(
            drawn,
            is_meant,
            settings=running(
                max_examples=_MOST_SHRINKING,
                phases=[Phase.generate, Phase.shrink],
                **_QUIET,
            ),
            random=Random(number),
        )
    except NoSuchExample:
        return None


def untried(name: str, reason: str) -> MemberResult:
    """Return the result for a member of which nothing can be tried."""
    return MemberResult(name, Status.NOT_TRIED, 0, reason=reason)
