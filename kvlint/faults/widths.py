# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Block-table widths that code works out by itself where a spec can be asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import libcst as cst

from kvlint.faults.width_takers import Takers
from kvlint.model.functions import FunctionIndex, FunctionText
from kvlint.model.nodes import walk
from kvlint.model.sizes.quotients import Quotient, Quotients
from kvlint.model.sizes.table_texts import MAKER, TABLE, Sinks, makes_tables, receivers
from kvlint.model.syntax import dotted
from kvlint.model.values.origins import (
    KnownOrigins,
    Origins,
    called_name,
    expanded,
    name_of,
)
from kvlint.project import Project
from kvlint.specs.contract import Definition
from kvlint.vocabulary import GROUPS_ATTRIBUTE, WIDTH_METHODS, WIDTHS_OF_GROUPS

_IS_TABLE = re.compile(rf"(?:^|_){TABLE}(?:_|$)")
_MAKES = re.compile(rf"{MAKER}$")
_TRIAL = re.compile(r"dummy|profile|warm_?up|capture|benchmark|^test", re.I)
_NOT_SHAPE = frozenset(["dtype", "device", "fill_value", "pin_memory"])
_SPEC = re.compile(r"(?:^|_)specs?$")
_MANY = re.compile(rf"block_sizes$|specs$|{GROUPS_ATTRIBUTE}$")


@dataclass(frozen=True, eq=False)
class Width:
    """A width worked out by hand.

    Attributes:
        answer: The member by which specs answer it.
        quotient: The division.
        sink: What it sizes: an assignment or an argument.
        function: The function that the sink is in.
        name: The tensor or the parameter.
    """

    answer: Definition
    quotient: Quotient
    sink: cst.CSTNode
    function: FunctionText
    name: str


def root_answer(project: Project, name: str) -> Definition | None:
    """Return what every spec has by a name; None if the release has nothing."""
    contract = project.contract
    roots = filter(contract.hierarchy.is_root, contract.hierarchy.specs)
    found = (contract.definition(spec, name) for spec in roots)
    return next((each for each in found if each is not None), None)


def derived_widths(project: Project) -> Iterator[Width]:
    """Yield the widths to report on that are worked out by hand, each once."""
    specs = frozenset(each.name for each in project.contract.hierarchy.specs)
    seen: set[tuple[Path, int, int]] = set()
    for name in sorted(WIDTH_METHODS):
        answer = root_answer(project, name)
        if answer is None:
            continue
        takers = Takers(project, (name, WIDTHS_OF_GROUPS))
        search = _Search(answer, specs, takers)
        for functions in _files(project, takers):
            for width in search.widths(functions):
                place = width.quotient.function.place(width.quotient.node)
                key = (place.path, place.line, place.column)
                if key not in seen:
                    seen.add(key)
                    yield width


def _files(project: Project, takers: Takers) -> Iterator[FunctionIndex]:
    """The files that make block tables, or pass a width."""
    workspace = project.workspace
    makes = makes_tables(takers.parameters, takers.names)
    for path in filter(project.reports_on, workspace.kept):
        content = workspace.content(path)
        if b"model_len" in content and makes(content):
            functions = workspace.functions(path)
            if functions is not None:
                yield functions


@dataclass(frozen=True)
class _Search:
    answer: Definition
    specs: frozenset[str]
    takers: Takers

    def widths(self, functions: FunctionIndex) -> Iterator[Width]:
        """Yield the widths of a file; one that sizes several things more than once."""
        text, name = functions.source.text, self.answer.name
        receiving = receivers(text)
        takers = sorted(self.takers.names - self.specs)
        parameters = self.takers.parameters
        sinks = Sinks(text, name, parameters, takers, sorted(receiving))
        for function in functions.around(
            place
            for place in sinks.places()
            if (bounds := functions.bounds(place)) is not None
            and sinks.may_divide(place, bounds)
        ):
            is_trial = _TRIAL.search(function.node.name.value)
            if function.class_name in self.specs or is_trial:
                continue
            known = KnownOrigins(functions, function)
            for sink, sized, values in [
                *_tensors(function, receiving),
                *_arguments(function, functions, self.takers),
            ]:
                for quotient in self._quotients(values, known):
                    if isinstance(sink, cst.Arg) or not quotient.is_aligned:
                        yield Width(self.answer, quotient, sink, function, sized)

    def _quotients(
        self, values: Iterable[cst.BaseExpression], known: KnownOrigins
    ) -> Iterator[Quotient]:
        """What values are made of, where a spec could be asked in its stead."""
        quotients = Quotients(known.of, self.answer.name)
        for value in values:
            for found in quotients.of(value, known.function):
                if _holds_spec(found, known):
                    yield found


_Sink = tuple[cst.CSTNode, str, list[cst.BaseExpression]]


def _tensors(function: FunctionText, receiving: set[str]) -> Iterator[_Sink]:
    """The tensors for rows of block tables, with what their shape is made of."""
    for node in walk(function.node):
        match node:
            case (
                cst.Assign(
                    targets=[cst.AssignTarget(target=target)], value=cst.Call() as made
                )
                | cst.AnnAssign(target=target, value=cst.Call() as made)
            ):
                name = dotted(target) or ""
                last = name.rpartition(".")[2]
                if not _MAKES.search(called_name(made)):
                    continue
                if name in receiving or _IS_TABLE.search(last):
                    yield node, last, _shape(made)


def _shape(call: cst.Call) -> list[cst.BaseExpression]:
    return [
        each.value
        for each in call.args
        if each.keyword is None or each.keyword.value not in _NOT_SHAPE
    ]


def _arguments(
    function: FunctionText, functions: FunctionIndex, takers: Takers
) -> Iterator[_Sink]:
    """The arguments for such a parameter, by its name or by position."""
    for node in walk(function.node):
        if not isinstance(node, cst.Call):
            continue
        for each in node.args:
            if each.keyword is not None and each.keyword.value in takers.parameters:
                yield each, each.keyword.value, [each.value]
        called = called_name(node)
        found = takers.position(functions, called) if called in takers.names else None
        if found is None or len(node.args) <= found[0]:
            continue
        *before, last = node.args[: found[0] + 1]
        if not any(each.keyword or each.star for each in (*before, last)):
            yield last, found[1], [last.value]


def _holds_spec(found: Quotient, known: KnownOrigins) -> bool:
    """Whether the block size is a spec's or each group's, or a spec is at hand."""
    for node, is_item in expanded(found.block, known.of):
        owner, _, last = (name_of(node) or "").rpartition(".")
        if _SPEC.search(owner) or (is_item and _MANY.search(last)):
            return True
    return any(map(_SPEC.search, Origins(found.function).parameters))
