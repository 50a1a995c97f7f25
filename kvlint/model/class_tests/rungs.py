# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The rungs of a ladder of class tests: conditions, and patterns of cases."""

from __future__ import annotations

import libcst as cst

from kvlint.model.class_tests.type_tests import (
    TypeTest,
    code_of,
    exact_test,
    instance_test,
    no_meaning,
)
from kvlint.model.nodes import walk


def condition_test(node: cst.BaseExpression) -> TypeTest | None:
    """Return the test that a condition is, also several joined by ``or``."""
    if not isinstance(node, cst.BooleanOperation):
        found = instance_test(node) or exact_test(node, {}, no_meaning)
        return found if found is not None and found.holds else None
    left, right = condition_test(node.left), condition_test(node.right)
    if left is None or right is None or not isinstance(node.operator, cst.Or):
        return None
    if code_of(left.subject) != code_of(right.subject):
        return None
    return TypeTest(node, left.subject, (*left.classes, *right.classes))


def is_steady(subject: cst.BaseExpression) -> bool:
    """Return whether something is the same until one of its names is bound anew."""
    return not any(
        isinstance(each, cst.Call | cst.Await | cst.Yield | cst.NamedExpr)
        for each in walk(subject)
    )


def alternatives(pattern: cst.MatchPattern | None) -> list[cst.MatchPattern]:
    """Return the patterns of which one must fit; none for what fits everything."""
    match pattern:
        case cst.MatchAs(pattern=inner):
            return alternatives(inner)
        case cst.MatchOr(patterns=patterns):
            return [one for each in patterns for one in alternatives(each.pattern)]
        case None:
            return []
    return [pattern]
