# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A pytest module that fails as long as groups answer otherwise than their layers.

Its rows are cases that were found, with the answers of the layers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from kvlint.codestyle import CodeStyle
from kvlint.mending.documents import Doc
from kvlint.mending.expressions import written
from kvlint.mending.layout import Style, render
from kvlint.verifying.domains import DCP, PCP
from kvlint.verifying.results import (
    ClassResult,
    Example,
    Layer,
    Making,
    MemberResult,
    Status,
    Verified,
)
from kvlint.verifying.sources import Sources
from kvlint.verifying.subjects import MERGE

MARK = "Written by `kvlint verify --write-test`."
_REFUSALS = "(AssertionError, ValueError)"
_SHORT = {DCP: "dcp", PCP: "pcp"}
_CONTAINERS = {"mapping": "_by_name({})", "list": "{}", "one": "{}[0]"}


def tested(found: Verified) -> list[tuple[ClassResult, MemberResult]]:
    """Return the disagreements to write tests of.

    These are the harmful ones of composites; where there is none, all there are.
    """
    wrong = [
        (each, member)
        for each in found.classes
        for member in each.members
        if member.status is Status.DISAGREES and member.example is not None
    ]
    return [pair for pair in wrong if pair[1].harms] or wrong


def test_module(
    results: Sequence[tuple[ClassResult, MemberResult]], header: str, layout: CodeStyle
) -> str:
    """Return the text of a test module.

    Args:
        results: The disagreements.
        header: The comment that the project's files begin with.
        layout: How the project lays its code out.
    """
    return _Module(Style(layout.line_length), header).text(results)


