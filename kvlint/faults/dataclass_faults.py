# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Spec classes that are no dataclass like those above them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from kvlint.faults.overrides import has_unknown_base, is_unconditional
from kvlint.model.annotations import TypeName, TypeSubscript
from kvlint.model.classes import Field, Member, SpecClass, default_text
from kvlint.model.dataclass_options import DataclassOptions, dataclass_options
from kvlint.model.sizes.derivations import derivation
from kvlint.model.syntax import dotted
from kvlint.model.values.settings import find_settings
from kvlint.project import Project
from kvlint.specs.constructor_fields import disorder, is_compared, own_fields
from kvlint.specs.hierarchy import Hierarchy, last_name


class Fault(Enum):
    """What is wrong with a class."""

    UNDECORATED = auto()
    REDEFAULTED = auto()
    UNFROZEN = auto()
    UNEQUAL = auto()
    DISORDERED = auto()


@dataclass(frozen=True)
class DataclassFault:
    """A spec class that is no dataclass like those above it.

    Attributes:
        spec: The class.
        fault: What is wrong.
        base: The nearest dataclass above it, or the frozen one.
        fields: The fields that it is about: ignored ones, those whose new default is
            ignored, not compared ones, or one with a default and one without behind it.
        frozen: Whether it has to be frozen.
        kw_only: Whether its own fields have to be passed by name alone.
    """

    spec: SpecClass
    fault: Fault
    base: SpecClass
    fields: tuple[Field, ...] = ()
    frozen: bool = True
    kw_only: bool = False


_CONSTRUCTORS = frozenset({"__init__", "__new__", "__init_subclass__"})
_KEEPING = re.compile(r"register|^final$|deprecated", re.I)
"""Decorators that leave a class what it is."""
_NO_FIELDS = frozenset({"ClassVar", "Final"})


def dataclass_faults(project: Project) -> Iterator[DataclassFault]:
    """Yield what is wrong with the spec classes to report on.

    Left out are classes under ``if`` or ``try``, and those with a base that nobody
    knows or that may be one of several.
    """
    hierarchy = project.contract.hierarchy
    for spec in project.specs():
        above = hierarchy.mro(spec)[1:]
        if spec.is_conditional or any(
            has_unknown_base(hierarchy, each) for each in (spec, *above)
        ):
            continue
        options = dataclass_options(spec)
        if options is None:
            yield from _undecorated(project, spec)
        else:
            yield from _badly_decorated(hierarchy, spec, options)


def _undecorated(project: Project, spec: SpecClass) -> Iterator[DataclassFault]:
    hierarchy = project.contract.hierarchy
    base = _nearest_dataclass(hierarchy, spec)
    if base is None or not _is_plain_class(hierarchy, spec, base):
        return
    ignored = [
        field for field, _ in own_fields(spec) if _is_ignored(project, spec, field)
    ]
    above = hierarchy.mro(spec)[1:]
    added = [x for x in ignored if not any(x.name in each.fields for each in above)]
    if ignored:
        options = dataclass_options(base)
        assert options is not None
        by_name = options.kw_only is True or bool(
            disorder(hierarchy, spec, kw_only=False)
        )
        yield DataclassFault(
            spec,
            Fault.UNDECORATED if added else Fault.REDEFAULTED,
            base,
            tuple(added or ignored),
            options.frozen is not False,
            by_name,
        )


def _nearest_dataclass(hierarchy: Hierarchy, spec: SpecClass) -> SpecClass | None:
    for each in hierarchy.mro(spec)[1:]:
        if dataclass_options(each) is not None:
            return each
    return None


def _is_plain_class(hierarchy: Hierarchy, spec: SpecClass, base: SpecClass) -> bool:
    """Whether a class surely has the constructor of the dataclass above it."""
    order = hierarchy.mro(spec)
    if any(not _KEEPING.search(last_name(each)) for each in spec.decorators):
        return False
    if len(spec.scope.names.get(spec.name, ())) > 1:
        return False  # made anew further down
    if re.search(rf"\bdataclass\b.*\(\s*{spec.name}\b", spec.file.tree.source.text):
        return False  # decorated by a call
    for keyword in spec.node.keywords:
        if last_name(dotted(keyword.value) or "") != "ABCMeta":
            return False
    if any("__init_subclass__" in each.members for each in order):
        return False
    between = order[: order.index(base)]
    return not any(_CONSTRUCTORS & each.members.keys() for each in between)


def _is_ignored(project: Project, spec: SpecClass, field: Field) -> bool:
    """Whether an annotated name looks like a field and is none."""
    if field.name.startswith("_") or field.name.isupper() or _is_constant(field):
        return False
    if not is_unconditional(field):
        return False
    hierarchy = project.contract.hierarchy
    for each in hierarchy.mro(spec)[1:]:
        if field.name in each.members:
            return False  # another type for what the base answers, or an answer
        known = each.fields.get(field.name)
        if known is not None:
            # Without a value it is the base's field with a narrower type.
            is_narrowed = field.default is None
            return not is_narrowed and default_text(field) != default_text(known)
    below = [
        each
        for each in hierarchy.specs
        if each is not spec and hierarchy.is_below(each, spec)
    ]
    if below and all(field.name in {*x.fields, *x.members} for x in below):
        return False  # they bring it themselves
    return field.name not in spec.members and not any(
        _sets(member, field)
        for each in (spec, *below)
        for member in each.members.values()
    )


def _is_constant(field: Field) -> bool:
    match field.annotation:
        case TypeSubscript(head) | TypeName(head):
            return last_name(head) in _NO_FIELDS
    return False


def _sets(member: Member, field: Field) -> bool:
    """Whether a method gives an attribute its value, or may where it has none."""
    if member.function is None:
        return False
    if member.name == "__post_init__":
        found = derivation(member)
        may_set = not found.is_complete and field.default is None
        return field.name in found.sets or may_set
    settings = find_settings(member.function, member.self_name)
    return any(each.name == field.name for each in settings)


def _badly_decorated(
    hierarchy: Hierarchy, spec: SpecClass, options: DataclassOptions
) -> Iterator[DataclassFault]:
    above = hierarchy.mro(spec)[1:]
    made = [(each, dataclass_options(each)) for each in above]
    known = [(each, given) for each, given in made if given is not None]
    frozen = [each for each, given in known if given.frozen]
    if frozen and options.frozen is False:
        yield DataclassFault(spec, Fault.UNFROZEN, frozen[0])
    if known and options.eq is False and "__eq__" not in spec.members:
        added = tuple(field for field, _ in own_fields(spec) if is_compared(field))
        if added and not any("__eq__" in each.members for each in above):
            yield DataclassFault(spec, Fault.UNEQUAL, known[0][0], added)
    wrong = disorder(hierarchy, spec) if options.init is not False else None
    if wrong is not None and spec in {wrong.early.owner, wrong.late.owner}:
        fields = (wrong.early, wrong.late)
        yield DataclassFault(
            spec, Fault.DISORDERED, wrong.early.owner, fields, kw_only=True
        )
