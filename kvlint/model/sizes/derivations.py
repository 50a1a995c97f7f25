# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Fields that a constructor works out of others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from kvlint.model.classes import Member
from kvlint.model.nodes import calls, children
from kvlint.model.syntax import dotted
from kvlint.model.values.settings import ANYTHING, find_settings


@dataclass(frozen=True)
class Derivation:
    """What a constructor and the functions that it hands its instance to work out.

    Attributes:
        sets: The fields that they set.
        reads: The attributes that they may work them out of; those that are only
            tested, so that something can be raised, are left out.
    """

    sets: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()


def derivation(member: Member) -> Derivation:
    """Return what a constructor works out.

    Args:
        member: Such as ``__post_init__``.
    """
    if member.function is None:
        return Derivation()
    sets: set[str] = set()
    reads: set[str] = set()
    for function, name in [(member.function, member.self_name), *_helpers(member)]:
        found = {each.name for each in find_settings(function, name)} - {ANYTHING}
        if found:
            sets |= found
            reads |= set(_reads(function.body, name))
    return Derivation(frozenset(sets), frozenset(reads))


def _helpers(member: Member) -> Iterator[tuple[cst.FunctionDef, str]]:
    """Functions of the module and methods of the class that get the instance."""
    assert member.function is not None
    for call in calls(member.function.body):
        name = dotted(call.func) or ""
        owner, _, method = name.rpartition(".")
        own = member.owner.members.get(method) if owner == member.self_name else None
        if own is not None and own.function is not None:
            yield own.function, own.self_name
        given = [dotted(each.value) for each in call.args]
        if member.self_name not in given:
            continue
        helper = member.owner.file.function(name)
        position = given.index(member.self_name)
        if helper is not None and position < len(helper.params.params):
            yield helper, helper.params.params[position].name.value


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
