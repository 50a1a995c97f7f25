# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Searches for a group by its spec's class or by a layer, that end with group 0."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from kvlint.model.class_tests.aftermath import is_told, lines
from kvlint.model.class_tests.type_tests import code_of, instance_tests
from kvlint.model.groups.group_items import GroupItems, is_zero
from kvlint.model.literals import assigned
from kvlint.model.nodes import children, walk
from kvlint.model.syntax import dotted
from kvlint.model.values.rebinding import depends_on, rebound
from kvlint.vocabulary import LAYER_NAMES

_INDICES = re.compile(
    r"_?\w*(?:group|gid)\w*_(?:index|indices|idx|ids?|by_layer\w*)"
    r"|\w*layer\w*_to_\w*(?:group|gid)\w*",
    re.I,
)
_LAYER = re.compile(r"\w*layer\w*", re.I)
_PAIR = 2
_Body = Sequence[cst.CSTNode]
_ONCE = (cst.If, cst.With, cst.Try, cst.TryStar, cst.Match)
"""Statements whose blocks are run once at most."""
_PARTS = (
    cst.If,
    cst.Else,
    cst.ExceptHandler,
    cst.ExceptStarHandler,
    cst.Finally,
    cst.MatchCase,
)


@dataclass(frozen=True, eq=False)
class GroupSearch:
    """A search that takes some other group if there is none of the kind it is for.

    Attributes:
        node: The search: a loop, a ``next(...)``, a look-up by the name of a layer.
        default: What is taken then.
        test: What asks for the kind or the layer; None for a look-up.
        classes: Classes in the test, as they are written.
        is_by_layer: Whether it is for the group of a layer, not for a kind.
        target: What a loop assigns, if it does not return what it finds.
        mapping: What a layer is looked up in.
    """

    node: cst.CSTNode
    default: cst.CSTNode
    test: cst.CSTNode | None = None
    classes: tuple[str, ...] = ()
    is_by_layer: bool = False
    target: str = ""
    mapping: str = ""


def group_searches(function: cst.FunctionDef) -> Iterator[GroupSearch]:
    """Yield the searches of a function that end with group 0 in silence.

    Args:
        function: The function.
    """
    statements = [x for x in walk(function) if isinstance(x, cst.SimpleStatementLine)]
    listed = assigned(statements)
    for node in walk(function):
        match node:
            case cst.Call(func=cst.Name(value="next"), args=[generator, default]):
                found = _next(node, generator.value, default.value)
            case cst.Call(
                func=cst.Name(value="min" | "max"), args=[generator, default]
            ):
                is_default = dotted(default.keyword or default.value) == "default"
                found = (
                    _next(node, generator.value, default.value) if is_default else None
                )
            case cst.IfExp(
                test=cst.Name(value=name),
                body=cst.Subscript(value=cst.Name(value=indexed)),
                orelse=default_value,
            ) if name == indexed and name in listed:
                found = _next(node, listed[name], default_value)
            case cst.Call(func=cst.Attribute(value=value, attr=cst.Name(value="get"))):
                found = _look_up(node, value)
            case _:
                continue
        if found is not None and not _is_made_sure(found, function):
            yield found
    for loop, before, after in _loops(function):
        yield from _loop(loop, before, after, function)


def _loops(
    node: cst.CSTNode, before: _Body = (), after: _Body = ()
) -> Iterator[tuple[cst.For, _Body, _Body]]:
    """Every loop below a statement, with what is done once before and after it."""
    for child in children(node):
        if not isinstance(child, cst.IndentedBlock):
            if isinstance(child, _PARTS):
                yield from _loops(child, before, after)
            continue
        for index, each in enumerate(child.body):
            above = [*before, *child.body[:index]]
            below = [*child.body[index + 1 :], *after]
            if isinstance(each, cst.For):
                yield each, above, below
            if isinstance(each, _ONCE):
                yield from _loops(each, above, below)
            else:
                yield from _loops(each)


def _look_up(node: cst.Call, mapping: cst.BaseExpression) -> GroupSearch | None:
    """``layer_group_indices.get(layer_name, 0)``."""
    if len(node.args) != _PAIR:
        return None
    key, default = (each.value for each in node.args)
    place = code_of(mapping)
    name = place.rpartition(".")[2]
    asked = (dotted(key) or "").rpartition(".")[2]
    if not _INDICES.fullmatch(name) or not _LAYER.fullmatch(asked):
        return None
    return GroupSearch(node, default, mapping=place) if is_zero(default) else None


