# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a condition says of the class of a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import libcst as cst

from kvlint.model.syntax import dotted
from kvlint.uses.following.values import Environment, Shape, Value, either

if TYPE_CHECKING:
    from kvlint.uses.following.evaluation import Values


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
        case cst.Call(
            func=cst.Name("all"), args=[cst.Arg(value=cst.GeneratorExp() as each)]
        ) if holds:
            _narrow_all(values, each, known)
        case cst.Comparison(
            left=cst.Call(func=cst.Name("type"), args=[one]),
            comparisons=[cst.ComparisonTarget(operator, named)],
        ) if isinstance(operator, cst.Is | cst.Equal) is holds:
            narrow_to(values, one.value, named, known)


def _narrow_all(values: Values, node: cst.GeneratorExp, known: Environment) -> None:
    """Believe that each of several values is of a class."""
    loop = node.for_in
    name, several = dotted(loop.target), dotted(loop.iter)
    if name is None or several is None or loop.ifs or loop.inner_for_in is not None:
        return
    before = known.get(several)
    inner = {**known, name: None if before is None else before.shaped(Shape.ONE)}
    narrow(values, node.elt, inner)
    found = inner[name]
    if found is not None and (before is None or before.shape is Shape.MANY):
        known[several] = found.shaped(Shape.MANY)


def narrow_to(
    values: Values,
    subject: cst.BaseExpression,
    classes: cst.BaseExpression,
    known: Environment,
) -> None:
    """Let a name be an instance of a class.

    It may be of several, unless more is known already. Of a class that is not followed
    nothing is known at all.

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
    found = _instance(values, _options(classes), known)
    if found is None or not found.others or known.get(name) is None:
        known[name] = found


def narrow_to_pattern(
    values: Values,
    subject: cst.BaseExpression,
    pattern: cst.MatchPattern,
    known: Environment,
) -> None:
    """Let a name, and what a pattern calls it, be of the classes that it matches.

    Args:
        values: Tells what expressions give.
        subject: What is matched.
        pattern: Against what.
        known: What names are bound to where it does; changed.
    """
    alias, inner = None, pattern
    if isinstance(pattern, cst.MatchAs) and pattern.pattern is not None:
        alias, inner = pattern.name, pattern.pattern
    options = [inner]
    if isinstance(inner, cst.MatchOr):
        options = [each.pattern for each in inner.patterns]
    classes = [each.cls for each in options if isinstance(each, cst.MatchClass)]
    if len(classes) < len(options):
        return
    for name in (subject, alias):
        if name is not None and dotted(name) is not None:
            known[dotted(name) or ""] = _instance(values, classes, known)


def _instance(
    values: Values, classes: Sequence[cst.BaseExpression], known: Environment
) -> Value | None:
    """What is an instance of one of some classes."""
    found = either(values.value(each, known) for each in classes)
    if found is None or found.shape is not Shape.CLASS:
        return None
    return found.shaped(Shape.ONE)


def _options(classes: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The classes that ``isinstance`` is given."""
    if isinstance(classes, cst.Tuple):
        return [each.value for each in classes.elements]
    if isinstance(classes, cst.BinaryOperation):
        return [*_options(classes.left), *_options(classes.right)]
    return [classes]
