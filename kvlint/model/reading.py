# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""From a tree to the model: one walk over a file's statements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from kvlint.model.annotations import read_annotation
from kvlint.model.bindings import (
    bind_import,
    bind_type_parameters,
    bind_value,
    bound_name,
)
from kvlint.model.classes import Member, MemberKind, SpecClass, SpecFile
from kvlint.model.gates import Block, Gates, Statement, arms
from kvlint.model.members import add_attribute, add_field, add_function, decorator_names
from kvlint.model.reach import Judge, Reach, Standing
from kvlint.model.scopes import (
    Alias,
    DefinedClass,
    ImportedName,
    Opaque,
    Scope,
    StarImport,
)
from kvlint.model.splicing import parse_again
from kvlint.model.syntax import Tree, dotted, parse
from kvlint.sources import Source

_CERTAIN = Standing(Reach.REACHED, True)
_UNCERTAIN = Standing(Reach.REACHED, False)


def read_file(
    source: Source, judge: Judge | None = None, former: Tree | None = None
) -> SpecFile:
    """Return the model of a file.

    Args:
        source: The file.
        judge: Tells what of it the release at hand runs; what it never runs is left
            out. Without one every branch counts alike, as it does inside functions.
        former: Its syntax before an edit.

    Raises:
        UnparsableError: libcst does not accept its syntax.
    """
    tree = None if former is None else parse_again(source, former)
    return model_of(tree or Tree(source, parse(source)), judge)


def model_of(tree: Tree, judge: Judge | None = None) -> SpecFile:
    """Return the model of a file's syntax, as ``read_file`` does."""
    file = SpecFile(tree, Scope())
    _Reader(file, judge).block(Block(tree.module.body), _Where(file.scope))
    return file


@dataclass(frozen=True)
class _Where:
    """Where statements stand.

    Attributes:
        scope: What they bind names in.
        owner: The class whose body they are part of.
        owners: The classes around; None in a function.
        gates: The conditions around, inside of the innermost class.
        is_nested: They stand in a function or a class.
        is_conditional: The function or class that they stand in is, or in a function
            they are.
    """

    scope: Scope
    owner: SpecClass | None = None
    owners: tuple[cst.ClassDef, ...] | None = ()
    gates: Gates = ()
    is_nested: bool = False
    is_conditional: bool = False


class _Reader:
    """Walks blocks, binds names and collects classes."""

    def __init__(self, file: SpecFile, judge: Judge | None) -> None:
        self.file, self.judge = file, judge

    def block(self, block: Block, where: _Where) -> None:
        """Read statements behind their conditions."""
        for statement, gates in self._steps(block, where):
            there = replace(where, gates=(*where.gates, *gates)) if gates else where
            standing = self._standing(there)
            if standing.reach is Reach.NEVER:
                continue
            conditional = where.is_conditional or not standing.is_certain
            scope, owner = where.scope, where.owner
            if isinstance(statement, cst.SimpleStatementLine):
                for small in statement.body:
                    self.small(small, scope, owner, conditional)
            elif isinstance(statement, cst.ClassDef):
                self.class_statement(statement, there, conditional)
            elif isinstance(statement, cst.FunctionDef):
                self.function(statement, scope, owner, conditional)
            elif isinstance(statement, cst.BaseSmallStatement):
                self.small(statement, scope, owner, conditional)
            else:
                known = set(scope.names)
                self._compound(statement, there)
                if _is_for_type_checkers(statement):
                    scope.for_type_checkers |= set(scope.names) - known

    def _steps(self, block: Block, where: _Where) -> Iterator[tuple[Statement, Gates]]:
        if where.owners is None or self.judge is None:
            return ((each, ()) for each in block.statements)
        return block.steps()

    def _standing(self, where: _Where) -> Standing:
        if not where.gates or where.owners is None or self.judge is None:
            return _CERTAIN
        return self.judge.standing(self.file.tree, where.owners, where.gates)

    def _compound(self, statement: Statement, where: _Where) -> None:
        if where.owners is None or self.judge is None:
            inner = replace(where, is_conditional=True)
            for suite in inner_blocks(statement):
                self.block(Block(suite.body), inner)
            return
        for block in arms(statement):
            self.block(block, where)

    def class_statement(
        self, node: cst.ClassDef, where: _Where, is_conditional: bool
    ) -> None:
        scope = where.scope
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
            where.is_nested,
            is_conditional,
        )
        scope.bind(found.name, DefinedClass(found))
        self.file.classes.append(found)
        owners = None if where.owners is None else (*where.owners, node)
        inner = _Where(body_scope, found, owners, (), True, is_conditional)
        self.block(Block(node.body.body), inner)

    def function(
        self,
        node: cst.FunctionDef,
        scope: Scope,
        owner: SpecClass | None,
        is_conditional: bool,
    ) -> None:
        scope.bind(node.name.value, Opaque())
        if owner is not None:
            add_function(owner, node, is_conditional)
        inner = self.file.scopes[node] = Scope(scope)
        for each in (
            *node.params.posonly_params,
            *node.params.params,
            *node.params.kwonly_params,
        ):
            inner.bind(each.name.value, Opaque())
        if node.type_parameters is not None:
            bind_type_parameters(node.type_parameters, inner)
        where = _Where(inner, None, None, (), True, is_conditional)
        self.block(Block(node.body.body), where)

    def small(
        self,
        node: cst.BaseSmallStatement,
        scope: Scope,
        owner: SpecClass | None,
        is_conditional: bool,
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
                        add_attribute(owner, target.target, node.value, is_conditional)
                elif not scope.parent:
                    self.assigned_member(target.target, node.value, is_conditional)
        elif isinstance(node, cst.AnnAssign) and isinstance(node.target, cst.Name):
            if owner is not None:
                add_field(owner, node.target, node, is_conditional)
            elif node.value is not None:
                self.annotated_value(node.target.value, node, node.value, scope)

    def assigned_member(
        self, target: cst.CSTNode, value: cst.BaseExpression, is_conditional: bool
    ) -> None:
        """Count ``Class.member = value`` of a module as a member of the class."""
        if not isinstance(target, cst.Attribute) or is_conditional:
            return
        name, owner = target.attr.value, dotted(target.value)
        for each in reversed(self.file.classes):
            if each.name == owner and not each.is_nested:
                kind = MemberKind.ATTRIBUTE
                # What it was before, it still is for whoever asked in between.
                each.members[name] = Member(
                    each, name, kind, value, target.attr, is_conditional=True
                )
                return

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
