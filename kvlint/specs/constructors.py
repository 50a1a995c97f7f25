# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What the constructor of a class takes, as ``dataclasses`` makes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from kvlint.model.annotations import TypeName
from kvlint.model.classes import Field, Member, SpecClass
from kvlint.model.memory import kept_with_it
from kvlint.model.resolution import Unresolved
from kvlint.model.signatures import has_plain_decorators
from kvlint.model.syntax import dotted
from kvlint.specs.hierarchy import Hierarchy

_INIT = "__init__"
_DATACLASS = "dataclasses.dataclass"
_HARMLESS = frozenset(
    {
        _DATACLASS,
        "typing.final",
        "typing.runtime_checkable",
        "typing_extensions.final",
        "typing_extensions.runtime_checkable",
    }
)
_REGISTERS = "register_kv_cache_spec"
"""vLLM's own decorator: it notes the class and gives it back (0.23.0 and later)."""


@dataclass(frozen=True, slots=True)
class Argument:
    """What a constructor takes.

    Attributes:
        name: Its name.
        is_required: No call can leave it out.
        is_by_keyword: No call can pass it by position.
    """

    name: str
    is_required: bool
    is_by_keyword: bool


_Fields = dict[str, Argument | None]


@dataclass(frozen=True)
class Constructor:
    """What calls of a class may pass.

    Attributes:
        arguments: By name, in order.
        derived: Fields that it sets itself and does not take.
        takes_more: It has ``*args``.
        takes_keywords: It has ``**kwargs``.
    """

    arguments: Mapping[str, Argument]
    derived: frozenset[str] = frozenset()
    takes_more: bool = False
    takes_keywords: bool = False

    @cached_property
    def positionals(self) -> list[str]:
        """What may be passed by position, in order."""
        return [x.name for x in self.arguments.values() if not x.is_by_keyword]

    @cached_property
    def required(self) -> list[str]:
        """What every call must pass."""
        return [x.name for x in self.arguments.values() if x.is_required]


def constructor(hierarchy: Hierarchy, spec: SpecClass) -> Constructor | None:
    """Return what a class's constructor takes, None if that cannot be told.

    It cannot where a base is not known, where a decorator or a metaclass may change the
    class, or where fields stand under a condition.

    Args:
        hierarchy: Knows the bases.
        spec: The class.
    """
    order = hierarchy.certain_mro(spec)
    if order is None or not all(is_plain(hierarchy, each) for each in order):
        return None
    for each in order:
        if "__new__" in each.members:
            return None
        own = each.members.get(_INIT)
        if own is not None:
            return _written(own)
        options = _dataclass_options(hierarchy, each)
        if options is not None and options.get("init") != "False":
            return _generated(hierarchy, each)
    return None


@kept_with_it
def is_plain(hierarchy: Hierarchy, spec: SpecClass) -> bool:
    """Return whether a class is what its body says, and ``dataclass`` makes of it."""
    for decorator in spec.node.decorators:
        name = _resolved(hierarchy, spec, decorator)
        if name not in _HARMLESS and name.rpartition(".")[2] != _REGISTERS:
            return False
    return all(
        each.keyword is not None
        and each.keyword.value == "metaclass"
        and (dotted(each.value) or "").rpartition(".")[2] == "ABCMeta"
        for each in spec.node.keywords
    )


def _resolved(hierarchy: Hierarchy, spec: SpecClass, decorator: cst.Decorator) -> str:
    node = decorator.decorator
    name = dotted(node.func if isinstance(node, cst.Call) else node) or ""
    meanings = set(hierarchy.resolver.resolve(name, spec.scope, spec.file))
    found = meanings.pop() if len(meanings) == 1 else None
    return found.name if isinstance(found, Unresolved) else name


def _dataclass_options(
    hierarchy: Hierarchy, spec: SpecClass
) -> Mapping[str, str] | None:
    """The keywords of a class's ``dataclass`` decorator, None if it has none."""
    for decorator in spec.node.decorators:
        if _resolved(hierarchy, spec, decorator) == _DATACLASS:
            return _options(decorator.decorator)
    return None


