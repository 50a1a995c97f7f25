# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What expressions of a block refer to: modules, classes and their attributes.

A reference is a dotted name as absolute as imports make it. Names are followed through
imports, assignments and loops over literals; nothing else is known of values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import libcst as cst

from kvlint.model.bindings import bound_name
from kvlint.model.module_places import package_root
from kvlint.model.syntax import dotted, text_of


@dataclass(frozen=True, slots=True)
class Text:
    """A string literal."""

    text: str


@dataclass(frozen=True, slots=True)
class Series:
    """A tuple, list or set literal: what each of its elements may be."""

    elements: tuple[frozenset[Value], ...]


Value = str | Text | Series
Values = frozenset[Value]
_NOTHING: Values = frozenset()


@dataclass
class References:
    """The names of a scope.

    Attributes:
        path: The file, for its relative imports.
        names: What each name may be; a name that is not there may be anything.
    """

    path: Path
    names: dict[str, Values] = field(default_factory=dict)

    def inner(self) -> References:
        """Return the names of a scope inside this one."""
        return References(self.path, dict(self.names))

    def bind(self, name: str, values: Values, *, adds: bool = False) -> None:
        """Let a name stand for values.

        Args:
            name: The name.
            values: None of them for anything else.
            adds: Whether it may still be what it was, as behind a branch.
        """
        self.names[name] = values | self.names.get(name, _NOTHING) if adds else values

    def bind_import(self, node: cst.Import | cst.ImportFrom, *, adds: bool) -> None:
        """Bind what an import binds, as ``bind`` does."""
        if isinstance(node.names, cst.ImportStar):
            return
        if isinstance(node, cst.ImportFrom):
            module = self._module(node)
            for alias in node.names:
                name = str(alias.name.value)
                bound = bound_name(alias) or name
                self.bind(bound, frozenset({f"{module}.{name}"}), adds=adds)
            return
        for alias in node.names:
            module = dotted(alias.name) or ""
            named = bound_name(alias)
            head = module.partition(".")[0]
            values: Values = frozenset({module if named else head})
            self.bind(named or head, values, adds=adds)

    def _module(self, node: cst.ImportFrom) -> str:
        name = (dotted(node.module) if node.module is not None else "") or ""
        if not node.relative:
            return name
        folder = self.path.parent
        for _ in node.relative[1:]:
            folder = folder.parent
        root = package_root(self.path)
        parts = folder.relative_to(root).parts if folder.is_relative_to(root) else ()
        return ".".join(filter(None, [*parts, name]))

    def assign(self, target: cst.CSTNode, values: Values, *, adds: bool) -> None:
        """Bind the names in a target: a name, or a tuple of targets."""
        if isinstance(target, cst.Name):
            self.bind(target.value, values, adds=adds)
        elif isinstance(target, cst.Tuple | cst.List):
            for index, element in enumerate(target.elements):
                parts = [
                    each.elements[index]
                    for each in values
                    if isinstance(each, Series) and index < len(each.elements)
                ]
                self.assign(element.value, _NOTHING.union(*parts), adds=adds)

    def values(self, node: cst.BaseExpression) -> Values:
        """Return what an expression may be; nothing if that is not known."""
        match node:
            case cst.Name(value=name):
                return self.names.get(name, _NOTHING)
            case cst.Attribute(value=inner, attr=cst.Name(value=name)):
                return frozenset(f"{each}.{name}" for each in self.dotted(inner))
            case cst.SimpleString() | cst.ConcatenatedString():
                text = text_of(node)
                return _NOTHING if text is None else frozenset({Text(text)})
            case cst.Tuple(elements=elements) | cst.List(elements=elements):
                return frozenset({Series(tuple(self._elements(elements)))})
            case cst.Set(elements=elements):
                return frozenset({Series(tuple(self._elements(elements)))})
            case cst.IfExp(body=body, orelse=orelse):
                return self.values(body) | self.values(orelse)
            case cst.Subscript(value=mapping, slice=[cst.SubscriptElement(key)]):
                if isinstance(key, cst.Index) and self._is(mapping, "sys.modules"):
                    return frozenset(self.texts(key.value))
            case cst.Call():
                return self._called(node)
        return _NOTHING

    def dotted(self, node: cst.BaseExpression) -> Iterator[str]:
        """Yield the dotted names that an expression may be."""
        yield from (each for each in self.values(node) if isinstance(each, str))

    def texts(self, node: cst.BaseExpression) -> Iterator[str]:
        """Yield the strings that an expression may be."""
        yield from (each.text for each in self.values(node) if isinstance(each, Text))

    def _elements(
        self, elements: Iterable[cst.BaseElement | cst.BaseDictElement]
    ) -> Iterator[Values]:
        for each in elements:
            if isinstance(each, cst.Element):
                yield self.values(each.value)

    def _called(self, call: cst.Call) -> Values:
        given = [each.value for each in call.args if not each.star]
        if not given:
            return _NOTHING
        if self._is(call.func, "importlib.import_module", "sys.modules.get"):
            return frozenset(self.texts(given[0]))
        if dotted(call.func) == "getattr" and len(given) > 1:
            return frozenset(
                f"{owner}.{name}"
                for owner in self.dotted(given[0])
                for name in self.texts(given[1])
            )
        return _NOTHING

    def _is(self, node: cst.BaseExpression, *names: str) -> bool:
        return any(each in names for each in self.dotted(node))
