# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Fields that a constructor works out of others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from kvlint.model.classes import Member
from kvlint.model.memory import kept_with_it
from kvlint.model.nodes import calls, children, walk
from kvlint.model.syntax import dotted
from kvlint.model.values.settings import ANYTHING, Setting, find_settings


@dataclass(frozen=True)
class Derivation:
    """What a constructor and the functions that it hands its instance to work out.

    Attributes:
        sets: The fields that they set.
        fills: Those of them that are set only where they are None, as by
            ``if self.field is None``: what a caller passes stays.
        reads: The attributes that they may work them out of; those that are only
            tested, so that something can be raised, are left out.
        is_complete: Nothing else can be set: the functions are all at hand.
    """

    sets: frozenset[str] = frozenset()
    fills: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    is_complete: bool = True


@kept_with_it
def derivation(member: Member) -> Derivation:
    """Return what a constructor works out.

    Args:
        member: Such as ``__post_init__``.
    """
    if member.function is None:
        return Derivation()
    sets: set[str] = set()
    fills: set[str] = set()
    reads: set[str] = set()
    open_ends = 0
    for function, name, is_given in [
        (member.function, member.self_name, False),
        *_helpers(member),
    ]:
        settings = find_settings(function, name)
        found = {each.name for each in settings} - {ANYTHING}
        open_ends += sum(each.name == ANYTHING for each in settings) - is_given
        if found:
            fills |= _filled(function, name, settings)
            sets |= found
            reads |= set(_reads(function.body, name))
    return Derivation(
        frozenset(sets), frozenset(fills), frozenset(reads), open_ends <= 0
    )


def _filled(
    function: cst.FunctionDef, self_name: str, settings: Sequence[Setting]
) -> set[str]:
    """The fields that are set nowhere but where they are None."""
    guarded: Counter[str] = Counter()
    for node in walk(function.body):
        match node:
            case cst.If(test=test, body=body):
                pass
            case cst.BooleanOperation(left=test, operator=cst.And(), right=right):
                body = cst.SimpleStatementSuite([cst.Expr(right)])
            case _:
                continue
        name = _missing(test, self_name)
        inside = find_settings(function.with_changes(body=body), self_name)
        guarded[name] += sum(each.name == name for each in inside)
    counts = Counter(each.name for each in settings)
    return {name for name, times in guarded.items() if times == counts[name] > 0}


def _missing(test: cst.BaseExpression, self_name: str) -> str:
    """The field of which a condition says that it is None; empty for none."""
    match test:
        case cst.Comparison(
            left=left,
            comparisons=[cst.ComparisonTarget(cst.Is(), cst.Name(value="None"))],
        ):
            owner, _, name = (dotted(left) or "").rpartition(".")
            return name if owner == self_name else ""
    return ""


def _helpers(member: Member) -> Iterator[tuple[cst.FunctionDef, str, bool]]:
    """Functions of the module and methods of the class that get the instance.

    With what they call it, and whether it is passed to them first.
    """
    assert member.function is not None
    for call in calls(member.function.body):
        name = dotted(call.func) or ""
        owner, _, method = name.rpartition(".")
        own = member.owner.members.get(method) if owner == member.self_name else None
        if own is not None and own.function is not None:
            yield own.function, own.self_name, False
        given = [dotted(each.value) for each in call.args]
        if member.self_name not in given:
            continue
        helper = member.owner.file.function(name)
        position = given.index(member.self_name)
        if helper is not None and position < len(helper.params.params):
            yield helper, helper.params.params[position].name.value, not position


def _reads(node: cst.CSTNode, name: str) -> Iterator[str]:
    match node:
        case cst.Assert() | cst.Raise():
            return
        case cst.If(body=body, orelse=None) if _only_raises(body):
            return
        case cst.Attribute(value=cst.Name(value=owner), attr=attribute):
            if owner == name:
                yield attribute.value
            return
    for child in children(node):
        yield from _reads(child, name)


def _only_raises(body: cst.BaseSuite) -> bool:
    only = body.body[0]
    if isinstance(only, cst.SimpleStatementLine):
        only = only.body[0]
    return len(body.body) == 1 and isinstance(only, cst.Raise)
