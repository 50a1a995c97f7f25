# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A Python module that is written bit by bit, as the project would format it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kvlint.mending.documents import Doc
from kvlint.mending.expressions import written
from kvlint.mending.layout import Style, render
from kvlint.verifying.results import Layer
from kvlint.verifying.sources import Sources

_STANDARD = ("dataclasses", "fractions", "types")
_CONTAINERS = {"mapping": "_by_name({})", "list": "{}", "one": "{}[0]"}
_BY_NAME = """\
def _by_name(layers):
    return {f"layer.{index}": layer for index, layer in enumerate(layers)}
"""


class Draft:
    """Writes parts of a test module, and gathers what they need above them.

    Args:
        style: How the project lays its code out.

    Attributes:
        sources: What the parts import.
    """

    def __init__(self, style: Style) -> None:
        """Write nothing yet."""
        self.sources = Sources()
        self._style = style
        self._constants: dict[str, str] = {}
        self._uses_names = False

    def text(self, head: str, parts: Sequence[str]) -> str:
        """Return the module.

        Args:
            head: Its comment and docstring.
            parts: Its functions, written before.
        """
        constants = "".join(
            self.line(call, f"{name} = ", indent="")
            for call, name in self._constants.items()
        )
        helpers = [_BY_NAME] if self._uses_names else []
        top = f"{head}\n{self._imports()}\n{constants}"
        return "\n\n".join([top, *helpers, *parts])

    def _imports(self) -> str:
        names = sorted(self.sources.names.items())
        plain = [self._from(x, sorted(y)) for x, y in names if x in _STANDARD]
        own = [self._from(x, sorted(y)) for x, y in names if x not in _STANDARD]
        modules = sorted({"pytest", *self.sources.modules})
        third = [f"import {each}\n" for each in modules]
        return "\n".join("".join(each) for each in (plain, third, own) if each)

    def _from(self, module: str, names: Sequence[str]) -> str:
        line = f"from {module} import {', '.join(names)}\n"
        if len(line) <= self._style.line_length + 1:
            return line
        listed = "".join(f"    {each},\n" for each in names)
        return f"from {module} import (\n{listed})\n"

    def layers(self, layers: Sequence[Layer]) -> str:
        """Return a list of layers' specs, each a constant of the module."""
        return f"[{', '.join(map(self._layer, layers))}]"

    def _layer(self, layer: Layer) -> str:
        """The constant that is a layer's spec."""
        call = self.sources.layer(layer)
        if call not in self._constants:
            name = snake(layer.name).upper()
            names = [name, *(f"{name}_{x}" for x in range(2, len(self._constants) + 2))]
            taken = set(self._constants.values())
            self._constants[call] = next(x for x in names if x not in taken)
        return self._constants[call]

    def namespace(self, values: Mapping[str, str]) -> str:
        """Return an expression for an object with some values by dotted names."""
        self.sources.names.setdefault("types", set()).add("SimpleNamespace")
        inner: dict[str, dict[str, str]] = {}
        arguments = []
        for name, value in values.items():
            first, _, rest = name.partition(".")
            if rest:
                inner.setdefault(first, {})[rest] = value
            else:
                arguments.append(f"{first}={value}")
        arguments += [f"{name}={self.namespace(x)}" for name, x in inner.items()]
        return f"SimpleNamespace({', '.join(arguments)})"

    def parametrized(
        self,
        names: Sequence[str],
        columns: Sequence[tuple[Sequence[str], str]],
        test: str,
        body: str,
    ) -> str:
        """Return a test with its rows.

        Args:
            names: The test's parameters.
            columns: For each row the values of these, and its label.
            test: The test's name.
            body: Its lines.
        """
        rows = [
            f"pytest.param({', '.join(cells)}, id={label!r})"
            for cells, label in zip(
                [cells for cells, _ in columns],
                _told_apart([label for _, label in columns]),
                strict=True,
            )
        ]
        told = f"({', '.join(map(repr, names))})" if len(names) > 1 else repr(names[0])
        mark = f"pytest.mark.parametrize({told}, [{', '.join(rows)}])"
        decorator = render(("@", self._doc(mark)), self._style)
        header = ("def ", self._doc(f"{test}({', '.join(names)})"), ":")
        return f"{decorator}{render(header, self._style)}{body}"

    def held(self, container: str, layers: str) -> str:
        """Return an expression for layers in the container that holds them.

        Args:
            container: Its kind.
            layers: What a list of the layers is called.
        """
        self._uses_names |= container == "mapping"
        return _CONTAINERS.get(container, f"{container}({{}})").format(layers)

    def line(self, expression: str, start: str, indent: str = "    ") -> str:
        """Return a statement on as many lines as it needs.

        Args:
            expression: What it ends with.
            start: What it begins with.
            indent: What its lines begin with.
        """
        return render((start, self._doc(expression)), self._style, indent)

    def _doc(self, expression: str) -> Doc:
        return written(expression, self._style)


def _told_apart(labels: Sequence[str]) -> list[str]:
    """Labels of which none is there twice."""
    counts: dict[str, int] = {}
    found = []
    for label in labels:
        counts[label] = counts.get(label, 0) + 1
        found.append(label if counts[label] == 1 else f"{label}-{counts[label]}")
    return found


def snake(name: str) -> str:
    """Return ``full_attention_spec`` for ``FullAttentionSpec``."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return parts.lower()
