# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Specs that are made of other specs, field by field."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import libcst as cst

from kvlint.findings import Place
from kvlint.model.classes import Field, SpecClass
from kvlint.model.functions import FunctionText
from kvlint.model.syntax import dotted
from kvlint.model.values.knowledge import Occasion, occasions
from kvlint.model.values.known import Known, text
from kvlint.model.values.settings import find_settings
from kvlint.project import Project
from kvlint.specs.spec_fields import constructor_fields, is_compared
from kvlint.uses.builds import givers, is_called_spec
from kvlint.uses.spec_calls import SpecCall

_BLOCK = b"block_size"
"""Every spec is given one."""
_PASSING = rb"\(\s*(?:#[^\n]*\s*)?\w+\s*="
_CLASS_CALLS = (
    re.compile(rb"type\(\s*\w+\s*\)" + _PASSING),
    re.compile(rb"\.__class__" + _PASSING),
)
_FEWEST = 3
"""Fields that are copied one by one where somebody rebuilds a spec."""


@dataclass(frozen=True)
class Rebuild:
    """A constructor call that copies fields of one spec.

    Attributes:
        function: The function around it.
        call: The call.
        target: The class that it makes.
        source: The spec, as it is written.
        sources: The classes that the code says the spec may be of; none if it does not.
        copied: The fields that keep their value.
        lost: The fields that the spec has and the new one does not get, though
            somebody gives them a value, each with the places that do; the one that is
            given most often comes first.
    """

    function: FunctionText
    call: cst.Call
    target: SpecClass
    source: str
    sources: tuple[SpecClass, ...]
    copied: tuple[str, ...]
    lost: dict[str, list[Place]]

    @property
    def keeps_class(self) -> bool:
        """Whether the new spec is of the class that the old one is said to be of."""
        return self.sources == (self.target,)


def rebuilds(project: Project) -> Iterator[Rebuild]:
    """Yield the constructor calls that copy a spec and lose fields of it."""
    for each in project.makings.constructor_calls():
        if _may_rebuild(project, each):
            found = _Reader(project, each.path).read(each)
            if found is not None and found.lost:
                yield found
    for path in filter(project.reports_on, project.workspace.kept):
        yield from _of_own_class(project, path)


def _of_own_class(project: Project, path: Path) -> Iterator[Rebuild]:
    """Those that call the class of the spec itself: ``type(spec)(...)``."""
    content = project.workspace.content(path)
    if _BLOCK not in content or not any(x.search(content) for x in _CLASS_CALLS):
        return
    functions = project.workspace.functions(path)
    if functions is None:
        return
    patterns = [re.compile(each.pattern.decode()) for each in _CLASS_CALLS]
    text = functions.source.text
    starts = [each.start() for x in patterns for each in x.finditer(text)]
    reader = _Reader(project, path)
    for function in functions.around(starts):
        for occasion in occasions(function.node, function.class_name):
            target = reader.own_class(occasion)
            found = target and reader.rebuild(function, occasion, target)
            if found and found.lost:
                yield found


def _may_rebuild(project: Project, call: SpecCall) -> bool:
    """A quick look at the call's text: does one object give several fields?

    In a file without a spec class, ``self`` is none.
    """
    given = givers(call.text)
    if call.path not in project.contract.hierarchy.files:
        given.pop("self", None)
    return max(given.values(), default=0) >= _FEWEST


