# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A pytest module that fails as long as groups answer otherwise than their layers.

Its rows are cases that were found, with the answers of the layers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from kvlint.codestyle import CodeStyle
from kvlint.mending.layout import Style
from kvlint.verifying.domains import DCP, PCP
from kvlint.verifying.drafting import Draft, snake
from kvlint.verifying.results import (
    ClassResult,
    Example,
    Making,
    MemberResult,
    Status,
    Verified,
)
from kvlint.verifying.subjects import MERGE
from kvlint.verifying.targets import VLLM_MODULE

MARK = "Written by `kvlint verify --write-test`."
_REFUSALS = "(AssertionError, ValueError)"
_SHORT = {DCP: "dcp", PCP: "pcp"}


def disagreements(found: Verified) -> list[tuple[ClassResult, MemberResult]]:
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


def module_text(
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
        self._header = header
        self._draft = Draft(style)
        self._sources = self._draft.sources

    def text(self, results: Sequence[tuple[ClassResult, MemberResult]]) -> str:
        parts: list[str] = []
        composites = {each.class_name for each, _ in results if each.making}
        for result, pairs in groupby(results, key=lambda pair: pair[0]):
            members = [member for _, member in pairs]
            prefix = "" if len(composites) < 2 else f"{snake(_bare(result))}_"
            if result.making is None:
                parts += self._merges(result, members)
                continue
            parts.append(self._maker(result.making, members, prefix))
            for member in members:
                parts += self._tests(result.making, member, prefix)
        head = f'{self._header}"""Groups answer as their layers do.\n\n{MARK}\n"""\n'
        return self._draft.text(head, parts)

    def _maker(
        self, making: Making, members: Sequence[MemberResult], prefix: str
    ) -> str:
        """The function that makes groups."""
        name = self._sources.name(making.class_name)
        start = f"def _{prefix}group(layers):\n"
        if making.has_maker and not making.fields:
            held = self._draft.held("mapping", "layers")
            made = self._draft.line(f"{name}.from_specs({held})", "group = ")
            return f"{start}{made}    assert group is not None\n    return group\n"
        known = {x for each in members if each.example for x in _fields(each.example)}
        given = dict.fromkeys((*making.holders, *making.fields, *making.needed))
        arguments = []
        for each in given:
            if each in making.fields:
                value = self._sources.value(making.fields[each])
            elif each in making.holders:
                value = self._draft.held(making.holders[each], "layers")
            elif each in known:
                value = f"layers[0].{each}"
            else:
                value = self._sources.value(making.guesses.get(each))
            arguments.append(f"{each}={value}")
        call = f"{name}({', '.join(arguments)})"
        return f"{start}{self._draft.line(call, 'return ')}"

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
            if each in _SHORT or len({self._setting(x, each) for x in rows}) > 1
        ]
        short = {each: _SHORT.get(each, each.rpartition(".")[2]) for each in settings}
        arguments = [each for each in passed if passed[each] is not None]
        names = ["layers", *(short[each] for each in varied), *arguments]
        names = list(dict.fromkeys(names))
        columns = []
        for row in rows:
            cells = {"layers": self._draft.layers(row.layers)}
            cells |= {short[x]: self._setting(row, x) for x in varied}
            cells |= {x: repr((row.passed or {}).get(x, passed[x])) for x in arguments}
            if not refuses:
                cells["expected"] = self._sources.value(row.expected)
            columns.append(([cells[x] for x in cells], _label(row, short)))
        body = ""
        if passed.keys() - set(arguments):
            values = {
                each: short[each] if each in varied else self._setting(rows[0], each)
                for each in settings
            }
            body = self._draft.line(self._draft.namespace(values), "vllm_config = ")
        call = f"{group}(layers).{name}"
        if rows[0].passed is not None:
            given = [
                "vllm_config" if passed[each] is None else f"{each}={each}"
                for each in passed
            ]
            call += f"({', '.join(given)})"
        if refuses:
            body += f"    with pytest.raises({_REFUSALS}):\n"
            body += self._draft.line(call, "", indent="        ")
        else:
            names.append("expected")
            body += self._draft.line(call, "answer = ")
            body += "    assert answer == expected\n"
        return self._draft.parametrized(names, columns, test, body)

    def _setting(self, example: Example, name: str) -> str:
        return self._sources.value(
            example.settings.get(name, example.read.get(name)), VLLM_MODULE
        )

    def _copied(self, rows: Sequence[Example], group: str, name: str, test: str) -> str:
        passed = {x: y for each in rows for x, y in (each.passed or {}).items()}
        columns = [
            (
                [
                    self._draft.layers(row.layers),
                    *(repr(passed[each]) for each in passed),
                ],
                _label(row, {}),
            )
            for row in rows
        ]
        call = f"{name}({', '.join(f'{each}={each}' for each in passed)})"
        body = self._draft.line(f"{group}(layers).{call}", "copied = ")
        body += self._draft.line(f"[layer.{call} for layer in layers]", "copies = ")
        body += f"    assert copied == {group}(copies)\n"
        return self._draft.parametrized(["layers", *passed], columns, test, body)

    def _replaced(
        self, making: Making, rows: Sequence[Example], group: str, test: str
    ) -> str:
        self._sources.names.setdefault("dataclasses", set()).add("replace")
        columns = [
            (
                [self._draft.layers(row.layers), self._draft.layers(row.others)],
                _label(row, {}),
            )
            for row in rows
        ]
        held = [
            f"{x}={self._draft.held(y, 'others')}" for x, y in making.holders.items()
        ]
        call = f"replace({group}(layers), {', '.join(held)})"
        body = self._draft.line(call, "copied = ")
        body += f"    assert copied == {group}(others)\n"
        return self._draft.parametrized(["layers", "others"], columns, test, body)

    def _merges(
        self, result: ClassResult, members: Sequence[MemberResult]
    ) -> Iterator[str]:
        """The tests of a merge: what it keeps, and what it refuses."""
        test = f"test_{snake(_bare(result))}_merge"
        examples = [each.example for each in members if each.example is not None]
        kept = [each for each in examples if each.is_sure]
        name = self._sources.name(result.class_name)
        if kept:
            columns = [
                (
                    [
                        self._draft.layers(row.layers),
                        repr(row.part),
                        self._sources.value(row.expected),
                    ],
                    row.part,
                )
                for row in kept
            ]
            body = self._draft.line(f"{name}.{MERGE}(layers)", "merged = ")
            body += "    assert getattr(merged, field) == expected\n"
            names = ["layers", "field", "expected"]
            yield self._draft.parametrized(names, columns, f"{test}_keeps", body)
        refused = [each for each in examples if not each.is_sure]
        if refused:
            columns = [([self._draft.layers(row.layers)], row.part) for row in refused]
            body = f"    with pytest.raises({_REFUSALS}):\n"
            body += self._draft.line(f"{name}.{MERGE}(layers)", "", indent="        ")
            yield self._draft.parametrized(["layers"], columns, f"{test}_refuses", body)


def _fields(example: Example) -> frozenset[str]:
    return frozenset(example.layers[0].fields)


def _label(example: Example, short: Mapping[str, str]) -> str:
    """What tells a row: the classes of its layers, and DCP."""
    classes = "-".join(dict.fromkeys(each.name for each in example.layers))
    return f"{classes}-dcp{example.settings[DCP]}" if DCP in short else classes


def _bare(result: ClassResult) -> str:
    return result.class_name.rpartition(":")[2]
