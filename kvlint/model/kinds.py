# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What expressions are, as far as group specs are concerned.

A *raw* group spec is ``group.kv_cache_spec``, which may be a composite. A name stands
for one until it is assigned something else, or a test shows that it is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

import libcst as cst

from kvlint.model.syntax import dotted, text_of
from kvlint.vocabulary import GROUP_ATTRIBUTE, GROUPS_ATTRIBUTE


class Kind(Enum):
    """What an expression is, as far as it concerns group specs."""

    GROUPS = auto()
    GROUP = auto()
    RAW = auto()
    RAWS = auto()
    OTHER = auto()


_ITEM = {Kind.GROUPS: Kind.GROUP, Kind.RAWS: Kind.RAW}
_ITEMS = {item: items for items, item in _ITEM.items()}
_SAME = frozenset(
    ["list", "tuple", "sorted", "reversed", "iter", "set", "copy", "deepcopy"]
)
_GROUP_PARAMETERS = frozenset(
    ["group", "kv_cache_group", "kv_cache_group_spec", "kv_group", "group_spec"]
)
Environment = dict[str, Kind]


@dataclass(frozen=True)
class Names:
    """The names that tell a composite from other specs.

    Attributes:
        composites: Classes that a raw group spec may be: composites and the roots.
        holders: Attributes by which composites hold specs.
        group_classes: Classes of groups.
    """

    composites: frozenset[str]
    holders: frozenset[str]
    group_classes: frozenset[str]


