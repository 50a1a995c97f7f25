# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which classes are followed, as told by who wants their values followed."""

from __future__ import annotations

from typing import Protocol

from kvlint.model.classes import SpecClass, SpecFile
from kvlint.model.scopes import ImportedName, Scope

Named = str | SpecClass
"""A class, or the simple name of one whose text is not at hand."""


class Meanings(Protocol):
    """Tells which classes names mean; None for any that is not followed."""

    def meaning(self, name: str, scope: Scope, file: SpecFile) -> Named | None:
        """Return the class that a dotted name means.

        Args:
            name: As written.
            scope: Where it is read.
            file: Its file.
        """

    def imported(
        self, binding: ImportedName, rest: str, file: SpecFile
    ) -> Named | None:
        """Return the class that a function's own import gives.

        Args:
            binding: What is imported.
            rest: What stands behind the name, without the dot.
            file: The function's file.
        """

    def owner(self, spec: SpecClass) -> Named | None:
        """Return the class that a class statement makes."""
