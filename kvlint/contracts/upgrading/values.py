# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which expressions are known to give specs, groups and the like, and of what class."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, auto

import libcst as cst

from kvlint.contracts.facts import ClassFacts, FieldFacts, MemberFacts
from kvlint.contracts.lineage import own
from kvlint.contracts.upgrading.plugin import Named
from kvlint.held import ITERABLES, MAPPINGS
from kvlint.model.annotations import (
    TypeExpression,
    TypeName,
    TypeOther,
    TypeSubscript,
    TypeUnion,
    read_annotation,
    read_annotation_text,
)
from kvlint.model.syntax import dotted

_TRANSPARENT = frozenset({"Optional", "Annotated", "Final", "ClassVar"})
_COPIERS = frozenset({"copy", "deepcopy", "replace"})
_SEQUENCES = frozenset({"list", "tuple", "set", "sorted", "reversed", "iter"})


class Shape(Enum):
    """How a value holds instances of a class."""

    ONE = auto()
    MANY = auto()
    MAPPED = auto()
    ITEMS = auto()
    NUMBERED = auto()
    CLASS = auto()
    SUPER = auto()


@dataclass(frozen=True, slots=True)
class Value:
    """What an expression gives: instances of a class, or the class."""

    shape: Shape
    of: Named


Lookup = Callable[[str], Named | None]
Environment = dict[str, Value | None]


def typed(expression: TypeExpression, lookup: Lookup) -> Value | None:
    """Return what values of a written type hold.

    Args:
        expression: The type.
        lookup: Gives the class that a name means.
    """
    match expression:
        case TypeName(name):
            found = lookup(name)
            return None if found is None else Value(Shape.ONE, found)
        case TypeUnion(options):
            held = [
                typed(each, lookup) for each in options if each != TypeOther("None")
            ]
            return held[0] if held and len(set(held)) == 1 else None
        case TypeSubscript(head, arguments):
            last = head.rpartition(".")[2]
            inner = [typed(each, lookup) for each in arguments]
            if last in _TRANSPARENT and inner:
                return inner[0]
            if last in {"type", "Type"} and inner and inner[0] is not None:
                return Value(Shape.CLASS, inner[0].of)
            if last in MAPPINGS and len(inner) == 2:
                return _holding(Shape.MAPPED, inner[1])
            is_many = last in ITERABLES or last in {"tuple", "Tuple", "Iterator"}
            return _holding(Shape.MANY, inner[0]) if is_many and inner else None
    return None


def _holding(shape: Shape, inner: Value | None) -> Value | None:
    if inner is None or inner.shape is not Shape.ONE:
        return None
    return Value(shape, inner.of)


def attribute_table(classes: Iterable[ClassFacts]) -> Environment:
    """Return what attributes of specs, groups and configurations hold, by name.

    Such as ``kv_cache_spec``, which is a spec wherever it is read. A name that holds
    one thing here and another there is left out.

    Args:
        classes: A release's classes.
    """
    known = {each.name: each for each in classes}
    found: dict[str, set[Value | None]] = {}
    for facts in known.values():
        for name, definition in own(facts).items():
            if isinstance(definition, FieldFacts):
                text = definition.type
            elif isinstance(definition, MemberFacts) and "property" in definition.kind:
                text = definition.returns or ""
            else:
                continue
            expression = read_annotation_text(text)
            value = typed(expression, lambda each: each if each in known else None)
            found.setdefault(name, set()).add(value)
    return {
        name: next(iter(values))
        for name, values in found.items()
        if len(values) == 1 and values != {None}
    }


