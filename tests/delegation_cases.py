# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Random delegations, values of random shapes, and specs that answer for them."""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from kvlint.mending.delegation import (
    Agreement,
    Combine,
    Delegation,
    Holder,
    Kind,
    Many,
    Mapped,
    Maybe,
    One,
    Parameter,
    Places,
    Shape,
    Signature,
    Style,
)

STYLES = [
    Style(length, indent, quote, 2 if indent == "  " else 4)
    for length in (60, 79, 80, 88, 100, 120)
    for indent in ("    ", "  ", "\t")
    for quote in ('"', "'")
]

COMBINES: list[Combine] = ["agree", "sum", "all", "max", "pages"]
AGREEMENTS: list[Agreement] = ["assert", "raise"]
KINDS: list[Kind] = [
    "positional-only",
    "positional",
    "var-positional",
    "keyword-only",
    "var-keyword",
]
LOCALS = ["spec", "specs", "answers", "answer", "pages", "entry", "name", "value"]
ANNOTATIONS = [
    None,
    "int",
    "'VllmConfig'",
    "VllmConfig",
    "torch.Tensor",
    "int | None",
    "FullAttentionSpec | SlidingWindowSpec | None",
    "dict[str, int]",
    "Optional[list[int]]",
    "tuple[int, ...]",
    "Callable[[int, str], dict[str, KVCacheSpec]]",
    "dict[str, tuple[FullAttentionSpec, SlidingWindowMLASpec]]",
    "Literal['auto', \"fp8\", 'int8_per_token_head']",
]
DEFAULTS = [None, None, None, "None", "1", "-1", "()", "'x'", '"y"', "(1, 2)", "1.5"]
RETURNS = [
    None,
    "int",
    "bool",
    "str",
    "'int'",
    "int | None",
    "Fraction | int",
    "torch.dtype",
    "KVQuantMode",
    "dict[str, int]",
    "FullAttentionSpec.NestedConfiguration",
    "dict[str, tuple[FullAttentionSpec, SlidingWindowMLASpec]]",
    "FullAttentionSpec | SlidingWindowMLASpec | None",
]


class Cases:
    """A source of random delegations.

    Args:
        seed: Decides what comes.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def name(self, least: int, most: int) -> str:
        letters = string.ascii_lowercase + "_"
        rest = range(self.random.randint(least, most) - 2)
        return "q" + "".join(self.random.choice(letters) for _ in rest) + "x"

    def shape(self, depth: int = 0) -> Shape:
        if depth > 2:
            return One()
        deeper = [self.shape(depth + 1) for _ in range(3)]
        choices: list[Shape] = [
            One(),
            Mapped(One()),
            Many(One(), "tuple"),
            Many(One(), self.random.choice(["set", "frozenset", "Sequence"])),
            Maybe(deeper[0]),
            Many(deeper[0], self.random.choice(["list", "tuple", "Iterable"])),
            Mapped(deeper[0]),
            Mapped(None, One(), "Mapping"),
            Mapped(deeper[0], One()),
            Places((None, deeper[0])),
            Places((deeper[0], None, deeper[1])),
            Places((deeper[0], deeper[0])),
        ]
        return self.random.choice(choices)

    def parameters(self) -> tuple[Parameter, ...]:
        order = [0, 1, 1, 1, 1, 2, 3, 3, 4]
        count = self.random.randint(0, 6)
        kinds = [KINDS[i] for i in sorted(self.random.choices(order, k=count))]
        found: dict[str, Parameter] = {}
        optional = False
        for index, kind in enumerate(kinds):
            if kind.startswith("var") and kind in kinds[:index]:
                continue
            names = [self.name(2, 30), self.name(2, 9), self.random.choice(LOCALS)]
            default = None
            if not kind.startswith("var"):
                default = self.random.choice(DEFAULTS)
            if "positional" in kind and not kind.startswith("var"):
                default = default or ("0" if optional else None)
                optional = default is not None
            name = self.random.choice(names)
            annotation = self.random.choice(ANNOTATIONS)
            found.setdefault(name, Parameter(name, kind, annotation, default))
        return tuple(found.values())

    def delegation(self) -> Delegation:
        is_property = self.random.random() < 0.3
        signature = Signature(
            self.name(3, self.random.choice([12, 30, 60])),
            () if is_property else self.parameters(),
            self.random.choice(RETURNS),
            is_property,
        )
        count = self.random.choice([1, 1, 1, 1, 2, 3])
        longest = self.random.choice([10, 20, 40])
        fields = {self.name(3, longest): self.shape() for _ in range(count)}
        return Delegation(
            signature,
            tuple(Holder(*each) for each in fields.items()),
            self.name(5, self.random.choice([15, 25, 50])).capitalize(),
            self.random.choice(["agree", "agree", "agree", *COMBINES]),
            self.random.choice(AGREEMENTS),
        )


@dataclass(frozen=True)
class Spec:
    """A spec that gives the same answer to every question."""

    number: int
    answer: Any
    page_size_bytes: int = 16
    asked: list[Any] = field(default_factory=list, compare=False)
    is_property: bool = False

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.answer if self.is_property else self._answer

    def _answer(self, *args: Any, **named: Any) -> Any:
        self.asked.append((args, named))
        return self.answer

    def copied(self) -> Spec:
        return replace(self, number=-self.number)


Made = Callable[[], Spec]


def value_of(shape: Shape | None, made: Made, chance: random.Random) -> Any:
    """Return a value of a shape, with specs made for it, sometimes empty."""
    match shape:
        case One():
            return made()
        case Maybe(inner):
            return value_of(inner, made, chance) if chance.random() < 0.7 else None
        case Many(inner, container):
            kinds = {"tuple": tuple, "set": set, "frozenset": frozenset}
            values = [
                value_of(inner, made, chance) for _ in range(chance.randint(0, 3))
            ]
            return kinds.get(container, list)(values)
        case Mapped(inner, keys):
            return {
                value_of(keys, made, chance) if keys else f"layer.{index}": value_of(
                    inner, made, chance
                )
                for index in range(chance.randint(0, 3))
            }
        case Places(entries):
            return tuple(value_of(each, made, chance) for each in entries)
    return "no spec"


def copy_of(shape: Shape | None, value: Any) -> Any:
    """Return what a value is to become if its specs are copied."""
    match shape:
        case None:
            return value
        case One():
            return value.copied()
        case Maybe(inner):
            return None if value is None else copy_of(inner, value)
        case Many(inner, container):
            kinds = {"list": list, "set": set, "frozenset": frozenset}
            return kinds.get(container, tuple)(copy_of(inner, each) for each in value)
        case Mapped(inner, keys):
            pairs = value.items()
            return {copy_of(keys, k): copy_of(inner, v) for k, v in pairs}
        case Places(entries):
            pairs = zip(entries, value, strict=True)
            return tuple(copy_of(inner, each) for inner, each in pairs)
    raise TypeError(shape)
