# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a function does with raw group specs as if they were specs of layers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

import libcst as cst

from kvlint.model.class_tests.type_tests import class_of
from kvlint.model.groups.flow import GroupFlow
from kvlint.model.groups.hashing import hashed
from kvlint.model.groups.kinds import Environment, Kind
from kvlint.model.groups.subjects import place_of
from kvlint.model.nodes import children, walk
from kvlint.model.syntax import class_names, dotted, text_of


class Deed(Enum):
    """What is done with a raw group spec that nobody has unwrapped.

    Attributes:
        TEST: It is tested for classes.
        GUESS: It is asked for an attribute that it need not have.
        HASH: It is made a key.
        PRODUCT: Its page size is multiplied with a number of layers or tensors.
        FIRST: An attribute of the first spec in it is let out.
        COPY: It is copied with other values of some fields.
        READ: An attribute is read that layers have and a composite has not.
    """

    TEST = auto()
    GUESS = auto()
    HASH = auto()
    PRODUCT = auto()
    FIRST = auto()
    COPY = auto()
    READ = auto()


@dataclass(frozen=True)
class GroupEvent:
    """Something that a function does with a raw group spec.

    Attributes:
        deed: What it does.
        node: Where.
        subject: The group spec; of a product, the page size.
        names: The classes of a test as they are written; the attribute of a guess, or
            the one that is let out; the fields of a copy; the one that is read, and
            what class a cast calls the subject.
        question: What is asked of all groups by the test, if it is asked at once.
        sifted: Of a read, the classes that the function has sought among groups before.
    """

    deed: Deed
    node: cst.CSTNode
    subject: cst.BaseExpression
    names: tuple[str, ...] = ()
    question: cst.Call | None = None
    sifted: tuple[str, ...] = ()


