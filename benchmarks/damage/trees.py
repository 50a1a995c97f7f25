# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A release's files about specs, its classes, and what is damaged in them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from damage.mutants import Edit

SPECS = "vllm/v1/kv_cache_interface.py"
BASE = "KVCacheSpec"
MANAGER = "SingleTypeKVCacheManager"
_TELLING = re.compile(rb"KVCacheSpec|kv_cache_spec|KVCacheConfig|KVCacheGroup|KVQuant")
_HOLDS = re.compile(r"\b(?:dict|list|tuple|Mapping|Sequence)\[.*KVCacheSpec\b")

Function = ast.FunctionDef


@dataclass(frozen=True)
class Module:
    """A file that is parsed.

    Attributes:
        path: Where it is.
        content: Its bytes.
        tree: Its syntax.
    """

    path: Path
    content: bytes
    tree: ast.Module

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self.content.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        return starts

    def span(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> Edit:
        """Return the bytes of a node, and nothing in their stead."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self._starts[node.lineno - 1] + node.col_offset
        end = self._starts[node.end_lineno - 1] + node.end_col_offset
        return start, end, ""

    def lines(self, node: ast.stmt) -> Edit:
        """Return the bytes of the lines of a statement, its decorators too."""
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(each.lineno for each in decorators)])
        assert node.end_lineno is not None
        return self._starts[first - 1], self._starts[node.end_lineno], ""

    def zone(self, node: ast.stmt) -> tuple[int, int]:
        """Return the bytes in which a finding about a statement stands."""
        start, end, _ = self.lines(node)
        return start, end - 1

    def text(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> str:
        """Return what is written there."""
        start, end, _ = self.span(node)
        return self.content[start:end].decode()

    def put(
        self, node: ast.expr | ast.stmt | ast.arg | ast.keyword, text: str
    ) -> tuple[Edit, ...]:
        """Return the edit that writes something else there."""
        start, end, _ = self.span(node)
        return ((start, end, text),)

    def body(self, function: Function, text: str) -> tuple[Edit, ...]:
        """Return the edit that gives a function another body, of one indented text."""
        statements = function.body
        if ast.get_docstring(function) is not None and len(statements) > 1:
            statements = statements[1:]
        start, end = self.lines(statements[0])[0], self.lines(statements[-1])[1]
        margin = " " * statements[0].col_offset
        lines = [margin + line if line else "" for line in text.split("\n")]
        return ((start, end, "\n".join(lines) + "\n"),)

    def without(self, node: ast.keyword | ast.expr | ast.arg) -> Edit:
        """Return the edit that takes an argument and its comma away."""
        start, end, _ = self.span(node)
        if found := re.match(rb"\s*,[^\S\n]*\n?", self.content[end:]):
            before = len(self.content[:start].rstrip(b" "))
            is_alone = self.content[before - 1 : before] == b"\n"
            return (before if is_alone else start), end + found.end(), ""
        before = len(self.content[:start].rstrip())
        if self.content[before - 1 : before] == b",":
            start = before - 1
        return start, end, ""


@dataclass(frozen=True)
class Class:
    """A class and what stands in its body."""

    name: str
    node: ast.ClassDef
    module: Module
    bases: tuple[str, ...]
    members: dict[str, Function] = field(default_factory=dict)
    fields: dict[str, ast.AnnAssign] = field(default_factory=dict)

    def __hash__(self) -> int:
        """By its place; a release may have two of one name."""
        return hash((self.module.path, self.node.lineno))

    @property
    def holders(self) -> dict[str, str]:
        """Fields that hold specs, and what gives those."""
        found = {}
        for name, node in self.fields.items():
            annotation = self.module.text(node.annotation)
            if _HOLDS.search(annotation):
                is_mapping = annotation.lower().startswith(("dict", "mapping"))
                found[name] = f"self.{name}.values()" if is_mapping else f"self.{name}"
        return found


class Release:
    """The files of a release that speak of specs.

    Args:
        root: The folder of its sources.
        package: The name of the package in there.
    """

    def __init__(self, root: Path, package: str = "vllm") -> None:
        """Parse what matters."""
        self.root = root
        self.modules: list[Module] = []
        for path in sorted((root / package).rglob("*.py")):
            content = path.read_bytes()
            if _TELLING.search(content) and b"\r" not in content:
                self.modules.append(Module(path, content, ast.parse(content)))
        self.functions: list[tuple[Module, Function]] = []
        self.calls: list[ast.Call] = []
        self.by_name: dict[str, Class] = {}
        self.all_classes: list[Class] = []
        for module in self.modules:
            for node in ast.walk(module.tree):
                if isinstance(node, ast.FunctionDef):
                    self.functions.append((module, node))
                elif isinstance(node, ast.Call):
                    self.calls.append(node)
                elif isinstance(node, ast.ClassDef):
                    found = _class(node, module)
                    self.all_classes.append(found)
                    self.by_name.setdefault(found.name, found)

    def above(self, spec: Class) -> Iterator[Class]:
        """Yield the classes above one, the nearest first."""
        for name in spec.bases:
            base = self.by_name.get(name)
            if base is not None and base is not spec:
                yield base
                yield from self.above(base)

    def below(self, name: str) -> list[Class]:
        """Return a class of that name and all below it."""
        return [
            each
            for each in self.all_classes
            if each.name == name or any(up.name == name for up in self.above(each))
        ]

    @cached_property
    def specs(self) -> list[Class]:
        """All spec classes."""
        return self.below(BASE)

    @cached_property
    def composites(self) -> list[Class]:
        """Those that hold others."""
        return [each for each in self.specs if each.holders]

    @cached_property
    def layers(self) -> list[Class]:
        """Those of single layers."""
        return [e for e in self.specs if not e.holders and e.name != BASE]

    @cached_property
    def managers(self) -> list[Class]:
        """All classes of managers."""
        return self.below(MANAGER)

    def lineage(self, spec: Class, member: str = "") -> frozenset[str]:
        """Return the names of the classes above one, or of a member of those."""
        ending = f".{member}" if member else ""
        return frozenset(each.name + ending for each in self.above(spec))

    def inherited(self, spec: Class, name: str) -> tuple[Class, Function] | None:
        """Return the definition that a class has for a member if not its own."""
        for base in self.above(spec):
            if name in base.members:
                return base, base.members[name]
        return None

    def field_names(self, spec: Class) -> dict[str, ast.AnnAssign]:
        """Return the fields of a class and those above it."""
        found: dict[str, ast.AnnAssign] = {}
        for each in (spec, *self.above(spec)):
            for name, node in each.fields.items():
                found.setdefault(name, node)
        return found


def _class(node: ast.ClassDef, module: Module) -> Class:
    bases = tuple(
        each.id if isinstance(each, ast.Name) else each.attr
        for each in node.bases
        if isinstance(each, (ast.Name, ast.Attribute))
    )
    found = Class(node.name, node, module, bases)
    for each in node.body:
        if isinstance(each, ast.FunctionDef):
            found.members[each.name] = each
        elif isinstance(each, ast.AnnAssign) and not _is_of_class(each):
            found.fields[ast.unparse(each.target)] = each
    return found


def _is_of_class(node: ast.AnnAssign) -> bool:
    return "ClassVar" in ast.unparse(node.annotation)


def decorators(node: ast.FunctionDef | ast.ClassDef) -> list[str]:
    """Return the names of decorators, without their arguments."""
    return [ast.unparse(each).partition("(")[0] for each in node.decorator_list]


def is_property(node: Function) -> bool:
    """Return whether it is read rather than called."""
    return bool({"property", "cached_property"} & set(decorators(node)))


def is_abstract(node: Function) -> bool:
    """Return whether a member only raises, so that a lack of it fails loudly."""
    statements = [
        each
        for each in node.body
        if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
    ]
    return all(isinstance(each, (ast.Raise, ast.Pass)) for each in statements)


def names_in(node: ast.AST | Iterable[ast.AST]) -> set[str]:
    """Return the names and attributes that something mentions."""
    nodes = [node] if isinstance(node, ast.AST) else list(node)
    found: set[str] = set()
    for each in nodes:
        for inner in ast.walk(each):
            if isinstance(inner, ast.Name):
                found.add(inner.id)
            elif isinstance(inner, ast.Attribute):
                found.add(inner.attr)
    return found


def called(node: ast.AST) -> str:
    """Return the last name of what a call calls, else nothing."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""
