# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Attributes that a method sets on its instance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import libcst as cst

from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted, text_of

ANYTHING = "*"
"""Stands for a name that is known only when the code runs."""

_HARMLESS = frozenset({"getattr", "hasattr", "isinstance", "type", "super", "fields"})


@dataclass(frozen=True, slots=True)
class Setting:
    """``self.name = value``, or the like of it on a frozen class.

    Attributes:
        name: The attribute; ``*`` where any may be set.
        value: What it is set to, None for a bare annotation.
        annotation: The annotation beside it.
    """

    name: str
    value: cst.BaseExpression | None
    annotation: cst.BaseExpression | None = None


@lru_cache(maxsize=1024)
def find_settings(function: cst.FunctionDef, self_name: str) -> tuple[Setting, ...]:
    """Return what a method sets on its instance, in the order of the text."""
    collector = _Collector(self_name)
    for node in walk(function.body):
        collector.look(node)
    return tuple(collector.found)


class _Collector:
    def __init__(self, self_name: str) -> None:
        self._self = self_name
        self.found: list[Setting] = []

    def look(self, node: cst.CSTNode) -> None:
        match node:
            case cst.Assign(targets=targets, value=value):
                for target in targets:
                    self._unpack(target.target, value)
            case cst.AnnAssign(target=target, value=given, annotation=annotation):
                self._note(target, given, annotation.annotation)
            case cst.Call():
                self._call(node)

    def _call(self, node: cst.Call) -> None:
        values = [argument.value for argument in node.args]
        name = _called(node.func)
        given_self = bool(values) and dotted(values[0]) == self._self
        if name in {"__setattr__", "setattr"}:
            is_super = len(values) == 2 and isinstance(node.func, cst.Attribute)
            if len(values) > 1 and (is_super or given_self):
                attribute = text_of(values[-2]) or ANYTHING
                self.found.append(Setting(attribute, values[-1]))
        elif given_self and name not in _HARMLESS or "__dict__" in name.split("."):
            self.found.append(Setting(ANYTHING, None))

    def _unpack(self, target: cst.BaseExpression, value: cst.BaseExpression) -> None:
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple):
            for left, right in zip(target.elements, value.elements, strict=False):
                self._unpack(left.value, right.value)
        elif isinstance(target, cst.Tuple | cst.List):
            for element in target.elements:
                self._note(element.value, None, None)
        else:
            self._note(target, value, None)

    def _note(
        self,
        target: cst.BaseExpression,
        value: cst.BaseExpression | None,
        annotation: cst.BaseExpression | None,
    ) -> None:
        head, _, attribute = (dotted(target) or "").partition(".")
        if head == self._self and attribute and "." not in attribute:
            self.found.append(Setting(attribute, value, annotation))


def _called(function: cst.BaseExpression) -> str:
    """The last name of what is called; all of it where ``__dict__`` is in it."""
    if isinstance(function, cst.Attribute) and dotted(function) is None:
        return function.attr.value
    name = dotted(function) or ""
    return name if "__dict__" in name else name.rpartition(".")[2]
