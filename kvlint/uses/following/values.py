# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What is known of a value: of what class it is, or how it holds instances of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, auto

from kvlint.model.annotations import (
    TypeExpression,
    TypeName,
    TypeOther,
    TypeSubscript,
    TypeUnion,
)
from kvlint.specs.held import ITERABLES, MAPPINGS
from kvlint.uses.following.meanings import Named

_TRANSPARENT = frozenset({"Optional", "Annotated", "Final", "ClassVar"})
_TUPLES = frozenset({"tuple", "Tuple"})
_MORE = TypeOther("...")


class Shape(Enum):
    """How a value holds instances of a class.

    ``CLASS`` is the class itself, ``KIND`` that or a class below it.
    """

    ONE = auto()
    MANY = auto()
    MAPPED = auto()
    ITEMS = auto()
    NUMBERED = auto()
    CLASS = auto()
    KIND = auto()
    SUPER = auto()


CLASSES = frozenset({Shape.CLASS, Shape.KIND})
ASKED = frozenset({Shape.ONE, Shape.SUPER}) | CLASSES
"""Shapes whose attributes are those of the class."""


@dataclass(frozen=True, slots=True)
class Value:
    """What an expression gives: instances of a class, or the class.

    Attributes:
        shape: How it holds them.
        of: The class.
        is_guess: Only the name of an attribute speaks for it, of what nobody knows.
        others: Further classes, if it may be of one as well as of another.
    """

    shape: Shape
    of: Named
    is_guess: bool = False
    others: tuple[Named, ...] = ()

    @property
    def classes(self) -> tuple[Named, ...]:
        """All classes that it may be of."""
        return (self.of, *self.others)

    def shaped(self, shape: Shape) -> Value:
        """Return a value that holds the same otherwise."""
        return Value(shape, self.of, self.is_guess, self.others)


Lookup = Callable[[str], Named | None]
Environment = dict[str, Value | None]


def either(values: Iterable[Value | None]) -> Value | None:
    """Return what is one of several values, None if one of them is not known.

    Args:
        values: The values.
    """
    found = list(dict.fromkeys(values))
    if len({each and each.shape for each in found}) != 1 or found[0] is None:
        return None
    known = [each for each in found if each is not None]
    first, *others = dict.fromkeys(named for each in known for named in each.classes)
    is_guess = any(each.is_guess for each in known)
    return Value(found[0].shape, first, is_guess, tuple(others))


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
            return either(
                typed(each, lookup) for each in options if each != TypeOther("None")
            )
        case TypeSubscript(head, arguments):
            last = head.rpartition(".")[2]
            inner = [typed(each, lookup) for each in arguments]
            if last in _TRANSPARENT and inner:
                return inner[0]
            if last == "Union":
                return typed(TypeUnion(arguments), lookup)
            if last in {"type", "Type"} and inner and inner[0] is not None:
                return inner[0].shaped(Shape.KIND)
            if last in MAPPINGS and len(inner) == 2:
                return _holding(Shape.MAPPED, inner[1])
            if last in _TUPLES and len({*arguments} - {_MORE}) > 1:
                return None
            is_many = last in ITERABLES | _TUPLES or last == "Iterator"
            return _holding(Shape.MANY, inner[0]) if is_many and inner else None
    return None


def _holding(shape: Shape, inner: Value | None) -> Value | None:
    if inner is None or inner.shape is not Shape.ONE:
        return None
    return inner.shaped(shape)


def held_by_name(attributes: Iterable[tuple[str, Value | None]]) -> Environment:
    """Return what attributes hold, whoever has them.

    A name that holds one thing here and another there is left out.

    Args:
        attributes: Names of fields and properties, with what their types say.
    """
    found: dict[str, set[Value | None]] = {}
    for name, value in attributes:
        found.setdefault(name, set()).add(value)
    return {
        name: next(iter(values))
        for name, values in found.items()
        if len(values) == 1 and values != {None}
    }
