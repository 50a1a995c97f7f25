# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Documents: texts that know where they may be broken into lines."""

from __future__ import annotations

from dataclasses import dataclass


class Mark:
    """The name of a group that other parts of the document look at."""


@dataclass(frozen=True, slots=True)
class Line:
    """A place to break: printed as ``flat`` on one line, as a line end when broken.

    Attributes:
        flat: What stands in its place on one line.
        hard: Whether it is a line end in any case.
    """

    flat: str = ""
    hard: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Breaks all of its own lines or none of them."""

    content: Doc
    mark: Mark | None = None
    broken: bool = False


@dataclass(frozen=True, slots=True)
class Indent:
    """Its lines start one step further in; with a mark, only if that is broken."""

    content: Doc
    mark: Mark | None = None


@dataclass(frozen=True, slots=True)
class IfBroken:
    """One content where a group is broken and another where it is on one line.

    Attributes:
        broken: Printed if the group is broken.
        flat: Printed if not.
        mark: The group to look at; without one, the innermost.
    """

    broken: Doc
    flat: Doc = ""
    mark: Mark | None = None


@dataclass(frozen=True, slots=True)
class Expandable:
    """Brackets that may break without counting against the parentheses around them.

    Attributes:
        content: The brackets and what is in them.
        mark: The parentheses; if nothing printed bears the mark, there are none.
    """

    content: Doc
    mark: Mark


@dataclass(frozen=True, slots=True)
class Rescued:
    """Something put in parentheses if it fits with them and not without.

    Attributes:
        content: May have brackets that break; they are made with the same mark.
        mark: Names the parentheses.
    """

    content: Doc
    mark: Mark


Doc = str | Line | Group | Indent | IfBroken | Expandable | Rescued | tuple["Doc", ...]

SOFT = Line()
SPACE = Line(" ")
HARD = Line(hard=True)
