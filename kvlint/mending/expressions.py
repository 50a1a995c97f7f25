# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Python expressions as documents, with breaks where ``ruff format`` puts them.

Expressions are taken to stand within brackets unless a function says otherwise.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import chain

from kvlint.mending.documents import (
    SOFT,
    SPACE,
    Doc,
    Expandable,
    Group,
    IfBroken,
    Indent,
    Mark,
    Rescued,
)
from kvlint.mending.layout import Style


def brackets(left: str, content: Doc, right: str, mark: Mark | None = None) -> Doc:
    """Return a bracketed content that may stand on lines of its own.

    Args:
        left: The opening bracket.
        content: What is in it.
        right: The closing bracket.
        mark: The optional parentheses around it, if any.
    """
    inside = Group((Indent((SOFT, content)), SOFT))
    return (left, inside if mark is None else Expandable(inside, mark), right)


def items(entries: Sequence[Doc]) -> Doc:
    """Return entries with commas, also after the last where one a line."""
    separated = [(",", SPACE, each) for each in entries[1:]]
    return (entries[0], *chain.from_iterable(separated), IfBroken(","))


def tuple_of(entries: Sequence[Doc]) -> Doc:
    """Return a tuple in parentheses."""
    if not entries:
        return "()"
    inside = (entries[0], ",") if len(entries) == 1 else items(entries)
    return brackets("(", inside, ")")


def call(function: Doc, arguments: Sequence[Doc], mark: Mark | None = None) -> Doc:
    """Return a call; its arguments may also stand together on one line inside.

    Args:
        function: What is called.
        arguments: As they stand in the call.
        mark: The optional parentheses around it, if any.
    """
    if not arguments:
        return (function, "()")
    return (function, brackets("(", Group(items(arguments)), ")", mark))


def item(source: Doc, index: int, mark: Mark | None = None) -> Doc:
    """Return ``source[index]``."""
    return (source, brackets("[", str(index), "]", mark))


def comprehension(element: Doc, clauses: Sequence[Doc]) -> Doc:
    """Return an element and its ``for`` and ``if`` clauses, without brackets."""
    return Group((element, *chain.from_iterable((SPACE, each) for each in clauses)))


def each_in(target: str, source: Doc) -> Doc:
    """Return the clause ``for target in source``."""
    return (f"for {target} in ", source)


def operation(left: Doc, operator: str, right: Doc) -> Doc:
    """Return a binary operation, which breaks before its operator."""
    return Group((left, SPACE, f"{operator} ", right))


def fallback(source: Doc, empty: str) -> Doc:
    """Return ``(source or empty)``."""
    return brackets("(", operation(source, "or", empty), ")")


def unless_none(source: Doc, value: Doc) -> Doc:
    """Return ``None if source is None else value``, in parentheses if it is broken."""
    test = operation(source, "is", "None")
    choice = Group(("None", SPACE, "if ", test, SPACE, "else ", value))
    return in_parentheses_if_broken(choice)


def in_parentheses(content: Doc) -> Doc:
    """Return a content in parentheses, such as the argument of a call."""
    return brackets("(", content, ")")


def in_parentheses_if_broken(content: Doc) -> Doc:
    """Return a content that gets parentheses as soon as it takes several lines."""
    inside = (IfBroken("("), Indent((SOFT, content)), SOFT, IfBroken(")"))
    return Group(inside)


def in_optional_parentheses(content: Doc, mark: Mark) -> Doc:
    """Return a content that gets parentheses if breaking its brackets is not enough.

    Args:
        content: It has its brackets made with the same mark.
        mark: Names the parentheses.
    """
    inside = (IfBroken("("), Indent((SOFT, content), mark), SOFT, IfBroken(")"))
    return Group(inside, mark)


def loose_operation(left: Doc, operator: str, right: Doc, mark: Mark) -> Doc:
    """Return an operation that breaks only where its optional parentheses show.

    Args:
        left: The first operand.
        operator: What stands between.
        right: The second operand.
        mark: The parentheses.
    """
    tight = (left, f" {operator} ", right)
    return IfBroken(operation(left, operator, right), tight, mark)


