# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Fields that hold specs: how to go through them and how to build them anew."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kvlint.mending.documents import Doc, Mark
from kvlint.mending.expressions import (
    comprehension,
    each_in,
    fallback,
    in_parentheses,
    item,
    tuple_of,
)
from kvlint.model.shapes import Many, Mapped, Maybe, One, Places, Shape, Unclear


class UnwritableError(Exception):
    """There is no text that would be right; its message says why."""


@dataclass(frozen=True, slots=True)
class Holder:
    """A field that holds specs.

    Attributes:
        field: The field's name.
        shape: How its value holds them.
    """

    field: str
    shape: Shape


class Names:
    """Local names that collide with nothing.

    Args:
        taken: The names in use.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        """Start with the names in use."""
        self._taken = set(taken)

    def fresh(self, *candidates: str) -> str:
        """Return the first free candidate, or the last one numbered."""
        numbered = [f"{candidates[-1]}_{number}" for number in range(2, 1000)]
        name = next(
            each for each in (*candidates, *numbered) if each not in self._taken
        )
        self._taken.add(name)
        return name

    def many(self) -> str:
        """Return a name for a container inside a container."""
        return self.fresh("specs", "layer_specs", "inner_specs")

    def entry(self) -> str:
        """Return a name for a tuple."""
        return self.fresh("entry", "layer_entry", "inner_entry")


@dataclass(frozen=True, slots=True)
class Walk:
    """A way to the specs.

    Attributes:
        source: A spec, or an iterable of specs.
        many: Whether it is an iterable.
        clauses: The clauses that come first.
        optional: Whether None may be among the specs.
        bound: Whether the clauses bind the spec's name already.
        chain: What the source consists of if it is a tuple of several ways.
    """

    source: Doc
    many: bool = False
    clauses: tuple[Doc, ...] = ()
    optional: bool = False
    bound: bool = False
    chain: tuple[Doc, ...] = ()

    @property
    def is_single(self) -> bool:
        """Whether it leads to exactly one spec, which is never None."""
        return not (self.many or self.clauses or self.optional)

    def to(self, spec: str) -> list[Doc]:
        """Return the clauses that bind a name to each spec."""
        clauses = list(self.clauses)
        if not self.bound:
            source = self.source if self.many else tuple_of([self.source])
            clauses.append(each_in(spec, source))
        if self.optional:
            clauses.append(f"if {spec} is not None")
        return clauses


def walk(
    holders: Sequence[Holder], owner: str, spec: str, names: Names, mark: Mark
) -> Walk:
    """Return the way to all specs that some fields hold.

    Args:
        holders: The fields, at least one.
        owner: What they are attributes of.
        spec: The name that a spec will have.
        names: The names that are free.
        mark: The parentheses that the way may get if it is a single spec.
    """
    walker = _Walker(spec, names, mark)
    return walker.joined([walker.walk(h.shape, f"{owner}.{h.field}") for h in holders])


class _Walker:
    def __init__(self, spec: str, names: Names, mark: Mark) -> None:
        self._spec = spec
        self._names = names
        self._mark = mark

    def walk(self, shape: Shape, source: Doc) -> Walk:
        match shape:
            case Unclear():
                raise UnwritableError("it is not clear in which form specs are held")
            case One():
                return Walk(source)
            case Maybe(One()):
                return Walk(source, optional=True)
            case Maybe(Maybe() as inner):
                return self.walk(inner, source)
            case Maybe(Places() as inner):
                entry = self._names.entry()
                clauses = (
                    each_in(entry, tuple_of([source])),
                    f"if {entry} is not None",
                )
                return self._after(clauses, self.walk(inner, entry))
            case Maybe(Mapped() as inner):
                return self.walk(inner, fallback(source, "{}"))
            case Maybe(inner):
                return self.walk(inner, fallback(source, "()"))
            case Many(inner):
                return self._each(inner, source)
            case Mapped(values, keys):
                walks = [self._each(keys, source)] if keys else []
                walks += [self._each(values, (source, ".values()"))] if values else []
                return self.joined(walks)
            case Places(entries) if len(set(entries)) == 1 and entries[0]:
                return self._each(entries[0], source)
            case Places(entries):
                return self.joined(
                    [
                        self.walk(each, item(source, index, self._mark))
                        for index, each in enumerate(entries)
                        if each
                    ]
                )

    def joined(self, walks: list[Walk]) -> Walk:
        """Return several ways as one."""
        if len(walks) == 1:
            return walks[0]
        optional = any(each.optional for each in walks)
        chain = tuple(entry for each in walks for entry in self._entries(each))
        return Walk(tuple_of(chain), many=True, optional=optional, chain=chain)

    def _entries(self, way: Walk) -> Sequence[Doc]:
        """Return what stands for a way in a tuple of specs."""
        if not way.clauses:
            return way.chain or [("*", way.source) if way.many else way.source]
        clauses = replace(way, optional=False).to(self._spec)
        return [("*", in_parentheses(comprehension(self._spec, clauses)))]

    def _each(self, inner: Shape, source: Doc) -> Walk:
        """Return the way through an iterable."""
        match inner:
            case One():
                return Walk(source, many=True)
            case Maybe(One()):
                return Walk(source, many=True, optional=True)
            case Places(entries) if sum(map(bool, entries)) == 1 < len(entries):
                index = next(i for i, each in enumerate(entries) if each)
                return self._unpacked(entries[index], index, len(entries), source)
            case Maybe(Places()):
                entry = self._names.entry()
                clauses = (each_in(entry, source), f"if {entry} is not None")
                return self._after(clauses, self.walk(inner.inner, entry))
        name = self._names.entry() if isinstance(inner, Places) else self._names.many()
        return self._after((each_in(name, source),), self.walk(inner, name))

    def _unpacked(
        self, inner: Shape | None, index: int, length: int, source: Doc
    ) -> Walk:
        assert inner is not None
        is_spec = inner in (One(), Maybe(One()))
        name = self._spec if is_spec else self._names.many()
        target = ", ".join(name if each == index else "_" for each in range(length))
        way = self.walk(inner, name)
        if is_spec:
            way = replace(way, bound=True)
        return self._after((each_in(target, source),), way)

    @staticmethod
    def _after(clauses: tuple[Doc, ...], way: Walk) -> Walk:
        return replace(way, clauses=(*clauses, *way.clauses))
