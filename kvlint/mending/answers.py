# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""How answers are gathered and what is said when they differ."""

from __future__ import annotations

import ast
from enum import Enum, auto

from kvlint.mending.expressions import parsed
from kvlint.mending.layout import Style, width

_NUMBERS = frozenset({"int", "float", "bool"})
_SORTABLE = _NUMBERS | {"str", "bytes"}
_HASHABLE = _SORTABLE | {
    "None",
    "complex",
    "Decimal",
    "decimal.Decimal",
    "Fraction",
    "fractions.Fraction",
    "torch.device",
    "torch.dtype",
}


class Answers(Enum):
    """What may be done with the answers of several specs."""

    SORTABLE = auto()
    HASHABLE = auto()
    UNKNOWN = auto()


def answers_of(annotation: str | None) -> Answers:
    """Return what may be done with answers of a type.

    Args:
        annotation: The type as it is written, quoted or not; None if there is none.

    Returns:
        Sortable and hashable, hashable, or neither for sure.
    """
    node = parsed(annotation) if annotation else None
    if node is None or not _is_hashable(node):
        return Answers.UNKNOWN
    names = _options(node)
    sortable = names <= _NUMBERS or (len(names) == 1 and names <= _SORTABLE)
    return Answers.SORTABLE if sortable else Answers.HASHABLE


def message(composite: str, member: str, shown: str) -> str:
    """Return what is said about answers that differ.

    Args:
        composite: The class that asked.
        member: What it asked for.
        shown: The expression that shows the answers.
    """
    return f"The layers of {composite} must agree on {member}, got {{{shown}}}."


def literal(text: str, style: Style) -> str:
    """Return a text as a string literal, an f-string if it has braces."""
    prefix = "f" if "{" in text else ""
    return f"{prefix}{style.quote}{text}{style.quote}"


def literals(text: str, style: Style, room: int) -> list[str]:
    """Return a text as literals that are to stand below one another.

    Args:
        text: Words; a word is never split, nor is what follows "got".
        style: The quotes.
        room: The columns that a literal may have.
    """
    *words, last = text.split()
    *words, got = words
    pieces = [""]
    for word in (*words, f"{got} {last}"):
        longer = f"{pieces[-1]}{word} "
        if pieces[-1] and width(literal(longer, style)) > room:
            pieces.append(f"{word} ")
        else:
            pieces[-1] = longer
    pieces[-1] = pieces[-1].rstrip()
    return [literal(each, style) for each in pieces]


def _is_hashable(node: ast.expr) -> bool:
    match node:
        case ast.Name() | ast.Attribute() | ast.Constant(value=None):
            return ast.unparse(node) in _HASHABLE
        case ast.Constant(value=str(text)):
            inner = parsed(text)
            return inner is not None and _is_hashable(inner)
        case ast.BinOp(left, ast.BitOr(), right):
            return _is_hashable(left) and _is_hashable(right)
        case ast.Subscript(value, index):
            return _is_hashable_form(ast.unparse(value).split(".")[-1], index)
    return False


def _is_hashable_form(head: str, index: ast.expr) -> bool:
    arguments = index.elts if isinstance(index, ast.Tuple) else [index]
    match head:
        case "Literal" | "type" | "Type":
            return True
        case "tuple" | "Tuple" | "frozenset" | "FrozenSet" | "Optional" | "Union":
            return all(
                _is_hashable(each)
                for each in arguments
                if not (isinstance(each, ast.Constant) and each.value is ...)
            )
        case "Annotated":
            return _is_hashable(arguments[0])
    return False


def _options(node: ast.expr) -> set[str]:
    """Return the types of a union, or the one type."""
    match node:
        case ast.BinOp(left, ast.BitOr(), right):
            return _options(left) | _options(right)
        case ast.Constant(value=str(text)):
            inner = parsed(text)
            return set() if inner is None else _options(inner)
        case ast.Subscript(ast.Name("Union"), ast.Tuple(elts=options)):
            return set().union(*map(_options, options))
    return {ast.unparse(node)}
