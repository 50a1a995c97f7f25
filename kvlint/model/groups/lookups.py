# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Subscripts of a composite's specs by the name of any layer of its group."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from kvlint.model.groups.kinds import Kind, KnownKinds, Names
from kvlint.model.nodes import children, walk
from kvlint.model.syntax import dotted, text_of
from kvlint.model.values.origins import KnownOrigins, called_name, expanded, name_of
from kvlint.vocabulary import GROUPS_ATTRIBUTE, LAYER_NAMES

_SAME = frozenset(["list", "tuple", "sorted", "reversed", "set", "iter", "enumerate"])
_LOOKUP_ERRORS = frozenset(["KeyError", "LookupError", "Exception", "BaseException"])
_SHARING = re.compile(r"shar", re.I)
_LAYERS = re.compile(r"shar\w*_layers$", re.I)
_Loop = tuple[cst.BaseAssignTargetExpression, cst.BaseExpression]


@dataclass(frozen=True)
class Lookups:
    """Finds the subscripts in a function.

    Attributes:
        known: The origins of its names.
        names: Tells composites' holders and the classes of groups.
    """

    known: KnownOrigins
    names: Names

    def unguarded(self) -> Iterator[cst.Subscript]:
        """Yield those that nothing keeps from meeting a name without an entry."""
        nodes = [*walk(self.known.function.node)]
        aliases = {
            name
            for node in nodes
            if isinstance(node, cst.Assign) and self._is_holder(node.value, set())
            for target in node.targets
            if (name := dotted(target.target)) is not None
        }
        found = {
            node
            for node in nodes
            if isinstance(node, cst.Subscript) and self._is_holder(node.value, aliases)
        }
        for path in _paths(self.known.function.node, found):
            node, index = path[-1], _index(path[-1])
            assert isinstance(node, cst.Subscript)
            if index is not None and self._is_any_layer(index, path):
                yield node

    def _is_holder(self, node: cst.BaseExpression, aliases: set[str]) -> bool:
        """Whether something is the specs in a composite."""
        match node:
            case cst.Attribute(value=owner, attr=cst.Name(value=name)):
                return name in self.names.holders and dotted(owner) != "self"
            case cst.Call(func=cst.Name("getattr"), args=[_, asked, *_]):
                return text_of(asked.value) in self.names.holders
            case cst.IfExp(body=body, orelse=orelse):
                return any(self._is_holder(x, aliases) for x in (body, orelse))
        return isinstance(node, cst.Name) and node.value in aliases

    def _is_any_layer(
        self, index: cst.BaseExpression, path: Sequence[cst.CSTNode]
    ) -> bool:
        if isinstance(index, cst.Subscript):
            return self._is_late(index) and not _is_guarded(path, None, None)
        if not isinstance(index, cst.Name):
            return False
        name = index.value
        loop = _binding_loop(path, name)
        if loop is None:
            origins = self.known.of(name)
            is_layer = len(origins) == 1 and (
                isinstance(origins[0].value, cst.Subscript)
                and not origins[0].is_item
                and self._is_late(origins[0].value)
            )
            return is_layer and not _is_guarded(path, name, None)
        depth, source = loop
        return self._is_layers(source) and not _is_guarded(path, name, depth)

    def _is_late(self, node: cst.Subscript) -> bool:
        """Whether an item of a group's layers is meant that need not be the first.

        Layers that share a cache come last, so the first has an entry.
        """
        index = _index(node)
        is_first = isinstance(index, cst.Integer) and index.evaluated_value == 0
        return index is not None and not is_first and self._is_layers(node.value)

    def _is_layers(self, source: cst.BaseExpression, depth: int = 0) -> bool:
        """Whether something is the names of all layers of a group."""
        match source:
            case cst.Attribute(value=group, attr=cst.Name(value=name)):
                return name == LAYER_NAMES and self._is_group(group)
            case cst.Call(args=[argument, *_]) if called_name(source) in _SAME:
                return self._is_layers(argument.value, depth)
            case cst.Name(value=name) if depth == 0:
                origins = self.known.of(name)
                return not any(_filters(each.value) for each in origins) and any(
                    self._is_layers(each.value, 1)
                    for each in origins
                    if not each.is_item
                )
        return False

    def _is_group(self, node: cst.BaseExpression) -> bool:
        parameter = self.known.parameters.get(dotted(node) or "")
        if parameter is not None:
            return KnownKinds(self.names).parameter(parameter) is Kind.GROUP
        return any(
            (name_of(each) or "").rpartition(".")[2] == GROUPS_ATTRIBUTE
            for each, _ in expanded(node, self.known.of)
        )


def _paths(
    node: cst.CSTNode, wanted: set[cst.Subscript]
) -> Iterator[tuple[cst.CSTNode, ...]]:
    """Yield some nodes in another, each behind all that it is in."""
    pending: list[tuple[cst.CSTNode, ...]] = [(node,)]
    while pending and wanted:
        path = pending.pop()
        if path[-1] in wanted:
            yield path
        pending += reversed([(*path, each) for each in children(path[-1])])


def _index(node: cst.CSTNode) -> cst.BaseExpression | None:
    match node:
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=value))]):
            return value
    return None


def _binding_loop(
    path: Sequence[cst.CSTNode], name: str
) -> tuple[int, cst.BaseExpression] | None:
    """The innermost loop around a node that binds a name: where, and over what."""
    for depth in range(len(path) - 2, -1, -1):
        for target, source in _loops(path[depth]):
            found = _source_of(target, source, name)
            if found is not None:
                return depth, found
    return None


