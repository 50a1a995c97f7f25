# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a dotted name means: a class, a type alias, or a name nobody knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kvlint.model.annotations import TypeExpression, TypeName
from kvlint.model.classes import SpecClass, SpecFile
from kvlint.model.scopes import (
    Alias,
    Binding,
    DefinedClass,
    ImportedModule,
    ImportedName,
    Scope,
    StarImport,
    TypeVariable,
)
from kvlint.model.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A name that leads out of what can be read, as absolute as it is known."""

    name: str


@dataclass(frozen=True, slots=True)
class TypeMeaning:
    """A type alias or a TypeVar: what it stands for, and where to read that.

    Attributes:
        options: One expression for an alias; a TypeVar's bound or constraints.
        scope: The scope that the expressions are read in.
        file: Its file.
        parameters: Names in them that stand for the alias's own arguments.
        is_variable: It is a TypeVar.
    """

    options: tuple[TypeExpression, ...]
    scope: Scope
    file: SpecFile
    parameters: tuple[str, ...] = ()
    is_variable: bool = False


Meaning = SpecClass | TypeMeaning | Unresolved


class Resolver:
    """Looks names up through imports, re-exports and aliases.

    Args:
        workspace: Where the files come from.
        read: Reads a file; the workspace by default.
    """

    def __init__(
        self,
        workspace: Workspace,
        read: Callable[[Path], SpecFile | None] | None = None,
    ) -> None:
        """Begin with nothing known."""
        self._workspace = workspace
        self._file = workspace.file if read is None else read

    def resolve(self, name: str, scope: Scope, file: SpecFile) -> list[Meaning]:
        """Return everything that a dotted name may mean, by any branch.

        Args:
            name: As written.
            scope: Where it is read.
            file: Its file.
        """
        return list(self._name(name, scope, file, frozenset()))

    def absolute(self, name: str, importer: SpecFile) -> list[Meaning]:
        """Return what a fully qualified name means, as code of a file would see it."""
        return list(self._through(name, importer, frozenset()))

    def _name(
        self, name: str, scope: Scope, file: SpecFile, seen: frozenset[object]
    ) -> Iterator[Meaning]:
        head, _, rest = name.partition(".")
        key = (id(scope), name)
        if key in seen:
            return
        seen |= {key}
        bindings, owner = scope.lookup(head)
        for binding in bindings:
            yield from self._binding(binding, rest, owner, file, seen)
        if not bindings:
            found = list(self._starred(name, scope, file, seen))
            yield from found or [Unresolved(name)]

    def _starred(
        self, name: str, scope: Scope, file: SpecFile, seen: frozenset[object]
    ) -> Iterator[Meaning]:
        for star in scope.all_stars():
            module = self._module(star, file)
            if module is None:
                continue
            for meaning in self._name(name, module.scope, module, seen):
                if not isinstance(meaning, Unresolved):
                    yield meaning

    def _module(
        self, imported: StarImport | ImportedName, file: SpecFile
    ) -> SpecFile | None:
        path = self._workspace.module(imported.module, file.path, imported.level)
        return None if path is None else self._file(path)

    def _binding(
        self,
        binding: Binding,
        rest: str,
        scope: Scope,
        file: SpecFile,
        seen: frozenset[object],
    ) -> Iterator[Meaning]:
        match binding:
            case DefinedClass(defined):
                yield from self._inside(defined, rest, seen)
            case ImportedName(name=name):
                yield from self._imported(binding, _join(name, rest), file, seen)
            case ImportedModule(module):
                yield from self._through(_join(module, rest), file, seen)
            case Alias(TypeName(name), ()):
                yield from self._name(_join(name, rest), scope, file, seen)
            case Alias(expression, parameters) if not rest:
                yield TypeMeaning((expression,), scope, file, parameters)
            case TypeVariable(bounds) if not rest:
                yield TypeMeaning(bounds, scope, file, is_variable=True)
            case _:
                pass

    def _inside(
        self, owner: SpecClass, rest: str, seen: frozenset[object]
    ) -> Iterator[Meaning]:
        """A class, or a name of its body."""
        if not rest:
            yield owner
        elif rest.split(".")[0] in owner.body_scope.names:
            yield from self._name(rest, owner.body_scope, owner.file, seen)

    def _imported(
        self, binding: ImportedName, name: str, file: SpecFile, seen: frozenset[object]
    ) -> Iterator[Meaning]:
        """A name of a module, or a submodule and a name of that."""
        path = self._workspace.module(binding.module, file.path, binding.level)
        module = None if path is None else self._file(path)
        if module is not None and module is not file:
            found = list(self._name(name, module.scope, module, seen))
            if any(not isinstance(each, Unresolved) for each in found):
                yield from found
                return
        if "." in name:
            head, _, rest = name.partition(".")
            submodule = self._workspace.module(
                _join(binding.module, head), file.path, binding.level
            )
            inner = None if submodule is None else self._file(submodule)
            found = [] if inner is None else self._inner(rest, inner, seen)
            if found:
                yield from found
                return
        dots = "." * binding.level
        yield Unresolved(dots + _join(binding.module, name))

    def _inner(
        self, name: str, module: SpecFile, seen: frozenset[object]
    ) -> list[Meaning]:
        """What a module makes of a name; nothing if it binds none like it."""
        found = list(self._name(name, module.scope, module, seen))
        return [] if found == [Unresolved(name)] else found

    def _through(
        self, name: str, file: SpecFile, seen: frozenset[object]
    ) -> Iterator[Meaning]:
        """A fully qualified name: the longest module that there is, then names."""
        parts = name.split(".")
        for length in range(len(parts) - 1, 0, -1):
            path = self._workspace.module(".".join(parts[:length]), file.path)
            module = None if path is None else self._file(path)
            if module is None:
                continue
            found = list(
                self._name(".".join(parts[length:]), module.scope, module, seen)
            )
            if any(not isinstance(each, Unresolved) for each in found):
                yield from found
                return
        yield Unresolved(name)


def _join(*parts: str) -> str:
    return ".".join(part for part in parts if part)