def _options(node: cst.BaseExpression | None) -> Mapping[str, str]:
    """Keywords of a call with their literal values; ``**`` where some are unknown."""
    if not isinstance(node, cst.Call):
        return {}
    return {
        each.keyword.value if each.keyword is not None else each.star or "": (
            dotted(each.value) or ""
        )
        for each in node.args
    }


def _written(member: Member) -> Constructor | None:
    if member.function is None or not has_plain_decorators(member):
        return None
    kinds = {each.kind for each in member.parameters}
    return Constructor(
        {
            each.name: Argument(
                each.name, each.default is None, each.kind == "keyword-only"
            )
            for each in member.parameters
            if not each.kind.startswith("var-")
        },
        frozenset(),
        "var-positional" in kinds,
        "var-keyword" in kinds,
    )


def _generated(hierarchy: Hierarchy, spec: SpecClass) -> Constructor | None:
    fields = _fields(hierarchy, spec)
    if fields is None:
        return None
    taken = {name: each for name, each in fields.items() if each is not None}
    return Constructor(taken, frozenset(fields.keys() - taken.keys()))


@kept_with_it
def _fields(hierarchy: Hierarchy, spec: SpecClass) -> _Fields | None:
    """The fields of a dataclass in order, None for those that are no argument.

    Nothing if it cannot be told which those are.
    """
    options = _dataclass_options(hierarchy, spec)
    above = hierarchy.mro(spec)[1:]
    if options is None:
        # It has those of the nearest dataclass above it.
        return _fields(hierarchy, above[0]) if above else {}
    found = None if "**" in options else _inherited(hierarchy, above)
    if found is None:
        return None
    by_keyword = options.get("kw_only") == "True"
    direct = list(_annotated(spec))
    if any(field.node not in direct for field in spec.fields.values()):
        return None
    for name in direct:
        field = spec.fields.get(name.value)
        if field is None or field.node is not name:
            continue
        if _is_marker(field):
            by_keyword = True
            continue
        options = _field_options(field)
        if "**" in options:
            return None
        found[field.name] = _argument(spec, field, options, by_keyword)
    return found


def _inherited(hierarchy: Hierarchy, above: Sequence[SpecClass]) -> _Fields | None:
    """The fields of all classes above one, the lowest last."""
    if above and hierarchy.mro(above[0]) == above:
        above = above[:1]  # it has those of all others, in that order
    found: _Fields = {}
    for each in reversed(above):
        fields = _fields(hierarchy, each)
        if fields is None:
            return None
        found |= fields
    return found


def _annotated(spec: SpecClass) -> Iterator[cst.Name]:
    """The names that statements of the body itself annotate."""
    for line in spec.node.body.body:
        small = line.body if isinstance(line, cst.SimpleStatementLine) else [line]
        for each in small:
            if isinstance(each, cst.AnnAssign) and isinstance(each.target, cst.Name):
                yield each.target


def _is_marker(field: Field) -> bool:
    kind = field.annotation
    return isinstance(kind, TypeName) and kind.name.rpartition(".")[2] == "KW_ONLY"


def _field_options(field: Field) -> Mapping[str, str]:
    """The keywords of ``field(...)``."""
    call = field.default
    is_made = (
        isinstance(call, cst.Call)
        and (dotted(call.func) or "").rpartition(".")[2] == "field"
    )
    return _options(call) if is_made else {}


def _argument(
    spec: SpecClass, field: Field, options: Mapping[str, str], by_keyword: bool
) -> Argument | None:
    if options.get("init") == "False":
        return None
    # A name that the body also gives another value has that for its default.
    has_default = field.has_default or field.name in spec.members
    kind = options.get("kw_only")
    return Argument(field.name, not has_default, kind == "True" if kind else by_keyword)
