# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Calls that pass on every field of an object, but for some."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted, text_of
from kvlint.model.values.known import text

_MAPPERS = frozenset({"asdict", "vars"})


@dataclass(frozen=True)
class FieldCopy:
    """A call with all fields of an object as keywords.

    Attributes:
        call: The call.
        source: The object, as it is written.
        dropped: Names of fields that are left out.
        drops: Expressions that hold further such names.
    """

    call: cst.Call
    source: str
    dropped: frozenset[str] = frozenset()
    drops: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """What is called, as it is written."""
        return text(self.call.func)


def field_copies(function: cst.FunctionDef) -> Iterator[FieldCopy]:
    """Yield the calls in a function that pass on every field of an object.

    Those that leave fields out in a way which is not understood are not given.

    Args:
        function: The function.
    """
    for node in walk(function):
        if not isinstance(node, cst.Call):
            continue
        for argument in node.args:
            if argument.star == "**":
                found = _Mappings(function, node).read(argument.value)
                if found is not None:
                    yield found


def names_in(node: cst.BaseExpression) -> frozenset[str] | None:
    """Return the strings of a literal collection, None for anything else."""
    if isinstance(node, cst.Call) and len(node.args) == 1:
        maker = dotted(node.func)
        is_maker = maker in {"frozenset", "set", "tuple", "list"}
        return names_in(node.args[0].value) if is_maker else None
    if isinstance(node, cst.Tuple | cst.List | cst.Set):
        names = [text_of(each.value) for each in node.elements]
        if all(each is not None for each in names):
            return frozenset(each for each in names if each is not None)
    return None


