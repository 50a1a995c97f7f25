# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which names a copied signature needs, and where they come from."""

from __future__ import annotations

import builtins
from dataclasses import dataclass

import libcst as cst

from kvlint.mending.holders import UnwritableError
from kvlint.model.classes import Member, SpecFile
from kvlint.model.module_places import package_root
from kvlint.model.resolution import Resolver, Unresolved
from kvlint.model.scopes import Binding, ImportedModule, ImportedName
from kvlint.model.syntax import dotted, text_of


@dataclass(frozen=True, slots=True, order=True)
class Import:
    """An import that a file lacks.

    Attributes:
        module: The module.
        name: What to import from it; empty to import the module itself.
        bound: What to call it.
        at_run_time: Whether code needs it, not annotations alone.
    """

    module: str
    name: str
    bound: str
    at_run_time: bool

    @property
    def clause(self) -> str:
        """The name, with ``as`` where it is called otherwise."""
        return self.name if self.name == self.bound else f"{self.name} as {self.bound}"


def missing_imports(
    member: Member, target: SpecFile, resolver: Resolver
) -> list[Import]:
    """Return the imports that a copy of a member's signature needs in a file.

    Args:
        member: Whose signature is copied.
        target: Where the copy goes.
        resolver: Tells whether a name means the same in both files.

    Raises:
        UnwritableError: A name means something else there, or nobody knows what.
    """
    if member.owner.file is target:
        return []
    used = _Names()
    for parameter in member.parameters:
        used.default(parameter.default)
    for node in [*(each.annotation for each in member.parameters), member.returns]:
        lazy = target.has_lazy_annotations or needs_quotes(node, member, target)
        used.annotation(node, lazy=lazy)
    found = []
    for name in sorted(used.lazy | used.eager):
        needed = _import(name, member, target, resolver)
        if needed is not None:
            module, imported = needed
            found.append(Import(module, imported, name, name in used.eager))
    return found


def name_from_dataclasses(name: str, file: SpecFile) -> tuple[str, list[Import]]:
    """Return what a name of ``dataclasses`` is called in a file, and its import.

    Args:
        name: Such as ``replace``.
        file: The file.

    Returns:
        The name, and the imports that the file lacks for it.

    Raises:
        UnwritableError: The file means something else by the name.
    """
    for bound, bindings in file.scope.names.items():
        for binding in bindings:
            if binding == ImportedName("dataclasses", name, 0):
                return bound, []
            if binding == ImportedModule("dataclasses"):
                return f"{bound}.{name}", []
    if name in file.scope.names:
        raise UnwritableError(f"`{name}` means something else in this file")
    return name, [Import("dataclasses", name, name, True)]


def needs_quotes(
    annotation: cst.BaseExpression | None, member: Member, target: SpecFile
) -> bool:
    """Return whether an annotation must become a string where it is copied to.

    It must if a name in it is bound for type checkers alone: what the base never
    imports when it runs may be absent then, or lead in a circle.

    Args:
        annotation: The annotation, None if there is none.
        member: Whose signature is copied.
        target: Where the copy goes.
    """
    if annotation is None or target.has_lazy_annotations:
        return False
    used = _Names()
    used.annotation(annotation, lazy=False)
    origin = member.owner.file.scope
    return any(
        name
        in (target.scope if name in target.scope.names else origin).for_type_checkers
        for name in used.eager
    )


def _import(
    name: str, member: Member, target: SpecFile, resolver: Resolver
) -> tuple[str, str] | None:
    origin = member.owner.file
    scope = member.owner.body_scope
    bindings, owner = scope.lookup(name)
    here, _ = target.scope.lookup(name)
    if not bindings and not here and hasattr(builtins, name):
        return None
    if not bindings or owner is not origin.scope:
        raise UnwritableError(f"it is not known where `{name}` comes from")
    wanted = _source(bindings[0], name, origin)
    if not here:
        return wanted
    if wanted in [_source(binding, name, target) for binding in here]:
        return None
    meanings = resolver.resolve(name, target.scope, target)
    same = [
        each
        for each in resolver.resolve(name, scope, origin)
        if not isinstance(each, Unresolved) and each in meanings
    ]
    if same:
        return None
    raise UnwritableError(f"`{name}` means something else in this file")


def _source(binding: Binding, name: str, file: SpecFile) -> tuple[str, str]:
    """The module that gives a name, and what it is called there."""
    match binding:
        case ImportedName(module, imported, 0):
            return module, imported
        case ImportedName(module, imported, level):
            package = module_name(file).split(".")
            if file.path.stem != "__init__":
                package = package[:-1]
            kept = package[: len(package) - (level - 1)]
            return ".".join([*kept, *filter(None, [module])]), imported
        case ImportedModule(module):
            return module, ""
        case _:
            return module_name(file), name


def module_name(file: SpecFile) -> str:
    """Return the dotted name by which a file is imported."""
    if not file.path.is_absolute():  # a bundled module, below its release
        return ".".join(file.path.with_suffix("").parts[1:])
    relative = file.path.relative_to(package_root(file.path)).with_suffix("")
    parts = relative.parts[:-1] if relative.name == "__init__" else relative.parts
    return ".".join(parts)


class _Names(cst.CSTVisitor):
    """Names that expressions use: when code runs, or for type checkers alone."""

    def __init__(self) -> None:
        super().__init__()
        self.eager: set[str] = set()
        self.lazy: set[str] = set()
        self._into = self.eager
        self._texts_are_types = False

    def default(self, node: cst.BaseExpression | None) -> None:
        self._texts_are_types = False
        self._collect(node, self.eager)

    def annotation(self, node: cst.BaseExpression | None, *, lazy: bool) -> None:
        self._texts_are_types = True
        self._collect(node, self.lazy if lazy else self.eager)

    def _collect(self, node: cst.BaseExpression | None, into: set[str]) -> None:
        if node is not None:
            self._into = into
            node.visit(self)

    def visit_Name(self, node: cst.Name) -> None:
        self._into.add(node.value)

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        node.value.visit(self)
        return False

    def visit_Subscript(self, node: cst.Subscript) -> bool:
        if (dotted(node.value) or "").rpartition(".")[2] != "Literal":
            return True
        node.value.visit(self)
        return False

    def visit_SimpleString(self, node: cst.SimpleString) -> None:
        text = text_of(node)
        if text is None or not self._texts_are_types:
            return
        try:
            inner = cst.parse_expression(text)
        except cst.ParserSyntaxError:
            return
        into, self._into = self._into, self.lazy
        inner.visit(self)
        self._into = into