def written(text: str, style: Style) -> Doc:
    """Return an annotation or a default value, so that it breaks as code does.

    Args:
        text: The expression as it is written somewhere, on one or more lines.
        style: Gives the quotes of its strings.

    Returns:
        Its document; what is not understood is kept as it is.
    """
    node = _tree(text)
    if node is None:
        return " ".join(text.split()) if "\n" in text else text.strip()
    return _Writer(_enclosed(text), style).document(node)


def answered(text: str, style: Style) -> Doc:
    """Return a return annotation, which may get parentheses.

    Args:
        text: The annotation as it is written somewhere.
        style: Gives the quotes of its strings.
    """
    document = written(text, style)
    if isinstance(document, str):
        return Rescued(document, Mark())
    is_union = isinstance(_tree(text), ast.BinOp)
    return in_parentheses_if_broken(document) if is_union else document


def parsed(text: str) -> ast.expr | None:
    """Return an annotation's syntax, unquoted if it is a string.

    Args:
        text: The annotation as it is written.

    Returns:
        Its tree, or None if this Python cannot read it.
    """
    node = _tree(text)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return parsed(node.value.strip())
    return node


def _enclosed(text: str) -> str:
    """Return an expression that may span lines, the last with a comment."""
    return f"({text}\n)"


def _tree(text: str) -> ast.expr | None:
    try:
        return ast.parse(_enclosed(text), mode="eval").body
    except (SyntaxError, ValueError):
        return None


class _Writer:
    """Turns syntax into documents; what it does not know it copies."""

    def __init__(self, source: str, style: Style) -> None:
        self._source = source
        self._quote = style.quote

    def document(self, node: ast.expr) -> Doc:
        match node:
            case ast.Constant(value=str()):
                return self._requoted(self._copied(node))
            case ast.BinOp(op=ast.BitOr()) if options := self._options(node):
                documents = self._documents(options)
                tail = [(SPACE, "| ", each) for each in documents[1:]]
                return Group((documents[0], *chain.from_iterable(tail)))
            case ast.Subscript(value=ast.Name() | ast.Attribute() as value):
                return (self._copied(value), self._index(node.slice))
            case ast.List(elts=[_, *_] as entries):
                return brackets("[", items(self._documents(entries)), "]")
            case ast.Tuple(elts=entries):
                return tuple_of(self._documents(entries))
            case ast.Call(func=ast.Name() | ast.Attribute() as function):
                arguments = self._documents(node.args)
                for keyword in node.keywords:
                    name = f"{keyword.arg}=" if keyword.arg else "**"
                    arguments.append((name, self.document(keyword.value)))
                return call(self._copied(function), arguments)
        return self._copied(node)

    def _documents(self, nodes: Sequence[ast.expr]) -> list[Doc]:
        return [self.document(each) for each in nodes]

    def _options(self, node: ast.expr) -> list[ast.expr]:
        """Return the options of a union of types; none if it is anything else."""
        match node:
            case ast.BinOp(left, ast.BitOr(), right):
                options = self._options(left), self._options(right)
                return [*options[0], *options[1]] if all(options) else []
            case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Constant():
                return [node]
        return []

    def _index(self, node: ast.expr) -> Doc:
        match node:
            case ast.Tuple(elts=[_, _, *_] as entries):
                return brackets("[", Group(items(self._documents(entries))), "]")
            case ast.Tuple():
                return brackets("[", self._copied(node), "]")
        return brackets("[", self.document(node), "]")

    def _copied(self, node: ast.expr) -> str:
        segment = ast.get_source_segment(self._source, node)
        return ast.unparse(node) if segment is None or "\n" in segment else segment

    def _requoted(self, literal: str) -> str:
        inside = literal[1:-1]
        plain = literal[0] in "\"'" and not set(inside) & {"\\", '"', "'"}
        return f"{self._quote}{inside}{self._quote}" if plain else literal
