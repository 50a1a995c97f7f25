# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What expressions are, as far as group specs are concerned.

A name stands for a raw group spec until it is assigned something else, or a test shows
that it is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from kvlint.model.groups.records import Records
from kvlint.model.groups.subjects import (
    ITEM,
    ITEMS,
    MAPPINGS,
    VALUES,
    answer_of,
    items_of,
    place_of,
    read_with_default,
    spec_of,
)
from kvlint.model.groups.subjects import Environment as Environment
from kvlint.model.groups.subjects import Kind as Kind
from kvlint.model.groups.subjects import Names as Names
from kvlint.model.groups.subjects import bind as bind
from kvlint.model.groups.subjects import joined as joined
from kvlint.model.syntax import dotted
from kvlint.vocabulary import (
    GROUP_ATTRIBUTE,
    GROUPS_ATTRIBUTE,
    LAYER_SPECS,
    PAGE_SIZE,
)

_SAME = frozenset(
    ["list", "tuple", "sorted", "reversed", "iter", "set", "copy", "deepcopy"]
)
GROUP_PARAMETERS = frozenset(
    ["group", "kv_cache_group", "kv_cache_group_spec", "kv_group", "group_spec"]
)
_LAYERS = frozenset(["layer_names", "kv_cache_tensors"])
_COUNT = re.compile(r"_*(?:num|n)_(?:\w+_)?(?:layers|tensors)|(?:layer|tensor)_count")


