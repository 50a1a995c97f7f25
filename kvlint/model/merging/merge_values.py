# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What expressions are to a function that is given several specs."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from kvlint.model.answering.answers import SPECS, AnswerExpressions, How, Kind, Value
from kvlint.model.merging.merges import EVERYTHING, fields_of
from kvlint.model.nodes import calls, walk
from kvlint.model.syntax import dotted, last_part, last_statement, text_of

EACH = Value(Kind.ONE)
"""One of the specs, whichever."""

BUILT = Value(Kind.ONE, how=How.LAST)
"""What was built of them."""

_SETS = frozenset({"set", "frozenset"})
_COPIERS = frozenset({"replace", "copy", "deepcopy"})
_TELL_NOTHING = frozenset(
    {"bool", "getattr", "hasattr", "id", "isinstance", "issubclass", "len", "print"}
    | {"type", "fields", "cast", "vars", "asdict"}
)
"""Functions that tell no value of a spec's fields."""

_PAIRING = frozenset({"zip", "combinations", "pairwise", "product", "permutations"})


@dataclass(frozen=True, slots=True)
class Reader:
    """A function inside another one that reads the field that it is told.

    Attributes:
        how: Of which spec.
    """

    how: How | None


class SpecExpressions(AnswerExpressions):
    """Evaluates expressions of a function that is given several specs.

    Args:
        specs: The parameter that holds them.
    """

    def __init__(self, specs: str) -> None:
        """Begin with the specs alone."""
        super().__init__("", frozenset(), lambda name: False)
        self.locals[specs] = SPECS
        self.fields: dict[str, frozenset[str]] = {}
        self.texts: dict[str, frozenset[str]] = {}
        self.sets: set[str] = set()
        self.readers: dict[str, Reader | None] = {}

    def value(self, node: cst.BaseExpression) -> Value:
        """Return what an expression is."""
        match node:
            case cst.Subscript(
                value=owner, slice=[cst.SubscriptElement(slice=cst.Slice())]
            ):
                return self.value(owner)
            case cst.Tuple(elements=[_, _, *_] as elements):
                return _together([self.value(each.value) for each in elements])
            case cst.Call(func=cst.Name(value="getattr"), args=[owner, name, *_]):
                if text_of(name.value) is None:
                    return self._computed(self.value(owner.value), name.value)
            case cst.NamedExpr(value=value):
                return self.value(value)
            case cst.Call(func=func, args=[copied, *_]) if last_part(func) in _COPIERS:
                found = self.value(copied.value)
                return EACH if found.kind is Kind.ONE else found
            case cst.Call(func=cst.Name(value=name), args=[only]):
                asked = self.readers.get(name)
                text = text_of(only.value)
                if asked is not None and text is not None:
                    names = frozenset({text})
                    return Value(Kind.ANSWER, names, names, asked.how)
        found = super().value(node)
        return self._unknown(node) if found.kind is Kind.OTHER else found

    def _unknown(self, node: cst.BaseExpression) -> Value:
        """What a function that is not at hand says of a spec: anything."""
        if not isinstance(node, cst.Call) or last_part(node.func) in _TELL_NOTHING:
            return Value()
        for each in node.args:
            found = self.value(each.value)
            if found.kind is Kind.ONE and found.how is None and not each.star:
                every = frozenset({EVERYTHING})
                return Value(Kind.ANSWER, every, every | {""})
        return Value()

    def mapped(self, function: cst.BaseExpression, over: cst.BaseExpression) -> Value:
        """Return what ``map`` gives."""
        found = super().mapped(function, over)
        if found.kind is not Kind.OTHER or isinstance(function, cst.Lambda):
            return found
        tells = last_part(function) not in _TELL_NOTHING
        if not tells or self.value(over).kind is not Kind.SPECS:
            return found
        every = frozenset({EVERYTHING})
        return Value(Kind.ANSWERS, every, every | {""})

    def bind_loop(self, target: cst.BaseExpression, over: cst.BaseExpression) -> None:
        """Bind a loop's target: to a spec, to pairs of specs, to names of fields."""
        if self.bind(target, self.value(over)):
            return
        names = [dotted(each) or "" for each in _targets(target)]
        called = dotted(over.func) if isinstance(over, cst.Call) else None
        last = (called or "").rpartition(".")[2]
        if isinstance(over, cst.Call) and over.args:
            only = over.args[0].value
            if last == "fields":
                self.fields[f"{names[0]}.name"] = frozenset({self._fields_of(only)})
                return
            if last in _PAIRING and self.value(only).kind is Kind.SPECS:
                self.locals |= dict.fromkeys(names, EACH)
                return
        texts = self.field_texts(over)
        if texts is not None:
            self.fields[names[0]] = texts

    def field_texts(self, node: cst.BaseExpression) -> frozenset[str] | None:
        """Return the texts that a tuple, list or set is made of, None for others."""
        name = dotted(node)
        if name is not None:
            return self.texts.get(name)
        if not isinstance(node, cst.Tuple | cst.List | cst.Set):
            return None
        texts = [text_of(each.value) for each in node.elements]
        known = frozenset(each for each in texts if each is not None)
        return known if len(known) == len(texts) else None

    def names_own_class(self, node: cst.BaseExpression) -> bool:
        """Return whether an expression is the class of a spec, or ``cls``."""
        match node:
            case cst.Name(value="cls"):
                return True
            case cst.Call(func=cst.Name(value="type"), args=[only]):
                return self.value(only.value).kind is Kind.ONE
            case cst.Attribute(value=owner, attr=cst.Name(value="__class__")):
                return self.value(owner).kind is Kind.ONE
        return False

    def _fields_of(self, node: cst.BaseExpression) -> str:
        if self.value(node).kind is Kind.ONE or self.names_own_class(node):
            return EVERYTHING
        name = dotted(node)
        return EVERYTHING if name is None else fields_of(name)

    def _computed(self, owner: Value, name: cst.BaseExpression) -> Value:
        """An attribute whose name is worked out."""
        if owner.kind is not Kind.ONE:
            return Value()
        names = self.fields.get(dotted(name) or "", frozenset({EVERYTHING}))
        return Value(Kind.ANSWER, names, names, owner.how)


