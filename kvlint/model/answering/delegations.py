# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""How a composite's member makes one answer of its wrapped specs' answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kvlint.model.answering.answer_flow import Answer, AnswerFlow
from kvlint.model.answering.answers import Kind
from kvlint.model.answering.bodies import body_facts, body_statements
from kvlint.model.classes import Member


@dataclass
class DelegationReader:
    """Reads members of one composite.

    Attributes:
        holders: The attributes that hold specs.
        own_member: Gives the member of a name that the composite itself, or a composite
            above it, defines.
        is_of_parts: Whether it has several such attributes, with one spec in each.
    """

    holders: frozenset[str]
    own_member: Callable[[str], Member | None]
    is_of_parts: bool = False
    _open: set[str] = field(default_factory=set)

    def consults(self, member: Member) -> bool:
        """Return whether a member's answer depends on the wrapped specs.

        It does too if that cannot be told, as when the instance is passed on whole.
        """
        facts = body_facts(member)
        if facts.lets_self_out or facts.reads & self.holders - facts.counted:
            return True
        return any(self._consults_through(name) for name in sorted(facts.reads))

    def _consults_through(self, name: str) -> bool:
        member = self.own_member(name)
        if member is None or name in self._open:
            return False
        self._open.add(name)
        try:
            return self.consults(member)
        finally:
            self._open.discard(name)

    def unlooked_answer(self, member: Member) -> Answer | None:
        """Return the answer that a member gives without looking at the other specs.

        Returns:
            None if it looks at all of them, checks that they agree, or does something
            that cannot be told.
        """
        function = member.function
        if function is None:
            return None
        part = self._only_part(member)
        flow = AnswerFlow(
            self.holders - {part},
            lambda name: name == part or self.gives_one(name),
            member,
        )
        flow.block(body_statements(function), in_loop=False)
        return flow.unlooked()

    def _only_part(self, member: Member) -> str | None:
        """The one attribute that a member asks of several with one spec in each."""
        facts = body_facts(member)
        asked = facts.reads & self.holders
        others = facts.reads - asked
        if not self.is_of_parts or len(asked) != 1 or facts.lets_self_out:
            return None
        return None if any(map(self.own_member, others)) else next(iter(asked))

    def gives_one(self, name: str) -> bool:
        """Return whether a member of the composite gives one of the wrapped specs."""
        member = self.own_member(name)
        if member is None or member.function is None or name in self._open:
            return False
        self._open.add(name)
        try:
            flow = AnswerFlow(self.holders, self.gives_one, member)
            flow.block(body_statements(member.function), in_loop=False)
            kinds = [value.kind for value in flow.values]
            return bool(kinds) and all(kind is Kind.ONE for kind in kinds)
        finally:
            self._open.discard(name)
