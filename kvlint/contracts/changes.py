# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What changed between two releases, as data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from kvlint.contracts.aspects import Aspect
from kvlint.contracts.facts import Spot

CONSTRUCTOR = "__init__"


class Family(StrEnum):
    """What kind of class a change is about."""

    SPEC = "spec"
    BESIDE = "beside"
    MANAGER = "manager"


class Area(StrEnum):
    """What changed."""

    CLASS = "class"
    FIELD = "field"
    MEMBER = "member"
    FACTORY = "factory"
    REGISTRATION = "registration"


class Turn(StrEnum):
    """How it changed."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Change:
    """A difference between two releases.

    Attributes:
        family: The kind of class.
        area: What changed.
        turn: How.
        name: The class, field, member, keyword or registered spec; the old one.
        owners: The classes that defined or define it themselves, bases first; for a
            keyword, the function that passes it.
        new_name: What it is likely called now, if it was renamed.
        aspects: What differs, if it was changed.
        notes: What else there is to know, as words.
        before: Where it stood.
        after: Where it stands.
        signature: What it takes and gives, in the later release if it is there.
    """

    family: Family
    area: Area
    turn: Turn
    name: str
    owners: tuple[str, ...]
    new_name: str = ""
    aspects: tuple[Aspect, ...] = ()
    notes: tuple[str, ...] = ()
    before: Spot | None = None
    after: Spot | None = None
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed between two releases.

    Attributes:
        before: The one release.
        after: The other.
        changes: In the order of the classes.
    """

    before: str
    after: str
    changes: tuple[Change, ...]

    def of(
        self, area: Area, turn: Turn | None = None, family: Family | None = None
    ) -> list[Change]:
        """Return the changes of a kind."""
        return [
            each
            for each in self.changes
            if each.area is area
            and turn in (None, each.turn)
            and family in (None, each.family)
        ]
