# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What names are bound to, as far as class hierarchies need it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kvlint.model.annotations import TypeExpression

if TYPE_CHECKING:
    from kvlint.model.classes import SpecClass


@dataclass(frozen=True, slots=True)
class ImportedModule:
    """``import a.b as x`` binds ``x`` to ``a.b``; without ``as``, ``a`` to ``a``."""

    module: str


@dataclass(frozen=True, slots=True)
class ImportedName:
    """``from ..module import name``, with the number of dots in ``level``."""

    module: str
    name: str
    level: int


@dataclass(frozen=True, slots=True)
class StarImport:
    """``from ..module import *``."""

    module: str
    level: int


@dataclass(frozen=True, slots=True)
class DefinedClass:
    """A class statement."""

    defined: SpecClass


@dataclass(frozen=True, slots=True)
class Alias:
    """``X = expression``, ``type X[T] = expression`` or a ``NewType``."""

    expression: TypeExpression
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TypeVariable:
    """A TypeVar with its bound or constraints."""

    bounds: tuple[TypeExpression, ...]


@dataclass(frozen=True, slots=True)
class Opaque:
    """A name bound to something that is no class: a function, a parameter, a value."""


Binding = ImportedModule | ImportedName | DefinedClass | Alias | TypeVariable | Opaque


@dataclass
class Scope:
    """The names of a module, a class body or a function.

    Attributes:
        parent: The scope around it.
        is_class: A class body; functions inside it do not see its names.
        names: Every binding of each name, in the order of the text: branches of
            ``if`` and ``try`` count alike, since either may be what runs.
        stars: The star imports.
        for_type_checkers: Names that are bound under ``if TYPE_CHECKING:`` alone.
    """

    parent: Scope | None = None
    is_class: bool = False
    names: dict[str, list[Binding]] = field(default_factory=dict)
    stars: list[StarImport] = field(default_factory=list)
    for_type_checkers: set[str] = field(default_factory=set)

    def bind(self, name: str, binding: Binding) -> None:
        """Add a binding."""
        self.names.setdefault(name, []).append(binding)

    def lookup(self, name: str) -> tuple[list[Binding], Scope]:
        """Return a name's bindings as code in this scope sees them, and their scope.

        Returns:
            No bindings, and the module's scope, for a name that is bound nowhere: it
            may come from a star import or be a builtin.
        """
        scope = self
        while name not in scope.names:
            outer = scope.parent
            while outer is not None and outer.is_class:
                outer = outer.parent
            if outer is None:
                return [], scope
            scope = outer
        return scope.names[name], scope

    def module_scope(self) -> Scope:
        """Return the outermost scope."""
        return self if self.parent is None else self.parent.module_scope()

    def all_stars(self) -> Iterator[StarImport]:
        """Yield the star imports that this scope sees, innermost first."""
        scope: Scope | None = self
        while scope is not None:
            yield from scope.stars
            scope = scope.parent
