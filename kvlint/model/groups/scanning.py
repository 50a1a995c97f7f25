# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Meets the expressions of a function in order, and learns which specs were opened."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache, cached_property

import libcst as cst

from kvlint.model.class_tests.type_tests import class_of
from kvlint.model.groups.kinds import Environment, Kind, KnownKinds, Names
from kvlint.model.groups.narrowing import runs_in_scheduler
from kvlint.model.groups.subjects import (
    ITEMS,
    MAPPINGS,
    bind,
    items_of,
    place_of,
    spec_of,
)
from kvlint.model.nodes import children
from kvlint.model.syntax import dotted, text_of

_GATHERERS = frozenset({"append", "add", "insert", "setdefault"})
_LEAVES = frozenset([cst.Name, cst.Integer, cst.Float, cst.SimpleString, cst.Param])
_PARTS = ("elt", "key", "value")


@dataclass
class ExpressionFlow:
    """Reads of wanted members off raw group specs in expressions.

    Attributes:
        names: Tells composites.
        wanted: The members.
        reads: Found so far: the member and the node.
    """

    names: Names
    wanted: frozenset[str]
    reads: list[tuple[str, cst.CSTNode]] = field(default_factory=list)
    _same: dict[str, set[str]] = field(default_factory=dict)
    _applied: dict[cst.Lambda, cst.BaseExpression] = field(default_factory=dict)

    @cached_property
    def _known(self) -> KnownKinds:
        return KnownKinds(self.names)

    def _at(self, place: str, environment: Environment) -> Kind:
        """What something is by which an environment need not know it."""
        if place in environment or place.isidentifier() or items_of("") in place:
            return environment.get(place, Kind.OTHER)
        return self._known.kind(_expression(place), environment)

    def _assign(
        self, target: cst.BaseExpression, value: cst.BaseExpression, env: Environment
    ) -> None:
        """Bind a target, and remember under which other name a group spec is known."""
        if isinstance(target, cst.Subscript):
            self._scan(target, env)
            kind = MAPPINGS.get(self._known.kind(value, env), Kind.OTHER)
            self._gather(target.value, kind, env)
        self._known.assign(target, value, env)
        place, source = place_of(target), place_of(value)
        if place is None:
            return
        for each in (place, items_of(place)):
            for others in self._same.values():
                others.discard(each)
            self._same.pop(each, None)
        if (groups := _whose_specs(value)) is not None:
            self._tie(items_of(place), items_of(groups))
        if source is not None and self._known.kind(value, env).is_raw:
            self._tie(place, source)

    def _tie(self, place: str, source: str) -> None:
        """Remember that what is learned of one is learned of the other."""
        same = self._same.setdefault(source, {source})
        same.add(place)
        self._same[place] = same

    def met(self, node: cst.CSTNode, env: Environment) -> None:
        """Take note of an expression, before the parts of it."""
        if not self.wanted:
            return
        match node:
            case cst.Attribute(value=value, attr=cst.Name(value=name)):
                subject = value
            case cst.Call(func=cst.Name(value="getattr"), args=[first, second, *_]):
                subject, name = first.value, text_of(second.value) or ""
            case _:
                return
        if name in self.wanted and self._known.kind(subject, env).is_raw:
            self.reads.append((name, node))

    def met_pattern(
        self, subject: cst.BaseExpression, pattern: cst.MatchClass, env: Environment
    ) -> None:
        """Take note of a case that asks a subject for its class."""

    def _scan(self, node: cst.CSTNode, env: Environment) -> None:
        if type(node) in _LEAVES:
            return
        self.met(node, env)
        match node:
            case cst.Call(func=func, args=args):
                self._applied |= _applied(node)
                self._scan_children(node, env)
                self._open(node, env)
                if args and isinstance(func, cst.Attribute):
                    self._put(func, args[-1].value, env)
            case cst.BooleanOperation(left=left, operator=operator, right=right):
                self._scan(left, env)
                self._behind(left, right, env, truth=isinstance(operator, cst.And))
            case cst.IfExp(test=test, body=body, orelse=orelse):
                self._scan(test, env)
                self._behind(test, body, env, truth=True)
                self._behind(test, orelse, env, truth=False)
            case cst.Lambda(params=params, body=body):
                inner = dict(env)
                for parameter in params.params:
                    kind = self._known.parameter(parameter)
                    bind(inner, parameter.name.value, kind)
                    if node in self._applied:
                        iterated = self._applied[node]
                        self._known.assign_item(parameter.name, iterated, inner)
                self._scan(body, inner)
                _learn(env, inner)
            case cst.NamedExpr(target=target, value=value):
                self._scan(value, env)
                self._assign(target, value, env)
            case cst.BaseComp():
                inner = self._comprehension(node.for_in, dict(env))
                for name in _PARTS:
                    if hasattr(node, name):
                        self._scan(getattr(node, name), inner)
                _learn(env, inner)
                self._learn_items(node.for_in, env, inner)
            case cst.Attribute(value=value, attr=cst.Name(value=name)):
                self._scan(value, env)
                if name in self.names.holders | self.names.firsts:
                    self._look_into(value, env)
            case cst.Comparison():
                self._scan_children(node, env)
                asked = self._known.asked_for_composite(node)
                if asked is not None:
                    self._look_into(asked, env)
            case _:
                self._scan_children(node, env)

    def _behind(
        self,
        test: cst.BaseExpression,
        part: cst.BaseExpression,
        env: Environment,
        *,
        truth: bool,
    ) -> None:
        """Meet what is evaluated if a test in the same expression comes out so."""
        if runs_in_scheduler(test, truth=truth):
            return
        inner = dict(env)
        self._known.refine(test, inner, truth=truth)
        self._scan(part, inner)
        _learn(env, inner)

    def _put(
        self, method: cst.Attribute, value: cst.BaseExpression, env: Environment
    ) -> None:
        if method.attr.value in _GATHERERS:
            if (place := place_of(method.value)) is not None:
                self._known.put_parts(items_of(place), value, env)
            kind = self._known.kind(value, env)
            if kind in {Kind.RAW, Kind.GROUP}:
                is_mapped = method.attr.value == "setdefault"
                kind = MAPPINGS[kind] if is_mapped else ITEMS[kind]
                self._gather(method.value, kind, env)

    def _gather(
        self, collection: cst.BaseExpression, kind: Kind, env: Environment
    ) -> None:
        """Take note of what is put into a collection."""
        place = place_of(collection)
        if place is not None and kind is not Kind.OTHER:
            env[place] = kind

    def _open(self, call: cst.Call, env: Environment) -> None:
        """Note which raw group specs a call unwraps, or asks whether they are one."""
        subjects = [argument.value for argument in call.args]
        name = (dotted(call.func) or "").rpartition(".")[2]
        if name in {"isinstance", "issubclass", "hasattr", "getattr"}:
            if len(subjects) < 2 or not self._known.names_composite(subjects[1]):
                return
            of = class_of(subjects[0])
            subjects = subjects[:1] if of is None else [of.subject]
        elif name not in self.names.openers:
            return
        for subject in subjects:
            self._look_into(subject, env)

    def _look_into(self, subject: cst.BaseExpression, env: Environment) -> None:
        place = place_of(subject)
        if place is not None and self._known.kind(subject, env) is Kind.RAW:
            for each in self._same.get(place, {place}):
                env[each] = Kind.AWARE

    def _learn_items(
        self, loop: cst.CompFor, env: Environment, inner: Environment
    ) -> None:
        """Take over that an expression has looked into each item of a collection."""
        place, target = place_of(loop.iter), place_of(loop.target)
        match loop.iter, loop.target:
            case (
                cst.Call(func=cst.Name("enumerate"), args=[iterated, *_]),
                cst.Tuple(elements=[_, item]),
            ):
                place, target = place_of(iterated.value), place_of(item.value)
        if place is None or target is None:
            return
        if Kind.AWARE in (inner.get(target), inner.get(spec_of(target))):
            items = items_of(place)
            for each in self._same.get(items, {items}):
                env[each] = Kind.AWARE

    def _scan_children(self, node: cst.CSTNode, env: Environment) -> None:
        for child in children(node):
            self._scan(child, env)

    def _comprehension(self, loop: cst.CompFor, env: Environment) -> Environment:
        self._scan(loop.iter, env)
        self._known.assign_item(loop.target, loop.iter, env)
        for condition in loop.ifs:
            self._scan(condition.test, env)
            self._known.refine(condition.test, env, truth=True)
        if loop.inner_for_in is not None:
            return self._comprehension(loop.inner_for_in, env)
        return env


