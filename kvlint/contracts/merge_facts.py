# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The facts of a class method that merges specs."""

from __future__ import annotations

from dataclasses import dataclass


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