class _Module:
    """The parts of a module as they come."""

    def __init__(self, style: Style, header: str) -> None:
        self._style, self._header = style, header
        self._sources = Sources()
        self._constants: dict[str, str] = {}
        self._uses_namespace = self._uses_replace = self._uses_names = False

    def text(self, results: Sequence[tuple[ClassResult, MemberResult]]) -> str:
        parts: list[str] = []
        composites = {each.class_name for each, _ in results if each.making}
        for result, pairs in groupby(results, key=lambda pair: pair[0]):
            members = [member for _, member in pairs]
            prefix = "" if len(composites) < 2 else f"{_snake(_bare(result))}_"
            if result.making is None:
                parts += self._merges(result, members)
                continue
            parts.append(self._maker(result.making, members, prefix))
            for member in members:
                parts += self._tests(result.making, member, prefix)
        if self._uses_names:
            parts.insert(0, _BY_NAME)
        head = f'{self._header}"""Groups answer as their layers do.\n\n{MARK}\n"""\n'
        constants = "".join(
            self._line(call, f"{name} = ", indent="")
            for call, name in self._constants.items()
        )
        return "\n\n".join([f"{head}\n{self._imports()}\n{constants}", *parts])

    def _imports(self) -> str:
        sources = self._sources
        plain, third = [], ["import pytest\n"]
        if self._uses_replace:
            plain.append("from dataclasses import replace\n")
        for name in sorted(sources.names.pop("fractions", ())):
            plain.append(f"from fractions import {name}\n")
        if self._uses_namespace:
            plain.append("from types import SimpleNamespace\n")
        third += [f"import {each}\n" for each in sorted(sources.modules)]
        own = [
            self._from(module, sorted(names))
            for module, names in sorted(sources.names.items())
        ]
        return "\n".join("".join(each) for each in (plain, third, own) if each)

    def _from(self, module: str, names: Sequence[str]) -> str:
        line = f"from {module} import {', '.join(names)}\n"
        if len(line) <= self._style.line_length + 1:
            return line
        listed = "".join(f"    {each},\n" for each in names)
        return f"from {module} import (\n{listed})\n"

    def _maker(
        self, making: Making, members: Sequence[MemberResult], prefix: str
    ) -> str:
        """The function that makes groups."""
        name = self._sources.name(making.class_name)
        start = f"def _{prefix}group(layers):\n"
        if making.has_maker and not making.fields:
            self._uses_names = True
            made = self._line(f"{name}.from_specs(_by_name(layers))", "group = ")
            return f"{start}{made}    assert group is not None\n    return group\n"
        known = {x for each in members if each.example for x in _fields(each.example)}
        given = dict.fromkeys((*making.holders, *making.fields, *making.needed))
        arguments = []
        for each in given:
            if each in making.fields:
                value = self._sources.value(making.fields[each])
            elif each in making.holders:
                value = self._held(making.holders[each], "layers")
            elif each in known:
                value = f"layers[0].{each}"
            else:
                value = self._sources.value(making.guesses.get(each))
            arguments.append(f"{each}={value}")
        call = f"{name}({', '.join(arguments)})"
        return f"{start}{self._line(call, 'return ')}"

    def _held(self, container: str, layers: str) -> str:
        self._uses_names |= container == "mapping"
        return _CONTAINERS.get(container, f"{container}({{}})").format(layers)

    def _tests(
        self, making: Making, member: MemberResult, prefix: str
    ) -> Iterator[str]:
        """The tests of a composite's member."""
        rows = member.rows or tuple(filter(None, [member.example]))
        group = f"_{prefix}group"
        name = member.member.rpartition(".")[2]
        copies = [each for each in rows if each.is_copy]
        if copies and member.member != name:
            yield self._replaced(making, copies, group, f"test_{prefix}{name}")
        elif copies:
            yield self._copied(copies, group, name, f"test_{prefix}{name}")
        sure = [each for each in rows if each.is_sure and not each.is_copy]
        if sure:
            yield self._answered(sure, group, name, f"test_{prefix}{name}")
        unsure = [each for each in rows if not each.is_sure]
        if unsure:
            test = f"test_{prefix}{name}_of_layers_that_differ"
            yield self._answered(unsure, group, name, test, refuses=True)

    def _answered(
        self,
        rows: Sequence[Example],
        group: str,
        name: str,
        test: str,
        *,
        refuses: bool = False,
    ) -> str:
        settings = dict.fromkeys(x for each in rows for x in each.read)
        passed = {x: y for each in rows for x, y in (each.passed or {}).items()}
        varied = [
            each
            for each in settings
            if each in _SHORT or len({repr(_setting(x, each)) for x in rows}) > 1
        ]
        short = {each: _SHORT.get(each, each.rpartition(".")[2]) for each in settings}
        arguments = [each for each in passed if passed[each] is not None]
        names = ["layers", *(short[each] for each in varied), *arguments]
        names = list(dict.fromkeys(names))
        columns = []
        for row in rows:
            cells = {"layers": self._layers(row.layers)}
            cells |= {short[x]: repr(_setting(row, x)) for x in varied}
            cells |= {x: repr((row.passed or {}).get(x, passed[x])) for x in arguments}
            if not refuses:
                cells["expected"] = self._sources.value(row.expected)
            columns.append(([cells[x] for x in cells], _label(row, short)))
        body = ""
        if passed.keys() - set(arguments):
            values = {
                each: short[each] if each in varied else repr(_setting(rows[0], each))
                for each in settings
            }
            body = self._line(self._namespace(values), "vllm_config = ")
        call = f"{group}(layers).{name}"
        if rows[0].passed is not None:
            given = [
                "vllm_config" if passed[each] is None else f"{each}={each}"
                for each in passed
            ]
            call += f"({', '.join(given)})"
        if refuses:
            body += f"    with pytest.raises({_REFUSALS}):\n"
            body += self._line(call, "", indent="        ")
        else:
            names.append("expected")
            body += self._line(call, "answer = ")
            body += "    assert answer == expected\n"
        return self._parametrized(names, columns, test, body)

    def _copied(self, rows: Sequence[Example], group: str, name: str, test: str) -> str:
        passed = {x: y for each in rows for x, y in (each.passed or {}).items()}
        columns = [
            (
                [self._layers(row.layers), *(repr(passed[each]) for each in passed)],
                _label(row, {}),
            )
            for row in rows
        ]
        call = f"{name}({', '.join(f'{each}={each}' for each in passed)})"
        body = self._line(f"{group}(layers).{call}", "copied = ")
        body += self._line(f"[layer.{call} for layer in layers]", "copies = ")
        body += f"    assert copied == {group}(copies)\n"
        return self._parametrized(["layers", *passed], columns, test, body)

    def _replaced(
        self, making: Making, rows: Sequence[Example], group: str, test: str
    ) -> str:
        self._uses_replace = True
        columns = [
            ([self._layers(row.layers), self._layers(row.others)], _label(row, {}))
            for row in rows
        ]
        held = [f"{x}={self._held(y, 'others')}" for x, y in making.holders.items()]
        call = f"replace({group}(layers), {', '.join(held)})"
        body = self._line(call, "copied = ")
        body += f"    assert copied == {group}(others)\n"
        return self._parametrized(["layers", "others"], columns, test, body)

    def _merges(
        self, result: ClassResult, members: Sequence[MemberResult]
    ) -> Iterator[str]:
        """The tests of a merge: what it keeps, and what it refuses."""
        test = f"test_{_snake(_bare(result))}_merge"
        examples = [each.example for each in members if each.example is not None]
        kept = [each for each in examples if each.is_sure]
        name = self._sources.name(result.class_name)
        if kept:
            columns = [
                (
                    [
                        self._layers(row.layers),
                        repr(row.part),
                        self._sources.value(row.expected),
                    ],
                    row.part,
                )
                for row in kept
            ]
            body = self._line(f"{name}.{MERGE}(layers)", "merged = ")
            body += "    assert getattr(merged, field) == expected\n"
            names = ["layers", "field", "expected"]
            yield self._parametrized(names, columns, f"{test}_keeps", body)
        refused = [each for each in examples if not each.is_sure]
        if refused:
            columns = [([self._layers(row.layers)], row.part) for row in refused]
            body = f"    with pytest.raises({_REFUSALS}):\n"
            body += self._line(f"{name}.{MERGE}(layers)", "", indent="        ")
            yield self._parametrized(["layers"], columns, f"{test}_refuses", body)

    def _layers(self, layers: Sequence[Layer]) -> str:
        return f"[{', '.join(map(self._layer, layers))}]"

    def _layer(self, layer: Layer) -> str:
        """The constant that is a layer's spec."""
        call = self._sources.layer(layer)
        if call not in self._constants:
            name = _snake(layer.name).upper()
            names = [name, *(f"{name}_{x}" for x in range(2, len(self._constants) + 2))]
            taken = set(self._constants.values())
            self._constants[call] = next(x for x in names if x not in taken)
        return self._constants[call]

    def _namespace(self, values: Mapping[str, str]) -> str:
        """An expression for an object that has some values by dotted names."""
        self._uses_namespace = True
        inner: dict[str, dict[str, str]] = {}
        arguments = []
        for name, value in values.items():
            first, _, rest = name.partition(".")
            if rest:
                inner.setdefault(first, {})[rest] = value
            else:
                arguments.append(f"{first}={value}")
        arguments += [f"{name}={self._namespace(x)}" for name, x in inner.items()]
        return f"SimpleNamespace({', '.join(arguments)})"

    def _parametrized(
        self,
        names: Sequence[str],
        columns: Sequence[tuple[Sequence[str], str]],
        test: str,
        body: str,
    ) -> str:
        """A test with its rows, each with its label."""
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
        return f"{decorator}def {test}({', '.join(names)}):\n{body}"

    def _line(self, expression: str, start: str, indent: str = "    ") -> str:
        return render((start, self._doc(expression)), self._style, indent)

    def _doc(self, expression: str) -> Doc:
        return written(expression, self._style)


_BY_NAME = """\
def _by_name(layers):
    return {f"layer.{index}": layer for index, layer in enumerate(layers)}
"""


def _setting(example: Example, name: str) -> Any:
    return example.settings.get(name, example.read.get(name))


def _fields(example: Example) -> frozenset[str]:
    return frozenset(example.layers[0].fields)


def _label(example: Example, short: Mapping[str, str]) -> str:
    """What tells a row: the classes of its layers, and DCP."""
    classes = "-".join(dict.fromkeys(each.name for each in example.layers))
    return f"{classes}-dcp{example.settings[DCP]}" if DCP in short else classes


def _told_apart(labels: Sequence[str]) -> list[str]:
    """Labels of which none is there twice."""
    counts: dict[str, int] = {}
    found = []
    for label in labels:
        counts[label] = counts.get(label, 0) + 1
        found.append(label if counts[label] == 1 else f"{label}-{counts[label]}")
    return found


def _bare(result: ClassResult) -> str:
    return result.class_name.rpartition(":")[2]


def _snake(name: str) -> str:
    """Return ``full_attention_spec`` for ``FullAttentionSpec``."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return parts.lower()
