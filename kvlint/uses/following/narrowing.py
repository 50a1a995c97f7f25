# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a condition says of the class of a value."""

from __future__ import annotations

import libcst as cst

from kvlint.model.syntax import dotted
from kvlint.uses.following.evaluation import Values
from kvlint.uses.following.values import Environment, Shape


def narrow(
    values: Values, test: cst.BaseExpression, known: Environment, *, holds: bool = True
) -> None:
    """Believe an ``isinstance``, also one of several conditions.

    Args:
        values: Tells what expressions give.
        test: The condition.
        known: What names are bound to where it holds, or does not; changed.
        holds: Which of the two.
    """
    match test:
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            narrow(values, inner, known, holds=not holds)
        case cst.BooleanOperation(left=left, operator=operator, right=right):
            if isinstance(operator, cst.And) is holds:
                narrow(values, left, known, holds=holds)
                narrow(values, right, known, holds=holds)
        case cst.Call(func=cst.Name("isinstance"), args=[one, classes]) if holds:
            narrow_to(values, one.value, classes.value, known)
        case cst.Comparison(
            left=cst.Call(func=cst.Name("type"), args=[one]),
            comparisons=[cst.ComparisonTarget(operator, named)],
        ) if isinstance(operator, cst.Is | cst.Equal) is holds:
            narrow_to(values, one.value, named, known)


def narrow_to(
    values: Values,
    subject: cst.BaseExpression,
    classes: cst.BaseExpression,
    known: Environment,
) -> None:
    """Let a name be an instance of a class.

    Of one of several classes nothing more is known than before, and of a class that is
    not followed nothing at all.

    Args:
        values: Tells what expressions give.
        subject: The name.
        classes: The class, or several.
        known: What names are bound to; changed.
    """
    if isinstance(subject, cst.NamedExpr):
        subject = subject.target
    name = dotted(subject)
    if name is None:
        return
    found = {values.value(each, known) for each in _options(classes)}
    if not all(each is not None and each.shape is Shape.CLASS for each in found):
        known[name] = None
    elif len(found) == 1:
        value = found.pop()
        known[name] = None if value is None else value.shaped(Shape.ONE)


def _options(classes: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The classes that ``isinstance`` is given."""
    if isinstance(classes, cst.Tuple):
        return [each.value for each in classes.elements]
    if isinstance(classes, cst.BinaryOperation):
        return [*_options(classes.left), *_options(classes.right)]
    return [classes]