def _next(
    node: cst.BaseExpression, generator: cst.BaseExpression, default: cst.BaseExpression
) -> GroupSearch | None:
    """``next((i for i, g in enumerate(groups) if isinstance(...)), 0)``."""
    if not isinstance(generator, cst.GeneratorExp | cst.ListComp):
        return None
    items = GroupItems()
    tested = None
    loop: cst.CompFor | None = generator.for_in
    while loop is not None:
        items.take(loop.target, loop.iter)
        for each in loop.ifs:
            tested = tested or items.tested(each.test)
        loop = loop.inner_for_in
    if tested is None or not items.gives(generator.elt, default):
        return None
    return GroupSearch(node, default, *tested)


def _loop(
    loop: cst.For, before: _Body, after: _Body, function: cst.FunctionDef
) -> Iterator[GroupSearch]:
    """A loop that returns or assigns what it finds, with a default around it."""
    items = GroupItems()
    items.take(loop.target, loop.iter)
    if not items.names:
        return
    for node in walk(loop.body):
        match node:
            case cst.For(target=target, iter=iterated):
                items.take(target, iterated)
            case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value):
                items.take(target, value)
            case cst.If(test=test):
                tested = items.tested(test)
                ends = list(lines(node.body.body)) if tested is not None else []
                found = _default(items, ends, loop, before, after)
                if tested is not None and found is not None:
                    search = GroupSearch(loop, found[0], *tested, target=found[1])
                    if not _is_made_sure(search, function):
                        yield search
                        return


def _default(
    items: GroupItems, ends: _Body, loop: cst.For, before: _Body, after: _Body
) -> tuple[cst.CSTNode, str] | None:
    """What stands if a loop does not find anything, and where, if it is a group."""
    otherwise = list(lines(loop.orelse.body.body if loop.orelse is not None else after))
    if any(map(_is_flag, ends)):
        return None
    for end in ends:
        match end:
            case cst.Return(value=value) if value is not None:
                match otherwise[:1]:
                    case [cst.Return(value=default)] if default is not None:
                        return (default, "") if items.gives(value, default) else None
            case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value):
                if loop.orelse is not None:
                    preset = _assigned(otherwise, code_of(target))
                    if any(isinstance(x, cst.Raise) or is_told(x) for x in otherwise):
                        continue
                else:
                    preset = _assigned(list(lines(before)), code_of(target))
                if preset is not None and items.gives(value, preset):
                    return preset, code_of(target)
    return None


def _assigned(statements: _Body, target: str) -> cst.BaseExpression | None:
    """What a block gives a name at last."""
    for each in reversed(statements):
        match each:
            case cst.Assign(targets=targets, value=value) if any(
                code_of(x.target) == target for x in targets
            ):
                return value
            case cst.AnnAssign(target=found, value=value) if code_of(found) == target:
                return value
        if depends_on(target, rebound(each)):
            return None
    return None


def _is_flag(node: cst.CSTNode) -> bool:
    """Whether a statement notes that something was found."""
    return isinstance(node, cst.Assign) and dotted(node.value) == "True"


def _is_made_sure(search: GroupSearch, function: cst.FunctionDef) -> bool:
    """Whether there is such a group: else the code fails, or does not get there."""
    for each in walk(function):
        match each:
            case cst.Assert(test=test) if _asks_for(test, search):
                return True
            case cst.If(test=cst.UnaryOperation(operator=cst.Not(), expression=test)):
                last = list(lines(each.body.body))[-1:]
                fails = any(isinstance(x, cst.Raise | cst.Return) for x in last)
                if fails and _asks_for(test, search):
                    return True
            case cst.If(test=test) if _asks_for(test, search):
                if any(x is search.node for x in walk(each.body)):
                    return True
    return False


def _asks_for(test: cst.BaseExpression, search: GroupSearch) -> bool:
    """Whether a condition asks if there is any group of the kind that is sought."""
    match test:
        case cst.BooleanOperation(left=left, operator=cst.And(), right=right):
            return _asks_for(left, search) or _asks_for(right, search)
        case cst.Call(func=cst.Name(value="any"), args=[argument]):
            if search.is_by_layer:
                return f".{LAYER_NAMES}" in code_of(argument.value)
            match argument.value:
                case cst.GeneratorExp(elt=cst.Call() as asked) if search.test:
                    classes = {x for y in instance_tests(asked) for x in y.classes}
                    if classes:
                        return bool(classes & {*search.classes})
                    sought = search.test
                    return isinstance(sought, cst.Call) and code_of(
                        asked.func
                    ) == code_of(sought.func)
    return False
