# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What expressions are to a composite: its specs, one of them, their answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum, auto

import libcst as cst

from kvlint.model.answering.bodies import literal_text
from kvlint.model.nodes import calls
from kvlint.model.syntax import dotted, text_of


class How(StrEnum):
    """How several answers become one without anybody looking at the rest."""

    ONE = "one"
    MAX = "max"
    MIN = "min"
    SUM = "sum"
    SUM_OF_SET = "sum of a set"
    ANY = "any"
    ALL = "all"
    LAST = "last"
    ARBITRARY = "arbitrary"


class Kind(Enum):
    """What an expression is, as far as it concerns wrapped specs."""

    SPECS = auto()
    ONE = auto()
    PAIRS = auto()
    PAIR = auto()
    ANSWERS = auto()
    ANSWER = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Value:
    """What an expression is.

    Attributes:
        kind: Of which kind.
        attributes: What was read off specs for it.
        names: The same where nothing else was done to it; else an empty name too.
        how: How one answer came of several.
        form: What several are gathered in, where that matters: a set, or in order.
    """

    kind: Kind = Kind.OTHER
    attributes: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    how: How | None = None
    form: str = ""


OTHER = Value()
ONE_SPEC = Value(Kind.ONE, how=How.ONE)
SPECS = Value(Kind.SPECS)
_VIEWS = frozenset({"values", "copy"})
_CASTS = frozenset(
    {"list", "tuple", "iter", "sorted", "set", "frozenset", "reversed", "dict"}
)
_FORMS = {"set": "set", "frozenset": "set", "sorted": "sorted", "reversed": ""}
_REDUCTIONS = {
    "max": How.MAX,
    "min": How.MIN,
    "add": How.SUM,
    "or_": How.ANY,
    "and_": How.ALL,
}
_ENDS = {"0": How.MIN, "-1": How.MAX}
_FOLDS = {
    "max": How.MAX,
    "min": How.MIN,
    "sum": How.SUM,
    "any": How.ANY,
    "all": How.ALL,
}