def makes_set(node: cst.BaseExpression) -> bool:
    """Return whether an expression gathers what is alike only once."""
    is_call = isinstance(node, cst.Call) and last_part(node.func) in _SETS
    return is_call or isinstance(node, cst.SetComp)


def reader(expressions: SpecExpressions, node: cst.FunctionDef) -> Reader | None:
    """Return what an inner function reads, None if that is not the field it is told.

    Args:
        expressions: What the expressions of the function around it are.
        node: The inner function.
    """
    last = last_statement(node.body)
    if len(node.params.params) != 1 or not isinstance(last, cst.Return):
        return None
    parameter = node.params.params[0].name.value
    is_told = any(
        dotted(each.args[1].value) == parameter
        for each in calls(node.body)
        if last_part(each.func) == "getattr" and len(each.args) > 1
    )
    found = expressions.value(last.value) if last.value is not None else Value()
    return Reader(found.how) if is_told and found.kind is Kind.ANSWER else None


def attributes_read(expressions: SpecExpressions, node: cst.CSTNode) -> frozenset[str]:
    """Return the attributes that are read off specs somewhere in a node."""
    found: set[str] = set()
    for each in walk(node):
        if isinstance(each, cst.Attribute | cst.Name | cst.Call):
            found |= expressions.value(each).attributes
    return frozenset(found)


def _together(values: list[Value]) -> Value:
    """A tuple of answers."""
    answers = [each for each in values if each.kind is Kind.ANSWER]
    if not answers:
        return Value()
    attributes = frozenset().union(*(each.attributes for each in answers))
    # What an unknown function says is one thing among those that are named.
    attributes = attributes - {EVERYTHING} or attributes
    hows = {each.how for each in answers}
    how = hows.pop() if len(hows) == 1 else None
    return Value(Kind.ANSWER, attributes, attributes | {""}, how)


def _targets(target: cst.BaseExpression) -> list[cst.BaseExpression]:
    if isinstance(target, cst.Tuple | cst.List):
        return [each.value for each in target.elements]
    return [target]
