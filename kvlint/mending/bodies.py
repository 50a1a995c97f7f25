# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Places in a class's body: where a member goes in, and what a body spans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from kvlint.findings import Edit
from kvlint.mending.holders import UnwritableError
from kvlint.model.classes import SpecClass
from kvlint.model.syntax import Span

_CONSTRUCTORS = ("__post_init__", "__init__", "__new__")


@dataclass(frozen=True)
class ClassBody:
    """The body of a class, as text that can be added to.

    Args:
        spec: The class.

    Raises:
        UnwritableError: The body stands on the line of ``class``.
    """

    spec: SpecClass

    def __post_init__(self) -> None:
        """Refuse a body without lines of its own."""
        if not isinstance(self.spec.node.body, cst.IndentedBlock):
            raise UnwritableError("the body stands on the line of `class`")

    @property
    def text(self) -> str:
        """The whole file."""
        return self.spec.file.tree.source.text

    @property
    def statements(self) -> Sequence[cst.BaseStatement]:
        """The body's statements."""
        body = self.spec.node.body.body
        return [each for each in body if isinstance(each, cst.BaseStatement)]

    @property
    def indent(self) -> str:
        """The indentation of the body."""
        start = self._first(self.statements[0])
        return self.text[line_start(self.text, start) : start]

    def insertion(self, name: str, order: Sequence[str], member: str) -> Edit:
        """Return the edit that adds a member in the order of its base.

        It comes behind the nearest of its predecessors that the body defines; without
        one, behind the constructors, or before the first method.

        Args:
            name: The member.
            order: The names of the base's body, in order.
            member: The member's text.
        """
        own = {
            each.name.value: each
            for each in self.statements
            if isinstance(each, cst.FunctionDef)
        }
        before = order[: order.index(name)] if name in order else order
        for predecessor in [*reversed(before), *_CONSTRUCTORS]:
            if predecessor in own:
                return self._behind(own[predecessor], member)
        return self.before_methods(member)

    def before_methods(self, member: str) -> Edit:
        """Return the edit that adds a member before the first method."""
        previous: cst.BaseStatement | None = None
        for each in self.statements:
            if isinstance(each, cst.FunctionDef | cst.ClassDef):
                break
            previous = each
        if previous is not None:
            return self._behind(previous, member)
        start = self._leading_line(self.statements[0])
        return Edit(start, start, member + "\n")

    def body_span(self, function: cst.FunctionDef) -> Span:
        """Return the lines of a function's body behind its docstring.

        Raises:
            UnwritableError: It stands on the line of ``def``.
        """
        if not isinstance(function.body, cst.IndentedBlock):
            raise UnwritableError("the body stands on the line of `def`")
        statements = list(function.body.body)
        file = self.spec.file
        first = statements[0]
        is_docstring = (
            isinstance(first, cst.SimpleStatementLine)
            and len(first.body) == 1
            and isinstance(first.body[0], cst.Expr)
            and isinstance(first.body[0].value, cst.SimpleString)
        )
        if is_docstring and len(statements) > 1:
            start = next_line(self.text, file.span(first).end)
            blank = self.text[start:]
            start += len(blank) - len(blank.lstrip(" \t\r\n"))
            start = line_start(self.text, start)
        else:
            start = next_line(self.text, file.span(function.params).end)
            start = line_start(self.text, self._leading_of(first))
        end = next_line(self.text, file.span(statements[-1]).end)
        return Span(start, end)

    def _behind(self, statement: cst.BaseStatement, member: str) -> Edit:
        text = self.text
        at = next_line(text, self.spec.file.span(statement).end)
        if isinstance(statement, cst.FunctionDef | cst.ClassDef):
            at = self._past_footer(at)
        if at == len(text) and not text.endswith(("\n", "\r")):
            return Edit(at, at, "\n\n" + member.removesuffix("\n"))
        return Edit(at, at, "\n" + member)

    def _past_footer(self, at: int) -> int:
        """Pass comments that belong to the function above: they are indented deeper."""
        text, indent = self.text, self.indent
        while at < len(text):
            end = next_line(text, at)
            line = text[at:end]
            bare = line.lstrip(" \t")
            if not bare.startswith("#") or len(line) - len(bare) <= len(indent):
                return at
            at = end
        return at

    def _first(self, statement: cst.BaseStatement) -> int:
        decorators = getattr(statement, "decorators", ())
        node = decorators[0] if decorators else statement
        return self.spec.file.span(node).start

    def _leading_line(self, statement: cst.BaseStatement) -> int:
        """Where the comments above a statement begin, or the statement itself."""
        return line_start(self.text, self._leading_of(statement))

    def _leading_of(self, statement: cst.CSTNode) -> int:
        comments = [
            line.comment
            for line in getattr(statement, "leading_lines", ())
            if line.comment is not None
        ]
        if comments:
            return self.spec.file.span(comments[0]).start
        assert isinstance(statement, cst.BaseStatement)
        return self._first(statement)


def line_start(text: str, offset: int) -> int:
    """Return where the line of a character begins."""
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def next_line(text: str, offset: int) -> int:
    """Return where the line behind that of a character begins, or the text ends."""
    ends = [
        each for each in (text.find("\n", offset), text.find("\r", offset)) if each >= 0
    ]
    if not ends:
        return len(text)
    end = min(ends)
    return end + (2 if text[end : end + 2] == "\r\n" else 1)
