# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a test in a composite's member speaks of."""

from __future__ import annotations

import libcst as cst

from kvlint.model.nodes import walk
from kvlint.model.syntax import text_of


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
