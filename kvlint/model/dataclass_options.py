# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a class's ``@dataclass(...)`` asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from kvlint.model.classes import SpecClass
from kvlint.model.scopes import ImportedModule, ImportedName, Scope
from kvlint.model.syntax import dotted

_DEFAULTS = {
    "init": True,
    "eq": True,
    "frozen": False,
    "kw_only": False,
    "slots": False,
}
_MODULES = frozenset({"dataclasses", "pydantic.dataclasses"})


@dataclass(frozen=True, eq=False)
class DataclassOptions:
    """The options of one ``@dataclass``.

    Attributes:
        decorator: The decorator.
        given: Its keywords.
        passes_more: It takes further ones from a mapping.
    """

    decorator: cst.Decorator
    given: Mapping[str, cst.BaseExpression]
    passes_more: bool

    @cached_property
    def frozen(self) -> bool | None:
        """Whether its specs are frozen; None if that is known only when code runs."""
        return self._flag("frozen")

    @cached_property
    def eq(self) -> bool | None:
        """Whether it writes ``__eq__``; None as above."""
        return self._flag("eq")

    @cached_property
    def init(self) -> bool | None:
        """Whether it writes ``__init__``; None as above."""
        return self._flag("init")

    @cached_property
    def kw_only(self) -> bool | None:
        """Whether its own fields are passed by name alone; None as above."""
        return self._flag("kw_only")

    @cached_property
    def slots(self) -> bool | None:
        """Whether it makes the class anew, with slots; None as above."""
        return self._flag("slots")

    def _flag(self, name: str) -> bool | None:
        if name not in self.given:
            return None if self.passes_more else _DEFAULTS[name]
        text = dotted(self.given[name])
        return text == "True" if text in {"True", "False"} else None


def dataclass_options(spec: SpecClass) -> DataclassOptions | None:
    """Return what the ``@dataclass`` of a class asks for, None if it has none."""
    for each in spec.node.decorators:
        node = each.decorator
        call = node if isinstance(node, cst.Call) else None
        name = dotted(node if call is None else call.func)
        if name is None or not _is_dataclass(name, spec.scope):
            continue
        arguments = () if call is None else call.args
        given = {
            argument.keyword.value: argument.value
            for argument in arguments
            if argument.keyword is not None
        }
        return DataclassOptions(each, given, any(x.star for x in arguments))
    return None


def _is_dataclass(name: str, scope: Scope) -> bool:
    """Whether a name means the decorator; so does its own name, star-imported."""
    head, _, rest = name.partition(".")
    bindings, _ = scope.lookup(head)
    for each in bindings:
        match each:
            case ImportedName(module, "dataclass", 0) if module in _MODULES:
                return not rest
            case ImportedName(module, imported, 0):
                if f"{module}.{imported}" in _MODULES and rest == "dataclass":
                    return True
            case ImportedModule(module):
                full = f"{module}.{rest}" if rest else module
                if full.removesuffix(".dataclass") in _MODULES and full != module:
                    return True
    return not bindings and name.rpartition(".")[2] == "dataclass"
