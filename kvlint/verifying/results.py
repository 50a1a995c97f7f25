# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What came of asking: plain data that outputs print and tests are written from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """What is known of a member after all cases."""

    AGREES = "agrees"
    DISAGREES = "disagrees"
    ABSTRACT = "abstract"
    NOT_TRIED = "not-tried"


@dataclass(frozen=True)
class Layer:
    """How the spec of one layer is made.

    Attributes:
        class_name: ``module:Class``.
        fields: What its constructor is given, as JSON.
        told: Which of these are worth telling: the rest is the same for all.
    """

    class_name: str
    fields: Mapping[str, Any]
    told: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The class's bare name."""
        return self.class_name.rpartition(":")[2]


@dataclass(frozen=True)
class Example:
    """One case in which a group answers otherwise than its layers.

    Attributes:
        layers: The layers in the group.
        read: The settings and arguments that had a part in it, by their names.
        group: What the group answers, as JSON.
        answers: What each layer answers.
        expected: What the group should answer; None where the layers differ, so that
            it should fail.
        field: Which part of the answer differs, where it has parts.
    """

    layers: tuple[Layer, ...]
    read: Mapping[str, Any]
    group: Any
    answers: tuple[Any, ...]
    expected: Any = None
    field: str = ""


@dataclass(frozen=True)
class MemberResult:
    """What is known of one member.

    Attributes:
        member: Its name.
        status: What is known.
        cases: In how many cases the answers were compared.
        example: The smallest disagreement.
        more: For a written test, the smallest one of each further kind of layer.
        reason: Why nothing was tried.
    """

    member: str
    status: Status
    cases: int
    example: Example | None = None
    more: tuple[Example, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class ClassResult:
    """What is known of one class.

    Attributes:
        class_name: ``module:Class``.
        members: What is known of each member.
        holders: How it holds layers, by attribute; empty for a per-layer class.
    """

    class_name: str
    members: tuple[MemberResult, ...]
    holders: Mapping[str, str]

    @property
    def untried(self) -> str:
        """Why nothing at all could be tried; empty if something was."""
        reasons = {each.reason for each in self.members}
        tried = any(each.status is not Status.NOT_TRIED for each in self.members)
        return "" if tried or len(reasons) != 1 else reasons.pop()

    @property
    def dotted(self) -> str:
        """``module.Class``, as people write it."""
        return self.class_name.replace(":", ".")


@dataclass(frozen=True)
class Verified:
    """What came of a run.

    Attributes:
        classes: The classes that were looked at.
        notes: What else is worth saying, such as classes that could not be made.
        python: The interpreter that did the work.
        vllm: Where its vLLM is.
    """

    classes: tuple[ClassResult, ...]
    notes: tuple[str, ...]
    python: str
    vllm: str

    @property
    def failures(self) -> list[str]:
        """What could not be verified at all, and why."""
        return [
            f"{each.class_name}: {each.untried}"
            for each in self.classes
            if each.untried
        ]

    @property
    def disagrees(self) -> bool:
        """Whether some group does not answer as its layers do."""
        return any(
            member.status is Status.DISAGREES
            for each in self.classes
            for member in each.members
        )
