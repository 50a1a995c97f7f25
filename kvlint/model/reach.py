# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Whether code is run in the release at hand: words for it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import libcst as cst

    from kvlint.model.gates import Gates
    from kvlint.model.syntax import Tree


class Reach(IntEnum):
    """Whether the release at hand may run some code; the less sure, the smaller."""

    NEVER = 0
    UNKNOWN = 1
    REACHED = 2


class Standing(NamedTuple):
    """How code stands behind its conditions.

    Attributes:
        reach: Whether the release at hand may run it.
        is_certain: Nothing but the release decides whether it is run.
    """

    reach: Reach
    is_certain: bool


class Judge(Protocol):
    """Tells how code of a module, or of a class in it, stands."""

    def standing(
        self, tree: Tree, owners: Sequence[cst.ClassDef], gates: Gates
    ) -> Standing:
        """Return how code stands.

        Args:
            tree: Its file.
            owners: The classes around it, outermost first.
            gates: The conditions around it, inside of the innermost class.
        """
