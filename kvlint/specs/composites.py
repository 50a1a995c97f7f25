# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Composite specs: which classes hold other specs, where and how."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import libcst as cst

from kvlint.model.annotations import (
    TypeExpression,
    TypeName,
    TypeOther,
    TypeSubscript,
    TypeUnion,
    read_annotation,
)
from kvlint.model.classes import SpecClass, SpecFile
from kvlint.model.resolution import Meaning, TypeMeaning, Unresolved
from kvlint.model.scopes import ImportedName, Scope
from kvlint.model.shapes import Many, Mapped, Maybe, One, Places, Shape, Unclear
from kvlint.specs.held import ITERABLES, MAPPINGS, Held, held_by_settings
from kvlint.specs.hierarchy import Hierarchy

_TRANSPARENT = frozenset(["Annotated", "Final", "Required", "NotRequired", "ReadOnly"])
_DEEPEST = 20
_MODULES = frozenset(
    [
        "typing",
        "typing_extensions",
        "collections",
        "collections.abc",
        "types",
        "builtins",
        "t",
    ]
)


@dataclass(frozen=True)
class Holder:
    """An attribute of a composite that holds specs.

    Attributes:
        name: The attribute.
        shape: How it holds them.
        wrapped: The classes that its annotation names.
        owner: The class that defines it.
    """

    name: str
    shape: Shape
    wrapped: tuple[SpecClass, ...]
    owner: SpecClass


def find_holders(hierarchy: Hierarchy, spec: SpecClass) -> tuple[Holder, ...]:
    """Return the attributes by which a spec holds others, inherited ones too.

    Args:
        hierarchy: The spec classes.
        spec: One of them.

    Returns:
        In the order of the text, base classes first; empty for a per-layer spec.
    """
    holders: dict[str, Holder] = {}
    for each in reversed(hierarchy.mro(spec)):
        for name in each.fields:
            holders.pop(name, None)
        for holder in _own_holders(hierarchy, each):
            holders[holder.name] = holder
    return tuple(holders.values())


def _own_holders(hierarchy: Hierarchy, spec: SpecClass) -> Iterator[Holder]:
    reader = _Reader(hierarchy, spec.file, spec.body_scope)
    for field in spec.fields.values():
        held = reader.held(field.annotation)
        if held is not None:
            yield Holder(field.name, held.shape, held.wrapped, spec)
    for name in ("__init__", "__post_init__"):
        member = spec.members.get(name)
        if member is None:
            continue
        for attribute, held in held_by_settings(member, reader.read):
            yield Holder(attribute, held.shape, held.wrapped, spec)


