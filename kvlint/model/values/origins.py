# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where the values of a function's names come from, by any way through it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from kvlint.model.functions import FunctionIndex, FunctionText
from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted

_SAME = frozenset(["list", "tuple", "sorted", "reversed", "iter", "set"])
_ADDING = frozenset(["append", "add"])
_ATTRIBUTE = re.compile(r"self\.\w+")
_MOST = 400
"""Nodes to look at before giving up."""


@dataclass(frozen=True, eq=False)
class Origin:
    """What a name may stand for.

    Attributes:
        value: The expression.
        is_item: The name is an item of it, or an attribute of an item.
        node: The assignment, loop or call that binds it.
        function: The function that this is in.
    """

    value: cst.BaseExpression
    is_item: bool
    node: cst.CSTNode
    function: FunctionText


class Origins:
    """The origins of a function's names, those of functions inside of it too.

    Args:
        function: The function.

    Attributes:
        parameters: The parameters, also those of functions inside.
    """

    def __init__(self, function: FunctionText) -> None:
        """Read every assignment and loop."""
        self._function = function
        self._found: dict[str, list[Origin]] = {}
        self.parameters: dict[str, cst.Param] = {}
        for node in walk(function.node):
            self._read(node)

    def of(self, name: str) -> list[Origin]:
        """Return what a dotted name may stand for.

        What is put into a container counts as what the container stands for.
        """
        return self._found.get(name, [])

    def _read(self, node: cst.CSTNode) -> None:
        match node:
            case cst.Param(name=cst.Name(value=name)):
                self.parameters[name] = node
            case cst.Assign(targets=targets, value=value):
                for each in targets:
                    self._bind(each.target, value, node)
            case cst.AnnAssign(target=target, value=cst.BaseExpression() as value):
                self._bind(target, value, node)
            case cst.AugAssign(target=target, value=value):
                self._bind(target, value, node)
            case cst.NamedExpr(target=target, value=value):
                self._bind(target, value, node)
            case cst.For(target=target, iter=iterated):
                self._bind_items(target, iterated, node)
            case cst.CompFor(target=target, iter=iterated):
                self._bind_items(target, iterated, node)
            case cst.Call(
                func=cst.Attribute(value=container, attr=cst.Name(value=method)),
                args=[argument],
            ) if method in _ADDING:
                self._bind(container, argument.value, node)

    def _bind(
        self, target: cst.BaseExpression, value: cst.BaseExpression, node: cst.CSTNode
    ) -> None:
        if isinstance(target, cst.Tuple | cst.List):
            parts = [each.value for each in target.elements]
            if isinstance(value, cst.Tuple | cst.List):
                given = [each.value for each in value.elements]
                for left, right in zip(parts, given, strict=False):
                    self._bind(left, right, node)
            else:
                for left in parts:
                    self._add(left, value, node, is_item=True)
        elif isinstance(target, cst.Subscript):
            self._add(target.value, value, node, is_item=False)
        else:
            self._add(target, value, node, is_item=False)

    def _bind_items(
        self,
        target: cst.BaseExpression,
        iterated: cst.BaseExpression,
        node: cst.CSTNode,
    ) -> None:
        called = called_name(iterated)
        given: list[cst.BaseExpression] = []
        if isinstance(iterated, cst.Call):
            given = [each.value for each in iterated.args]
        if called in _SAME and given:
            self._bind_items(target, given[0], node)
        elif not isinstance(target, cst.Tuple | cst.List):
            self._add(target, iterated, node, is_item=True)
        else:
            parts = [each.value for each in target.elements]
            if called == "enumerate" and given:
                pairs = [(parts[-1], given[0])]
            elif called == "zip":
                pairs = list(zip(parts, given, strict=False))
            else:
                pairs = [(part, iterated) for part in parts]
            for part, source in pairs:
                self._bind_items(part, source, node)

    def _add(
        self,
        target: cst.BaseExpression,
        value: cst.BaseExpression,
        node: cst.CSTNode,
        *,
        is_item: bool,
    ) -> None:
        name = dotted(target)
        if name is not None:
            origin = Origin(value, is_item, node, self._function)
            self._found.setdefault(name, []).append(origin)


def called_name(node: cst.CSTNode) -> str:
    """Return the last name of what a call calls; empty for anything else."""
    if not isinstance(node, cst.Call):
        return ""
    func = node.func
    return func.attr.value if isinstance(func, cst.Attribute) else dotted(func) or ""


def expanded(
    value: cst.BaseExpression, known: Callable[[str], list[Origin]]
) -> Iterator[tuple[cst.CSTNode, bool]]:
    """Yield the nodes of an expression and of all that its names may stand for.

    Args:
        value: The expression.
        known: What a dotted name may stand for.

    Yields:
        Nodes, and whether items of what they belong to are meant.
    """
    pending: list[tuple[cst.CSTNode, bool]] = [(value, False)]
    seen: set[str] = set()
    count = 0
    while pending and count < _MOST:
        top, is_item = pending.pop()
        for node in walk(top):
            count += 1
            yield node, is_item
            name = name_of(node)
            if name is not None and name not in seen:
                seen.add(name)
                pending += [(x.value, x.is_item) for x in known(name)]


def name_of(node: cst.CSTNode) -> str | None:
    """Return a name with all that it is an attribute of; None for anything else."""
    return dotted(node) if isinstance(node, cst.Name | cst.Attribute) else None


@dataclass(eq=False)
class KnownOrigins:
    """The origins of names in a function, and of its class's attributes.

    Attributes:
        functions: Those of its file.
        function: The function.
    """

    functions: FunctionIndex
    function: FunctionText

    def of(self, name: str) -> list[Origin]:
        """Return the origins of a dotted name; none of what the callers decide."""
        if name in self._own.parameters:
            return []
        found = self._own.of(name)
        if found or not _ATTRIBUTE.fullmatch(name):
            return found
        return self._of_class(name)

    @property
    def parameters(self) -> Mapping[str, cst.Param]:
        """The parameters of the function, and of those inside of it."""
        return self._own.parameters

    @cached_property
    def _own(self) -> Origins:
        return Origins(self.function)

    def _of_class(self, name: str) -> list[Origin]:
        """What other methods of the class assign to an attribute."""
        text = self.functions.source.text
        assigned = re.compile(rf"\b{re.escape(name)}\s*(?::[^=\n]+)?=(?!=)")
        offsets = [each.start() for each in assigned.finditer(text)]
        found: list[Origin] = []
        for each in self.functions.around(offsets):
            if each.class_name and each.class_name == self.function.class_name:
                found += Origins(each).of(name)
        return found
