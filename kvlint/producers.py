# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where code gives a spec's field a value."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import libcst as cst

from kvlint.findings import Place
from kvlint.model.merge_tests import class_names
from kvlint.model.nodes import calls, walk
from kvlint.model.syntax import dotted, text_of
from kvlint.model.workspace import Workspace

COPY, SETTER = "replace", "setattr"
"""Makers that give a field of any spec a value."""


@dataclass(frozen=True, slots=True)
class Production:
    """A place that gives a spec's field a value.

    Attributes:
        place: The place.
        maker: The class that is constructed, or that the spec is tested to be of;
            ``replace`` or ``setattr`` for a spec of any class; empty where one spec's
            value is handed on to another.
    """

    place: Place
    maker: str


def find_producers(
    workspace: Workspace,
    files: Iterable[Path],
    field: str,
    specs: frozenset[str],
    default: str = "",
    *,
    copies: bool = True,
) -> list[Place]:
    """Return the places that set a field of a spec, each once.

    Args:
        workspace: Reads the files.
        files: Where to look.
        field: The field.
        specs: Simple names of the classes that have it.
        default: The text of its default: to pass that is to set nothing.
        copies: Whether ``replace`` and ``__setattr__`` count, of whatever class the
            spec may be.
    """
    found = find_productions(workspace, files, field, specs, default, copies=copies)
    return list(dict.fromkeys(each.place for each in found))


def find_productions(
    workspace: Workspace,
    files: Iterable[Path],
    field: str,
    specs: frozenset[str],
    default: str = "",
    *,
    copies: bool = True,
) -> list[Production]:
    """Return what sets a field of a spec, and of which class the spec is.

    Those are constructor calls, also through ``partial`` and through a mapping of
    keywords in the same function, ``replace(spec, field=...)`` and
    ``object.__setattr__(spec, "field", ...)``.

    Args:
        workspace: Reads the files.
        files: Where to look; only the functions that need it are parsed.
        field: The field.
        specs: Simple names of the classes that have it.
        default: The text of its default: to pass that is to set nothing.
        copies: Whether ``replace`` and ``__setattr__`` count, of whatever class the
            spec may be.
    """
    pattern = re.compile(rf"\b{re.escape(field)}\s*=(?!=)|[\"']{re.escape(field)}[\"']")
    needle = field.encode()
    makers = specs | {COPY} if copies else specs
    found: list[Production] = []
    for path in files:
        content = workspace.content(path)
        if needle not in content:
            continue
        if not copies and not any(name.encode() in content for name in specs):
            continue
        functions = workspace.functions(path)
        if functions is None:
            continue
        offsets = [each.start() for each in pattern.finditer(functions.source.text)]
        for function in functions.around(offsets):
            sets = _Sets(field, makers, frozenset({"None", default}), copies)
            for node, maker in sets.found_in(function.node):
                if function.class_name in specs and _is_read(node, field):
                    maker = ""
                if maker == SETTER and _is_own(node):
                    maker = function.class_name
                found.append(Production(function.place(node), maker))
    return found


def _is_read(node: cst.CSTNode, field: str) -> bool:
    """Whether an argument is the field of another spec, as merges hand it on."""
    value = node.value if isinstance(node, cst.Arg) else None
    return (
        isinstance(value, cst.Attribute)
        and value.attr.value == field
        and dotted(value.value) != "self"
    )


def _is_own(node: cst.CSTNode) -> bool:
    """Whether an instance sets its own field."""
    return isinstance(node, cst.Call) and dotted(node.args[0].value) == "self"


@dataclass(frozen=True)
class _Sets:
    """What sets a field in a function."""

    field: str
    makers: frozenset[str]
    nothing: frozenset[str]
    copies: bool

    def found_in(self, function: cst.CSTNode) -> list[tuple[cst.CSTNode, str]]:
        found: list[tuple[cst.CSTNode, str]] = []
        in_mappings: list[cst.CSTNode] = []
        unpacking: list[str] = []
        for node in walk(function):
            if isinstance(node, cst.Dict):
                in_mappings += self._entries(node)
            if not isinstance(node, cst.Call):
                continue
            name = _last(node.func)
            if name == "partial" and node.args:
                name = _last(node.args[0].value)
            if name in self.makers:
                makers = [name]
                if name == COPY and node.args:
                    makers = self._tested(function, node.args[0].value) or makers
                found += [(each, one) for each in self._passed(node) for one in makers]
                if any(argument.star == "**" for argument in node.args):
                    unpacking.append(name)
            elif name == "dict":
                in_mappings += self._passed(node)
            elif self.copies and name in {"__setattr__", "setattr"}:
                names = [text_of(argument.value) for argument in node.args[1:2]]
                found += [(node, SETTER)] if names == [self.field] else []
        return found + [(node, name) for name in unpacking for node in in_mappings]

    def _tested(self, function: cst.CSTNode, subject: cst.BaseExpression) -> list[str]:
        """The classes of specs that a function tests something for."""
        name = dotted(subject)
        return [
            each
            for call in calls(function)
            if dotted(call.func) == "isinstance" and len(call.args) == 2
            if name is not None and dotted(call.args[0].value) == name
            for each in class_names(call.args[1].value)
            if each in self.makers
        ]

    def _passed(self, call: cst.Call) -> list[cst.CSTNode]:
        return [
            argument
            for argument in call.args
            if argument.keyword is not None
            and argument.keyword.value == self.field
            and cst.Module([]).code_for_node(argument.value) not in self.nothing
        ]

    def _entries(self, node: cst.Dict) -> list[cst.CSTNode]:
        return [
            element
            for element in node.elements
            if isinstance(element, cst.DictElement)
            and text_of(element.key) == self.field
        ]


def _last(node: cst.BaseExpression) -> str:
    return (dotted(node) or "").rpartition(".")[2]