class AnswerExpressions:
    """Evaluates expressions of one body.

    Args:
        self_name: What the body calls the composite.
        holders: The attributes that hold specs.
        gives_one: Tells whether a member of the composite gives one of them.
    """

    def __init__(
        self,
        self_name: str,
        holders: frozenset[str],
        gives_one: Callable[[str], bool],
    ) -> None:
        """Begin without local names."""
        self._self, self._holders, self._gives_one = self_name, holders, gives_one
        self.locals: dict[str, Value] = {}
        self.functions: dict[str, cst.BaseExpression] = {}

    def value(self, node: cst.BaseExpression) -> Value:
        """Return what an expression is."""
        name = dotted(node)
        if name is not None and name in self.locals:
            return self.locals[name]
        match node:
            case cst.Attribute(value=owner, attr=cst.Name(value=attribute)):
                if dotted(owner) == self._self:
                    return self._own(attribute)
                return _read(self.value(owner), attribute)
            case cst.Call():
                return self._call(node)
            case cst.NamedExpr(target=cst.Name(value=target), value=value):
                self.locals[target] = self.value(value)
                return self.locals[target]
            case cst.Subscript(value=owner):
                return self._subscript(node, self.value(owner))
            case cst.SetComp() | cst.ListComp() | cst.GeneratorExp():
                return self._comprehension(node)
            case cst.List(elements=[only]) | cst.Tuple(elements=[only]):
                starred = isinstance(only, cst.StarredElement)
                return self.value(only.value) if starred else OTHER
            case cst.BinaryOperation(left=left, right=right):
                return self._mixed([left, right])
            case cst.IfExp(test=test, body=body, orelse=orelse):
                decides = self.asks_agreement(test)
                return OTHER if decides else self._mixed([body, orelse])
            case cst.BooleanOperation(left=left, right=right):
                return self._mixed([left, right])
            case cst.UnaryOperation(expression=inner):
                return self._mixed([inner])
        return OTHER

    def bind(self, target: cst.BaseExpression, iterated: Value) -> bool:
        """Bind a loop's target; return whether it runs over the wrapped specs."""
        if iterated.kind is Kind.PAIRS and isinstance(target, cst.Tuple):
            target = target.elements[-1].value
        elif iterated.kind not in {Kind.SPECS, Kind.ONE}:
            return False  # one of several may be a list of specs itself
        name = dotted(target)
        if name is not None:
            # A loop's spec is one of many: what is read off it is no lone answer yet.
            self.locals[name] = Value(Kind.ONE)
        return True

    def asks_agreement(self, test: cst.BaseExpression) -> bool:
        """Return whether a test looks at the answers of all specs."""
        return any(
            each.args and self.value(each.args[0].value).kind is Kind.ANSWERS
            for each in calls(test)
            if dotted(each.func) in {"len", "all", "any"}
        )

    def _own(self, attribute: str) -> Value:
        if attribute in self._holders:
            return SPECS
        return ONE_SPEC if self._gives_one(attribute) else OTHER

    def _call(self, node: cst.Call) -> Value:
        function, values = node.func, [argument.value for argument in node.args]
        name = dotted(function) or ""
        if isinstance(function, cst.Attribute):
            found = self._method(function, name)
            if found is not None:
                return found
        if name == "getattr" and len(values) > 1:
            attribute = text_of(values[1])
            return _read(self.value(values[0]), attribute) if attribute else OTHER
        if isinstance(function, cst.Call):
            asked = self.value(function)
            return asked if asked.kind is Kind.ANSWER else OTHER
        if name in _CASTS and len(values) == 1:
            cast = self.value(values[0])
            if cast.kind is not Kind.ANSWERS:
                return cast
            return replace(cast, form=_FORMS.get(name, cast.form))
        if name == "next" and values:
            return _item(self.value(values[0]))
        if name == "enumerate" and values and self.value(values[0]) == SPECS:
            return Value(Kind.PAIRS)
        if name == "map" and len(values) == 2:
            return self.mapped(values[0], values[1])
        if name.rpartition(".")[2] == "reduce" and len(values) > 1:
            return self._reduced(values[0], self.value(values[1]))
        if name in _FOLDS and values:
            return self._folded(node, _FOLDS[name], values)
        return self._mixed(values)

    def _method(self, function: cst.Attribute, name: str) -> Value | None:
        owner, method = self.value(function.value), function.attr.value
        if owner.kind is Kind.SPECS and method in _VIEWS:
            return owner
        if owner.kind is Kind.SPECS and method in {"items", "popitem"}:
            return Value(Kind.PAIRS if method == "items" else Kind.PAIR)
        if method == "pop" and owner.kind in {Kind.SPECS, Kind.ANSWERS}:
            return _item(owner)
        if owner.kind is Kind.ONE:
            return _read(owner, method)
        is_own = name == f"{self._self}.{method}"
        return ONE_SPEC if is_own and self._gives_one(method) else None

    def _folded(
        self, node: cst.Call, how: How, values: Sequence[cst.BaseExpression]
    ) -> Value:
        first = self.value(values[0])
        if first.kind is Kind.SPECS:
            # `max(specs, key=...)` is one of them.
            return ONE_SPEC if how in {How.MAX, How.MIN} else OTHER
        if first.kind is Kind.ANSWERS:
            if how is How.SUM and first.form == "set":
                how = How.SUM_OF_SET
            return _one_of(first, how)
        mixed = self._mixed(values)
        several = sum(argument.keyword is None for argument in node.args) > 1
        return (
            replace(mixed, how=how) if mixed.kind is Kind.ANSWER and several else OTHER
        )

    def mapped(self, function: cst.BaseExpression, over: cst.BaseExpression) -> Value:
        """Return what ``map`` gives."""
        if isinstance(function, cst.Name):
            function = self.functions.get(function.value, function)
        asked = _asked_by(function)
        if asked is not None and self.value(over) == SPECS:
            return _gathered(_read(Value(Kind.ONE), asked))
        if not isinstance(function, cst.Lambda) or not function.params.params:
            return OTHER
        before = dict(self.locals)
        over_specs = self.bind(function.params.params[0].name, self.value(over))
        inner = self.value(function.body)
        self.locals = before
        return _gathered(inner) if over_specs else OTHER

    def _comprehension(
        self, node: cst.SetComp | cst.ListComp | cst.GeneratorExp
    ) -> Value:
        loop: cst.CompFor | None = node.for_in
        before, over_specs = dict(self.locals), False
        while loop is not None:
            over_specs |= self.bind(loop.target, self.value(loop.iter))
            loop = loop.inner_for_in
        inner = self.value(node.elt)
        self.locals = before
        found = _gathered(inner) if over_specs else OTHER
        is_set = isinstance(node, cst.SetComp) and found.kind is Kind.ANSWERS
        return replace(found, form="set") if is_set else found

    def _reduced(self, function: cst.BaseExpression, over: Value) -> Value:
        how = _REDUCTIONS.get((dotted(function) or "").rpartition(".")[2])
        known = over.kind is Kind.ANSWERS and how is not None
        return _one_of(over, how) if known and how is not None else OTHER

    def _subscript(self, node: cst.Subscript, owner: Value) -> Value:
        index = node.slice[0].slice
        text = literal_text(index.value) if isinstance(index, cst.Index) else None
        if owner.kind is Kind.PAIR:
            return ONE_SPEC if text in {"1", "-1"} else OTHER
        if owner.form == "sorted" and text in _ENDS:
            return _one_of(owner, _ENDS[text])
        return _item(owner)

    def _mixed(self, parts: Sequence[cst.BaseExpression]) -> Value:
        """Something made of several parts, of which some are answers of specs."""
        values = [self.value(part) for part in parts]
        answers = [each for each in values if each.kind is Kind.ANSWER]
        if not answers or any(
            each.kind in {Kind.SPECS, Kind.ANSWERS, Kind.PAIRS} for each in values
        ):
            return OTHER
        hows = {each.how for each in answers}
        attributes = frozenset().union(*(each.attributes for each in answers))
        how = answers[0].how if len(hows) == 1 else None
        return Value(Kind.ANSWER, attributes, attributes | {""}, how)


