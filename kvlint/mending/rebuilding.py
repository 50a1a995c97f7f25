# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Fields that hold specs, built anew with every spec copied."""

from __future__ import annotations

from collections.abc import Callable

from kvlint.mending.documents import Doc
from kvlint.mending.expressions import (
    brackets,
    comprehension,
    each_in,
    item,
    tuple_of,
    unless_none,
)
from kvlint.mending.holders import Names, UnwritableError
from kvlint.model.shapes import Many, Mapped, Maybe, One, Places, Shape, Unclear

SPEC_NAMES = ("spec", "layer_spec", "wrapped_spec", "inner_spec")
"""What a wrapped spec is called, the first that is free."""

_MAPPINGS = frozenset({"dict", "Dict", "Mapping", "MutableMapping"})

_ITERABLES = {
    "list": "list",
    "List": "list",
    "MutableSequence": "list",
    "tuple": "tuple",
    "Tuple": "tuple",
    "Sequence": "tuple",
    "Collection": "tuple",
    "Iterable": "tuple",
    "set": "set",
    "Set": "set",
    "MutableSet": "set",
    "frozenset": "frozenset",
    "FrozenSet": "frozenset",
    "AbstractSet": "frozenset",
}
"""What each type is built anew as; types that promise nothing become a tuple."""


def rebuilt(
    shape: Shape, source: Doc, copied: Callable[[Doc], Doc], names: Names
) -> Doc:
    """Return an expression that builds a field's value with its specs copied.

    Args:
        shape: How the value holds them.
        source: The value.
        copied: Gives the copy of a spec.
        names: The names that are free.

    Raises:
        UnwritableError: It has a container that is not known how to build.
    """
    return _Rebuilder(copied, names).value(shape, source)


def builders(shape: Shape) -> set[str]:
    """Return the builtins that building a value of a shape needs."""
    match shape:
        case Many(inner, container):
            called = {_ITERABLES.get(container)} & {"tuple", "frozenset"}
            return {each for each in called if each} | builders(inner)
        case Maybe(inner):
            return builders(inner)
        case Mapped(values, keys):
            return set().union(*(builders(each) for each in (values, keys) if each))
        case Places(entries):
            return set().union(*(builders(each) for each in entries if each))
    return set()


class _Rebuilder:
    def __init__(self, copied: Callable[[Doc], Doc], names: Names) -> None:
        self._copied = copied
        self._names = names

    def value(self, shape: Shape | None, source: Doc) -> Doc:
        match shape:
            case None:
                return source
            case Unclear():
                raise UnwritableError("it is not clear in which form specs are held")
            case One():
                return self._copied(source)
            case Maybe(Maybe() as inner):
                return self.value(inner, source)
            case Maybe(inner):
                return unless_none(source, self.value(inner, source))
            case Many(inner, container):
                return self._iterable(inner, container, source)
            case Mapped(values, keys, container):
                return self._mapping(values, keys, container, source)
            case Places(entries):
                return tuple_of(
                    [
                        self.value(each, item(source, index))
                        for index, each in enumerate(entries)
                    ]
                )

    def _iterable(self, inner: Shape, container: str, source: Doc) -> Doc:
        kind = _ITERABLES.get(container)
        if kind is None:
            raise UnwritableError(f"kvlint cannot build a {container} anew")
        name = self._name(inner)
        inside = comprehension(self.value(inner, name), [each_in(name, source)])
        match kind:
            case "list":
                return brackets("[", inside, "]")
            case "set":
                return brackets("{", inside, "}")
        return (kind, brackets("(", inside, ")"))

    def _mapping(
        self, values: Shape | None, keys: Shape | None, container: str, source: Doc
    ) -> Doc:
        if container not in _MAPPINGS:
            raise UnwritableError(f"kvlint cannot build a {container} anew")
        key = self._name(keys) if keys else self._names.fresh("name", "key")
        value = self._name(values) if values else self._names.fresh("value", "held")
        pair = (self.value(keys, key), ": ", self.value(values, value))
        clause = each_in(f"{key}, {value}", (source, ".items()"))
        return brackets("{", comprehension(pair, [clause]), "}")

    def _name(self, shape: Shape) -> str:
        match shape:
            case One() | Maybe(One()):
                return self._names.fresh(*SPEC_NAMES)
            case Places() | Maybe(Places()):
                return self._names.entry()
        return self._names.many()
