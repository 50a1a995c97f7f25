# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Calls that round a spec's width up to a default and not to the spec's alignment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import libcst as cst

from kvlint.faults.widths import root_answer
from kvlint.model.functions import FunctionIndex, FunctionText
from kvlint.model.nodes import calls, walk
from kvlint.model.scopes import ImportedModule, ImportedName
from kvlint.model.sizes.table_texts import rest_of
from kvlint.model.syntax import dotted
from kvlint.model.values.origins import KnownOrigins, called_name, expanded, name_of
from kvlint.project import Project
from kvlint.specs.contract import Definition
from kvlint.vocabulary import ALIGNMENT, ROUNDING, WIDTH_METHODS

_SPEC = re.compile(r"(?:^|_)spec$")
_ALIGNS = re.compile(r"align")
_ASKED = [re.compile(rf"{x}\s*\(") for x in (ROUNDING[0], *sorted(WIDTH_METHODS))]
_OF_SPEC = re.compile(
    rf"spec\.block_size\b|\.(?:{'|'.join(sorted(WIDTH_METHODS))})\s*\("
)
_CALL = re.compile(r"(?<![\w.])([A-Za-z_][\w.]*)\((?=[^()]*(?:block|width))")
_ROUNDS = re.compile(r"width|align|round|pad|block|table", re.I)


@dataclass(frozen=True, eq=False)
class Unaligned:
    """A call that leaves the alignment to a default.

    Attributes:
        alignment: The member by which specs publish it.
        call: The call.
        function: The function that it is in.
        name: What is called.
        parameter: What takes the alignment.
        spec: The text of the spec; empty where it is not at hand under one name.
    """

    alignment: Definition
    call: cst.Call
    function: FunctionText
    name: str
    parameter: str
    spec: str


@dataclass(frozen=True)
class _Rounder:
    """A function that rounds a width up to an alignment.

    Attributes:
        parameter: What takes the alignment.
        index: Where it is taken by position; None if it is not.
    """

    parameter: str
    index: int | None


_OF_VLLM = _Rounder(ROUNDING[1], None)


def unaligned_widths(project: Project) -> Iterator[Unaligned]:
    """Yield the calls to report on that round a spec's width to a default."""
    alignment = root_answer(project, ALIGNMENT)
    if alignment is None:
        return
    workspace = project.workspace
    needles = [each.encode() for each in (ROUNDING[0], *WIDTH_METHODS)]
    for path in filter(project.reports_on, workspace.kept):
        content = workspace.content(path)
        if not any(each in content for each in needles):
            continue
        functions = workspace.functions(path)
        if functions is None:
            continue
        rounders = _Rounders(project, functions)
        for function in functions.around(rounders.calls()):
            known = KnownOrigins(functions, function)
            for call in calls(function.node):
                rounder = rounders.of(dotted(call.func) or "")
                if rounder is None or _passes(call, rounder):
                    continue
                if _is_of_spec(call, known):
                    yield Unaligned(
                        alignment,
                        call,
                        function,
                        called_name(call),
                        rounder.parameter,
                        _spec_in_reach(call, known),
                    )


def _is_of_spec(call: cst.Call, known: KnownOrigins) -> bool:
    """Whether what a call is given comes from a spec."""
    return any(
        _spec_of(node) is not None
        for argument in call.args
        for node, _ in expanded(argument.value, known.of)
    )


def _spec_in_reach(call: cst.Call, known: KnownOrigins) -> str:
    """The one name by which the call can ask the spec; empty if there is none."""
    named: set[str] = set()
    for argument in call.args:
        value = argument.value
        origins = known.of(dotted(value) or "")
        if len(origins) == 1 and isinstance(origins[0].node, cst.Assign):
            value = origins[0].value
        spec = _spec_of(value)
        if spec is not None:
            named.add(dotted(spec) or "")
    return named.pop() if len(named) == 1 else ""


