# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
from __future__ import annotations

from collections.abc import Callable

import pytest

from kvlint.mending.delegation import (
    Combine,
    Delegation,
    Holder,
    Many,
    Mapped,
    Maybe,
    One,
    Parameter,
    Places,
    Shape,
    Signature,
    Style,
    UnwritableError,
    body_text,
    copier_text,
)
from kvlint.model.shapes import Unclear

COPIER = Signature("copied", (Parameter("size", annotation="int"),), "Self")


def delegation(
    signature: Signature, *shapes: Shape, combine: Combine = "agree"
) -> Delegation:
    names = "f" if len(shapes) == 1 else "abcdef"
    fields = tuple(Holder(*each) for each in zip(names, shapes, strict=False))
    return Delegation(signature, fields, "Pair", combine)


SHAPES: list[tuple[Shape, str]] = [
    (Mapped(One()), "for spec in self.f.values()"),
    (Mapped(None, One()), "for spec in self.f"),
    (Mapped(One(), One()), "for spec in (*self.f, *self.f.values())"),
    (Many(One()), "for spec in self.f"),
    (Many(Maybe(One())), "for spec in self.f if spec is not None"),
    (Maybe(One()), "for spec in (self.f,) if spec is not None"),
    (Maybe(Mapped(One())), "for spec in (self.f or {}).values()"),
    (Maybe(Many(One())), "for spec in (self.f or ())"),
    (Maybe(Maybe(Many(One()))), "for spec in (self.f or ())"),
    (Mapped(Many(One())), "for specs in self.f.values() for spec in specs"),
    (
        Mapped(Maybe(Many(One()))),
        "for specs in self.f.values() for spec in (specs or ())",
    ),
    (Many(Places((None, One()))), "for _, spec in self.f"),
    (
        Many(Places((None, Maybe(One())))),
        "for _, spec in self.f if spec is not None",
    ),
    (
        Many(Places((One(), None, One()))),
        "for entry in self.f for spec in (entry[0], entry[2])",
    ),
    (
        Many(Places((None, Many(One())))),
        "for _, specs in self.f for spec in specs",
    ),
    (Places((One(), One())), "for spec in self.f"),
    (Places((One(), None, One())), "for spec in (self.f[0], self.f[2])"),
    (Places((Many(One()), None, One())), "for spec in (*self.f[0], self.f[2])"),
    (
        Maybe(Places((None, One()))),
        "for entry in (self.f,) if entry is not None for spec in (entry[1],)",
    ),
    (
        Many(Maybe(Places((None, One())))),
        "for entry in self.f if entry is not None for spec in (entry[1],)",
    ),
]


@pytest.mark.parametrize(("shape", "clauses"), SHAPES)
def test_every_shape_is_gone_through(shape: Shape, clauses: str) -> None:
    wanted = delegation(Signature("m"), shape, combine="sum")
    text = body_text(wanted, Style(120), "")
    assert text == f"    return sum(spec.m() {clauses})\n"


@pytest.mark.parametrize(
    ("holders", "source"),
    [
        ((Many(One()), Mapped(One())), "(*self.a, *self.b.values())"),
        ((One(), One()), "(self.a, self.b)"),
        ((One(), Many(One()), Many(One())), "(self.a, *self.b, *self.c)"),
        ((Many(One()), Maybe(One())), "(*self.a, self.b) if spec is not None"),
        ((One(), Maybe(Many(One()))), "(self.a, *(self.b or ()))"),
        (
            (Many(Many(One())), One()),
            "(*(spec for specs in self.a for spec in specs), self.b)",
        ),
        ((Mapped(One(), One()), One()), "(*self.a, *self.a.values(), self.b)"),
    ],
)
def test_several_fields_are_chained(holders: tuple[Shape, ...], source: str) -> None:
    wanted = delegation(Signature("m"), *holders, combine="max")
    text = body_text(wanted, Style(120), "")
    assert text == f"    return max(spec.m() for spec in {source})\n"


@pytest.mark.parametrize(
    ("shape", "value"),
    [
        (One(), "self.f.copied(size)"),
        (Mapped(One()), "{name: spec.copied(size) for name, spec in self.f.items()}"),
        (
            Mapped(None, One()),
            "{spec.copied(size): value for spec, value in self.f.items()}",
        ),
        (Many(One()), "[spec.copied(size) for spec in self.f]"),
        (Many(One(), "Sequence"), "tuple(spec.copied(size) for spec in self.f)"),
        (Many(One(), "set"), "{spec.copied(size) for spec in self.f}"),
        (Many(One(), "frozenset"), "frozenset(spec.copied(size) for spec in self.f)"),
        (Maybe(One()), "None if self.f is None else self.f.copied(size)"),
        (Places((None, One())), "(self.f[0], self.f[1].copied(size))"),
        (
            Mapped(Many(One())),
            (
                "{name: [spec.copied(size) for spec in specs] "
                "for name, specs in self.f.items()}"
            ),
        ),
    ],
)
def test_every_shape_is_built_anew(shape: Shape, value: str) -> None:
    wanted = delegation(COPIER, shape)
    text = copier_text(wanted, Style(200), "", changes=[("block_size", "size")])
    assert text == (
        "def copied(self, size: int) -> Self:\n"
        f"    return replace(self, block_size=size, f={value})\n"
    )


HIDING = Signature("m", (Parameter("len"), Parameter("max"), Parameter("tuple")))


@pytest.mark.parametrize(
    ("make", "shape", "reason"),
    [
        (body_text, Many(One()), "'len' hides"),
        (body_text, Unclear(), "not clear"),
        (copier_text, Unclear(), "not clear"),
        (copier_text, Many(One(), "tuple"), "'tuple' hides"),
        (copier_text, Many(One(), "deque"), "cannot build a deque"),
        (copier_text, Mapped(One(), container="OrderedDict"), "an? OrderedDict"),
    ],
)
def test_what_cannot_be_written(
    make: Callable[..., str], shape: Shape, reason: str
) -> None:
    wanted = delegation(HIDING, shape)
    with pytest.raises(UnwritableError, match=reason):
        make(wanted, Style(), "")


@pytest.mark.parametrize(
    ("parameter", "reason"),
    [
        (Parameter("f"), "the copier sets `f` itself"),
        (Parameter("sizes", "var-positional"), "which fields `sizes` sets"),
        (Parameter("changes", "var-keyword"), "which fields `changes` sets"),
        (Parameter("replace"), "'replace' hides"),
    ],
)
def test_copiers_that_cannot_be_written(parameter: Parameter, reason: str) -> None:
    wanted = delegation(Signature("copied", (parameter,)), One())
    with pytest.raises(UnwritableError, match=reason):
        copier_text(wanted, Style(), "")


@pytest.mark.parametrize("name", ["list", "set", "dict", "next", "spec"])
def test_parameters_that_hide_nothing_needed(name: str) -> None:
    wanted = delegation(Signature("copied", (Parameter(name),)), Many(One()))
    assert f"spec.copied({name})" in copier_text(wanted, Style(), "")
