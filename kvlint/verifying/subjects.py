# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What is to be verified: composites and classes of layers, read off the sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kvlint.faults.delegation import mirrored_fields
from kvlint.faults.fields import readers
from kvlint.faults.givers import values_given
from kvlint.faults.losses import is_derived
from kvlint.findings import Severity
from kvlint.model.classes import Field, Member, SpecClass
from kvlint.model.module_places import package_root
from kvlint.model.shapes import Many, Mapped, Maybe, One, Shape
from kvlint.model.values.settings import ANYTHING
from kvlint.project import Project
from kvlint.severity import misdelegated_severity, undelegated_severity
from kvlint.specs.contract import Composite, Contract, Question
from kvlint.specs.spec_fields import is_compared
from kvlint.vocabulary import (
    NEVER_WRAPPED,
    STATE,
    UNIFORM_TYPE,
    Combine,
)

MERGE = "merge"
_GATES = (UNIFORM_TYPE, "from_specs")
_SETS = {"set": "set", "frozenset": "frozenset", "Set": "set", "AbstractSet": "set"}
_TUPLES = {"tuple", "Tuple"}


@dataclass(frozen=True)
class Subject:
    """A composite, and what may be in it.

    Attributes:
        class_name: ``module:Class``.
        holders: How it holds layers, by attribute.
        members: What it is asked, and how the layers' answers are combined.
        unread: Its fields that nothing reads off a group, so that it need not mirror
            them.
        harmful: Those of its members whose wrong answer does harm.
        layers: The classes of the layers to put into it, likewise.
        has_gate: Whether it says itself which layers may be in it.
        above: For each member and class of layers, those above it that answer by the
            same definition.
    """

    class_name: str
    holders: Mapping[str, str]
    members: Mapping[str, Combine]
    unread: frozenset[str]
    harmful: frozenset[str]
    layers: tuple[str, ...]
    has_gate: bool
    above: Mapping[str, Mapping[str, frozenset[str]]]


@dataclass(frozen=True)
class Subjects:
    """What is to be verified.

    Attributes:
        composites: The composites.
        merging: The classes of layers that merge specs by code of their own, with the
            fields that some code sets, and whether a merge has to pass them on: not if
            constructors work them out, or nothing but kept fields out of them.
        paths: The folders that their modules are imported from.
    """

    composites: tuple[Subject, ...]
    merging: Mapping[str, Mapping[str, bool]]
    paths: tuple[Path, ...]

    @property
    def modules(self) -> list[str]:
        """The modules of all of them, each once."""
        names = [each.class_name for each in self.composites]
        names += [name for each in self.composites for name in each.layers]
        names += self.merging
        return list(dict.fromkeys(name.partition(":")[0] for name in names))


def find_subjects(
    project: Project, wanted: Iterable[SpecClass], *, grouped: bool
) -> Subjects:
    """Return what is to be verified of some spec classes.

    Args:
        project: The project, with vLLM's sources.
        wanted: The classes.
        grouped: Whether vLLM's composites are asked too that may hold a class of layers
            which is wanted, with such layers alone.
    """
    contract = project.contract
    chosen = [each for each in wanted if not contract.hierarchy.is_root(each)]
    chosen = [each for each in chosen if not each.is_nested]
    composites = [x for x in chosen if x in contract.composites]
    layers = [x for x in chosen if x not in contract.composites]
    found = [
        _subject(project, contract.composites[each], layers=None) for each in composites
    ]
    for spec, composite in contract.composites.items():
        if grouped and spec not in composites and project.vllm.defines(spec):
            one = _subject(project, composite, layers)
            found += [one] if one.layers else []
    merging = [each for each in layers if _merges(project, each)]
    known = [each for each in contract.hierarchy.specs if each.file.path.is_absolute()]
    named = {class_name(each): package_root(each.file.path) for each in known}
    used = [each.class_name for each in found]
    used += [name for each in found for name in each.layers]
    used += map(class_name, merging)
    paths = dict.fromkeys(named[name] for name in used)
    fields = {class_name(each): _fields(project, each) for each in merging}
    return Subjects(tuple(found), fields, tuple(paths))


