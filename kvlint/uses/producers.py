# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where code gives a spec's field a value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import libcst as cst

from kvlint.findings import Place
from kvlint.model.functions import FunctionText
from kvlint.model.glances import beginnings, quoted
from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted, text_of
from kvlint.model.workspace import Workspace


@dataclass(frozen=True)
class Producer:
    """A place that sets a field of a spec.

    Attributes:
        function: The function that it is in.
        node: The argument or entry, or the call of ``__setattr__``.
    """

    function: FunctionText
    node: cst.Arg | cst.DictElement | cst.Call

    @property
    def value(self) -> cst.BaseExpression:
        """What the field is set to."""
        match self.node:
            case cst.Call(args=args):
                return args[-1].value
            case cst.Arg(value=value) | cst.DictElement(value=value):
                return value

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.function.place(self.node)


def producers(
    workspace: Workspace,
    files: Iterable[Path],
    field: str,
    specs: frozenset[str],
    default: str = "",
    *,
    copies: bool = True,
) -> list[Producer]:
    """Return what sets a field of a spec.

    That are constructor calls, also through ``partial`` and through a mapping of
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
    keyword = re.compile(rf"{re.escape(field)}\s*=(?!=)")
    needle = field.encode()
    makers = specs | {"replace"} if copies else specs
    found: list[Producer] = []
    sets = _Sets(field, makers, frozenset({"None", default}), copies)

    def look(path: Path) -> Iterator[Producer]:
        content = workspace.content(path)
        if needle not in content:
            return
        if not copies and not any(name.encode() in content for name in specs):
            return
        functions = workspace.functions(path)
        if functions is None:
            return
        text = functions.source.text
        offsets = [*beginnings(keyword, text), *quoted(text, field)]
        for function in functions.around(offsets):
            look_at = partial(sets.found_in, function.node)
            nodes = function.known(("producers", sets), look_at)
            yield from (Producer(function, each) for each in nodes)

    for path in files:
        find = partial(tuple[Producer, ...], look(path))
        found += workspace.known(path, ("producers", sets), find)
    return found


@dataclass(frozen=True)
class _Sets:
    """What sets a field in a function."""

    field: str
    makers: frozenset[str]
    nothing: frozenset[str]
    copies: bool

    def found_in(
        self, function: cst.CSTNode
    ) -> list[cst.Arg | cst.DictElement | cst.Call]:
        found: list[cst.Arg | cst.DictElement | cst.Call] = []
        in_mappings: list[cst.Arg | cst.DictElement | cst.Call] = []
        unpacks = False
        for node in walk(function):
            if isinstance(node, cst.Dict):
                in_mappings += self._entries(node)
            if not isinstance(node, cst.Call):
                continue
            name = _last(node.func)
            if name == "partial" and node.args:
                name = _last(node.args[0].value)
            if name in self.makers:
                found += self._passed(node)
                unpacks |= any(argument.star == "**" for argument in node.args)
            elif name == "dict":
                in_mappings += self._passed(node)
            elif self.copies and name in {"__setattr__", "setattr"}:
                names = [text_of(argument.value) for argument in node.args[1:2]]
                found += [node] if names == [self.field] else []
        return found + (in_mappings if unpacks else [])

    def _passed(self, call: cst.Call) -> list[cst.Arg]:
        return [
            argument
            for argument in call.args
            if argument.keyword is not None
            and argument.keyword.value == self.field
            and cst.Module([]).code_for_node(argument.value) not in self.nothing
        ]

    def _entries(self, node: cst.Dict) -> list[cst.DictElement]:
        return [
            element
            for element in node.elements
            if isinstance(element, cst.DictElement)
            and text_of(element.key) == self.field
        ]


def _last(node: cst.BaseExpression) -> str:
    return (dotted(node) or "").rpartition(".")[2]
