# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What the names in a search among groups stand for."""

from __future__ import annotations

import re

import libcst as cst

from kvlint.model.class_tests.type_tests import (
    code_of,
    exact_test,
    instance_tests,
    no_meaning,
)
from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted, text_of
from kvlint.model.values.rebinding import depends_on, rebound
from kvlint.vocabulary import LAYER_NAMES

_GROUPS = re.compile(r"groups?(?![a-z])|group2", re.I)
_FIRST = re.compile(r"[\w.]*groups?(?:\(\))?\s*\[0\](?:\.\w+)*", re.I)
_ASKS = re.compile(r"_?(?:is|has)_\w+|\w*kind\w*")


class GroupItems:
    """The names of a search that stand for a group, or for its place.

    Attributes:
        names: All of them, and what is derived from a group.
    """

    def __init__(self) -> None:
        """Know none yet."""
        self.names: set[str] = set()
        self._groups: set[str] = set()
        self._places: set[str] = set()

    def take(
        self, target: cst.BaseAssignTargetExpression, value: cst.BaseExpression
    ) -> None:
        """Bind the target of a loop, or of an assignment in one."""
        code = code_of(value)
        is_derived = depends_on(code, self.names)
        bound = rebound(cst.AssignTarget(target))
        if not is_derived and not (_GROUPS.search(code) and not self.names):
            return
        self.names |= bound
        if is_derived:
            return
        names = [
            code_of(each.value)
            for each in (target.elements if isinstance(target, cst.Tuple) else ())
        ]
        is_counted = isinstance(value, cst.Call) and dotted(value.func) == "enumerate"
        is_keyed = code.endswith(".items()")
        if names and (is_counted or is_keyed):
            self._places |= {names[0]}
            self._groups |= {*names[1:]} if is_counted else set()
        elif isinstance(value, cst.Call) and dotted(value.func) == "range":
            self._places |= bound
        else:
            self._groups |= bound
            self._places |= {*names[:1]}

    def tested(
        self, test: cst.BaseExpression
    ) -> tuple[cst.CSTNode, tuple[str, ...], bool] | None:
        """Return what of a condition asks for a group, its classes, if by a layer."""
        kind = self._kind_tested(test)
        if kind is not None:
            return *kind, False
        for each in walk(test):
            match each:
                case cst.Comparison(
                    comparisons=[cst.ComparisonTarget(cst.In(), listed)]
                ) if self._lists_layers(listed):
                    return each, (), True
                case cst.Call(
                    func=cst.Name("any"),
                    args=[cst.Arg(cst.GeneratorExp(for_in=cst.CompFor(iter=listed)))],
                ) if self._lists_layers(listed):
                    return each, (), True
        return None

    def _lists_layers(self, node: cst.BaseExpression) -> bool:
        """Whether something is the list of a group's layers."""
        match node:
            case cst.Attribute(value=group, attr=cst.Name(value=name)):
                return name == LAYER_NAMES and self._mentions(group)
        return False

    def _kind_tested(
        self, test: cst.BaseExpression
    ) -> tuple[cst.CSTNode, tuple[str, ...]] | None:
        """What of a condition asks for the kind of a group, and its classes."""
        for each in walk(test):
            match each:
                case cst.Comparison():
                    found = exact_test(each, {}, no_meaning)
                    if found is not None and self._mentions(found.subject):
                        return each, found.classes
                    right = each.comparisons[0].comparator
                    text = text_of(right) or text_of(each.left)
                    if text is None or self._lists_layers(right):
                        continue
                    if self._mentions(each):
                        return each, (text,)
                case cst.Call(func=cst.Name(value="isinstance")):
                    for found in instance_tests(each):
                        if self._mentions(found.subject):
                            return each, found.classes
                case cst.Call(func=func, args=args):
                    name = (dotted(func) or "").rpartition(".")[2]
                    is_asked = _ASKS.fullmatch(name) and "spec" in code_of(each)
                    if is_asked and any(self._mentions(x.value) for x in args):
                        return each, ()
        return None

    def _mentions(self, node: cst.CSTNode) -> bool:
        return depends_on(code_of(node), self.names)

    def gives(self, found: cst.BaseExpression, default: cst.BaseExpression) -> bool:
        """Return whether what is sought is a group, and the default the first one.

        Args:
            found: What it gives if it finds one.
            default: What it gives otherwise.
        """
        code = code_of(found)
        if is_zero(default):
            return depends_on(code, self._places)
        return bool(_FIRST.fullmatch(code_of(default))) and depends_on(
            code, self._groups
        )


def is_zero(node: cst.CSTNode) -> bool:
    """Return whether a node is the number 0."""
    return isinstance(node, cst.Integer) and node.evaluated_value == 0