@dataclass(frozen=True)
class KnownKinds(Records):
    """Works out kinds in an environment of names."""

    def assign(
        self, target: cst.BaseExpression, value: cst.BaseExpression, env: Environment
    ) -> None:
        """Bind a target to what a value is, tuples element by element."""
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple):
            for left, right in zip(target.elements, value.elements, strict=False):
                self.assign(left.value, right.value, env)
        elif isinstance(target, cst.Tuple) and (found := _first_of(value)) is not None:
            pair, inner = found.elt, self.comprehension(found.for_in, dict(env))
            elements = pair.elements if isinstance(pair, cst.Tuple) else ()
            for left, right in zip(target.elements, elements, strict=False):
                self.bind_target(left.value, self.kind(right.value, inner), env)
                told = inner.get(spec_of(place_of(right.value) or ""))
                if told is not None:
                    env[spec_of(place_of(left.value) or "")] = told
        else:
            kind, is_aware = self.kind(value, env), self._items_aware(value, env)
            self.bind_target(target, kind, env)
            if (name := place_of(target)) is not None:
                self.put_parts(name, value, env)
                if is_aware:
                    env[items_of(name)] = Kind.AWARE

    def _items_aware(self, value: cst.BaseExpression, env: Environment) -> bool:
        """Whether each group spec in a collection has been looked into, or is none."""
        match value:
            case cst.ListComp(elt=item) | cst.GeneratorExp(elt=item):
                return self._is_aware(item, self.comprehension(value.for_in, dict(env)))
            case cst.Call(args=[first, *_]):
                maker = (dotted(value.func) or "").rpartition(".")[2]
                return maker in _SAME and self._items_aware(first.value, env)
        return env.get(items_of(place_of(value) or "")) is Kind.AWARE

    def _is_aware(self, item: cst.BaseExpression, env: Environment) -> bool:
        """Whether a group spec, or a group's, has been looked into, or is none."""
        match item:
            case cst.IfExp(test=test, body=body, orelse=orelse):
                ways = []
                for part, truth in ((body, True), (orelse, False)):
                    inner = dict(env)
                    self.refine(test, inner, truth=truth)
                    ways.append(self._is_aware(part, inner) or _has_new_spec(part))
                if all(ways):
                    return True
        name, kind = place_of(item), self.kind(item, env)
        if name is not None and kind is Kind.GROUP:
            return env.get(spec_of(name)) in {Kind.AWARE, Kind.OTHER}
        return kind is Kind.AWARE

    def bind_target(
        self, target: cst.BaseExpression, kind: Kind, env: Environment
    ) -> None:
        """Bind a target to something of a kind."""
        if isinstance(target, cst.Tuple | cst.List):
            for number, element in enumerate(target.elements):
                starred = isinstance(element, cst.StarredElement)
                item = kind if starred else ITEM.get(kind, Kind.OTHER)
                if kind is Kind.HELD:
                    item = Kind.OTHER if starred or number else Kind.FIRST
                self.bind_target(element.value, item, env)
        elif (name := place_of(target)) is not None:
            bind(env, name, kind)

    def assign_item(
        self, target: cst.BaseExpression, iterated: cst.BaseExpression, env: Environment
    ) -> None:
        """Bind a loop's target, through ``enumerate`` and ``zip``."""
        maker = dotted(iterated.func) if isinstance(iterated, cst.Call) else None
        parts = [argument.value for argument in getattr(iterated, "args", ())]
        held = _entries_of(iterated)
        if isinstance(target, cst.Tuple) and held is not None:
            values = cst.Call(cst.Attribute(held, cst.Name("values")))
            maker, parts = "zip", [cst.Name("_"), values]
        if isinstance(target, cst.Tuple) and maker in {"enumerate", "zip"}:
            names = [element.value for element in target.elements]
            if maker == "enumerate":
                names = names[1:]
            for name in [element.value for element in target.elements]:
                self.bind_target(name, Kind.OTHER, env)
            for name, part in zip(names, parts, strict=False):
                self.assign_item(name, part, env)
            return
        kind = ITEM.get(self.kind(iterated, env), Kind.OTHER)
        is_aware = env.get(items_of(place_of(iterated) or "")) is Kind.AWARE
        if is_aware and kind is Kind.RAW:
            kind = Kind.AWARE
        self.bind_target(target, kind, env)
        if is_aware and kind is Kind.GROUP:
            env[spec_of(place_of(target) or "")] = Kind.AWARE
        if kind is Kind.OTHER:
            self.take_parts(target, iterated, env)

    def kind(self, node: cst.BaseExpression, env: Environment) -> Kind:
        """Return what an expression is."""
        name = place_of(node)
        if name is not None and name in env:
            return env[name]
        match node:
            case cst.Name(value=value):
                return _named(value)
            case cst.Attribute(value=value, attr=cst.Name(value=attribute)):
                return self._attribute(value, attribute, env)
            case cst.Subscript(value=value, slice=parts):
                item = self._item(self.kind(value, env), parts)
                is_aware = item is Kind.RAW and self._is_of_opened(node, env)
                return Kind.AWARE if is_aware else item
            case cst.Call():
                return self._called(node, env)
            case cst.IfExp(test=test, body=body, orelse=orelse):
                taken, other = dict(env), dict(env)
                self.refine(test, taken, truth=True)
                self.refine(test, other, truth=False)
                return joined({self.kind(body, taken), self.kind(orelse, other)})
            case cst.BooleanOperation(left=left, right=right):
                return joined({self.kind(left, env), self.kind(right, env)})
            case cst.BinaryOperation(left=left, operator=cst.Multiply(), right=right):
                kinds = {self.kind(left, env), self.kind(right, env)}
                return Kind.PAGE if Kind.PAGE in kinds else Kind.OTHER
            case cst.NamedExpr(value=value):
                return self.kind(value, env)
            case cst.DictComp(value=value):
                inner = self.comprehension(node.for_in, dict(env))
                kind = self.kind(value, inner)
                kind = Kind.RAW if kind is Kind.AWARE else kind
                return MAPPINGS.get(kind, Kind.OTHER)
            case cst.ListComp() | cst.GeneratorExp() | cst.SetComp():
                inner = self.comprehension(node.for_in, dict(env))
                return ITEMS.get(self.kind(node.elt, inner), Kind.OTHER)
        return Kind.OTHER

    def _attribute(
        self, value: cst.BaseExpression, attribute: str, env: Environment
    ) -> Kind:
        named = _named(attribute)
        if attribute in self.names.group_lists or named is not Kind.OTHER:
            return Kind.GROUPS if named is Kind.OTHER else named
        kind = self.kind(value, env)
        if kind is Kind.GROUP and attribute == GROUP_ATTRIBUTE:
            return Kind.AWARE if self._is_of_opened(value, env) else Kind.RAW
        if kind is Kind.RAW and attribute == PAGE_SIZE:
            return Kind.PAGE
        if attribute in self.names.holders:
            return Kind.HELD
        if attribute in self.names.firsts:
            return Kind.FIRST
        return Kind.OTHER

    def _is_of_opened(self, node: cst.BaseExpression, env: Environment) -> bool:
        """Whether something is an item of what has been looked into item by item."""
        held = node.value if isinstance(node, cst.Subscript) else None
        place = None if held is None else place_of(held)
        return place is not None and env.get(items_of(place)) is Kind.AWARE

    def _item(self, kind: Kind, parts: Sequence[cst.SubscriptElement]) -> Kind:
        if any(isinstance(each.slice, cst.Slice) for each in parts):
            return kind
        if kind is Kind.HELD:
            index = getattr(parts[0].slice, "value", None)
            return Kind.FIRST if _is_first(index) else Kind.OTHER
        return ITEM.get(VALUES.get(kind, kind), Kind.OTHER)

    def _called(self, node: cst.Call, env: Environment) -> Kind:
        if (read := read_with_default(node)) is not None:
            return self._attribute(*read, env)
        function = dotted(node.func) or ""
        if (answer := env.get(answer_of(function))) is not None:
            return answer
        maker = function.rpartition(".")[2]
        values = [argument.value for argument in node.args]
        if maker == "cast" and len(values) == 2:
            return self.kind(values[1], env)
        if maker == "len" and len(values) == 1:
            counted = self.kind(values[0], env)
            return Kind.COUNT if counted is Kind.LAYERS else Kind.OTHER
        if maker == "sum" and len(values) == 1:
            summed = self.kind(values[0], env)
            return Kind.COUNT if summed is Kind.COUNTS else Kind.OTHER
        if maker == "next" and values:
            kind = self.kind(values[0], env)
            return Kind.FIRST if kind is Kind.HELD else ITEM.get(kind, Kind.OTHER)
        if maker == LAYER_SPECS and len(values) == 1:
            return Kind.HELD if self.kind(values[0], env).is_raw else Kind.OTHER
        if maker in _SAME and values:
            return self.kind(values[0], env)
        if maker == "filter" and len(values) == 2:
            return self.kind(values[1], env)
        if isinstance(node.func, cst.Attribute):
            kind = self.kind(node.func.value, env)
            if maker == "values":
                return VALUES.get(kind, kind)
            if maker in {"pop", "get", "setdefault"}:
                return ITEM.get(VALUES.get(kind, kind), Kind.OTHER)
        if maker in {"max", "min"}:
            kinds = {self.kind(each, env) for each in values}
            return Kind.PAGE if kinds & {Kind.PAGE, Kind.PAGES} else Kind.OTHER
        return Kind.OTHER

    def parameter(self, parameter: cst.Param) -> Kind:
        """Return what a parameter is, by its annotation or its name."""
        name = parameter.name.value
        if parameter.annotation is None:
            if name == GROUPS_ATTRIBUTE:
                return Kind.GROUPS
            return Kind.GROUP if name in GROUP_PARAMETERS else _named(name)
        text = cst.Module([]).code_for_node(parameter.annotation.annotation)
        words = set(text.replace("[", " ").replace("]", " ").strip("\"'").split())
        words = {word.strip("\"',").rpartition(".")[2] for word in words}
        if not words & self.names.group_classes:
            return _named(name)
        return (
            Kind.GROUP
            if words - {"None", "|"} <= self.names.group_classes
            else (Kind.GROUPS)
        )

    def comprehension(self, loop: cst.CompFor, env: Environment) -> Environment:
        """Bind the targets of a comprehension's loops, and believe its conditions."""
        self.assign_item(loop.target, loop.iter, env)
        for condition in loop.ifs:
            self.refine(condition.test, env, truth=True)
        if loop.inner_for_in is not None:
            return self.comprehension(loop.inner_for_in, env)
        return env


