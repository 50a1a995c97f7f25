# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Who gives specs a value for a field: where nobody does, losing it changes nothing."""

from __future__ import annotations

import ast
from collections import defaultdict

from damage.trees import Class, Release, called


class Givers:
    """The fields that code of a release gives specs.

    Args:
        release: The release.
    """

    def __init__(self, release: Release) -> None:
        """Look through all constructor calls, copies and settings."""
        self.release = release
        self._classes = {each.name for each in release.specs}
        self._given: dict[str, set[str]] = defaultdict(set)
        """By field, the names of classes."""
        self._changed: dict[str, set[str]] = defaultdict(set)
        """The same, where a spec that is there gets another value."""
        for node in release.calls:
            self._call(node)

    def _call(self, node: ast.Call) -> None:
        name = called(node)
        keywords = {each.arg for each in node.keywords if each.arg is not None}
        if name in self._classes:
            for keyword in keywords - _copied(node):
                self._given[keyword].add(name)
            self._by_position(node, name)
        elif name == "replace":
            for keyword in keywords:
                self._copy(keyword)
        elif name == "__setattr__" and len(node.args) == 3:
            owner, field, _ = node.args
            # A constructor that sets a field on itself works it out of others.
            if isinstance(field, ast.Constant) and ast.unparse(owner) != "self":
                self._copy(str(field.value))

    def _copy(self, field: str) -> None:
        """A spec of a class that is not known: one of those that declare the field."""
        for each in self.release.specs:
            if field in each.fields:
                self._changed[field].add(each.name)

    def _by_position(self, node: ast.Call, name: str) -> None:
        fields = list(self.release.by_name[name].fields)
        for field, _ in zip(fields, node.args, strict=False):
            self._given[field].add(name)

    def ignores(self, spec: Class, field: str, *, changes: bool = True) -> bool:
        """Return whether specs of a class cannot differ in a field.

        They do not if the field is no part of what specs compare, or if nobody gives
        it to a spec of that class or of one below.

        Args:
            spec: The class.
            field: The field.
            changes: Whether it counts that somebody changes the field of a copy.
        """
        node = self.release.field_names(spec).get(field)
        if node is None or "compare=False" in ast.unparse(node):
            return True
        if node.value is None:
            return False
        below = {each.name for each in self.release.below(spec.name)}
        given = self._given[field] | (self._changed[field] if changes else set())
        return not given & below


def _copied(node: ast.Call) -> set[str]:
    """Fields that a call takes over from another spec: somebody else gave them."""
    return {
        each.arg
        for each in node.keywords
        if each.arg is not None
        and isinstance(each.value, ast.Attribute)
        and each.value.attr == each.arg
        and "spec" in ast.unparse(each.value.value)
    }