class _Reader:
    """Reads calls of a file with the functions around them."""

    def __init__(self, project: Project, path: Path) -> None:
        self._project, self._path = project, path
        self._hierarchy = project.contract.hierarchy

    def own_class(self, occasion: Occasion) -> SpecClass | None:
        """The class that ``type(spec)(...)`` makes, as far as the code says it."""
        match occasion.call.func:
            case cst.Call(func=cst.Name("type"), args=[cst.Arg(value=spec)]):
                pass
            case cst.Attribute(value=spec, attr=cst.Name("__class__")):
                pass
            case _:
                return None
        found = self._sources(occasion.of(spec)) or ()
        return found[0] if len(found) == 1 else None

    def read(self, call: SpecCall) -> Rebuild | None:
        functions = self._project.workspace.functions(call.path)
        if functions is None:
            return None
        for function in functions.around([call.text.start]):
            for each in occasions(function.node, function.class_name):
                if function.span(each.call).start == call.text.start:
                    return self.rebuild(function, each, call.spec)
        return None

    def rebuild(
        self, function: FunctionText, occasion: Occasion, target: SpecClass
    ) -> Rebuild | None:
        """What a call takes of another spec, if that is what it does."""
        call = occasion.call
        if any(argument.star for argument in call.args):
            return None
        fields = constructor_fields(self._hierarchy, target)
        source, copied = _copied(call, fields)
        if source is None or self._is_merge(function, source):
            return None
        known = occasion.of(source)
        if known is None and not is_called_spec(text(source)):
            return None
        sources = self._sources(known)
        if sources is None:
            return None
        passed = _passed(call, fields)
        had = self._had(sources, copied, fields)
        left = {
            name: each
            for name, field in fields.items()
            if name not in passed and field.has_default and is_compared(field)
            if (each := self._first(had, name)) is not None
        }
        copies = known is None or not known.is_fresh
        lost = self._set_by(left, self._family(had), copies)
        if lost:
            kin = {name: each for name, each in left.items() if not self._derived(each)}
            lost |= self._set_by(kin, None, copies)
        often = sorted(lost, key=lambda name: -len(lost[name]))
        lost = {name: lost[name] for name in often}
        return Rebuild(function, call, target, text(source), sources, copied, lost)

    def _first(self, specs: Iterable[SpecClass], name: str) -> Field | None:
        """A field as the first class has it that does."""
        for each in specs:
            found = constructor_fields(self._hierarchy, each).get(name)
            if found is not None:
                return found
        return None

    def _family(self, specs: Iterable[SpecClass]) -> frozenset[str]:
        """The names of classes and of those below them."""
        return frozenset(
            each.name
            for each in self._hierarchy.specs
            if any(self._hierarchy.is_below(each, spec) for spec in specs)
        )

    def _set_by(
        self, left: Mapping[str, Field], specs: frozenset[str] | None, copies: bool
    ) -> dict[str, list[Place]]:
        """Those fields that specs of some classes, or of all that share it, are given.

        A class that defines the field anew does not share it.
        """
        found = {}
        for name, field in left.items():
            makers = specs or self._sharing(field)
            places = self._project.makings.setters(field, makers, copies=copies)
            if places:
                found[name] = places
        return found

    def _sharing(self, field: Field) -> frozenset[str]:
        return frozenset(
            each.name
            for each in self._hierarchy.specs
            if constructor_fields(self._hierarchy, each).get(field.name) is field
        )

    def _derived(self, field: Field) -> bool:
        """Whether specs work a field out that they are not given."""
        return any(
            setting.name == field.name
            for each in self._hierarchy.specs
            if self._hierarchy.is_below(each, field.owner)
            if (member := each.members.get("__post_init__")) and member.function
            for setting in find_settings(member.function, member.self_name)
        )

    def _sources(self, known: Known | None) -> tuple[SpecClass, ...] | None:
        """The classes that a value may be of; None if it is no spec."""
        if known is None or not known.classes:
            return ()
        found = [self._project.names.spec(name, self._path) for name in known.classes]
        specs = tuple(each for each in found if each is not None)
        return specs or None

    def _had(
        self,
        sources: tuple[SpecClass, ...],
        copied: tuple[str, ...],
        fields: Mapping[str, Field],
    ) -> tuple[SpecClass, ...]:
        """The classes whose fields the source has.

        Where nothing says more, that is the class which the copied fields are of.
        """
        if any(
            all(self._project.contract.definition(each, name) for name in copied)
            for each in sources
        ):
            return sources
        owners = [fields[name].owner for name in copied]
        return (max(owners, key=lambda each: len(self._hierarchy.mro(each))),)

    def _is_merge(self, function: FunctionText, source: cst.BaseExpression) -> bool:
        """Whether a class method builds one spec of several: KV201 looks at that."""
        decorators = {dotted(each.decorator) for each in function.node.decorators}
        owner = self._project.names.spec(function.class_name, self._path)
        if "classmethod" not in decorators or owner is None:
            return False
        parameters = [each.name.value for each in function.node.params.params]
        head = text(source).partition(".")[0].partition("[")[0]
        return isinstance(source, cst.Subscript) or head not in parameters


def _copied(
    call: cst.Call, fields: Mapping[str, Field]
) -> tuple[cst.BaseExpression | None, tuple[str, ...]]:
    """The object that gives a call the most fields, and those."""
    givers: dict[str, list[str]] = {}
    nodes: dict[str, cst.BaseExpression] = {}
    for argument in call.args:
        value, keyword = argument.value, argument.keyword
        if keyword is None or not isinstance(value, cst.Attribute):
            continue
        if value.attr.value == keyword.value and keyword.value in fields:
            giver = text(value.value)
            givers.setdefault(giver, []).append(keyword.value)
            nodes.setdefault(giver, value.value)
    best = max(givers, key=lambda each: len(givers[each]), default="")
    if len(givers.get(best, ())) < _FEWEST:
        return None, ()
    return nodes[best], tuple(givers[best])


def _passed(call: cst.Call, fields: Mapping[str, Field]) -> set[str]:
    positional = sum(argument.keyword is None for argument in call.args)
    named = {each.keyword.value for each in call.args if each.keyword is not None}
    return named | set([*fields][:positional])