@dataclass(frozen=True)
class Values:
    """What expressions of a function give.

    Attributes:
        table: What attributes hold, by name.
        lookup: Gives the class that a name means.
    """

    table: Environment
    lookup: Lookup

    def annotated(self, node: cst.BaseExpression) -> Value | None:
        """Return what an annotation says."""
        return typed(read_annotation(node), self.lookup)

    def value(self, node: cst.BaseExpression, known: Environment) -> Value | None:
        """Return what an expression gives, None if that is not known.

        Args:
            node: The expression.
            known: What names are bound to.
        """
        name = dotted(node)
        if name is not None and name in known:
            return known[name]
        match node:
            case cst.Name(value=text):
                found = self.lookup(text)
                if found is not None:
                    return Value(Shape.CLASS, found)
                return self.table.get(text)
            case cst.Attribute(attr=cst.Name(value=text)):
                found = self.lookup(name) if name else None
                if found is not None:
                    return Value(Shape.CLASS, found)
                return self.table.get(text)
            case cst.Subscript(value=held):
                return _item(self.value(held, known), {Shape.MANY, Shape.MAPPED})
            case cst.NamedExpr(value=inner):
                return self.value(inner, known)
            case cst.IfExp(body=body, orelse=orelse):
                options = {self.value(body, known), self.value(orelse, known)}
                return options.pop() if len(options) == 1 else None
            case cst.Call():
                return self._called(node, known)
        return None

    def _called(self, node: cst.Call, known: Environment) -> Value | None:
        arguments = [each.value for each in node.args]
        if isinstance(node.func, cst.Attribute) and not arguments:
            held = self.value(node.func.value, known)
            shapes = {"values": Shape.MANY, "items": Shape.ITEMS, "copy": Shape.MAPPED}
            shape = shapes.get(node.func.attr.value)
            if held is not None and held.shape is Shape.MAPPED and shape is not None:
                return Value(shape, held.of)
        name = (dotted(node.func) or "").rpartition(".")[2]
        if name == "super":
            instance = known.get("self") or known.get("cls")
            return Value(Shape.SUPER, instance.of) if instance else None
        if name == "cast" and len(arguments) == 2:
            return self.annotated(arguments[0])
        if name == "next" and arguments:
            return _item(self.value(arguments[0], known), {Shape.MANY})
        if name in _COPIERS | _SEQUENCES and arguments:
            held = self.value(arguments[0], known)
            is_fit = held is not None and (held.shape is Shape.MANY or name in _COPIERS)
            return held if is_fit else None
        if name == "enumerate" and arguments:
            held = self.value(arguments[0], known)
            return _holding_many(held)
        made = self.value(node.func, known)
        if made is not None and made.shape is Shape.CLASS:
            return Value(Shape.ONE, made.of)
        return None

    def bind(
        self, target: cst.CSTNode, value: Value | None, known: Environment
    ) -> None:
        """Bind a target; what was known of its attributes is forgotten."""
        if isinstance(target, cst.Tuple | cst.List):
            for element in target.elements:
                self.bind(element.value, None, known)
            return
        name = dotted(target) if isinstance(target, cst.BaseExpression) else None
        if name is None:
            return
        for each in [each for each in known if each.startswith(f"{name}.")]:
            del known[each]
        if value is None and name in self.table:
            known.pop(name, None)  # its name says what it is
        else:
            known[name] = value

    def bind_item(
        self, target: cst.BaseExpression, iterated: Value | None, known: Environment
    ) -> None:
        """Bind the target of a loop."""
        self.bind(target, None, known)
        if iterated is None:
            return
        if iterated.shape is Shape.MANY:
            self.bind(target, Value(Shape.ONE, iterated.of), known)
        elif (
            iterated.shape in {Shape.ITEMS, Shape.NUMBERED}
            and isinstance(target, cst.Tuple)
            and len(target.elements) == 2
        ):
            inner = Value(Shape.ONE, iterated.of)
            self.bind(target.elements[1].value, inner, known)


def _item(value: Value | None, shapes: set[Shape]) -> Value | None:
    if value is None or value.shape not in shapes:
        return None
    return Value(Shape.ONE, value.of)


def _holding_many(value: Value | None) -> Value | None:
    if value is None or value.shape is not Shape.MANY:
        return None
    return Value(Shape.NUMBERED, value.of)