def _read(owner: Value, attribute: str) -> Value:
    if owner.kind is not Kind.ONE:
        return OTHER
    read = frozenset({attribute})
    return Value(Kind.ANSWER, read, read, owner.how)


def _item(owner: Value) -> Value:
    if owner.kind in {Kind.SPECS, Kind.ONE}:
        return ONE_SPEC
    if owner.kind is Kind.PAIRS:
        return Value(Kind.PAIR)
    if owner.kind is Kind.ANSWERS:
        return _one_of(owner, How.ARBITRARY)
    return OTHER


def _one_of(answers: Value, how: How) -> Value:
    return replace(answers, kind=Kind.ANSWER, how=how, form="")


def _asked_by(function: cst.BaseExpression) -> str | None:
    """The member that ``methodcaller`` or ``attrgetter`` asks for, if it is one."""
    if not isinstance(function, cst.Call) or not function.args:
        return None
    last = (dotted(function.func) or "").rpartition(".")[2]
    if last == "methodcaller" or (last == "attrgetter" and len(function.args) == 1):
        return text_of(function.args[0].value)
    return None


def _gathered(inner: Value) -> Value:
    """What comes of asking every spec."""
    if inner.kind is Kind.ONE:
        return SPECS
    return replace(inner, kind=Kind.ANSWERS) if inner.kind is Kind.ANSWER else OTHER