def _spec_of(node: cst.CSTNode) -> cst.BaseExpression | None:
    """The spec whose block size or width an expression is."""
    match node:
        case cst.Attribute(value=owner, attr=cst.Name(value="block_size")):
            last = (name_of(owner) or "").rpartition(".")[2]
            return owner if _SPEC.search(last) else None
        case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value=asked))):
            return owner if asked in WIDTH_METHODS else None
    return None


def _passes(call: cst.Call, rounder: _Rounder) -> bool:
    """Whether a call says what the alignment is, or may say so."""
    names = [each.keyword.value for each in call.args if each.keyword is not None]
    given = len(call.args) - len(names)
    return (
        any(each.star for each in call.args)
        or rounder.parameter in names
        or (rounder.index is not None and given > rounder.index)
    )


@dataclass(frozen=True)
class _Rounders:
    """The functions that a file's code calls to round widths up.

    Attributes:
        project: The run's project.
        functions: The functions of the file.
    """

    project: Project
    functions: FunctionIndex
    _known: dict[str, _Rounder | None] = field(default_factory=dict)

    def calls(self) -> Iterator[int]:
        """Yield where functions stand that call one, and have a spec's width."""
        text, seen = self.functions.source.text, set()
        found = (each for pattern in _ASKED for each in pattern.finditer(text))
        for asked in found:
            bounds = self.functions.bounds(asked.start())
            if bounds is None or bounds in seen:
                continue
            seen.add(bounds)
            if _OF_SPEC.search(text, *bounds) is None:
                continue
            body = text.find("(", bounds[0])
            for each in _CALL.finditer(text, body, bounds[1]):
                rounder = self.of(each[1])
                if rounder and rounder.parameter not in rest_of(text, each.end()):
                    yield asked.start()
                    break

    def of(self, name: str) -> _Rounder | None:
        """Return what a dotted name is, if that rounds widths up to an alignment."""
        if name not in self._known:
            self._known[name] = self._found(name)
        return self._known[name]

    def _found(self, name: str) -> _Rounder | None:
        last = name.rpartition(".")[2]
        if last == ROUNDING[0]:
            return _OF_VLLM
        if name.startswith("self.") or not _ROUNDS.search(last):
            return None
        for index in self._defining(name):
            found = re.search(rf"^def {last}\s*\([^)]*align", index.source.text, re.M)
            for each in index.around([found.start()] if found else []):
                return _read(each.node)
        return None

    def _defining(self, name: str) -> Iterator[FunctionIndex]:
        """The files that may define a function: this, and what it is imported from."""
        head, _, last = name.rpartition(".")
        workspace, path = self.project.workspace, self.functions.source.path
        if not head:
            yield self.functions
        skimmed = workspace.skimmed(path)
        for binding in skimmed.scope.names.get(head or last, ()) if skimmed else ():
            match binding:
                case ImportedName(module=module, name=imported, level=level):
                    dots = f"{module}.{imported}".strip(".") if head else module
                    found = workspace.module(dots, path, level)
                case ImportedModule(module=module):
                    found = workspace.module(module, path)
                case _:
                    continue
            index = None if found is None else workspace.functions(found)
            if index is not None and b"align" in workspace.content(index.source.path):
                yield index


def _read(function: cst.FunctionDef) -> _Rounder | None:
    """What takes the alignment in a function that rounds by it, if it has a default."""
    parameters = function.params
    by_position: Sequence[cst.Param] = [*parameters.posonly_params, *parameters.params]
    for each in (*by_position, *parameters.kwonly_params):
        name = each.name.value
        if each.default is None or not _ALIGNS.search(name):
            continue
        if _rounds(function.body, name):
            is_ordered = each in by_position
            return _Rounder(name, by_position.index(each) if is_ordered else None)
    return None


def _rounds(body: cst.CSTNode, name: str) -> bool:
    """Whether a value is worked out with a parameter."""
    return any(
        isinstance(part, cst.Name) and part.value == name
        for node in walk(body)
        if isinstance(node, cst.BinaryOperation)
        or (isinstance(node, cst.Call) and called_name(node) != "isinstance")
        for part in walk(node)
    )
