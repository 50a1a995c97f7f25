# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a file says of the answers of its functions and of what its instances hold."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import libcst as cst

from kvlint.model.functions import FunctionText
from kvlint.model.gathering import KEPT, line_before
from kvlint.model.glances import positions, typed_words
from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted

_PLAIN = frozenset(
    "abstractmethod cache classmethod final lru_cache override staticmethod".split()  # noqa: SIM905
)
_PROPERTIES = frozenset({"property", "cached_property"})
_MAKER = "__init__"
_DECORATOR = re.compile(r"@\s*([\w.]+)")
_WORD = re.compile(r"\w+")


@dataclass
class Givers:
    """Functions and attributes of a file that are annotated.

    Attributes:
        text: The file's.
        names: Of the classes that are followed.
        function: Gives the only function of a name in a class, or in none.
    """

    text: str
    names: frozenset[str]
    function: Callable[[str, str], FunctionText | None]
    _makers: dict[str, dict[str, cst.BaseExpression]] = field(default_factory=dict)

    def answer(self, node: cst.BaseExpression, owner: str) -> cst.BaseExpression | None:
        """Return what a function is said to give that is called by an expression.

        Args:
            node: What is called.
            owner: The class around.
        """
        found = self._function(node, owner)
        is_plain = found is not None and self._decorators(found) <= _PLAIN
        return _said(found) if is_plain else None

    def held(self, node: cst.Attribute, owner: str) -> cst.BaseExpression | None:
        """Return what is said of an attribute of the instance around.

        Args:
            node: The attribute.
            owner: The class around.
        """
        if dotted(node.value) != "self" or not owner:
            return None
        found = self._function(node, owner)
        if found is not None:
            is_property = self._decorators(found) & _PROPERTIES
            return _said(found) if is_property else None
        if node.attr.value not in self._kept or not self._is_set_once(node.attr.value):
            return None
        if owner not in self._makers:
            maker = self.function(_MAKER, owner)
            self._makers[owner] = {} if maker is None else _set_at_first(maker.node)
        return self._makers[owner].get(node.attr.value)

    def _function(self, node: cst.BaseExpression, owner: str) -> FunctionText | None:
        match node:
            case cst.Name(value=name):
                owner = ""
            case cst.Attribute(
                value=cst.Name(value="self" | "cls"), attr=cst.Name(value=name)
            ) if owner:
                pass
            case _:
                return None
        return self.function(name, owner) if name in self._annotated else None

    def _decorators(self, function: FunctionText) -> set[str]:
        return _decorators(self.text, function.span(function.node).start)

    @cached_property
    def _annotated(self) -> frozenset[str]:
        """The functions that are said to give something of a class."""
        found = set()
        position = self.text.find("->")
        while position >= 0:
            said = self.text[position : self.text.find(":", position)]
            if not self.names.isdisjoint(_WORD.findall(said)):
                defined = self.text.rfind("def ", 0, position)
                if name := _WORD.match(self.text, defined + 4):
                    found.add(name[0])
            position = self.text.find("->", position + 2)
        return frozenset(found)

    @cached_property
    def _kept(self) -> frozenset[str]:
        """The attributes that may be set to parameters of a followed class."""
        typed = {
            word
            for name in self.names
            for position in positions(self.text, name)
            for word in typed_words(line_before(self.text, position))
        }
        return frozenset(
            x
            for x, given in (x.groups() for x in KEPT.finditer(self.text))
            if given in typed
        )

    def _is_set_once(self, name: str) -> bool:
        """Whether only one place sets an attribute, of whoever has it."""
        setting = re.compile(rf"\.{name}[ \t]*(?::[^=\n]*)?=(?!=)")
        return len(setting.findall(self.text)) == 1


def _said(function: FunctionText | None) -> cst.BaseExpression | None:
    """What a function is said to give when it is called."""
    if function is None or function.node.asynchronous or not function.node.returns:
        return None
    return function.node.returns.annotation


def _set_at_first(maker: cst.FunctionDef) -> dict[str, cst.BaseExpression]:
    """The types of attributes that a constructor sets to its parameters."""
    types = {
        each.name.value: each.annotation.annotation
        for each in (*maker.params.params, *maker.params.kwonly_params)
        if each.annotation is not None
    }
    found: dict[str, cst.BaseExpression] = {}
    for node in walk(maker.body):
        match node:
            case cst.Assign(
                targets=[cst.AssignTarget(target)], value=cst.Name(value=given)
            ) if given in types:
                found[_own(target)] = types[given]
            case cst.Assign(targets=targets):
                for each in targets:
                    types.pop(dotted(each.target) or "", None)
    return found


def _own(node: cst.CSTNode) -> str:
    """The attribute of the instance that is assigned to, if it is one."""
    match node:
        case cst.Attribute(value=cst.Name(value="self"), attr=cst.Name(value=name)):
            return name
    return ""


def _decorators(text: str, position: int) -> set[str]:
    """The last names of a function's decorators; empty for one over several lines."""
    found = set()
    end = text.rfind("\n", 0, position) + 1
    while end:
        begin = text.rfind("\n", 0, end - 1) + 1
        line = text[begin:end].strip()
        if decorator := _DECORATOR.match(line):
            found.add(decorator[1].rpartition(".")[2])
        elif line.endswith(")"):
            found.add("")
        else:
            break
        end = begin
    return found