def class_name(spec: SpecClass) -> str:
    """Return ``module:Class`` of a class."""
    path = spec.file.path
    parts = path.relative_to(package_root(path)).with_suffix("").parts
    module = parts[:-1] if parts[-1] == "__init__" else parts
    return f"{'.'.join(module)}:{spec.name}"


def _subject(
    project: Project, composite: Composite, layers: Sequence[SpecClass] | None
) -> Subject:
    contract = project.contract
    held = [
        each
        for each in contract.wrapped_classes(composite)
        if each.file.path.is_absolute()
        and not each.is_nested
        and not contract.hierarchy.is_root(each)
        and each not in contract.composites
        and (layers is None or each in layers)
        and _may_be_held(project, each)
    ]
    questions = project.questions(composite)
    return Subject(
        class_name(composite.spec),
        {each.name: _container(each.shape) for each in composite.holders},
        {
            each.name: each.combine
            for each in questions
            if each.inherited.name not in {x.name for x in composite.holders}
        },
        _unread(project, composite),
        frozenset(x.name for x in questions if _harms(project, x)),
        tuple(map(class_name, held)),
        any(contract.definition(composite.spec, each) for each in _GATES),
        {each.name: _above(contract, held, each.name) for each in questions},
    )


def _unread(project: Project, composite: Composite) -> frozenset[str]:
    """The fields of a base that nothing reads, and that the composite leaves alone."""
    questions = project.questions(composite)
    taken = mirrored_fields(project.contract, composite)
    return frozenset(
        each.name
        for each in questions
        if each.own is None
        and isinstance(each.inherited, Field)
        and each.inherited.has_default
        and not taken & {each.name, ANYTHING}
        and not readers(questions, each.name)
        and not project.group_reads(each.name)
    )


def _above(
    contract: Contract, held: Sequence[SpecClass], member: str
) -> dict[str, frozenset[str]]:
    """Which classes answer by the same definition as one above them."""
    definitions = {each: contract.definition(each, member) for each in held}
    return {
        class_name(each): frozenset(
            class_name(other)
            for other in held
            if other is not each
            and contract.hierarchy.is_below(each, other)
            and definitions[other] is definitions[each]
        )
        for each in held
    }


def _harms(project: Project, question: Question) -> bool:
    """Whether a wrong answer is an error to the checker."""
    judge = misdelegated_severity if question.own else undelegated_severity
    return judge(project, question)[0] is Severity.ERROR


def _may_be_held(project: Project, spec: SpecClass) -> bool:
    """Whether the engine puts specs of a class into composites.

    Before vLLM 0.29.0 state layers were in one only without any other layers, and there
    is no width that such a model and DCP have in common.
    """
    names = [each.name for each in project.contract.hierarchy.mro(spec)]
    if any(map(NEVER_WRAPPED.fullmatch, names)):
        return False
    return project.vllm.holds_state or STATE not in names


def _container(shape: Shape) -> str:
    match shape:
        case Maybe(inner):
            return _container(inner)
        case Mapped():
            return "mapping"
        case Many(One(), container) if container in _TUPLES:
            return "tuple"
        case Many(One(), container):
            return _SETS.get(container, "list")
        case _:
            return "one"


def _merges(project: Project, spec: SpecClass) -> bool:
    """Whether a class merges its specs otherwise than those above it do."""
    found = project.contract.definition(spec, MERGE)
    if not isinstance(found, Member) or project.contract.hierarchy.is_root(found.owner):
        return False
    return found.owner is spec or bool(spec.fields)


def _fields(project: Project, spec: SpecClass) -> dict[str, bool]:
    """The fields of a class that code sets, and whether a merge has to pass them on."""
    fields = {x: y for x, y in project.merges.fields(spec).items() if is_compared(y)}

    def is_set(field: Field) -> bool:
        given = values_given(project, spec, field)
        return bool(given.own or given.beside or not field.has_default)

    return {
        name: not is_derived(project, spec, field, frozenset(fields) - {name})
        for name, field in fields.items()
        if is_set(field)
    }
