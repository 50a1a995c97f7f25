# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What came of asking: plain data that outputs print and tests are written from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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
        group: What the group answers, as JSON.
        answers: What each layer answers.
        expected: What the group should answer, if the layers agree.
        is_sure: Whether they agree: else it should fail.
        part: Which part of the answer differs, where it has parts.
        read: The settings that had a part in it, by dotted names.
        passed: The arguments that were passed; None if nothing is called.
        settings: All settings of the case.
        others: The layers that a copy of the group holds instead.
        is_copy: The answers are copies.
    """

    layers: tuple[Layer, ...]
    group: Any
    answers: tuple[Any, ...]
    expected: Any = None
    is_sure: bool = True
    part: str = ""
    read: Mapping[str, Any] = field(default_factory=dict)
    passed: Mapping[str, Any] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    others: tuple[Layer, ...] = ()
    is_copy: bool = False


@dataclass(frozen=True)
class MemberResult:
    """What is known of one member.

    Attributes:
        member: Its name.
        status: What is known.
        cases: In how many cases the answers were compared.
        example: The smallest disagreement.
        rows: For a written test, cases of each class of layers, also such as agree.
        harms: It sizes a block table, or code that may see a composite reads it.
        reason: Why nothing was tried.
    """

    member: str
    status: Status
    cases: int
    example: Example | None = None
    rows: tuple[Example, ...] = ()
    harms: bool = False
    reason: str = ""


@dataclass(frozen=True)
class Making:
    """How a composite is made.

    Attributes:
        class_name: ``module:Class``.
        holders: How it holds layers, by attribute.
        fields: What it is given besides.
        guesses: What it is given where its layers have no such field.
        needed: What its constructor needs.
        has_maker: Whether it has ``from_specs``, which makes groups.
        has_gate: Whether it says itself which layers may be in it.
    """

    class_name: str
    holders: Mapping[str, str]
    fields: Mapping[str, Any]
    guesses: Mapping[str, Any]
    needed: tuple[str, ...]
    has_maker: bool
    has_gate: bool


@dataclass(frozen=True)
class ClassResult:
    """What is known of one class.

    Attributes:
        class_name: ``module:Class``.
        members: What is known of each member.
        making: How groups of it are made; None for a class of layers.
    """

    class_name: str
    members: tuple[MemberResult, ...]
    making: Making | None = None

    @property
    def untried(self) -> str:
        """Why nothing of a composite could be tried; empty if something was."""
        if self.making is None:
            return ""
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
        header: The comment that the project's files begin with.
    """

    classes: tuple[ClassResult, ...]
    notes: tuple[str, ...]
    python: str
    vllm: str
    header: str = ""

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
