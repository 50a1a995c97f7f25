# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The fix that makes an assertion a test that stays under ``python -O``."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from kvlint.codestyle import code_style
from kvlint.findings import Edit, Fix, Safety
from kvlint.mending.bodies import line_start
from kvlint.mending.documents import SPACE, Doc, Group, IfBroken
from kvlint.mending.expressions import (
    brackets,
    in_parentheses_if_broken,
    written,
)
from kvlint.mending.holders import UnwritableError
from kvlint.mending.layout import Style, render
from kvlint.model.assertions import AssertedSets
from kvlint.model.functions import FunctionText


def raise_instead(function: FunctionText, found: AssertedSets, error: str) -> Fix:
    """Return the fix that raises an error where an assertion fails.

    Args:
        function: Where it stands.
        found: The assertion.
        error: The exception to raise.

    Raises:
        UnwritableError: No text is sure to be right; the message says why.
    """
    if not function.is_exact:
        raise UnwritableError("libcst does not give the function back unchanged")
    text, span = function.source.text, function.span(found.node)
    old = text[span.start : span.end]
    if "#" in old:
        raise UnwritableError("a comment may stand in the assertion")
    start = line_start(text, span.start)
    indent = text[start : span.start]
    if len(found.line.body) > 1 or indent.strip():
        raise UnwritableError("it shares its line with other statements")
    if not found.bounds:
        raise UnwritableError("the assertion tests something else as well")
    style = _style(function, indent)
    header = ("if ", in_parentheses_if_broken(_test(found)), ":")
    raised: Doc = (
        f"raise {error}",
        brackets("(", _message(function, found, style), ")"),
    )
    written_text = render(header, style, indent)
    written_text += render(raised, style, indent + style.indent)
    edit = Edit(span.start, span.end, written_text[len(indent) :].removesuffix("\n"))
    title = f"Raise `{error}` instead, which `python -O` leaves in"
    return Fix(Safety.UNSAFE, title, (edit,), is_exact=True)


def _style(function: FunctionText, indent: str) -> Style:
    known = code_style(function.source.path, function.source.text)
    step = "\t" if "\t" in indent else "    "
    body = function.node.body
    if isinstance(body, cst.IndentedBlock) and body.indent:
        step = body.indent
    return Style(known.line_length, step, known.quote)


def _test(found: AssertedSets) -> Doc:
    """The test that is true where the assertion fails."""
    parts = [f"len({each.name}) {each.opposite} {each.limit}" for each in found.bounds]
    document: Doc = parts[0]
    for each in parts[1:]:
        document = (document, SPACE, "or ", each)
    return Group(document)


def _message(function: FunctionText, found: AssertedSets, style: Style) -> Doc:
    message = found.node.msg
    if message is None:
        quote = style.quote
        values = [each.name for each in found.bounds]
        shown = " and ".join(f"{{{name}}}" for name in values)
        most = "at most one" if found.bounds[0].opposite != "!=" else "one"
        return (
            f"f{quote}expected {most} value in {', '.join(values)}, got {shown}{quote}"
        )
    if isinstance(message, cst.ConcatenatedString):
        pieces = [function.code(each) for each in _pieces(message)]
        joined = _joined(pieces)
        tail: list[Doc] = [(SPACE, each) for each in pieces[1:]]
        lines: Doc = (pieces[0], *tail)
        return Group(IfBroken(lines, joined) if joined else lines)
    return written(function.code(message), style)


def _pieces(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    if isinstance(node, cst.ConcatenatedString):
        return [*_pieces(node.left), *_pieces(node.right)]
    return [node]


def _joined(pieces: Sequence[str]) -> str:
    """Literals as one, which is what formatters make of them where it fits."""
    prefixes = {each[: each.index(each[-1])] for each in pieces}
    quotes = {each[-1] for each in pieces}
    plain = [each for each in pieces if each[0] == each[-1]]
    is_mixed = len(prefixes) > 1 and any("{" in each or "}" in each for each in plain)
    if not prefixes <= {"", "f"} or len(quotes) > 1 or is_mixed:
        return ""
    if any(each.endswith(each[-1] * 3) for each in pieces):
        return ""
    inside = "".join(each[each.index(each[-1]) + 1 : -1] for each in pieces)
    quote = quotes.pop()
    return f"{max(prefixes)}{quote}{inside}{quote}"
