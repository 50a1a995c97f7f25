# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What expressions are to a function that is given several specs."""

from __future__ import annotations

import libcst as cst

from kvlint.model.answering.answers import SPECS, AnswerExpressions, How, Kind, Value
from kvlint.model.merging.merges import EVERYTHING, fields_of
from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted, text_of

EACH = Value(Kind.ONE)
"""One of the specs, whichever."""

BUILT = Value(Kind.ONE, how=How.LAST)
"""What was built of them."""

_PAIRING = frozenset({"zip", "combinations", "pairwise", "product", "permutations"})


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
        return super().value(node)

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
    hows = {each.how for each in answers}
    how = hows.pop() if len(hows) == 1 else None
    return Value(Kind.ANSWER, attributes, attributes | {""}, how)


def _targets(target: cst.BaseExpression) -> list[cst.BaseExpression]:
    if isinstance(target, cst.Tuple | cst.List):
        return [each.value for each in target.elements]
    return [target]
