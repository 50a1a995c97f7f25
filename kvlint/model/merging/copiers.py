# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Functions that copy the fields of one argument into the class that another names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import libcst as cst

from kvlint.model.functions import FunctionText
from kvlint.model.merging.field_copies import FieldCopy, names_in


@dataclass(frozen=True)
class Copier:
    """A function that copies its argument's fields into a class that it is given.

    Attributes:
        function: The function.
        path: Its file.
        source: The parameter that is copied.
        target: The parameter that names the class.
        dropped: Fields that it always leaves out.
        drop: The parameter that names others; empty if none does.
        default: What that names if it is not given.
    """

    function: cst.FunctionDef
    path: Path
    source: str
    target: str
    dropped: frozenset[str]
    drop: str
    default: frozenset[str]

    def argument(self, call: cst.Call, parameter: str) -> cst.BaseExpression | None:
        """Return what a call passes for a parameter."""
        for each in call.args:
            if each.keyword is not None and each.keyword.value == parameter:
                return each.value
        names = [
            each.name.value
            for each in (
                *self.function.params.posonly_params,
                *self.function.params.params,
            )
        ]
        position = names.index(parameter) if parameter in names else len(call.args)
        for number, each in enumerate(call.args):
            if each.star:
                return None
            if number == position and each.keyword is None:
                return each.value
        return None


def copier(function: FunctionText, copy: FieldCopy) -> Copier | None:
    """Return a function that copies, if the class that it makes is a parameter of it.

    Args:
        function: The function.
        copy: What it does.
    """
    params = function.node.params
    parameters = {
        each.name.value: each
        for each in (*params.posonly_params, *params.params, *params.kwonly_params)
    }
    if copy.target not in parameters or copy.source not in parameters:
        return None
    drop, default = "", frozenset[str]()
    if copy.drops:
        drop = copy.drops[0]
        if len(copy.drops) > 1 or drop not in parameters:
            return None
        value = parameters[drop].default
        default = (names_in(value) if value is not None else None) or frozenset()
    return Copier(
        function.node,
        function.source.path,
        copy.source,
        copy.target,
        copy.dropped,
        drop,
        default,
    )