@dataclass
class GroupEvents(GroupFlow):
    """What a function does with raw group specs.

    Attributes:
        cached: Functions that hash what they are given.
        events: Found so far.
    """

    cached: frozenset[str] = frozenset()
    events: list[GroupEvent] = field(default_factory=list)
    _asking: dict[cst.CSTNode, cst.Call] = field(default_factory=dict)
    _chained: dict[cst.CSTNode, cst.CSTNode] = field(default_factory=dict)
    _told: set[tuple[cst.CSTNode, str]] = field(default_factory=set)
    _factors: set[cst.CSTNode] = field(default_factory=set)
    _loops: list[bool] = field(default_factory=list)
    _pending: list[GroupEvent] = field(default_factory=list)

    def met(self, node: cst.CSTNode, env: Environment) -> None:
        """Take note of an expression, before the parts of it."""
        super().met(node, env)
        if type(node) not in _TELLING:
            return
        match node:
            case cst.BooleanOperation():
                if node not in self._chained:
                    self._chain(node, node)
            case cst.Call(func=cst.Name(value="isinstance"), args=[first, second]):
                self._test(node, first.value, second.value, env)
            case cst.Call(func=cst.Name(value="issubclass"), args=[first, second]):
                if (asked := class_of(first.value)) is not None:
                    self._test(node, asked.subject, second.value, env)
            case (
                cst.Call(func=cst.Name(value="getattr"), args=[first, second, _])
                | cst.Call(func=cst.Name(value="hasattr"), args=[first, second])
            ):
                name = text_of(second.value)
                is_told = name is None or self._known.names_composite(second.value)
                if name is not None and not is_told:
                    self._guess(node, first.value, name, env)
            case cst.BinaryOperation(operator=cst.Multiply()):
                if node not in self._factors:
                    self._product(node, env)
            case cst.Call(func=cst.Name(value="any" | "all"), args=[only]):
                self._asking |= dict.fromkeys(walk(only.value), node)
            case cst.Call(func=cst.Name(value="sum"), args=[only]):
                if isinstance(only.value, cst.GeneratorExp | cst.ListComp):
                    self._sum(node, only.value, env)
            case cst.SetComp(elt=key, for_in=loop) | cst.DictComp(key=key, for_in=loop):
                self._key(key, self._known.comprehension(loop, dict(env)))
            case cst.Call(args=[first, _, *_]):
                if (changed := _changed(node)) and self._is_blind(first.value, env):
                    self._add(Deed.COPY, node, first.value, *changed)
            case cst.Call(args=[only]):
                name = (dotted(node.func) or "").rpartition(".")[2]
                is_raws = self._known.kind(only.value, env) is Kind.RAWS
                if name in _OF_ITEMS and is_raws:
                    self._add(Deed.HASH, only.value, only.value)
        for key in hashed(node, self.cached):
            self._key(key, env)

    def _statement(self, node: cst.CSTNode, environment: Environment) -> bool:
        if isinstance(node, cst.AugAssign):
            self._augmented(node, environment)
        if not isinstance(node, cst.For):
            return super()._statement(node, environment)
        kind = self._known.kind(node.iter, environment)
        self._loops.append(kind is Kind.LAYERS)
        goes_on = super()._statement(node, environment)
        self._loops.pop()
        return goes_on

    # Whoever asks for a layer's class first and for a composite next is not blind.

    def _block(self, body: Iterable[cst.CSTNode], environment: Environment) -> bool:
        pending = len(self._pending)
        goes_on = super()._block(body, environment)
        del self._pending[pending:]
        return goes_on

    def _taken(
        self,
        node: cst.If,
        taken: Environment,
        orelse: Sequence[cst.CSTNode],
        other: Environment,
        environment: Environment,
    ) -> bool:
        tests = [each for each in self.events if self._is_of(each, node.test)]
        self._pending += tests
        goes_on = super()._taken(node, taken, orelse, other, environment)
        body = node.body.body
        last = body[-1] if body else None
        if isinstance(last, cst.SimpleStatementLine):
            last = last.body[-1]
        if not isinstance(last, _EXITS):
            self._pending = [each for each in self._pending if each not in tests]
        return goes_on

    def _behind(
        self,
        test: cst.BaseExpression,
        part: cst.BaseExpression,
        env: Environment,
        *,
        truth: bool,
    ) -> None:
        is_not = isinstance(test, cst.UnaryOperation)
        fails = truth == is_not
        tests = [x for x in self.events if fails and self._is_of(x, test)]
        pending, self._pending = self._pending, [*self._pending, *tests]
        super()._behind(test, part, env, truth=truth)
        self._pending = pending

    def _is_of(self, event: GroupEvent, test: cst.BaseExpression) -> bool:
        return event.deed is Deed.TEST and any(
            each is event.node for each in walk(test)
        )

    def _look_into(self, subject: cst.BaseExpression, env: Environment) -> None:
        place = place_of(subject)
        for event in self._pending:
            if place is not None and place_of(event.subject) == place:
                self.events = [each for each in self.events if each is not event]
        super()._look_into(subject, env)

    def met_pattern(
        self, subject: cst.BaseExpression, pattern: cst.MatchClass, env: Environment
    ) -> None:
        """Take note of a case that asks a subject for its class."""
        self._test(pattern, subject, pattern.cls, env)

    def _is_blind(self, subject: cst.BaseExpression, env: Environment) -> bool:
        return self._known.kind(subject, env) is Kind.RAW

    def _add(
        self, deed: Deed, node: cst.CSTNode, subject: cst.BaseExpression, *names: str
    ) -> None:
        self.events.append(GroupEvent(deed, node, subject, names))

    def _guess(
        self,
        node: cst.CSTNode,
        subject: cst.BaseExpression,
        name: str,
        env: Environment,
    ) -> None:
        if self._is_blind(subject, env):
            self._add(Deed.GUESS, node, subject, name)

    # Tests: one of each subject in a chain of ``and`` and ``or``.

    def _chain(self, node: cst.CSTNode, chain: cst.CSTNode) -> None:
        self._chained[node] = chain
        for child in children(node):
            self._chain(child, chain)

    def _test(
        self,
        node: cst.CSTNode,
        subject: cst.BaseExpression,
        classes: cst.BaseExpression,
        env: Environment,
    ) -> None:
        if not self._is_blind(subject, env) or self._known.names_composite(classes):
            return
        told = (self._chained.get(node, node), place_of(subject) or "")
        if told not in self._told:
            self._told.add(told)
            names, question = class_names(classes), self._asking.get(node)
            self.events.append(
                GroupEvent(Deed.TEST, node, subject, tuple(names), question)
            )

    # Page sizes that are counted once more for every layer.

    def _product(self, node: cst.BinaryOperation, env: Environment) -> None:
        factors = self._split(node)
        kinds = [self._known.kind(each, env) for each in factors]
        if Kind.PAGE in kinds and Kind.COUNT in kinds:
            self._add(Deed.PRODUCT, node, factors[kinds.index(Kind.PAGE)])

    def _split(self, node: cst.BaseExpression) -> list[cst.BaseExpression]:
        match node:
            case cst.BinaryOperation(left, cst.Multiply(), right):
                self._factors.add(node)
                return [*self._split(left), *self._split(right)]
        return [node]

    def _sum(
        self, node: cst.Call, summed: cst.GeneratorExp | cst.ListComp, env: Environment
    ) -> None:
        loop = summed.for_in
        while loop.inner_for_in is not None:
            loop = loop.inner_for_in
        inner = self._known.comprehension(summed.for_in, dict(env))
        if self._known.kind(loop.iter, inner) is not Kind.LAYERS:
            return
        if self._known.kind(summed.elt, inner) is Kind.PAGE:
            self._add(Deed.PRODUCT, node, summed.elt)

    def _augmented(self, node: cst.AugAssign, env: Environment) -> None:
        kinds = [self._known.kind(each, env) for each in (node.target, node.value)]
        match node.operator:
            case cst.MultiplyAssign() if kinds == [Kind.PAGE, Kind.COUNT]:
                self._add(Deed.PRODUCT, node, node.target)
            case cst.AddAssign() if kinds[1] is Kind.PAGE and self._loops[-1:] == [
                True
            ]:
                self._add(Deed.PRODUCT, node, node.value)

    def _key(self, key: cst.BaseExpression, env: Environment) -> None:
        if isinstance(key, cst.Tuple):
            for element in key.elements:
                self._key(element.value, env)
        elif self._is_blind(key, env) or self._is_pair(key, env):
            self._add(Deed.HASH, key, key)

    def _is_pair(self, key: cst.BaseExpression, env: Environment) -> bool:
        """Whether a name stands for a tuple that holds a group spec."""
        start = f"{place_of(key)}["
        parts = [
            x for x in env if x.startswith(start) and x[len(start) :][:-1].isdigit()
        ]
        return isinstance(key, cst.Name) and Kind.RAW in {env[x] for x in parts}


_TELLING = frozenset(
    [
        cst.BooleanOperation,
        cst.BinaryOperation,
        cst.Call,
        cst.Dict,
        cst.DictComp,
        cst.Set,
        cst.SetComp,
        cst.Subscript,
    ]
)
_COPIERS = frozenset({"replace", "dataclasses.replace", "copy.replace"})
_EXITS = (cst.Return, cst.Raise, cst.Continue, cst.Break)
_OF_ITEMS = frozenset({"set", "frozenset", "Counter", "fromkeys"})


def _changed(node: cst.Call) -> list[str]:
    """The keywords of ``dataclasses.replace``, if all are written out."""
    if dotted(node.func) not in _COPIERS:
        return []
    changed = [each.keyword for each in node.args[1:]]
    named = [each.value for each in changed if each is not None]
    return named if len(named) == len(changed) else []