def _first_of(value: cst.BaseExpression) -> cst.GeneratorExp | None:
    """What ``next`` is given, if it gives tuples."""
    match value:
        case cst.Call(
            func=cst.Name("next"), args=[cst.Arg(cst.GeneratorExp() as all_)]
        ):
            return all_ if isinstance(all_.elt, cst.Tuple) else None
    return None


def _is_first(index: cst.BaseExpression | None) -> bool:
    """Whether what is looked up is the first, by its number or its layer's name."""
    match index:
        case cst.Integer():
            return True
        case cst.Subscript(
            value=cst.Attribute(attr=cst.Name("layer_names")),
            slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer("0")))],
        ):
            return True
    return False


def _has_new_spec(value: cst.BaseExpression) -> bool:
    """Whether something is a copy of a group with another spec."""
    match value:
        case cst.Call(func=func, args=[_, *rest]):
            keywords = {x.keyword.value for x in rest if x.keyword is not None}
            maker = (dotted(func) or "").rpartition(".")[2]
            return maker == "replace" and GROUP_ATTRIBUTE in keywords
    return False


def _named(name: str) -> Kind:
    """What a variable or an attribute is by its name alone."""
    if name == GROUPS_ATTRIBUTE:
        return Kind.GROUPS
    if name in _LAYERS:
        return Kind.LAYERS
    return Kind.COUNT if _COUNT.fullmatch(name) else Kind.OTHER


def _entries_of(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """The mapping whose ``items()`` an expression is."""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        return node.func.value if node.func.attr.value == "items" else None
    return None
