# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a function makes of several specs: which fields it keeps, what it compares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import libcst as cst

EVERYTHING = "*"
"""Stands for every field: whole specs are compared, or nobody knows which fields."""

OWN_CLASS = "cls"
"""What a build is of if it is of the class that was asked."""


def fields_of(name: str) -> str:
    """Return what stands for all fields of a class, in a set of names of fields."""
    return f"fields({name})"


def class_of(token: str) -> str | None:
    """Return the class whose fields something stands for, None for a field's name."""
    return token[7:-1] if token.startswith("fields(") else None


@dataclass(frozen=True)
class Build:
    """A constructor call that is given fields of specs.

    Attributes:
        call: The call.
        built: The class as it is written, ``cls`` for the one that was asked.
        given: The values by keyword.
        positionals: How many arguments come without a keyword.
        is_open: It passes more than can be told.
        kept: Fields whose value is made of the specs' own.
        firsts: Fields that are those of the first spec, or of any.
        arbitrary: The sets that such a value is taken from, by field.
        whole: The classes whose fields it is given all of, from what their merge made.
    """

    call: cst.Call
    built: str
    given: Mapping[str, cst.BaseExpression]
    positionals: int = 0
    is_open: bool = False
    kept: frozenset[str] = frozenset()
    firsts: frozenset[str] = frozenset()
    arbitrary: Mapping[str, str] = field(default_factory=dict)
    whole: tuple[str, ...] = ()


@dataclass(frozen=True)
class Demand:
    """A test that every spec is of some class.

    Attributes:
        node: The call of ``isinstance``.
        classes: The classes, as written.
    """

    node: cst.Call
    classes: tuple[str, ...]


@dataclass
class Merge:
    """What a function does with the specs that it is given.

    Attributes:
        specs: The parameter that holds them.
        first: How the body writes the first of them; empty if it never asks for it.
        builds: What it builds of them.
        agreed: Fields on which it makes sure that they agree: names, ``*``, or
            ``fields(Class)``.
        verified: Fields in which it compares what it built with them.
        changed: Fields that it sets on what it built, or on what another merge gave.
        changed_firsts: Those that it sets to what the first spec has, with the value.
        copied: What it returns where that is the first spec, or a copy of it.
        merged_by: Merges that it hands the specs to: ``super``, or a class as written,
            and the method.
        helpers: Functions that it hands them to, as written.
        demands: The classes that it demands.
        tested: Every class that it tests for.
        raises: It tests with ``raise`` rather than with assertions.
    """

    specs: str
    first: str = ""
    builds: list[Build] = field(default_factory=list)
    agreed: set[str] = field(default_factory=set)
    verified: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    changed_firsts: dict[str, cst.BaseExpression] = field(default_factory=dict)
    copied: cst.BaseExpression | None = None
    merged_by: list[tuple[str, str]] = field(default_factory=list)
    helpers: list[str] = field(default_factory=list)
    demands: list[Demand] = field(default_factory=list)
    tested: set[str] = field(default_factory=set)
    raises: bool = False
