# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a function reads off raw group specs that a composite does not have."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain

import libcst as cst

from kvlint.model.failures import catches, suppresses
from kvlint.model.groups.group_events import Deed, GroupEvent, GroupEvents
from kvlint.model.groups.kinds import Environment, Kind
from kvlint.model.groups.subjects import place_of, spec_of
from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted

_CHECKS = re.compile(r"(?:^|_)(?:assert|check|ensure|require|support|validate|verify)")
_ASKS = re.compile(r"(?:^|_)(?:can|has|is)_|^type$")
_HOLDER = re.compile(r"cache_config|groups")
_OF_GROUPS = frozenset([Kind.RAW, Kind.RAWS, Kind.GROUP, Kind.GROUPS, Kind.MAPPED])


@dataclass
class LayerReads(GroupEvents):
    """What a function does with raw group specs, plain reads too.

    Attributes:
        lacking: What layers have and no composite has.
    """

    lacking: frozenset[str] = frozenset()
    _caught: set[cst.CSTNode] = field(default_factory=set)
    _cast: dict[str, str] = field(default_factory=dict)
    _sifting: set[cst.CSTNode] = field(default_factory=set)
    _asked: set[str] = field(default_factory=set)
    _is_insured: bool = False

    def met(self, node: cst.CSTNode, env: Environment) -> None:
        """Take note of an expression, before the parts of it."""
        super().met(node, env)
        match node:
            case cst.Attribute(value=subject, attr=cst.Name(value=name)):
                is_wanted = name in self.lacking and self._is_blind(subject, env)
                if is_wanted and self.is_open(node, subject):
                    self._read(node, subject, name)
            case cst.Call():
                self._ask(node, env)
            case cst.BaseComp():
                self._sifting.update(walk(node))

    def is_open(self, node: cst.CSTNode, subject: cst.BaseExpression) -> bool:
        """Return whether nothing has made sure of a group spec that something takes.

        Args:
            node: What takes it.
            subject: The group spec.
        """
        is_insured = self._is_insured or (place_of(subject) or "") in self._asked
        return node not in self._caught and not is_insured

    def _read(self, node: cst.CSTNode, subject: cst.BaseExpression, name: str) -> None:
        place = place_of(subject) or ""
        guessed = (
            x for x in self.events if x.deed is Deed.GUESS and x.names == (name,)
        )
        if place in {place_of(x.subject) for x in guessed}:
            return
        said = _said(subject) or self._cast.get(place)
        names = (name,) if said is None else (name, said)
        sifted = (
            each.names
            for each in self.events
            if each.deed is Deed.TEST and each.node in self._sifting
        )
        classes = tuple(chain.from_iterable(sifted))
        self.events.append(GroupEvent(Deed.READ, node, subject, names, sifted=classes))

    def _ask(self, call: cst.Call, env: Environment) -> None:
        """Take note that a call may have found out what group specs are."""
        name = (dotted(call.func) or "").rpartition(".")[2]
        checks, asks = _CHECKS.search(name), _ASKS.search(name)
        for each in call.args if checks or asks else ():
            kind, place = self._known.kind(each.value, env), place_of(each.value) or ""
            is_of_groups = kind in _OF_GROUPS or _HOLDER.search(place) is not None
            self._is_insured |= is_of_groups and bool(checks or call in self._sifting)
            if kind is Kind.RAW or kind is Kind.GROUP:
                self._asked.add(place if kind is Kind.RAW else spec_of(place))

    def _assign(
        self, target: cst.BaseExpression, value: cst.BaseExpression, env: Environment
    ) -> None:
        super()._assign(target, value, env)
        place, said = place_of(target), _said(value)
        if place is not None:
            self._cast.pop(place, None)
            if said is not None:
                self._cast[place] = said

    def _statement(self, node: cst.CSTNode, environment: Environment) -> bool:
        match node:
            case cst.Try() | cst.TryStar() if any(map(catches, node.handlers)):
                self._caught.update(walk(node.body))
            case cst.With() if any(map(suppresses, node.items)):
                self._caught.update(walk(node.body))
            case cst.Del():
                self._caught.update(walk(node))
        return super()._statement(node, environment)


def _said(value: cst.BaseExpression) -> str | None:
    """Return the class that a cast says a value is of."""
    match value:
        case cst.Call(args=[said, _]):
            if (dotted(value.func) or "").rpartition(".")[2] == "cast":
                return (dotted(said.value) or "").rpartition(".")[2] or None
    return None
