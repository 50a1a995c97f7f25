# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The fix that lets an annotated tuple be of any length."""

from __future__ import annotations

import libcst as cst

from kvlint.codestyle import code_style
from kvlint.faults.one_tuples import OneTuple, parsed
from kvlint.findings import Edit, Fix, Safety
from kvlint.mending.bodies import line_start, next_line
from kvlint.mending.holders import UnwritableError
from kvlint.model.syntax import text_of

_MORE = ", ..."


def any_length(found: OneTuple) -> Fix:
    """Return the fix that adds ``...`` to a ``tuple[X]``.

    Raises:
        UnwritableError: It is only a part of a string, or its line gets too long.
    """
    file, annotation = found.field.owner.file, found.annotation
    text = file.tree.source.text
    if text_of(annotation) is None:
        element = found.written.slice[-1]
        start = end = file.span(element.slice).end
        if isinstance(element.comma, cst.Comma):
            end = file.span(element.comma).end
        edit = Edit(start, end, _MORE)
    else:
        whole = parsed(annotation).deep_equals(found.written)
        if not whole or isinstance(found.written.slice[0].comma, cst.Comma):
            raise UnwritableError("it is a part of a string")
        span = file.span(annotation)
        at = text.rindex("]", span.start, span.end)
        edit = Edit(at, at, _MORE)
    line = text[line_start(text, edit.start) : next_line(text, edit.start)].rstrip()
    if len(line) + len(_MORE) > code_style(file.path, text).line_length:
        raise UnwritableError("the line would become too long")
    title = f"Let `{found.field.name}` be of any length"
    return Fix(Safety.SAFE, title, (edit,))
