# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which functions of the same file a function hands raw group specs to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import libcst as cst

from kvlint.model.functions import FunctionIndex, FunctionText
from kvlint.model.groups.kinds import Environment, Kind, Names
from kvlint.model.groups.layer_reads import LayerReads
from kvlint.model.nodes import walk

_WORD = re.compile(r"\w+")
_BOUND = frozenset({"self", "cls"})
_ANY = frozenset({"Any", "object", "typing.Any"})


@dataclass(frozen=True)
class Handed:
    """A raw group spec that is passed to a function.

    Attributes:
        name: The function.
        is_method: Whether it is called on ``self``.
        at: Which argument it is: the number of a positional one, or the keyword.
        is_certain: Whether nothing says that it is no composite after all.
    """

    name: str
    is_method: bool
    at: int | str
    is_certain: bool


@dataclass(frozen=True, eq=False)
class Receiver:
    """A function that is handed a raw group spec.

    Attributes:
        function: The outermost function around it.
        node: The function.
        parameter: What the spec is called in it.
    """

    function: FunctionText
    node: cst.FunctionDef
    parameter: str


@dataclass
class HandingEvents(LayerReads):
    """What a function does with raw group specs, and whom it hands them to.

    Attributes:
        handed: Found so far.
    """

    handed: list[Handed] = field(default_factory=list)

    def met(self, node: cst.CSTNode, env: Environment) -> None:
        """Take note of an expression, before the parts of it."""
        super().met(node, env)
        match node:
            case cst.Call(func=cst.Name(value=name)):
                is_method = False
            case cst.Call(
                func=cst.Attribute(value=cst.Name("self"), attr=cst.Name(value=name))
            ):
                is_method = True
            case _:
                return
        for number, argument in enumerate(node.args):
            if argument.star:
                return
            if self._known.kind(argument.value, env) is Kind.RAW:
                at = number if argument.keyword is None else argument.keyword.value
                certain = self.is_open(node, argument.value)
                self.handed.append(Handed(name, is_method, at, certain))


def receiver(
    index: FunctionIndex, function: FunctionText, handed: Handed, names: Names
) -> Receiver | None:
    """Return the function of the same file that is handed a spec.

    Args:
        index: The functions of the file.
        function: The one that hands it over.
        handed: To which one.
        names: What tells a composite.

    Returns:
        None if the file does not define it, or more than once, or if its parameter is
        said to be the spec of a layer.
    """
    if handed.is_method:
        found = index.named(handed.name, function.class_name)
        inside: Sequence[cst.FunctionDef] = ()
    else:
        inside = [each for each in _nested(function.node) if _is(each, handed.name)]
        found = function if inside else index.named(handed.name)
    if found is None or len(inside) > 1:
        return None
    node = inside[0] if inside else found.node
    parameter = _parameter(node, handed)
    if parameter is None or not _may_hold_any(parameter, names):
        return None
    return Receiver(found, node, parameter.name.value)


def _nested(node: cst.FunctionDef) -> list[cst.FunctionDef]:
    return [x for x in walk(node) if isinstance(x, cst.FunctionDef) and x is not node]


def _is(node: cst.FunctionDef, name: str) -> bool:
    return node.name.value == name


def _may_hold_any(parameter: cst.Param, names: Names) -> bool:
    """Whether nothing says that a parameter is the spec of a layer."""
    if parameter.annotation is None:
        return True
    text = cst.Module([]).code_for_node(parameter.annotation.annotation)
    return not names.composites.isdisjoint(_WORD.findall(text)) or text in _ANY


def _parameter(node: cst.FunctionDef, handed: Handed) -> cst.Param | None:
    params = node.params
    placed = [*params.posonly_params, *params.params]
    if isinstance(handed.at, str):
        named = [*placed, *params.kwonly_params]
        return next((x for x in named if x.name.value == handed.at), None)
    if handed.is_method and placed and placed[0].name.value in _BOUND:
        placed = placed[1:]
    return placed[handed.at] if handed.at < len(placed) else None
