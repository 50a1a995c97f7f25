# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""How a value holds specs: in what containers, at what depth."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class One:
    """The value is a spec."""


@dataclass(frozen=True, slots=True)
class Maybe:
    """The value may be None instead."""

    inner: Shape


@dataclass(frozen=True, slots=True)
class Many:
    """The value is an iterable of such values.

    Attributes:
        inner: What each of them is.
        container: The type's bare name, such as ``list`` or ``Sequence``.
    """

    inner: Shape
    container: str = "list"


@dataclass(frozen=True, slots=True)
class Mapped:
    """The value is a mapping that holds specs among its values, its keys or both.

    Attributes:
        values: What each value is, or None if it holds no spec.
        keys: What each key is, or None if it holds no spec.
        container: The type's bare name, such as ``dict`` or ``Mapping``.
    """

    values: Shape | None
    keys: Shape | None = None
    container: str = "dict"


@dataclass(frozen=True, slots=True)
class Places:
    """The value is a tuple of a fixed length.

    Attributes:
        entries: What is in each place, or None where there is no spec.
    """

    entries: tuple[Shape | None, ...]


@dataclass(frozen=True, slots=True)
class Unclear:
    """Specs are held, but in which form is known only when the code runs."""


Shape = One | Maybe | Many | Mapped | Places | Unclear


def is_clear(shape: Shape | None) -> bool:
    """Return whether a shape has no unclear part."""
    match shape:
        case Unclear():
            return False
        case Maybe(inner) | Many(inner):
            return is_clear(inner)
        case Mapped(values, keys):
            return is_clear(values) and is_clear(keys)
        case Places(entries):
            return all(map(is_clear, entries))
        case _:
            return True
