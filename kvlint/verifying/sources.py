# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Values as Python code, and what that code has to import."""

from __future__ import annotations

import ast
import builtins
from typing import Any

from kvlint.verifying.results import Layer

_BRACKETS = {"list": "[{}]", "set": "{{{}}}", "frozenset": "frozenset([{}])"}


class Sources:
    """Writes values as expressions.

    Attributes:
        modules: Modules that the code imports as they are.
        names: Names that it imports, by module.
    """

    def __init__(self) -> None:
        """Import nothing yet."""
        self.modules: set[str] = set()
        self.names: dict[str, set[str]] = {}

    def name(self, full: str) -> str:
        """Return the expression for ``module:Class``, to be imported."""
        module, _, path = full.partition(":")
        self.names.setdefault(module, set()).add(path.partition(".")[0])
        return path

    def layer(self, layer: Layer) -> str:
        """Return the call that makes a layer."""
        module = layer.class_name.partition(":")[0]
        given = [f"{x}={self.value(y, module)}" for x, y in layer.fields.items()]
        return f"{self.name(layer.class_name)}({', '.join(given)})"

    def value(self, value: Any, module: str = "") -> str:
        """Return an expression for a value.

        Args:
            value: The value, as JSON.
            module: Where the names in expressions are known.
        """
        if not isinstance(value, dict):
            return repr(value)
        match value["~"]:
            case "dtype":
                self.modules.add("torch")
                return f"torch.{value['name']}"
            case "enum":
                return f"{self.name(value['class'])}.{value['name']}"
            case "fraction":
                self.names.setdefault("fractions", set()).add("Fraction")
                return "Fraction({}, {})".format(*value["of"])
            case "expression":
                return self._expression(value["text"], module)
            case "dict":
                pairs = [
                    f"{self.value(key, module)}: {self.value(each, module)}"
                    for key, each in value["items"]
                ]
                return f"{{{', '.join(pairs)}}}"
            case "tuple":
                items = [self.value(each, module) for each in value["items"]]
                return f"({', '.join(items)}{',' * (len(items) == 1)})"
            case kind if kind in _BRACKETS:
                items = [self.value(each, module) for each in value["items"]]
                return _BRACKETS[kind].format(", ".join(items))
            case _:
                return repr(value.get("text"))

    def _expression(self, text: str, module: str) -> str:
        """An expression of the configuration, with the names of its class's module."""
        for node in ast.walk(ast.parse(text.strip(), mode="eval")):
            if isinstance(node, ast.Name) and not hasattr(builtins, node.id):
                self.names.setdefault(module, set()).add(node.id)
        return f"({text.strip()})"
