# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The fix that lets a ``__post_init__`` call the one above it."""

from __future__ import annotations

from kvlint.findings import Edit, Fix, Safety
from kvlint.mending.bodies import ClassBody, line_start
from kvlint.mending.holders import UnwritableError
from kvlint.model.answering.bodies import body_statements
from kvlint.model.classes import Member
from kvlint.model.dataclass_options import dataclass_options


def call_base(own: Member, base: Member) -> Fix:
    """Return the fix that calls a base's method first of all.

    Args:
        own: The method that does not call it.
        base: The method to call; what it takes is passed on by name.

    Raises:
        UnwritableError: The method lacks what the base's takes, or has no lines.
    """
    function, file = own.function, own.owner.file
    assert function is not None
    taken = {each.name for each in own.parameters}
    for each in base.parameters:
        if each.name not in taken and each.default is None:
            raise UnwritableError(f"it does not take `{each.name}`, which that needs")
    passed = ", ".join(each.name for each in base.parameters if each.name in taken)
    statements = body_statements(function)
    if not statements:
        raise UnwritableError("its body is a docstring alone")
    text = file.tree.source.text
    span = ClassBody(own.owner).body_span(function)
    first = file.span(statements[0]).start
    margin = text[line_start(text, first) : first]
    # A class with slots is made anew, and up to Python 3.13 a bare `super()` in it
    # means the class that was thrown away.
    options = dataclass_options(own.owner)
    is_anew = options is not None and options.slots is not False
    asked = f"super({own.owner.name}, {own.self_name})" if is_anew else "super()"
    line = f"{margin}{asked}.{own.name}({passed})\n"
    title = f"Call `{base.symbol}` first"
    return Fix(Safety.UNSAFE, title, (Edit(span.start, span.start, line),))