@dataclass(frozen=True)
class KnownKinds:
    """Works out kinds in an environment of names.

    Attributes:
        names: Tells composites.
    """

    names: Names

    def assign(
        self, target: cst.BaseExpression, value: cst.BaseExpression, env: Environment
    ) -> None:
        """Bind a target to what a value is, tuples element by element."""
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple):
            for left, right in zip(target.elements, value.elements, strict=False):
                self.assign(left.value, right.value, env)
        else:
            self.bind_target(target, self.kind(value, env), env)

    def bind_target(
        self, target: cst.BaseExpression, kind: Kind, env: Environment
    ) -> None:
        """Bind a target to something of a kind."""
        if isinstance(target, cst.Tuple | cst.List):
            for element in target.elements:
                starred = isinstance(element, cst.StarredElement)
                item = kind if starred else _ITEM.get(kind, Kind.OTHER)
                self.bind_target(element.value, item, env)
        elif (name := dotted(target)) is not None:
            bind(env, name, kind)

    def assign_item(
        self, target: cst.BaseExpression, iterated: cst.BaseExpression, env: Environment
    ) -> None:
        """Bind a loop's target, through ``enumerate`` and ``zip``."""
        maker = dotted(iterated.func) if isinstance(iterated, cst.Call) else None
        parts = [argument.value for argument in getattr(iterated, "args", ())]
        held = _entries_of(iterated)
        if isinstance(target, cst.Tuple) and held is not None:
            maker, parts = "zip", [cst.Name("_"), held]
        if isinstance(target, cst.Tuple) and maker in {"enumerate", "zip"}:
            names = [element.value for element in target.elements]
            if maker == "enumerate":
                names = names[1:]
            for name in [element.value for element in target.elements]:
                self.bind_target(name, Kind.OTHER, env)
            for name, part in zip(names, parts, strict=False):
                self.assign_item(name, part, env)
            return
        kind = _ITEM.get(self.kind(iterated, env), Kind.OTHER)
        self.bind_target(target, kind, env)

    def kind(self, node: cst.BaseExpression, env: Environment) -> Kind:
        """Return what an expression is."""
        name = dotted(node)
        if name is not None and name in env:
            return env[name]
        match node:
            case cst.Name(value=value):
                return Kind.GROUPS if value == GROUPS_ATTRIBUTE else Kind.OTHER
            case cst.Attribute(value=value, attr=cst.Name(value=attribute)):
                if attribute == GROUPS_ATTRIBUTE:
                    return Kind.GROUPS
                is_group = self.kind(value, env) is Kind.GROUP
                return (
                    Kind.RAW
                    if attribute == GROUP_ATTRIBUTE and is_group
                    else (Kind.OTHER)
                )
            case cst.Subscript(value=value, slice=parts):
                kind = self.kind(value, env)
                is_slice = any(isinstance(each.slice, cst.Slice) for each in parts)
                return kind if is_slice else _ITEM.get(kind, Kind.OTHER)
            case cst.Call():
                return self._called(node, env)
            case cst.IfExp(test=test, body=body, orelse=orelse):
                taken, other = dict(env), dict(env)
                self.refine(test, taken, truth=True)
                self.refine(test, other, truth=False)
                return joined({self.kind(body, taken), self.kind(orelse, other)})
            case cst.BooleanOperation(left=left, right=right):
                return joined({self.kind(left, env), self.kind(right, env)})
            case cst.NamedExpr(value=value):
                return self.kind(value, env)
            case cst.DictComp(value=value):
                inner = self.comprehension(node.for_in, dict(env))
                return _ITEMS.get(self.kind(value, inner), Kind.OTHER)
            case cst.ListComp() | cst.GeneratorExp() | cst.SetComp():
                inner = self.comprehension(node.for_in, dict(env))
                return _ITEMS.get(self.kind(node.elt, inner), Kind.OTHER)
        return Kind.OTHER

    def _called(self, node: cst.Call, env: Environment) -> Kind:
        maker = (dotted(node.func) or "").rpartition(".")[2]
        values = [argument.value for argument in node.args]
        if maker == "cast" and len(values) == 2:
            return self.kind(values[1], env)
        if maker == "next" and values:
            return _ITEM.get(self.kind(values[0], env), Kind.OTHER)
        if maker in _SAME and values:
            return self.kind(values[0], env)
        if maker == "filter" and len(values) == 2:
            return self.kind(values[1], env)
        if maker == "values" and isinstance(node.func, cst.Attribute):
            return self.kind(node.func.value, env)
        return Kind.OTHER

    def refine(self, test: cst.CSTNode, env: Environment, *, truth: bool) -> None:
        """Take into account that a test came out true, or false."""
        match test:
            case cst.UnaryOperation(operator=cst.Not(), expression=inner):
                self.refine(inner, env, truth=not truth)
            case cst.BooleanOperation(left=left, operator=operator, right=right):
                if isinstance(operator, cst.And) == truth:
                    self.refine(left, env, truth=truth)
                    self.refine(right, env, truth=truth)
            case cst.Call(func=cst.Name(value="isinstance" | "hasattr"), args=args):
                if len(args) == 2:
                    named = self._names_composite(args[1].value)
                    self._exclude(args[0].value, env, unless=named == truth)
            case cst.Comparison(left=left, comparisons=[comparison]):
                asks = isinstance(comparison.operator, cst.Is | cst.Equal)
                if isinstance(comparison.operator, cst.IsNot | cst.NotEqual):
                    asks, truth = True, not truth
                if asks and isinstance(left, cst.Call) and dotted(left.func) == "type":
                    named = self._names_composite(comparison.comparator)
                    self._exclude(left.args[0].value, env, unless=named == truth)

    def refine_class(
        self,
        subject: cst.BaseExpression,
        tested: cst.BaseExpression,
        env: Environment,
        *,
        truth: bool,
    ) -> None:
        """Take into account that something is, or is not, of a class."""
        self._exclude(subject, env, unless=self._names_composite(tested) == truth)

    def _names_composite(self, node: cst.BaseExpression) -> bool:
        text = text_of(node)
        if text is not None:
            return text in self.names.holders
        options = [node]
        if isinstance(node, cst.Tuple):
            options = [element.value for element in node.elements]
        elif isinstance(node, cst.BinaryOperation):
            options = [node.left, node.right]
        lasts = {(dotted(each) or "").rpartition(".")[2] for each in options}
        return bool(lasts & self.names.composites)

    def _exclude(
        self, subject: cst.BaseExpression, env: Environment, *, unless: bool
    ) -> None:
        if isinstance(subject, cst.NamedExpr):
            subject = subject.target
        name = dotted(subject)
        if name is not None and not unless and self.kind(subject, env) is Kind.RAW:
            env[name] = Kind.OTHER

    def parameter(self, parameter: cst.Param) -> Kind:
        """Return what a parameter is, by its annotation or its name."""
        name = parameter.name.value
        if parameter.annotation is None:
            if name == GROUPS_ATTRIBUTE:
                return Kind.GROUPS
            return Kind.GROUP if name in _GROUP_PARAMETERS else Kind.OTHER
        text = cst.Module([]).code_for_node(parameter.annotation.annotation)
        words = set(text.replace("[", " ").replace("]", " ").strip("\"'").split())
        words = {word.strip("\"',").rpartition(".")[2] for word in words}
        if not words & self.names.group_classes:
            return Kind.OTHER
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


def bind(environment: Environment, name: str, kind: Kind) -> None:
    """Bind a name, and forget what was known of its attributes."""
    for known in [each for each in environment if each.startswith(name + ".")]:
        del environment[known]
    environment[name] = kind


def joined(kinds: set[Kind]) -> Kind:
    """Return what a name is that may be any of some kinds: raw if it may be raw."""
    for kind in (Kind.RAW, Kind.GROUP, Kind.RAWS, Kind.GROUPS):
        if kind in kinds:
            return kind
    return Kind.OTHER


def _entries_of(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """The mapping whose ``items()`` an expression is."""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        return node.func.value if node.func.attr.value == "items" else None
    return None
