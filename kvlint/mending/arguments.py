# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The fix that passes one more keyword argument."""

from __future__ import annotations

import libcst as cst

from kvlint.codestyle import code_style
from kvlint.findings import Edit, Fix, Safety
from kvlint.mending.bodies import line_start
from kvlint.mending.documents import Doc, Group
from kvlint.mending.expressions import call as call_of
from kvlint.mending.holders import UnwritableError
from kvlint.mending.layout import Style, render
from kvlint.model.functions import FunctionText


def add_argument(function: FunctionText, call: cst.Call, argument: str) -> Fix:
    """Return the fix that adds a keyword argument at the end of a call.

    Args:
        function: The function that the call is in.
        call: The call; it has arguments, and unpacks none.
        argument: The argument, as ``name=value``.

    Raises:
        UnwritableError: No text is sure to be right; the message says why.
    """
    if not function.is_exact:
        raise UnwritableError("libcst does not give the function back unchanged")
    text, span = function.source.text, function.span(call)
    if "#" in text[span.start : span.end]:
        raise UnwritableError("a comment stands in the call")
    edit = _rewritten(function, call, argument) or _inserted(function, call, argument)
    title = f"Pass `{argument}`"
    return Fix(Safety.UNSAFE, title, (edit,), is_exact=True)


def _rewritten(function: FunctionText, call: cst.Call, argument: str) -> Edit | None:
    """The whole call anew, if it ends its line and has no lines inside arguments."""
    text, span = function.source.text, function.span(call)
    arguments = [function.code(each).rstrip(", \t\n") for each in call.args]
    line_end = text.find("\n", span.end)
    behind = text[span.end : line_end if line_end >= 0 else len(text)]
    if behind.strip() or any("\n" in each for each in arguments):
        return None
    start = line_start(text, span.start)
    line = text[start : span.start]
    indent = line[: len(line) - len(line.lstrip())]
    doc: Doc = (
        line.lstrip(),
        Group(call_of(function.code(call.func), [*arguments, argument])),
    )
    style = code_style(function.source.path, text)
    step = "\t" if indent.startswith("\t") else " " * 4
    written = render(doc, Style(style.line_length, step, style.quote), indent)
    return Edit(span.start, span.end, written[len(line) :].removesuffix("\n"))


def _inserted(function: FunctionText, call: cst.Call, argument: str) -> Edit:
    """The argument behind the last one, on a line of its own if that has one."""
    text, last = function.source.text, function.span(call.args[-1].value)
    start = line_start(text, last.start)
    before = text[start : last.start]
    if not before.strip():
        return Edit(last.end, last.end, f",\n{before}{argument}")
    line_end = text.find("\n", last.end)
    length = (line_end if line_end >= 0 else len(text)) - start
    room = code_style(function.source.path, text).line_length
    if length + len(f", {argument}") > room:
        raise UnwritableError("its line has no room for another argument")
    return Edit(last.end, last.end, f", {argument}")