@dataclass(frozen=True)
class _Mappings:
    """Reads what a mapping of keywords holds."""

    function: cst.FunctionDef
    call: cst.Call

    def read(self, node: cst.BaseExpression) -> FieldCopy | None:
        match node:
            case cst.DictComp():
                return self._comprehension(node)
            case cst.Call(func=function, args=[only]):
                name = (dotted(function) or "").rpartition(".")[2]
                if name in _MAPPERS:
                    return FieldCopy(self.call, text(only.value))
                return self.read(only.value) if name == "dict" else None
            case cst.Attribute(value=source, attr=cst.Name(value="__dict__")):
                return FieldCopy(self.call, text(source))
            case cst.Dict(elements=elements):
                starred = [
                    each.value
                    for each in elements
                    if isinstance(each, cst.StarredDictElement)
                ]
                return self._only(starred)
            case cst.BinaryOperation(left=left, operator=cst.BitOr(), right=right):
                return self._only([left, right])
            case cst.Name(value=name):
                return self._variable(name)
        return None

    def _only(self, nodes: Sequence[cst.BaseExpression]) -> FieldCopy | None:
        found = [each for each in map(self.read, nodes) if each is not None]
        return found[0] if len(found) == 1 else None

    def _comprehension(self, node: cst.DictComp) -> FieldCopy | None:
        loop = node.for_in
        if loop.inner_for_in is not None or not isinstance(loop.iter, cst.Call):
            return None
        name, source = self._gone_through(node, loop.iter)
        if source is None:
            return None
        for condition in loop.ifs:
            limited = _limited(source, condition.test, name)
            if limited is None:
                return None
            source = limited
        return source

    def _gone_through(
        self, node: cst.DictComp, iterated: cst.Call
    ) -> tuple[str, FieldCopy | None]:
        """What stands for a field's name, and the copy without conditions."""
        key = text(node.key)
        function = (dotted(iterated.func) or "").rpartition(".")[2]
        if function == "fields" and len(iterated.args) == 1:
            name = f"{text(node.for_in.target)}.name"
            value = node.value
            if key != name or not isinstance(value, cst.Call):
                return name, None
            arguments = [text(each.value) for each in value.args]
            owner = text(iterated.args[0].value)
            if dotted(value.func) != "getattr" or arguments[1:] != [name]:
                return name, None
            source = arguments[0]
            if owner in {source, f"type({source})", f"{source}.__class__"}:
                return name, FieldCopy(self.call, source)
            return name, None
        target = node.for_in.target
        if isinstance(iterated.func, cst.Attribute) and isinstance(target, cst.Tuple):
            names = [text(each.value) for each in target.elements]
            if iterated.func.attr.value == "items" and names == [key, text(node.value)]:
                return key, self.read(iterated.func.value)
        return key, None

    def _variable(self, name: str) -> FieldCopy | None:
        """What a local variable holds by the time of the call."""
        found: FieldCopy | None = None
        for node in walk(self.function.body):
            match node:
                case cst.Assign(targets=[only], value=value):
                    if text(only.target) == name and name not in _names(value):
                        found = self.read(value)
                    elif text(only.target) == name:
                        found = found and self._changed(name, value, found)
                case cst.AnnAssign(target=cst.Name(value=bound), value=value):
                    if bound == name and value is not None:
                        found = self.read(value)
                case cst.Call(func=cst.Attribute(value=owner, attr=member)):
                    if found and text(owner) == name and member.value == "pop":
                        found = self._without(found, node.args[0].value)
                case cst.Del(target=cst.Subscript(value=owner, slice=[part])):
                    if (
                        found
                        and text(owner) == name
                        and isinstance(part.slice, cst.Index)
                    ):
                        found = self._without(found, part.slice.value)
                case cst.Call(args=args) if node is not self.call and any(
                    text(each.value) == name and not each.star for each in args
                ):
                    return None  # somebody else may change it
        return found

    def _changed(
        self, name: str, value: cst.BaseExpression, before: FieldCopy
    ) -> FieldCopy | None:
        """A variable assigned anew from itself, with conditions."""
        if not isinstance(value, cst.DictComp):
            return None
        loop = value.for_in
        key = text(value.key)
        if text(loop.iter) != f"{name}.items()":
            return None
        found: FieldCopy | None = before
        for condition in loop.ifs:
            found = found and _limited(found, condition.test, key)
        return found

    def _without(self, copy: FieldCopy, key: cst.BaseExpression) -> FieldCopy | None:
        """A copy after an entry was taken out, by a literal or in a loop."""
        name = text_of(key)
        if name is not None:
            return replace(copy, dropped=copy.dropped | {name})
        for node in walk(self.function.body):
            if isinstance(node, cst.For) and text(node.target) == text(key):
                return _dropping(copy, node.iter)
        return None


def _names(node: cst.CSTNode) -> set[str]:
    return {each.value for each in walk(node) if isinstance(each, cst.Name)}


def _limited(copy: FieldCopy, test: cst.BaseExpression, name: str) -> FieldCopy | None:
    """A copy under a condition on a field; None if that is not understood."""
    match test:
        case cst.Attribute(attr=cst.Name(value="init")):
            return copy
        case cst.BooleanOperation(left=left, operator=cst.And(), right=right):
            limited = _limited(copy, left, name)
            return limited and _limited(limited, right, name)
        case cst.Comparison(left=left, comparisons=[comparison]) if text(left) == name:
            operator, other = comparison.operator, comparison.comparator
            if isinstance(operator, cst.NotIn):
                return _dropping(copy, other)
            dropped = text_of(other)
            if isinstance(operator, cst.NotEqual) and dropped is not None:
                return replace(copy, dropped=copy.dropped | {dropped})
        case cst.UnaryOperation(
            operator=cst.Not(), expression=cst.Comparison() as inner
        ):
            comparison = inner.comparisons[0]
            if text(inner.left) == name and isinstance(comparison.operator, cst.In):
                return _dropping(copy, comparison.comparator)
    return None


def _dropping(copy: FieldCopy, node: cst.BaseExpression) -> FieldCopy | None:
    literal = names_in(node)
    if literal is not None:
        return replace(copy, dropped=copy.dropped | literal)
    name = dotted(node)
    return None if name is None else replace(copy, drops=(*copy.drops, name))