def _whose_specs(value: cst.BaseExpression) -> str | None:
    """The groups of which a collection holds every spec."""
    match value:
        case cst.Call(func=cst.Name("list" | "tuple"), args=[cst.Arg(inner)]):
            return _whose_specs(inner)
        case (
            cst.ListComp(elt=spec, for_in=cst.CompFor(target, groups, []))
            | cst.GeneratorExp(elt=spec, for_in=cst.CompFor(target, groups, []))
        ):
            is_spec = place_of(spec) == spec_of(place_of(target) or "")
            return place_of(groups) if is_spec else None
    return None


def _applied(call: cst.Call) -> dict[cst.Lambda, cst.BaseExpression]:
    """The functions without a name that a call applies to each of some things."""
    given = [x.value for x in call.args if x.keyword is None and not x.star]
    match call.func, given:
        case cst.Name("filter" | "map"), [cst.Lambda() as function, iterated]:
            return {function: iterated}
        case cst.Name("max" | "min" | "sorted"), [iterated]:
            named = [x.value for x in call.args if x.keyword is not None]
            return {x: iterated for x in named if isinstance(x, cst.Lambda)}
    return {}


def _learn(environment: Environment, inner: Environment) -> None:
    """Take over what code within an expression has looked into."""
    for place, kind in inner.items():
        head = re.split(r"[.\[]", place)[0]
        is_outer = environment.get(head) is inner.get(head)
        if kind is Kind.AWARE and (is_outer or environment.get(place) is Kind.RAW):
            environment[place] = kind


@cache
def _expression(text: str) -> cst.BaseExpression:
    return cst.parse_expression(text)
