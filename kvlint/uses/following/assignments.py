# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What statements bind names to, and what they touch as they do so."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from kvlint.model.scopes import ImportedName
from kvlint.model.syntax import dotted
from kvlint.uses.following.expressions import Act, Expressions
from kvlint.uses.following.keywords import (
    Keywords,
    drop_entry,
    keywords_of,
    let_out,
    set_entry,
)
from kvlint.uses.following.values import Environment, Shape, Value


@dataclass
class Assignments(Expressions):
    """Keeps what names are bound to.

    Attributes:
        depth: How many functions are around.
    """

    depth: int = 0

    def import_from(self, node: cst.ImportFrom, known: Environment) -> None:
        """Note what is imported; what a function imports for itself counts there."""
        module = dotted(node.module) or "" if node.module is not None else ""
        for alias in node.names if not isinstance(node.names, cst.ImportStar) else ():
            binding = ImportedName(module, dotted(alias.name) or "", len(node.relative))
            bound = alias.asname.name if alias.asname else alias.name
            found = self.meanings.imported(binding, "", self.file)
            if found is not None:
                value = Value(Shape.CLASS, found)
                self.add(Act.IMPORT, value, module, alias.name, call=None)
            if self.depth and isinstance(bound, cst.Name):
                known.pop(bound.value, None)
                self.imported[bound.value] = binding

    def value(self, node: cst.BaseExpression, known: Environment) -> Keywords | None:
        """Look at what is assigned; a second name for a mapping lets it out.

        Returns:
            Its keys, if it is a mapping.
        """
        found = keywords_of(node, self.mappings)
        if found is None:
            self.expression(node, known)
        elif isinstance(node, cst.Name):
            let_out(node.value, self.mappings)
            return self.mappings[node.value]
        else:
            self.inside(node, known)
        return found

    def target(self, node: cst.CSTNode, known: Environment) -> None:
        """What is assigned to: an attribute is written, all else is read."""
        match node:
            case cst.Attribute(value=value, attr=cst.Name() as name):
                self.expression(value, known)
                self._touch(Act.WRITE, value, name.value, name, known)
            case cst.Tuple(elements=elements) | cst.List(elements=elements):
                for element in elements:
                    self.target(element.value, known)
            case cst.Name():
                pass
            case cst.BaseExpression():
                self.expression(node, known)

    def assign(
        self,
        target: cst.CSTNode,
        value: cst.BaseExpression,
        keywords: Keywords | None,
        known: Environment,
    ) -> None:
        """Bind a target to what a value is known to be."""
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple):
            pairs = [*zip(target.elements, value.elements, strict=False)]
            given = [self.values.value(each.value, known) for _, each in pairs]
            self.forget(target, known)
            parts = [*target.elements, *value.elements]
            if not any(isinstance(each, cst.StarredElement) for each in parts):
                for (each, _), part in zip(pairs, given, strict=True):
                    self.values.bind(each.value, part, known)
            return
        found = self.values.value(value, known)
        self.forget(target, known)
        set_entry(target, self.mappings)
        if isinstance(target, cst.Name) and keywords is not None:
            self.mappings[target.value] = keywords
        self.values.bind(target, found, known)

    def forget(self, target: cst.CSTNode, known: Environment) -> None:
        """Bind a target to what nobody knows."""
        for name in bound_names(target):
            self.mappings.pop(name, None)
        self.values.bind(target, None, known)

    def delete(self, node: cst.CSTNode, known: Environment) -> None:
        """Look at what ``del`` takes away."""
        drop_entry(node, self.mappings)
        self.target(node, known)
        self.forget(node, known)


def bound_names(target: cst.CSTNode) -> list[str]:
    """Return the plain names that a target binds."""
    if isinstance(target, cst.Tuple | cst.List):
        return [name for each in target.elements for name in bound_names(each.value)]
    return [target.value] if isinstance(target, cst.Name) else []
