# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a test in a composite's member speaks of."""

from __future__ import annotations

import libcst as cst

from kvlint.model.answering.bodies import literal_text
from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted, text_of

_ONE = {
    cst.Equal: "1",
    cst.NotEqual: "1",
    cst.GreaterThan: "1",
    cst.LessThanEqual: "1",
    cst.LessThan: "2",
    cst.GreaterThanEqual: "2",
}


def asked_to_be_one(node: cst.Comparison) -> cst.BaseExpression | None:
    """Return that of which a comparison asks whether it is no more than one.

    Args:
        node: Such as ``len(specs) > 1``.
    """
    left, right = node.left, node.comparisons[0]
    if not isinstance(left, cst.Call) or dotted(left.func) != "len":
        return None
    is_one = literal_text(right.comparator) == _ONE.get(type(right.operator))
    return left.args[0].value if is_one else None


class Comparer:
    """Collects what a test speaks of, and whether it compares several things.

    Args:
        test: The test, or any other node.

    Attributes:
        compares: It compares something.
        comparisons: The comparisons in it.
        attributes: The attributes that it reads.
        names: The names in it.
    """

    def __init__(self, test: cst.CSTNode) -> None:
        """Look at every node of it."""
        self.compares = False
        self.comparisons: list[cst.Comparison] = []
        self.attributes: set[str] = set()
        self.names: set[str] = set()
        for node in walk(test):
            self._look(node)

    def _look(self, node: cst.CSTNode) -> None:
        match node:
            case cst.Comparison():
                self.compares = True
                self.comparisons.append(node)
            case cst.Call(func=cst.Name(value="all" | "any" | "len")):
                self.compares = True
            case cst.Call(func=cst.Name(value="getattr"), args=[_, name, *_]):
                self.attributes.add(text_of(name.value) or "")
            case cst.Attribute(attr=cst.Name(value=attribute)):
                self.attributes.add(attribute)
            case cst.Name(value=name):
                self.names.add(name)
