# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What classes of a name have and take, for a quick look at calls and reads."""

from __future__ import annotations

from dataclasses import dataclass

from kvlint.model.glances import Passed
from kvlint.specs.constructors import Constructor


@dataclass(frozen=True)
class Glossary:
    """What classes of a simple name have, and what is below them.

    Attributes:
        names: Members, fields and all else that instances have.
        fields: What constructors take.
        makers: The constructors; None for one that cannot be told.
    """

    names: frozenset[str]
    fields: frozenset[str]
    makers: tuple[Constructor | None, ...]

    def is_odd_call(self, call: Passed) -> bool:
        """Return whether a constructor may not take what a call passes."""
        return any(_is_odd(call, each) for each in self.makers if each is not None)

    def is_odd_copy(self, call: Passed) -> bool:
        """Return whether a copy may change what is no field."""
        return not call.is_clear or not call.names <= self.fields


def _is_odd(call: Passed, maker: Constructor) -> bool:
    if not call.is_clear:
        return True
    positional = maker.positionals[: call.positionals]
    given = call.names | set(positional)
    return (
        (not maker.takes_keywords and not call.names <= maker.arguments.keys())
        or len(positional) < call.positionals
        or not given.issuperset(maker.required)
        or not call.names.isdisjoint(positional)
    )
