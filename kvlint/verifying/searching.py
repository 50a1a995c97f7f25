# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Looks for cases in which a composite does not answer as its layers, and shrinks them.

Hypothesis runs here, in kvlint's own process; the specs are made elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, find, given, reject, seed
from hypothesis import settings as running
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample, Unsatisfiable

from kvlint.verifying.cases import Case, Cases
from kvlint.verifying.judging import Judgement, judge
from kvlint.verifying.kinds import Kind
from kvlint.verifying.process import Interpreter, Refusal
from kvlint.verifying.results import Example, Layer, MemberResult, Status
from kvlint.vocabulary import PAGE_SIZE, Combine

REPLACED = "dataclasses.replace"
_QUIET: dict[str, Any] = {
    "database": None,
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
    "verbosity": Verbosity.quiet,
}
_CASES, _CASES_BY_KIND = 100, 40
_MOST_SHRINKING = 1000


@dataclass(frozen=True)
class Asked:
    """A composite, as the interpreter makes and asks it.

    Attributes:
        class_name: ``module:Class``.
        holders: How it holds layers, by attribute.
        fields: What it is given besides.
        guesses: What it is given where its layers have no such field.
        has_gate: Whether it says itself which layers may be in it.
        members: What it is asked, and how the layers' answers are combined.
    """

    class_name: str
    holders: Mapping[str, str]
    fields: Mapping[str, Any]
    guesses: Mapping[str, Any]
    has_gate: bool
    members: Mapping[str, Combine]


@dataclass
class _Tally:
    cases: Counter[Status] = field(default_factory=Counter)
    sure: bool = False
    alone: set[str] = field(default_factory=set)
    reason: str = ""


class Search:
    """Asks one composite again and again.

    Args:
        interpreter: Where it is made.
        asked: The composite.
        kinds: The classes of layers that may be in it.
        more: Further settings and their values.
        number: Where randomness begins.
    """

    def __init__(
        self,
        interpreter: Interpreter,
        asked: Asked,
        kinds: Sequence[Kind],
        more: Mapping[str, Sequence[Any]],
        number: int,
    ) -> None:
        """Ask nothing yet."""
        self._interpreter, self._asked, self._kinds = interpreter, asked, kinds
        self._more, self._seed = more, number
        self._refusal = ""

    def results(self, *, all_kinds: bool) -> list[MemberResult]:
        """Return what is known of each member, and of copies that hold other layers.

        Args:
            all_kinds: Whether to shrink a disagreement for each class of layers.
        """
        tallies = {name: _Tally() for name in [*self._asked.members, REPLACED]}
        if not self._kinds:
            reason = "no class of layers can be made"
            return [_untried(name, reason) for name in tallies]
        self._look(tallies)
        most = len(self._kinds) if all_kinds else 1
        return [self._result(name, tally, most) for name, tally in tallies.items()]

    def _look(self, tallies: dict[str, _Tally]) -> None:
        """Ask for all members at once, in many cases."""

        def look(case: Case) -> bool:
            judged = self._judge(case, list(self._asked.members))
            classes = {each.class_name for each in case.layers}
            for name, judgement in (judged or {}).items():
                tally = tallies[name]
                tally.cases[judgement.status] += 1
                tally.reason = tally.reason or judgement.reason
                if judgement.status is Status.DISAGREES and judgement.is_sure:
                    tally.sure = True
                    tally.alone |= classes if len(classes) == 1 else set()
            return judged is not None

        drawn = self._drawn(self._kinds)
        number = _CASES + _CASES_BY_KIND * len(self._kinds)
        if not each_case(drawn, look, number, self._seed):
            for tally in tallies.values():
                tally.reason = f"no group could be made: {self._refusal}"

    def _result(self, name: str, tally: _Tally, most: int) -> MemberResult:
        compared = tally.cases[Status.AGREES] + tally.cases[Status.DISAGREES]
        if tally.cases[Status.DISAGREES]:
            alone = [x for x in self._kinds if x.class_name in tally.alone]
            found = [self._smallest(name, [each], sure=True) for each in alone[:most]]
            found = found or [self._smallest(name, self._kinds, sure=tally.sure)]
            more = tuple(each for each in found[1:] if each is not None)
            return MemberResult(name, Status.DISAGREES, compared, found[0], more)
        if compared:
            return MemberResult(name, Status.AGREES, compared)
        if tally.cases[Status.ABSTRACT]:
            cases_ = tally.cases[Status.ABSTRACT]
            return MemberResult(name, Status.ABSTRACT, cases_)
        reason = tally.reason or "its layers do not answer it"
        return _untried(name, reason)

    def _smallest(
        self, name: str, kinds: Sequence[Kind], *, sure: bool
    ) -> Example | None:
        """Return the smallest disagreement on a member."""

        def disagrees(case: Case) -> bool:
            judgement = (self._judge(case, [name]) or {}).get(name)
            return (
                judgement is not None
                and judgement.status is Status.DISAGREES
                and judgement.is_sure is sure
            )

        case = smallest(self._drawn(kinds), disagrees, self._seed)
        if case is None:
            return None
        judged = self._judge(case, [name])
        assert judged is not None
        return _example(case, judged[name], self._read)

    def _drawn(self, kinds: Sequence[Kind]) -> st.SearchStrategy[Case]:
        return Cases(kinds, self._more, mixed=self._asked.has_gate).groups()

    def _judge(self, case: Case, members: Sequence[str]) -> dict[str, Judgement] | None:
        """What a case says of some members; None if there is no such group."""
        asked = self._asked
        named = [each for each in members if each != REPLACED]
        combines = [asked.members[each] for each in named]
        if Combine.PAGES in combines and PAGE_SIZE not in named:
            named.append(PAGE_SIZE)
        told = self._interpreter.call(
            f"asking {asked.class_name.replace(':', '.')}",
            "ask",
            composite={
                "class": asked.class_name,
                "holders": asked.holders,
                "fields": asked.fields,
                "guesses": asked.guesses,
            },
            layers=[made(each) for each in case.layers],
            others=(
                [made(each) for each in case.others]
                if len(members) > 1 or REPLACED in members
                else []
            ),
            settings=case.settings,
            arguments=case.arguments,
            members=named,
        )
        if isinstance(told, Refusal):
            self._refusal = told.reason
            return None
        answers = told["answers"]
        self._read: Mapping[str, Any] = {
            each: x
            for name in members
            if name in answers
            for each, x in answers[name]["read"].items()
        }
        judged = {}
        wanted = {*members, *([REPLACED] if len(members) > 1 else [])}
        for name in answers.keys() & wanted:
            combine = asked.members.get(name, Combine.AGREE)
            judgement = judge(combine, answers[name], answers.get(PAGE_SIZE))
            if judgement is not None:
                judged[name] = judgement
        return judged


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


def made(layer: Layer) -> dict[str, Any]:
    """Return how the interpreter makes a layer."""
    return {"class": layer.class_name, "fields": dict(layer.fields)}


def _example(case: Case, judged: Judgement, read: Mapping[str, Any]) -> Example:
    return Example(
        case.layers,
        dict(read),
        judged.group,
        judged.layers,
        judged.expected if judged.is_sure else None,
        judged.field,
    )


def _untried(name: str, reason: str) -> MemberResult:
    return MemberResult(name, Status.NOT_TRIED, 0, reason=reason)
