# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The facts of where specs are made, and of what, and of merges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a release's sources.

    Attributes:
        path: Below the folder that ``vllm`` stands in, with slashes.
        line: From 1.
        column: From 1.
        end_line: Last line.
        end_column: One past the last column.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Built:
    """A constructor call of a spec class.

    Attributes:
        spec: The class.
        values: What each field is given, in short: see ``kvlint.uses.builds``.
        is_complete: Whether those are all that it is given.
        copies: Whether it takes its fields from another spec.
        spot: Where it stands.
    """

    spec: str
    values: Mapping[str, str]
    is_complete: bool
    copies: bool
    spot: Spot


@dataclass(frozen=True, slots=True)
class Retyped:
    """A call that makes a spec of all fields of a spec of another class.

    Attributes:
        targets: The class that is made of each class.
        below: Whether specs of classes below are taken too.
        dropped: Fields that are left out.
        function: The function around it.
        what: What copies.
        spot: Where it stands.
    """

    targets: Mapping[str, str]
    below: bool
    dropped: tuple[str, ...]
    function: str
    what: str
    spot: Spot


@dataclass(frozen=True, slots=True)
class UniformFacts:
    """What is asked of specs that are to share a group.

    Attributes:
        asked: The classes of the first one for which it is asked; none for all.
        admits: The classes of which the others must be.
        is_exact: They must be of that very class.
        compared: Attributes that must be equal.
        asks_base: The test that it overrides must hold too.
    """

    asked: tuple[str, ...]
    admits: tuple[str, ...]
    is_exact: bool
    compared: tuple[str, ...]
    asks_base: bool


@dataclass(frozen=True, slots=True)
class MergeFacts:
    """What a class method makes of several specs.

    Attributes:
        specs: The parameter that holds them.
        given: Fields that it names where it builds one; None if it names none, or not
            all that it passes.
        agreed: Fields on which it makes sure that they agree: names, ``*`` for all, or
            ``fields(Class)``.
        verified: Those in which it compares what it built with them.
        changed: Fields that it sets afterwards.
        merged_by: Merges that it hands them to, such as ``super.merge``.
    """

    specs: str
    given: tuple[str, ...] | None
    agreed: tuple[str, ...]
    verified: tuple[str, ...]
    changed: tuple[str, ...]
    merged_by: tuple[str, ...]
