# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""From a tree to the model: one walk over a file's statements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst

from kvlint.model.annotations import read_annotation
from kvlint.model.bindings import (
    bind_import,
    bind_type_parameters,
    bind_value,
    bound_name,
)
from kvlint.model.classes import Member, MemberKind, SpecClass, SpecFile
from kvlint.model.members import add_attribute, add_field, add_function, decorator_names
from kvlint.model.scopes import (
    Alias,
    DefinedClass,
    ImportedName,
    Opaque,
    Scope,
    StarImport,
)
from kvlint.model.syntax import Tree, dotted, parse
from kvlint.sources import Source

_Statement = cst.BaseStatement | cst.BaseSmallStatement


def read_file(source: Source) -> SpecFile:
    """Return the model of a file.

    Raises:
        UnparsableError: libcst does not accept its syntax.
    """
    return model_of(Tree(source, parse(source)))


def model_of(tree: Tree) -> SpecFile:
    """Return the model of a file's syntax."""
    file = SpecFile(tree, Scope())
    _Reader(file).block(tree.module.body, file.scope, owner=None, nested=False)
    _add_assigned_members(file, tree.module.body)
    return file


class _Reader:
    """Walks blocks, binds names and collects classes."""

    def __init__(self, file: SpecFile) -> None:
        self.file = file

    def block(
        self,
        statements: Iterable[_Statement],
        scope: Scope,
        owner: SpecClass | None,
        nested: bool,
    ) -> None:
        for statement in statements:
            if isinstance(statement, cst.SimpleStatementLine):
                for small in statement.body:
                    self.small(small, scope, owner)
            elif isinstance(statement, cst.ClassDef):
                self.class_statement(statement, scope, nested)
            elif isinstance(statement, cst.FunctionDef):
                self.function(statement, scope, owner)
            elif isinstance(statement, cst.BaseSmallStatement):
                self.small(statement, scope, owner)
            else:
                known = set(scope.names)
                for inner in inner_blocks(statement):
                    self.block(inner.body, scope, owner, nested)
                if _is_for_type_checkers(statement):
                    scope.for_type_checkers |= set(scope.names) - known

    def class_statement(self, node: cst.ClassDef, scope: Scope, nested: bool) -> None:
        body_scope = Scope(scope, is_class=True)
        if node.type_parameters is not None:
            bind_type_parameters(node.type_parameters, body_scope)
        found = SpecClass(
            self.file,
            node.name.value,
            node,
            tuple(
                _base(argument.value) for argument in node.bases if not argument.star
            ),
            scope,
            body_scope,
            tuple(decorator_names(node.decorators)),
            nested,
        )
        scope.bind(found.name, DefinedClass(found))
        self.file.classes.append(found)
        self.block(node.body.body, body_scope, found, nested=True)

    def function(
        self, node: cst.FunctionDef, scope: Scope, owner: SpecClass | None
    ) -> None:
        scope.bind(node.name.value, Opaque())
        if owner is not None:
            add_function(owner, node)
        inner = self.file.scopes[node] = Scope(scope)
        for each in (
            *node.params.posonly_params,
            *node.params.params,
            *node.params.kwonly_params,
        ):
            inner.bind(each.name.value, Opaque())
        if node.type_parameters is not None:
            bind_type_parameters(node.type_parameters, inner)
        self.block(node.body.body, inner, owner=None, nested=True)

    def small(
        self, node: cst.BaseSmallStatement, scope: Scope, owner: SpecClass | None
    ) -> None:
        if isinstance(node, cst.Import):
            for alias in node.names:
                bind_import(alias, scope)
        elif isinstance(node, cst.ImportFrom):
            self.import_from(node, scope)
        elif isinstance(node, cst.TypeAlias):
            parameters = node.type_parameters.params if node.type_parameters else ()
            names = tuple(each.param.name.value for each in parameters)
            scope.bind(node.name.value, Alias(read_annotation(node.value), names))
        elif isinstance(node, cst.Assign):
            for target in node.targets:
                if isinstance(target.target, cst.Name):
                    bind_value(target.target.value, node.value, scope)
                    if owner is not None:
                        add_attribute(owner, target.target, node.value)
        elif isinstance(node, cst.AnnAssign) and isinstance(node.target, cst.Name):
            if owner is not None:
                add_field(owner, node.target, node)
            elif node.value is not None:
                self.annotated_value(node.target.value, node, node.value, scope)

    def annotated_value(
        self, name: str, node: cst.AnnAssign, value: cst.BaseExpression, scope: Scope
    ) -> None:
        annotation = dotted(node.annotation.annotation) or ""
        if annotation.rpartition(".")[2] == "TypeAlias":
            scope.bind(name, Alias(read_annotation(value)))
        else:
            bind_value(name, value, scope)

    def import_from(self, node: cst.ImportFrom, scope: Scope) -> None:
        module = dotted(node.module) if node.module is not None else ""
        level = len(node.relative)
        if module == "__future__" and not isinstance(node.names, cst.ImportStar):
            lazy = any(each.name.value == "annotations" for each in node.names)
            self.file.has_lazy_annotations |= lazy
        if isinstance(node.names, cst.ImportStar):
            scope.stars.append(StarImport(module or "", level))
            return
        for alias in node.names:
            name = str(alias.name.value)
            bound = bound_name(alias) or name
            scope.bind(bound, ImportedName(module or "", name, level))


def inner_blocks(statement: cst.CSTNode) -> list[cst.BaseSuite]:
    """Return the blocks of a compound statement that opens no scope."""
    blocks: list[cst.BaseSuite] = []
    if isinstance(statement, cst.Match):
        return [case.body for case in statement.cases]
    for name in ("body", "handlers", "orelse", "finalbody"):
        part = getattr(statement, name, None)
        for each in part if isinstance(part, Sequence) else (part,):
            if isinstance(each, cst.BaseSuite):
                blocks.append(each)
            elif isinstance(each, cst.CSTNode):
                blocks += inner_blocks(each)
    return blocks


def _is_for_type_checkers(statement: cst.CSTNode) -> bool:
    if not isinstance(statement, cst.If) or statement.orelse is not None:
        return False
    return (dotted(statement.test) or "").rpartition(".")[2] == "TYPE_CHECKING"


def _base(node: cst.BaseExpression) -> str | None:
    return dotted(node.value if isinstance(node, cst.Subscript) else node)


def _add_assigned_members(file: SpecFile, body: Sequence[_Statement]) -> None:
    """Count ``Class.member = value`` at module level as a member of the class."""
    by_name = {each.name: each for each in file.classes if not each.is_nested}
    for statement in body:
        if not isinstance(statement, cst.SimpleStatementLine):
            continue
        for small in statement.body:
            if not isinstance(small, cst.Assign):
                continue
            for target in small.targets:
                node = target.target
                if not isinstance(node, cst.Attribute):
                    continue
                owner = by_name.get(dotted(node.value) or "")
                if owner is not None:
                    name = node.attr.value
                    owner.members[name] = Member(
                        owner, name, MemberKind.ATTRIBUTE, small.value, node.attr
                    )
