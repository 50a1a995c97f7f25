# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where managers are registered for spec classes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import libcst as cst

from kvlint.managing.registrations import Named, Registration, Registrations, Way
from kvlint.model.blocks import names_around
from kvlint.model.classes import SpecClass, SpecFile
from kvlint.model.literals import Values, assigned, elements, entries, rows
from kvlint.model.nodes import children
from kvlint.model.scopes import ImportedName, Scope
from kvlint.model.syntax import dotted
from kvlint.specs.hierarchy import Hierarchy, last_name
from kvlint.vocabulary import MANAGER_MAP, REGISTERING_DECORATOR, REGISTERS, REGISTRY

_REGISTRY = f"class {REGISTRY}".encode()
_WORDS = tuple(map(str.encode, (REGISTRY, REGISTERING_DECORATOR, MANAGER_MAP)))
_QUICK = re.compile(
    rb"%b\s*(?:\.\s*register|as\b)|%b\s*\(|"
    rb"%b\b(?:[^\n]*=(?!=)|\s*\.\s*(?:update|setdefault)\b|\s*\[)" % _WORDS
)
ReadFile = Callable[[Path], SpecFile | None]
_REGISTER = "register"
_REGISTER_ROLE = "register_role_manager"
_REGISTERING = {_REGISTER, _REGISTER_ROLE}
_ADDS_ONE = "setdefault"
_ADDS_SEVERAL = "update"
_MAPPINGS = (cst.Dict, cst.DictComp, cst.BinaryOperation)
_PARAMETERS = ("kvcache_spec_cls", "manager_class", "uniform_type_base_spec")


def find_registrations(
    hierarchy: Hierarchy, files: Iterable[Path], read: ReadFile
) -> Registrations:
    """Return what joins spec classes to managers.

    That is ``KVCacheSpecRegistry.register(Spec, Manager)``, the decorator
    ``@register_kv_cache_spec(...)``, ``register_role_manager`` (since vLLM 0.30.0)
    and, before vLLM 0.23.0, an entry of the dictionary ``spec_manager_map``.

    Args:
        hierarchy: Looks names up.
        files: Where to look.
        read: Reads a file, or its outline.
    """
    found = Registrations()
    for path in files:
        look = partial(_may_register, hierarchy, path)
        if hierarchy.workspace.known(path, "may register", look):
            file = read(path)
            if file is not None:
                _Reader(hierarchy, file, found).read()
    return found


def _may_register(hierarchy: Hierarchy, path: Path) -> bool:
    """Whether a file may hold a registration: a quick look that decides nothing."""
    content = hierarchy.workspace.content(path)
    if not any(word in content for word in _WORDS) or _REGISTRY in content:
        return False
    return _QUICK.search(content) is not None


@dataclass(frozen=True)
class _At:
    """Where a node stands.

    Attributes:
        scope: The names that it sees.
        rows: What names stand for, each time around the loops that it is in.
    """

    scope: Scope
    rows: Sequence[Values]


