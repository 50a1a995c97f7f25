# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What an expression can be, as far as group specs are concerned, and under which name.

A *raw* group spec is ``group.kv_cache_spec``, which may be a composite.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto

import libcst as cst

from kvlint.model.syntax import text_of
from kvlint.vocabulary import GROUP_ATTRIBUTE, GROUPS_ATTRIBUTE


class Kind(Enum):
    """What an expression is, as far as it concerns group specs.

    Of several that a name may be, the first one counts.

    Attributes:
        AWARE: A raw group spec that the code has unwrapped before, or asked whether it
            is a composite.
        RAW: A raw group spec.
        RAWS: Several of them; ``MAPPED`` if they are the values of a dictionary.
        GROUPS: Several groups; ``MAPPED_GROUPS`` likewise.
        HELD: The specs that a composite holds.
        FIRST: The first one of them.
        PAGE: The page size of a raw group spec, perhaps times something.
        LAYERS: The layers or the tensors of a group or of the cache.
        COUNT: How many those are; ``COUNTS`` for each of several groups.
    """

    AWARE = auto()
    RAW = auto()
    GROUP = auto()
    RAWS = auto()
    GROUPS = auto()
    MAPPED = auto()
    MAPPED_GROUPS = auto()
    FIRST = auto()
    HELD = auto()
    PAGE = auto()
    PAGES = auto()
    LAYERS = auto()
    COUNT = auto()
    COUNTS = auto()
    OTHER = auto()

    @property
    def is_raw(self) -> bool:
        """Whether it is a group spec that may be a composite."""
        return self is Kind.RAW or self is Kind.AWARE


ITEM = {
    Kind.GROUPS: Kind.GROUP,
    Kind.RAWS: Kind.RAW,
    Kind.PAGES: Kind.PAGE,
    Kind.COUNTS: Kind.COUNT,
}
"""What one of several is."""
ITEMS = {item: items for items, item in ITEM.items()} | {Kind.AWARE: Kind.RAWS}
VALUES = {Kind.MAPPED: Kind.RAWS, Kind.MAPPED_GROUPS: Kind.GROUPS}
"""What the values of a dictionary are."""
MAPPINGS = {ITEM[values]: mapping for mapping, values in VALUES.items()}
Environment = dict[str, Kind]


@dataclass(frozen=True)
class Names:
    """The names that tell a composite from other specs.

    Attributes:
        composites: Classes that a raw group spec may be: composites and the roots.
        holders: Attributes by which composites hold specs.
        group_classes: Classes of groups.
        group_lists: Attributes that hold several groups.
        firsts: Properties of composites that give one of the specs in it.
        openers: Functions that look into a composite.
    """

    composites: frozenset[str]
    holders: frozenset[str]
    group_classes: frozenset[str]
    group_lists: frozenset[str] = frozenset({GROUPS_ATTRIBUTE})
    firsts: frozenset[str] = frozenset()
    openers: frozenset[str] = frozenset()


def place_of(node: cst.BaseExpression) -> str | None:
    """Return the name that a value is known by: ``group.spec``, ``groups[0].spec``."""
    match node:
        case cst.Name(value=value):
            return value
        case cst.Attribute(value=inner, attr=cst.Name(value=attribute)):
            head = place_of(inner)
            return None if head is None else f"{head}.{attribute}"
        case cst.Call() if (read := read_with_default(node)) is not None:
            head = place_of(read[0])
            return None if head is None else f"{head}.{read[1]}"
        case cst.Call(func=func, args=args) if not any(x.star for x in args):
            places = [place_of(func), *(_argument(each) for each in args)]
            head, *given = [each for each in places if each is not None] or [""]
            return f"{head}({', '.join(given)})" if None not in places else None
        case cst.NamedExpr(target=target):
            return place_of(target)
        case cst.Subscript(
            value=inner, slice=[cst.SubscriptElement(slice=cst.Index(value=index))]
        ):
            head = place_of(inner)
            if isinstance(index, cst.Integer | cst.SimpleString):
                return None if head is None else f"{head}[{index.value}]"
            at = place_of(index)
            return None if head is None or at is None else f"{head}[{at}]"
    return None


def _argument(argument: cst.Arg) -> str | None:
    if argument.keyword is not None:
        return None
    if isinstance(argument.value, cst.Integer | cst.SimpleString):
        return argument.value.value
    return place_of(argument.value)


def read_with_default(node: cst.Call) -> tuple[cst.BaseExpression, str] | None:
    """Return what ``getattr`` reads a group's spec or a list of groups off, and which.

    Such a default is for what is no group at all.
    """
    match node:
        case cst.Call(func=cst.Name(value="getattr"), args=[first, second, *_]):
            name = text_of(second.value)
            if name in {GROUP_ATTRIBUTE, GROUPS_ATTRIBUTE}:
                return first.value, name
    return None


def items_of(place: str) -> str:
    """Return the name that all items of a collection are known by."""
    return f"{place}[*]"


def answer_of(place: str) -> str:
    """Return the name that all answers of a function are known by."""
    return f"{place}()"


def spec_of(place: str) -> str:
    """Return the name of a group's spec."""
    return f"{place}.{GROUP_ATTRIBUTE}"


def bind(environment: Environment, name: str, kind: Kind) -> None:
    """Bind a name, and forget what was known of its attributes and its items."""
    below = (f"{name}.", f"{name}[")
    gone = [
        each
        for each in environment
        if each.startswith(below)
        or f"[{name}]" in each
        or f"[{name}." in each
        or ("(" in each and re.search(rf"[(\s]{re.escape(name)}\b", each))
    ]
    for each in gone:
        del environment[each]
    environment[name] = kind


def joined(kinds: Iterable[Kind]) -> Kind:
    """Return what a name is that may be any of some kinds: raw if it may be raw."""
    return min(kinds, key=_ORDER.__getitem__, default=Kind.OTHER)


_ORDER = {kind: number for number, kind in enumerate(Kind)}
