# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Members' signatures: their first lines, and calls that pass everything on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kvlint.mending.documents import SOFT, Doc, Group, Indent, Mark
from kvlint.mending.expressions import answered, call, items, written
from kvlint.mending.layout import Style

Kind = Literal[
    "positional-only", "positional", "var-positional", "keyword-only", "var-keyword"
]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter other than ``self``.

    Attributes:
        name: Its name, without stars.
        kind: How it is passed.
        annotation: Its type as it is written, if any.
        default: Its default value as it is written, if any.
    """

    name: str
    kind: Kind = "positional"
    annotation: str | None = None
    default: str | None = None

    def document(self, style: Style) -> Doc:
        """Return it as it stands in a signature."""
        doc: tuple[Doc, ...] = (self._stars, self.name)
        if self.annotation is not None:
            doc = (*doc, ": ", written(self.annotation, style))
        if self.default is not None:
            equals = "=" if self.annotation is None else " = "
            doc = (*doc, equals, written(self.default, style))
        return doc

    @property
    def passed_on(self) -> str:
        """The argument that hands its value to a parameter of the same kind."""
        return f"{self.name}={self.name}" if self._by_name else self._stars + self.name

    @property
    def _by_name(self) -> bool:
        return self.kind == "keyword-only"

    @property
    def _stars(self) -> str:
        return {"var-positional": "*", "var-keyword": "**"}.get(self.kind, "")


@dataclass(frozen=True, slots=True)
class Signature:
    """A method or a property.

    Attributes:
        name: Its name.
        parameters: In order, without ``self``.
        returns: The type of its answer as it is written, if any.
        is_property: Whether it is read rather than called.
        self_name: What it calls the instance.
    """

    name: str
    parameters: tuple[Parameter, ...] = ()
    returns: str | None = None
    is_property: bool = False
    self_name: str = "self"

    @property
    def names(self) -> set[str]:
        """The names that are taken in its body."""
        return {self.self_name, *(each.name for each in self.parameters)}

    def asked_of(self, owner: Doc, mark: Mark | None = None) -> Doc:
        """Return the question put to another object, all parameters passed on.

        Args:
            owner: The object.
            mark: The optional parentheses around the question, if any.
        """
        member = (owner, f".{self.name}")
        if self.is_property:
            return member
        return call(member, [each.passed_on for each in self.parameters], mark)

    def header(self, style: Style) -> Doc:
        """Return its ``def`` line, which may become several."""
        inside = items(self._entries(style))
        if self._has_several:
            inside = Group(inside)
        tail: Doc = ")"
        if self.returns is not None:
            tail = (") -> ", answered(self.returns, style))
        return (
            f"def {self.name}",
            Group(("(", Indent((SOFT, inside)), SOFT, tail)),
            ":",
        )

    @property
    def _has_several(self) -> bool:
        return bool(self.parameters)

    def _entries(self, style: Style) -> list[Doc]:
        """Return the parameters and the marks between them, ``self`` first."""
        kinds = [each.kind for each in self.parameters]
        entries: list[Doc] = [self.self_name]
        last = kinds.count("positional-only")
        first = kinds.index("keyword-only") if "keyword-only" in kinds else -1
        for index, each in enumerate(self.parameters):
            if index == first and "var-positional" not in kinds:
                entries.append("*")
            entries.append(each.document(style))
            if index + 1 == last:
                entries.append("/")
        return entries