class _Reader:
    """The registrations of one file."""

    def __init__(
        self, hierarchy: Hierarchy, file: SpecFile, found: Registrations
    ) -> None:
        self._hierarchy, self._file, self._found = hierarchy, file, found
        words = REGISTERS.finditer(file.tree.source.text)
        self._functions = names_around(
            file.tree.source.text, [each.start() for each in words]
        )
        self._classes = {each.node: each for each in file.classes}
        self._called: set[cst.CSTNode] = set()

    def read(self) -> None:
        body = self._file.tree.module.body
        self._below(body, _At(self._file.scope, [assigned(body)]))

    def _below(self, nodes: Iterable[cst.CSTNode], at: _At) -> None:
        for node in nodes:
            self._visit(node, at)

    def _visit(self, node: cst.CSTNode, at: _At) -> None:
        match node:
            case cst.FunctionDef(name=cst.Name(value=name), body=body):
                if name not in self._functions:
                    return None
                own = assigned(body.body)
                scope = self._file.scopes.get(node, at.scope)
                inner = _At(scope, [{**row, **own} for row in at.rows])
                return self._below(body.body, inner)
            case cst.ClassDef(body=body):
                self._decorated(self._classes[node], at)
                scope = self._classes[node].body_scope
                return self._below(body.body, _At(scope, at.rows))
            case cst.For():
                found = [rows(node, row) for row in at.rows]
                known = [row for each in found for row in each or ()]
                if any(each is None for each in found):
                    known = [{}]
                self._below([node.body, *children(node.iter)], _At(at.scope, known))
                return self._below([node.orelse] if node.orelse else [], at)
            case cst.Import() | cst.ImportFrom() | cst.Annotation():
                return None
            case cst.Call():
                self._call(node, at)
            case cst.Assign(targets=targets, value=value):
                for each in targets:
                    self._stored(each.target, value, node, at)
            case cst.AnnAssign(target=target, value=cst.BaseExpression() as value):
                self._stored(target, value, node, at)
            case cst.AugAssign(target=target, value=value):
                if self._is_map(target):
                    self._entries(target, value, node, at)
            case cst.Attribute(attr=cst.Name(value=name), value=receiver):
                is_passed_on = name in _REGISTERING and node not in self._called
                if is_passed_on and self._is_registry(receiver, at):
                    self._unread()
        return self._below(children(node), at)

    def _call(self, node: cst.Call, at: _At) -> None:
        function = node.func
        if isinstance(function, cst.Call) and self._is_decorator(function.func):
            arguments = [cst.Arg(each.value) for each in node.args[:1]]
            arguments += function.args
            self._add(Way.REGISTRY, function.func, node, arguments, at)
            return
        if not isinstance(function, cst.Attribute):
            return
        receiver, name = function.value, function.attr.value
        if name in _REGISTERING and self._is_registry(receiver, at):
            self._called.add(function)
            way = Way.REGISTRY if name == _REGISTER else Way.ROLE
            self._add(way, receiver, node, node.args, at)
        elif name == _ADDS_ONE and self._is_map(receiver):
            self._add(Way.MAP, receiver, node, node.args, at)
        elif name == _ADDS_SEVERAL and self._is_map(receiver):
            for each in node.args:
                self._entries(receiver, each.value, node, at)

    def _decorated(self, spec: SpecClass, at: _At) -> None:
        for each in spec.node.decorators:
            call = each.decorator
            if isinstance(call, cst.Call) and self._is_decorator(call.func):
                arguments = [cst.Arg(spec.node.name), *call.args]
                self._add(Way.REGISTRY, call.func, call, arguments, at)

    def _stored(
        self,
        target: cst.BaseExpression,
        value: cst.BaseExpression,
        node: cst.CSTNode,
        at: _At,
    ) -> None:
        """Entries of the dictionary: one that is added, or all."""
        if isinstance(target, cst.Subscript) and self._is_map(target.value):
            index = target.slice[0].slice if len(target.slice) == 1 else None
            if isinstance(index, cst.Index):
                arguments = [cst.Arg(index.value), cst.Arg(value)]
                self._add(Way.MAP, target.value, node, arguments, at)
        elif self._is_map(target) and isinstance(value, _MAPPINGS):
            self._entries(target, value, node, at)

    def _entries(
        self,
        store: cst.BaseExpression,
        value: cst.BaseExpression,
        node: cst.CSTNode,
        at: _At,
    ) -> None:
        for row in at.rows:
            found = entries(value, row)
            if found is None:
                self._unread()
            for key, manager in found or ():
                arguments = [cst.Arg(key), cst.Arg(manager)]
                self._add(Way.MAP, store, key, arguments, _At(at.scope, [row]))

    def _is_map(self, node: cst.BaseExpression) -> bool:
        return last_name(dotted(node) or "") == MANAGER_MAP

    def _is_decorator(self, node: cst.BaseExpression) -> bool:
        return last_name(dotted(node) or "") == REGISTERING_DECORATOR

    def _is_registry(self, node: cst.BaseExpression, at: _At) -> bool:
        name = dotted(node) or ""
        if last_name(name) == REGISTRY:
            return True
        bindings, _ = at.scope.lookup(name)
        return any(
            isinstance(each, ImportedName) and each.name == REGISTRY
            for each in bindings
        )

    def _add(
        self,
        way: Way,
        store: cst.BaseExpression,
        node: cst.CSTNode,
        arguments: Sequence[cst.Arg],
        at: _At,
    ) -> None:
        """Add what a call says, once for each time around its loops."""
        for row in at.rows:
            found = [
                None if each is None else self._named(each, at.scope, row)
                for each in _arguments(arguments, row)
            ]
            spec, manager, base = found
            if not self._is_known(manager, at) or manager is None:
                self._unread()
            elif way is Way.ROLE or self._is_known(spec, at):
                named = self._named(store, at.scope, row)
                served = None if way is Way.ROLE else spec
                is_given = base is not None and base.name != "None"
                self._found.known.append(
                    Registration(
                        way, named, served, manager, base if is_given else None, node
                    )
                )
            else:
                self._unread()

    def _is_known(self, named: Named | None, at: _At) -> bool:
        """Whether a name leads to a class, or out of what can be read."""
        if named is None or not named.meanings:
            return False
        head = named.name.partition(".")[0]
        return named.found is not None or bool(at.scope.lookup(head)[0])

    def _named(self, node: cst.BaseExpression, scope: Scope, row: Values) -> Named:
        name = dotted(node)
        if name is not None and name in row and dotted(row[name]) is not None:
            node = row[name]
            name = dotted(node)
        resolve = self._hierarchy.resolver.resolve
        look_up = partial(resolve, scope=scope, file=self._file)
        return Named(name or "", node, self._file, look_up)

    def _unread(self) -> None:
        self._found.unread.add(self._file.path)


def _arguments(
    arguments: Sequence[cst.Arg], row: Values
) -> list[cst.BaseExpression | None]:
    """What is given for the spec, the manager and the base, as far as that is known."""
    found: dict[str, cst.BaseExpression] = {}
    positional: list[cst.BaseExpression] = []
    for each in arguments:
        if each.keyword is not None:
            found[each.keyword.value] = each.value
        elif each.star == "*":
            positional += elements(each.value, row) or ()
        elif not each.star:
            positional.append(each.value)
    found |= dict(zip(_PARAMETERS, positional, strict=False))
    spec, manager, base = (found.get(name) for name in _PARAMETERS)
    return [spec or found.get("role"), manager, base]
