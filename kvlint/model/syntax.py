# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Parsed files: a libcst tree and the exact place of each node."""

from __future__ import annotations

import ast
import contextlib
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from kvlint.errors import KvlintError
from kvlint.model.codegen import Writing, write
from kvlint.sources import Source, nests_too_deep

_TOO_DEEP = "it is nested too deeply"
_RECURSION_LIMIT = 10_000


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Characters ``start:end`` of a file's text."""

    start: int
    end: int


class UnparsableError(KvlintError):
    """A file whose syntax libcst does not accept.

    Attributes:
        line: Where it gave up, from 1.
        column: Likewise, from 1.
        reason: What it expected.
    """

    def __init__(self, source: Source, line: int, column: int, reason: str) -> None:
        """Say where and why."""
        super().__init__(f"{source.path}:{line}:{column}: cannot parse: {reason}")
        self.line, self.column, self.reason = line, column, reason


@dataclass(frozen=True, eq=False)
class Tree:
    """A file's syntax, or that of a piece of it.

    Attributes:
        source: The file.
        module: Its syntax.
        outline: What was parsed in the file's stead, if not all of it; as long as it.
    """

    source: Source
    module: cst.Module
    outline: str | None = None

    @cached_property
    def _written(self) -> Writing:
        """The text that libcst makes of the tree, and where each node comes out."""
        return write(self.module)

    @property
    def is_exact(self) -> bool:
        """Whether the tree holds every character of the file.

        libcst 1.9 loses a form feed, and the comment behind it, at the end of a block;
        no place behind that can be trusted for an edit.
        """
        parsed = self.source.text if self.outline is None else self.outline
        return self._written.text == parsed

    def span(self, node: cst.CSTNode) -> Span:
        """Return the characters of a node of this tree, without white space around."""
        return Span(*self._written.span(node))

    def code(self, node: cst.CSTNode) -> str:
        """Return the text of a node as it stands in the file."""
        span = self.span(node)
        return self.source.text[span.start : span.end]


@contextlib.contextmanager
def deep_trees() -> Iterator[None]:
    """Make room for trees as deep as real ones: a sum of a thousand terms is that deep.

    They are walked by recursion, so whatever asks the model runs inside of this.
    """
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def parse(source: Source, habits: cst.PartialParserConfig | None = None) -> cst.Module:
    """Parse a file's text.

    Args:
        source: The file.
        habits: How the file indents and ends its lines; by default that is looked up.

    Raises:
        UnparsableError: libcst does not accept it.
    """
    if nests_too_deep(source.text):
        raise UnparsableError(source, 1, 1, _TOO_DEEP)
    try:
        return cst.parse_module(source.text, *([habits] if habits else []))
    except cst.ParserSyntaxError as error:
        raise _syntax_error(source, error) from error
    except RecursionError as error:
        raise UnparsableError(source, 1, 1, _TOO_DEEP) from error
    except (ValueError, cst.CSTValidationError) as error:
        raise UnparsableError(source, 1, 1, str(error).splitlines()[0]) from error


def python_error(text: str | bytes) -> Exception | None:
    """Return why this Python does not accept a text, None if it does.

    It decides no verdict: newer syntax is libcst's to judge.
    """
    found = python_syntax(text)
    return None if isinstance(found, ast.Module) else found


def python_syntax(text: str | bytes) -> ast.Module | Exception:
    """Return how this Python reads a text, or why it does not."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return error


def _syntax_error(source: Source, error: cst.ParserSyntaxError) -> UnparsableError:
    """Say what is wrong as Python does, where Python agrees: it knows the place."""
    found = python_error(source.text)
    if isinstance(found, SyntaxError):
        line, column = found.lineno or 1, found.offset or 1
        last = len(source.line_starts)
        return UnparsableError(source, min(line, last), max(column, 1), found.msg)
    line, column = error.editor_line, error.editor_column
    return UnparsableError(source, line, column, "libcst finds its syntax invalid")


def dotted(node: cst.BaseExpression) -> str | None:
    """Return ``a.b.c`` for a chain of names, else None."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        head = dotted(node.value)
        return None if head is None else f"{head}.{node.attr.value}"
    return None


def last_part(node: cst.BaseExpression) -> str:
    """Return ``c`` for ``c`` and for ``x.c``, whatever ``x`` is, else nothing."""
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""


def class_names(node: cst.BaseExpression) -> list[str]:
    """Return the dotted names of one class or several: ``A``, ``(A, B)``, ``A | B``."""
    if isinstance(node, cst.Tuple):
        return [name for each in node.elements for name in class_names(each.value)]
    if isinstance(node, cst.BinaryOperation):
        return [*class_names(node.left), *class_names(node.right)]
    return [dotted(node) or ""]


def ends_with_raise(body: cst.BaseSuite) -> bool:
    """Return whether a block ends with ``raise``."""
    return isinstance(last_statement(body), cst.Raise)


def last_statement(body: cst.BaseSuite) -> cst.CSTNode | None:
    """Return the last statement of a block, None if it has none."""
    last: cst.CSTNode | None = body.body[-1] if body.body else None
    return last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last


def text_of(node: cst.BaseExpression) -> str | None:
    """Return the value of a plain string literal, else None."""
    if isinstance(node, cst.SimpleString) and "b" not in node.prefix.lower():
        value = node.evaluated_value
        return value if isinstance(value, str) else None
    if isinstance(node, cst.ConcatenatedString):
        left, right = text_of(node.left), text_of(node.right)
        return None if left is None or right is None else left + right
    return None