class _Reader:
    """Reads annotations of one file.

    Args:
        hierarchy: The spec classes.
        file: The file.
        scope: The names that annotations are read in.
        given: What the parameters of a generic alias stand for.
    """

    def __init__(
        self,
        hierarchy: Hierarchy,
        file: SpecFile,
        scope: Scope,
        given: Mapping[str, Held | None] | None = None,
        depth: int = 0,
    ) -> None:
        self._hierarchy, self._file, self._scope = hierarchy, file, scope
        self._given, self._depth = given or {}, depth

    def read(self, annotation: cst.BaseExpression) -> Held | None:
        """Return how values of a written type hold specs, None if they do not."""
        return self.held(read_annotation(annotation))

    def held(self, annotation: TypeExpression) -> Held | None:
        """Return how values of a type hold specs, None if they do not."""
        match annotation:
            case TypeName(name):
                return self._given[name] if name in self._given else self._named(name)
            case TypeUnion(options):
                return self._union(options)
            case TypeSubscript(head, arguments):
                return self._subscript(head, arguments)
            case _:
                return None

    def _meanings(self, name: str) -> list[Meaning]:
        if self._is_plain_class(name):
            return []
        return self._hierarchy.resolver.resolve(name, self._scope, self._file)

    def _is_plain_class(self, name: str) -> bool:
        """Whether a name is a class of a file without specs: no need to parse that."""
        workspace, bindings = self._hierarchy.workspace, self._scope.lookup(name)[0]
        for binding in bindings:
            if not isinstance(binding, ImportedName):
                return False
            path = workspace.module(binding.module, self._file.path, binding.level)
            if path is None or path in self._hierarchy.files:
                return False
            statement = rf"^class[ \t]+{re.escape(binding.name)}\b".encode()
            if not re.search(statement, workspace.content(path), re.M):
                return False
        return bool(bindings)

    def _named(self, name: str, arguments: tuple[Held | None, ...] = ()) -> Held | None:
        specs: list[SpecClass] = []
        expanded: list[Held | None] = []
        for meaning in self._meanings(name):
            if isinstance(meaning, SpecClass):
                if self._hierarchy.is_spec(meaning):
                    specs.append(meaning)
            elif isinstance(meaning, TypeMeaning) and self._depth < _DEEPEST:
                expanded += self._expanded(meaning, arguments)
        if specs:
            return Held(One(), tuple(dict.fromkeys(specs)))
        return _one_of(expanded)

    def _expanded(
        self, meaning: TypeMeaning, arguments: tuple[Held | None, ...]
    ) -> Iterator[Held | None]:
        """What an alias stands for, with its arguments put in."""
        reader = _Reader(
            self._hierarchy, meaning.file, meaning.scope, None, self._depth + 1
        )
        for option in meaning.options:
            names = meaning.parameters or reader.variables(option)
            reader._given = dict(zip(names, arguments, strict=False))
            yield reader.held(option)

    def variables(self, annotation: TypeExpression) -> list[str]:
        """Return the TypeVars in a type, in the order in which they first stand."""
        match annotation:
            case TypeName(name):
                meanings = self._meanings(name)
                variable = any(
                    isinstance(each, TypeMeaning) and each.is_variable
                    for each in meanings
                )
                return [name] if variable else []
            case TypeUnion(parts) | TypeSubscript(_, parts):
                found = [name for part in parts for name in self.variables(part)]
                return list(dict.fromkeys(found))
            case _:
                return []

    def _union(self, options: tuple[TypeExpression, ...]) -> Held | None:
        is_optional = TypeOther("None") in options
        rest = [each for each in options if each != TypeOther("None")]
        joined = _one_of([self.held(each) for each in rest])
        if joined is None or not is_optional:
            return joined
        return Held(Maybe(joined.shape), joined.wrapped)

    def _subscript(
        self, head: str, arguments: tuple[TypeExpression, ...]
    ) -> Held | None:
        kind = self._container(head)
        inner = [self.held(each) for each in arguments]
        if kind == "":
            return self._named(head, tuple(inner))
        if not any(inner):
            return None
        if kind in _TRANSPARENT:
            return inner[0]
        if kind == "Optional":
            return _containing(inner[:1], lambda shapes: Maybe(shapes[0]))
        if kind == "Union":
            return self._union(arguments)
        if kind in ITERABLES:
            return _containing(inner[:1], lambda shapes: Many(shapes[0], kind))
        if kind in MAPPINGS and len(inner) == 2:
            return _containing(inner, lambda shapes: Mapped(shapes[1], shapes[0], kind))
        if kind not in {"tuple", "Tuple"}:
            return None
        if arguments[1:] == (TypeOther("..."),):
            return _containing(inner[:1], lambda shapes: Many(shapes[0], "tuple"))
        return _containing(inner, lambda shapes: Places(tuple(shapes)))

    def _container(self, head: str) -> str:
        """The name of a known container; empty for a name of the project."""
        for meaning in self._meanings(head):
            if not isinstance(meaning, Unresolved):
                return ""
            module, _, name = meaning.name.rpartition(".")
            if not module or module in _MODULES:
                return name
        return "unknown"


def _containing(
    inner: list[Held | None], shape: Callable[[list[Any]], Shape]
) -> Held | None:
    """A container around what its type's arguments hold."""
    wrapped = tuple(
        dict.fromkeys(spec for each in inner if each for spec in each.wrapped)
    )
    if not wrapped:
        return None
    return Held(shape([each.shape if each else None for each in inner]), wrapped)


def _one_of(held: list[Held | None]) -> Held | None:
    """Several ways to hold specs, of which one is real: a single shape, or unclear."""
    some = [each for each in held if each is not None]
    if not some:
        return None
    wrapped = tuple(dict.fromkeys(spec for each in some for spec in each.wrapped))
    is_clear = len(some) == len(held) and len({each.shape for each in some}) == 1
    return Held(some[0].shape if is_clear else Unclear(), wrapped)
