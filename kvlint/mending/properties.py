# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Fixes that make a method a property, and a property a method."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from kvlint.findings import Edit, Fix, Safety
from kvlint.mending.bodies import ClassBody, line_start, next_line
from kvlint.mending.holders import UnwritableError
from kvlint.model.classes import Member
from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted


def make_property(own: Member) -> Fix:
    """Return the fix that makes a method a property.

    Raises:
        UnwritableError: It has parameters, or its class calls it.
    """
    function, file = own.function, own.owner.file
    assert function is not None
    if own.parameters or function.asynchronous is not None:
        raise UnwritableError("it has parameters or is a coroutine")
    if any(_asks(own)):
        raise UnwritableError(f"`{own.owner.name}` calls it somewhere")
    indent = ClassBody(own.owner).indent
    first = function.decorators[0] if function.decorators else function
    at = line_start(file.tree.source.text, file.span(first).start)
    edit = Edit(at, at, f"{indent}@property\n")
    title = f"Make `{own.symbol}` a property"
    return Fix(Safety.UNSAFE, title, (edit,), follows_base=True)


def make_method(own: Member) -> Fix:
    """Return the fix that makes a property a method.

    Raises:
        UnwritableError: It is more than a plain property, or its class reads it.
    """
    function, file = own.function, own.owner.file
    assert function is not None
    plain = [each for each in function.decorators if _is_property(each)]
    if len(plain) != 1 or _has_more(own):
        raise UnwritableError("it is more than a plain property")
    if not all(_asks(own)):
        raise UnwritableError(f"`{own.owner.name}` reads it somewhere")
    text = file.tree.source.text
    start = line_start(text, file.span(plain[0]).start)
    end = next_line(text, start)
    if text[start:end].strip() != "@property":
        raise UnwritableError("a comment stands beside `@property`")
    edit = Edit(start, end, "")
    title = f"Make `{own.symbol}` a method"
    return Fix(Safety.UNSAFE, title, (edit,), follows_base=True)


def _is_property(decorator: cst.Decorator) -> bool:
    return dotted(decorator.decorator) == "property"


def _has_more(own: Member) -> bool:
    """Whether a property has a setter or a deleter."""
    return any(
        (dotted(each.decorator) or "").startswith(f"{own.name}.")
        for each in walk(own.owner.node)
        if isinstance(each, cst.Decorator)
    )


def _asks(own: Member) -> Iterator[bool]:
    """Whether each use of a member in its own class calls it; others read it."""
    called = set()
    for node in walk(own.owner.node.body):
        match node:
            case cst.Call(func=cst.Attribute(attr=cst.Name(name)) as asked):
                if name == own.name:
                    called.add(asked)
                    yield True
            case cst.Attribute(attr=cst.Name(name)):
                if name == own.name and node not in called:
                    yield False
