# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What the tests of a function make sure of, where it is given several specs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from kvlint.model.answering.answers import How, Kind, Value
from kvlint.model.answering.bodies import literal_text
from kvlint.model.merging.merge_values import SpecExpressions, makes_set
from kvlint.model.merging.merges import EVERYTHING, Demand, Merge
from kvlint.model.syntax import dotted

_EQUALITY = (cst.Equal, cst.NotEqual)
_SOME = {
    (cst.GreaterThan, "0"),
    (cst.NotEqual, "0"),
    (cst.GreaterThanEqual, "1"),
}
_SAMENESS = (*_EQUALITY, cst.Is, cst.IsNot)


def note_comparison(
    merge: Merge, expressions: SpecExpressions, node: cst.Comparison
) -> None:
    """Note on which fields specs agree if a comparison says so.

    Args:
        merge: Where it is noted.
        expressions: What the function's expressions are.
        node: The comparison.
    """
    if _says_some(node):
        return
    sides = [node.left, *(each.comparator for each in node.comparisons)]
    operators = [each.operator for each in node.comparisons]
    for side in sides:
        match side:
            case cst.Call(func=cst.Name(value="len"), args=[counted]):
                merge.agreed |= _counted(expressions, counted.value)
    if not all(isinstance(each, _SAMENESS) for each in operators):
        return
    is_equality = all(isinstance(each, _EQUALITY) for each in operators)
    values = [expressions.value(each) for each in sides]
    common = _common(values, is_equality)
    merge.agreed |= common
    if any(each.how is How.LAST for each in values):
        merge.verified |= common


def _says_some(node: cst.Comparison) -> bool:
    """Whether a comparison only says that there is something: ``len(x) > 0``."""
    match node.comparisons:
        case [cst.ComparisonTarget(operator=operator, comparator=number)]:
            asked = type(operator), literal_text(number)
            return asked in _SOME
    return False


def _common(values: Sequence[Value], is_equality: bool) -> set[str]:
    """The fields that are compared."""
    specs = [each for each in values if each.kind is Kind.ONE]
    answers = [each for each in values if each.kind is Kind.ANSWER]
    common: set[str] = set()
    if len(answers) > 1:
        common |= frozenset.intersection(*(each.attributes for each in answers))
    if not is_equality:
        return common
    if len(specs) > 1:
        common.add(EVERYTHING)
    if len(answers) == 1 and answers[0].how is None:
        common |= answers[0].attributes  # each is compared with one and the same value
    for each in values:
        if each.kind is Kind.ANSWERS:
            common |= each.attributes
    return common


def _counted(
    expressions: SpecExpressions, counted: cst.BaseExpression
) -> frozenset[str]:
    value = expressions.value(counted)
    if value.kind is Kind.ANSWERS:
        return value.attributes
    is_whole = value.kind is Kind.SPECS and (
        makes_set(counted) or dotted(counted) in expressions.sets
    )
    return frozenset({EVERYTHING}) if is_whole else frozenset()


def demands(expressions: SpecExpressions, test: cst.BaseExpression) -> Iterator[Demand]:
    """Yield the classes that every spec is of if a test is true.

    Args:
        expressions: What the function's expressions are.
        test: The test.
    """
    match test:
        case cst.BooleanOperation(left=left, operator=cst.And(), right=right):
            yield from demands(expressions, left)
            yield from demands(expressions, right)
        case cst.Call(func=cst.Name(value="all"), args=[only]):
            asked = _asked_of_each(expressions, only.value)
            if asked is not None:
                yield from demands(expressions, asked)
        case cst.Call(
            func=cst.Name(value="isinstance" | "issubclass"), args=[subject, classes]
        ):
            value = expressions.value(_typed(subject.value))
            if value.kind is Kind.ONE and value.how is None:
                yield Demand(test, tuple(class_names(classes.value)))


def refused(expressions: SpecExpressions, test: cst.BaseExpression) -> Iterator[Demand]:
    """Yield what a test demands of every spec if ``raise`` follows where it is true.

    Args:
        expressions: What the function's expressions are.
        test: The test.
    """
    match test:
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            yield from demands(expressions, inner)
        case cst.BooleanOperation(left=left, operator=cst.Or(), right=right):
            yield from refused(expressions, left)
            yield from refused(expressions, right)
        case cst.Call(func=cst.Name(value="any"), args=[only]):
            asked = _asked_of_each(expressions, only.value)
            if asked is not None:
                yield from refused(expressions, asked)


def _asked_of_each(
    expressions: SpecExpressions, several: cst.BaseExpression
) -> cst.BaseExpression | None:
    """What ``all`` or ``any`` asks of each of several things, whose name is bound."""
    if not isinstance(several, cst.GeneratorExp | cst.ListComp) or several.for_in.ifs:
        return None
    expressions.bind_loop(several.for_in.target, several.for_in.iter)
    return several.elt


def _typed(node: cst.BaseExpression) -> cst.BaseExpression:
    """What an expression is the class of; else itself."""
    match node:
        case cst.Call(func=cst.Name(value="type"), args=[only]):
            return only.value
        case cst.Attribute(value=owner, attr=cst.Name(value="__class__")):
            return owner
    return node


def class_names(node: cst.BaseExpression) -> Iterator[str]:
    """Yield the classes that ``isinstance`` is given; an empty name for others."""
    match node:
        case cst.Tuple(elements=elements):
            for each in elements:
                yield from class_names(each.value)
        case cst.BinaryOperation(left=left, operator=cst.BitOr(), right=right):
            yield from class_names(left)
            yield from class_names(right)
        case _:
            yield dotted(node) or ""
