# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Fields that a builder leaves out although what it passes asks for them."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kvlint.findings import Place
from kvlint.model.classes import Field
from kvlint.project import Project
from kvlint.specs.spec_fields import constructor_fields
from kvlint.uses.builds import Build
from kvlint.uses.spec_calls import SpecCall

_FEWEST = 2
"""Calls that must say the same before it counts."""
_WORKED_OUT = re.compile(r"(\w+)\((\w+)\)")


@dataclass(frozen=True)
class Source:
    """What calls work a field out from.

    Attributes:
        function: The function that they call.
        name: The last part of the name that they pass it.
        places: Where they do so.
    """

    function: str
    name: str
    places: tuple[Place, ...]


@dataclass(frozen=True)
class Omission:
    """A constructor call without a field that goes with what it passes.

    Attributes:
        call: The call.
        field: The field.
        given: The field that it passes.
        source: What its siblings work the field out from; None for branches of one
            function, which pass the same value.
        places: Where siblings pass it.
    """

    call: SpecCall
    field: Field
    given: str
    source: Source | None
    places: tuple[Place, ...]


def omissions(project: Project) -> Iterator[Omission]:
    """Yield the constructor calls that leave out what goes with what they pass."""
    implied = _Implied(project.makings.builds)
    by_file: dict[Path, list[tuple[SpecCall, Build]]] = {}
    for call, build in project.makings.reported_builds():
        if build.copies or not build.is_complete:
            continue
        yield from _implied_omissions(project, implied, call, build)
        by_file.setdefault(call.path, []).append((call, build))
    for path, made in by_file.items():
        if len(made) > _FEWEST:
            yield from _branch_omissions(project, path, made)


class _Implied:
    """Which fields are worked out from what others hold, as calls show it.

    Where one call gives ``mode=mode_of(self.kind)`` and another one ``name=self.kind``,
    whoever gives a ``name`` knows the mode.
    """

    def __init__(self, builds: Iterable[Build]) -> None:
        self._builds = [each for each in builds if not each.copies]

    @cached_property
    def sources(self) -> dict[str, list[Source]]:
        """What each field is worked out from."""
        found: dict[tuple[str, str, str], list[Place]] = {}
        for build in self._builds:
            for field, value in build.values.items():
                match = _WORKED_OUT.fullmatch(value)
                if match and not hasattr(builtins, match[1]):
                    found.setdefault((field, match[1], match[2]), []).append(
                        build.place
                    )
        sources: dict[str, list[Source]] = {}
        for (field, function, name), places in found.items():
            if len({place.path for place in places}) >= _FEWEST:
                source = Source(function, name, tuple(places))
                sources.setdefault(field, []).append(source)
        return sources

    @cached_property
    def holders(self) -> dict[str, set[str]]:
        """The fields that are given a name as it is, by that name."""
        found: dict[str, set[str]] = {}
        for build in self._builds:
            for field, value in build.values.items():
                if is_name(value):
                    found.setdefault(value, set()).add(field)
        return found


def is_name(value: str) -> bool:
    """Return whether a value in short is a name, no literal."""
    return value.isidentifier() and not keyword.iskeyword(value)


def _implied_omissions(
    project: Project, implied: _Implied, call: SpecCall, build: Build
) -> Iterator[Omission]:
    fields = constructor_fields(project.contract.hierarchy, call.spec)
    for name, sources in implied.sources.items():
        field = fields.get(name)
        if field is None or not field.has_default or name in build.values:
            continue
        for source in sources:
            # A plug-in none of whose builders passes it may have no use for it.
            if not any(project.is_own_file(each.path) for each in source.places):
                continue
            held = implied.holders.get(source.name, set()) - {name}
            given = [
                each
                for each in sorted(held)
                if is_name(build.values.get(each, ""))
                and each in fields
                and fields[each].has_default
            ]
            if given and _is_of_use(project, call, name):
                if _is_set_later(project, call, name):
                    break
                yield Omission(call, field, given[0], source, source.places)
                break


def _is_set_later(project: Project, call: SpecCall, field: str) -> bool:
    """Whether the function gives a field further down to a copy of what it has made."""
    functions = project.workspace.functions(call.path)
    bounds = None if functions is None else functions.bounds(call.text.start)
    if functions is None or bounds is None:
        return False
    below = functions.source.text[call.text.end : bounds[1]]
    pattern = rf"\breplace\([^()]*(?:\([^()]*\)[^()]*)*\b{field}\s*=[^=]"
    setting = rf"__setattr__\(\s*\w+\s*,\s*[\"']{field}[\"']"
    return re.search(f"{pattern}|{setting}", below) is not None


def _is_of_use(project: Project, call: SpecCall, field: str) -> bool:
    """Whether somebody may read a field of the specs that a call makes.

    vLLM reads those of its own classes. A plug-in's class lays its cache out by itself.
    """
    return project.vllm.defines(call.spec) or project.own.reads_off(field)


def _branch_omissions(
    project: Project, path: Path, made: list[tuple[SpecCall, Build]]
) -> Iterator[Omission]:
    """Calls that differ from others in their function in one field left out."""
    hierarchy = project.contract.hierarchy
    for call, build in made:
        fields = constructor_fields(hierarchy, call.spec)
        alike = [
            (other, its)
            for other, its in made
            if other is not call
            and _agree(fields, build, constructor_fields(hierarchy, other.spec), its)
        ]
        if len(alike) >= _FEWEST:
            alike = _beside(project, path, call, alike)
        for name, field in fields.items():
            if name in build.values or not field.has_default:
                continue
            passing = [each for _, each in alike if name in each.values]
            values = {each.values[name] for each in passing}
            if len(passing) < _FEWEST or len(passing) < len(alike) or len(values) > 1:
                continue
            if is_name(values.pop()):
                places = tuple(each.place for each in passing)
                yield Omission(call, field, "", None, places)


def _beside(
    project: Project, path: Path, call: SpecCall, others: list[tuple[SpecCall, Build]]
) -> list[tuple[SpecCall, Build]]:
    """Those calls that stand in the same function as another one."""
    functions = project.workspace.functions(path)
    bounds = None if functions is None else functions.bounds(call.text.start)
    if bounds is None:
        return []
    start, end = bounds
    return [each for each in others if start < each[0].text.start < end]


def _agree(
    fields: Mapping[str, Field],
    build: Build,
    other_fields: Mapping[str, Field],
    other: Build,
) -> bool:
    """Whether two calls pass the same for every field that both classes demand."""
    demanded = [
        name
        for name, field in fields.items()
        if not field.has_default
        and name in other_fields
        and not other_fields[name].has_default
    ]
    return len(demanded) >= _FEWEST and all(
        build.values.get(name) == other.values.get(name) != "..." for name in demanded
    )
