# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Asks a composite and its layers in one case, and judges the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kvlint.verifying.cases import Case
from kvlint.verifying.judging import Judgement, judge
from kvlint.verifying.process import Interpreter, Refusal
from kvlint.verifying.results import Example, Layer, Making
from kvlint.vocabulary import PAGE_SIZE, Combine

REPLACED = "dataclasses.replace"
"""Asked for among members: a copy of the composite that holds other layers."""


class Asker:
    """Asks one composite.

    Args:
        interpreter: Where it is made.
        making: How it is made.
        members: What it can be asked, and how the layers' answers are combined.

    Attributes:
        making: As given.
        members: As given.
        refusal: Why no group could be made, the last time that none could.
    """

    def __init__(
        self, interpreter: Interpreter, making: Making, members: Mapping[str, Combine]
    ) -> None:
        """Ask nothing yet."""
        self._interpreter = interpreter
        self.making, self.members = making, members
        self.refusal = ""

    def judge(
        self, case: Case, members: Sequence[str]
    ) -> dict[str, tuple[Judgement, Example]]:
        """Return what a case says of some members, and the case with the answers.

        Nothing is said of those that the layers themselves do not answer, and nothing
        at all if there is no such group.
        """
        asked = dict.fromkeys(each for each in members if each != REPLACED)
        if any(self.members[each] is Combine.PAGES for each in asked):
            asked[PAGE_SIZE] = None
        making = self.making
        told = self._interpreter.call(
            f"asking {making.class_name.replace(':', '.')}",
            "ask",
            composite={
                "class": making.class_name,
                "holders": making.holders,
                "fields": making.fields,
                "guesses": making.guesses,
            },
            layers=list(map(made, case.layers)),
            others=list(map(made, case.others)) if REPLACED in members else [],
            settings=case.settings,
            arguments=case.arguments,
            members=list(asked),
        )
        if isinstance(told, Refusal):
            self.refusal = told.reason
            return {}
        answers, found = told["answers"], {}
        for name in members:
            if name not in answers:
                continue
            combine = self.members.get(name, Combine.AGREE)
            judgement = judge(combine, answers[name], answers.get(PAGE_SIZE))
            if judgement is not None:
                found[name] = judgement, _example(case, judgement, answers[name])
        return found


def made(layer: Layer) -> dict[str, Any]:
    """Return how the interpreter makes a layer."""
    return {"class": layer.class_name, "fields": dict(layer.fields)}


def _example(case: Case, judged: Judgement, answer: Mapping[str, Any]) -> Example:
    return Example(
        case.layers,
        judged.group,
        judged.layers,
        judged.expected,
        judged.is_sure,
        judged.field,
        answer["read"],
        answer["passed"],
        case.settings,
        case.others,
        judged.is_copy,
    )