def _loops(node: cst.CSTNode) -> Iterator[_Loop]:
    match node:
        case cst.For(target=target, iter=source):
            yield target, source
        case (
            cst.ListComp(for_in=loop)
            | cst.SetComp(for_in=loop)
            | cst.GeneratorExp(for_in=loop)
            | cst.DictComp(for_in=loop)
        ):
            inner: cst.CompFor | None = loop
            while inner is not None:
                yield inner.target, inner.iter
                inner = inner.inner_for_in


def _source_of(
    target: cst.BaseExpression, source: cst.BaseExpression, name: str
) -> cst.BaseExpression | None:
    """What a loop's name is an item of."""
    if isinstance(target, cst.Name):
        return source if target.value == name else None
    if not isinstance(target, cst.Tuple):
        return None
    given: list[cst.BaseExpression] = []
    if isinstance(source, cst.Call):
        given = [each.value for each in source.args]
    parts = [each.value for each in target.elements]
    if called_name(source) == "enumerate":
        parts, given = parts[-1:], given[:1]
    for part, each in zip(parts, given, strict=False):
        if isinstance(part, cst.Name) and part.value == name:
            return each
    return None


def _is_guarded(
    path: Sequence[cst.CSTNode], name: str | None, depth: int | None
) -> bool:
    """Whether tests around or before a node may keep some names from it.

    Args:
        path: The node and all that it is in.
        name: What the layer is called there, if it has a name.
        depth: Where the loop stands that binds the name, if one does.
    """
    for place in range(len(path) - 1):
        node, below = path[place], path[place + 1]
        is_inside = depth is None or place >= depth
        match node:
            case cst.Try(body=body, handlers=handlers):
                if below is body and any(map(_catches, handlers)):
                    return True
            case cst.With(items=items):
                if any(_suppresses(each.item) for each in items):
                    return True
            case cst.If(test=test) | cst.IfExp(test=test) | cst.While(test=test):
                if below is test or _is_shared(test, below is node.body):
                    continue
                if _tests(test, name if is_inside else None):
                    return True
            case cst.BooleanOperation(left=left):
                if below is not left and _tests(left, name):
                    return True
            case cst.IndentedBlock(body=body):
                before = body[: _position(body, below)]
                changed = None if depth is None else name
                if any(_stops(each, name, changed) for each in before if is_inside):
                    return True
                if any(_stops(each, None, None) for each in before):
                    return True
            case cst.ListComp() | cst.SetComp() | cst.GeneratorExp() | cst.DictComp():
                tests = [x.test for loop in _comp_loops(node) for x in loop.ifs]
                if any(_tests(each, name) for each in tests):
                    return True
    return False


def _position(body: Sequence[cst.CSTNode], node: cst.CSTNode) -> int:
    return next(index for index, each in enumerate(body) if each is node)


def _comp_loops(node: cst.BaseComp) -> Iterator[cst.CompFor]:
    loop: cst.CompFor | None = node.for_in
    while loop is not None:
        yield loop
        loop = loop.inner_for_in


def _tests(test: cst.CSTNode, name: str | None) -> bool:
    """Whether a test asks for a name, or whether caches are shared."""
    for node in walk(test):
        if isinstance(node, cst.Name) and (
            node.value == name or _SHARING.search(node.value)
        ):
            return True
    return False


def _is_shared(test: cst.CSTNode, is_met: bool) -> bool:
    """Whether code that runs where a test is met, or is not, has layers that share.

    Such is what stands behind ``if not self.shared_kv_cache_layers: return``.
    """
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        test, is_met = test.expression, not is_met
    name = dotted(test) if isinstance(test, cst.Name | cst.Attribute) else None
    return is_met and name is not None and _LAYERS.search(name) is not None


def _stops(statement: cst.CSTNode, name: str | None, changed: str | None) -> bool:
    """Whether a statement may end the round for some names, or changes the name."""
    match statement:
        case cst.If(test=test, body=body, orelse=orelse):
            if orelse is None and _is_shared(test, is_met=False):
                return False
            ways = [body, orelse] if orelse is not None else [body]
            return _tests(test, name) and any(_leaves(each, changed) for each in ways)
        case cst.SimpleStatementLine(body=parts):
            for part in parts:
                if isinstance(part, cst.Assert) and _tests(part.test, name):
                    return True
                if isinstance(part, cst.Assign) and _assigns(part, changed):
                    return True
    return False


def _leaves(body: cst.CSTNode, changed: str | None) -> bool:
    exits = (cst.Continue, cst.Break, cst.Return, cst.Raise)
    return any(
        isinstance(node, exits)
        or (isinstance(node, cst.Assign) and _assigns(node, changed))
        for node in walk(body)
    )


def _assigns(node: cst.Assign, name: str | None) -> bool:
    return any(dotted(each.target) == name for each in node.targets if name)


def _catches(handler: cst.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    return any(
        isinstance(node, cst.Name) and node.value in _LOOKUP_ERRORS
        for node in walk(handler.type)
    )


def _suppresses(item: cst.BaseExpression) -> bool:
    return called_name(item) == "suppress" and any(
        isinstance(node, cst.Name) and node.value in _LOOKUP_ERRORS
        for node in walk(item)
    )


def _filters(value: cst.BaseExpression) -> bool:
    """Whether a value leaves some names out."""
    return any(
        isinstance(node, cst.Comparison | cst.BinaryOperation)
        or called_name(node) in {"filter", "difference"}
        for node in walk(value)
    )
