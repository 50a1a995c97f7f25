# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which ``__post_init__`` of a spec class leaves out what one above it does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from kvlint.faults.overrides import has_unknown_base, is_unconditional
from kvlint.model.answering.bodies import body_facts, body_statements
from kvlint.model.classes import Member, SpecClass
from kvlint.model.dataclass_options import dataclass_options
from kvlint.model.nodes import walk
from kvlint.model.signatures import has_plain_decorators
from kvlint.model.syntax import text_of
from kvlint.model.values.settings import ANYTHING, find_settings
from kvlint.project import Project
from kvlint.specs.hierarchy import Hierarchy

POST_INIT = "__post_init__"
_ASKS = cst.Attribute | cst.Call
_LEAVES = cst.Name | cst.Integer | cst.Float | cst.SimpleString


@dataclass(frozen=True)
class LostPostInit:
    """A ``__post_init__`` under which one above it never runs.

    Attributes:
        own: The one that runs.
        base: The next one above it.
        sets: Attributes that those above set and it does not; empty if they only
            validate, or if what they set cannot be told.
        is_mixed_in: It stands in a class that is no spec itself.
    """

    own: Member
    base: Member
    sets: tuple[str, ...]
    is_mixed_in: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether the one that runs does nothing at all."""
        function = self.own.function
        return function is not None and _do_nothing(body_statements(function))


def lost_post_inits(project: Project) -> Iterator[LostPostInit]:
    """Yield each ``__post_init__`` to report on that keeps others from running.

    A class with an ``__init__`` of its own is left out, for nothing runs any of them
    unless it does, and so is one that is not known to run or not known to lose.
    """
    hierarchy = project.contract.hierarchy
    seen: set[Member] = set()
    for spec in project.specs():
        order = hierarchy.mro(spec)
        own = _first(order)
        if own is None or own in seen or not _runs(project, own, spec):
            continue
        is_mixed_in = own.owner is not spec
        if is_mixed_in and not _is_reported_mixin(project, own.owner):
            continue
        seen.add(own)
        chain = list(_chain(hierarchy, spec, order.index(own.owner) + 1))
        lost = [each for each in chain if not _is_repeated(each, own)]
        if lost and not _mentions(hierarchy, own):
            missing = dict.fromkeys(name for each in lost for name in _sets(each))
            for each in _sets(own):
                missing.pop(each, None)
            missing.pop(ANYTHING, None)
            yield LostPostInit(own, chain[0], tuple(missing), is_mixed_in)


def _first(order: Sequence[SpecClass]) -> Member | None:
    """The ``__post_init__`` that runs, with classes in their resolution order."""
    return next((x.members[POST_INIT] for x in order if POST_INIT in x.members), None)


def _is_reported_mixin(project: Project, owner: SpecClass) -> bool:
    """Whether a class to report on is no spec itself."""
    is_spec = project.contract.hierarchy.is_spec(owner)
    return not is_spec and project.reports_on(owner.file.path)


def _runs(project: Project, own: Member, spec: SpecClass) -> bool:
    """Whether constructors surely run a ``__post_init__``, to some other end."""
    if own.function is None or not has_plain_decorators(own):
        return False
    if not is_unconditional(own) or body_facts(own).only_raises:
        return False
    for each in project.contract.hierarchy.mro(spec):
        if "__init__" in each.members:
            return False
        options = dataclass_options(each)
        if options is not None and options.init is not False:
            return True
    return False


def _chain(hierarchy: Hierarchy, spec: SpecClass, start: int) -> Iterator[Member]:
    """What the next ``__post_init__`` above a class's own runs, itself first."""
    order = hierarchy.mro(spec)
    for number, each in enumerate(order[start:], start=start):
        found = each.members.get(POST_INIT)
        if found is None:
            continue
        if any(has_unknown_base(hierarchy, below) for below in order[:number]):
            return
        if found.function is None:
            return
        if not is_unconditional(found) or body_facts(found).is_abstract:
            return
        if not _do_nothing(body_statements(found.function)):
            yield found
        if POST_INIT not in body_facts(found).supers:
            return


def _do_nothing(statements: Sequence[cst.BaseStatement]) -> bool:
    return all(
        isinstance(each, cst.SimpleStatementLine)
        and all(_is_nothing(small) for small in each.body)
        for each in statements
    )


def _is_nothing(small: cst.BaseSmallStatement) -> bool:
    """``pass``, ``...``, a plain ``return``, or what a base is asked to do."""
    match small:
        case cst.Pass():
            return True
        case cst.Return():
            return not any(isinstance(x, _ASKS) for x in walk(small))
        case cst.Expr(value=cst.Ellipsis() | cst.SimpleString()):
            return True
        case cst.Expr(value=cst.Call(func=cst.Attribute(attr=cst.Name(name)))):
            return name == POST_INIT
    return False


def _is_repeated(base: Member, own: Member) -> bool:
    """Whether a class does by itself what one above it does."""
    assert base.function is not None and own.function is not None
    sets = _sets(base)
    if sets:
        return set(sets) <= set(_sets(own))
    repeated = {_words(each) for each in body_statements(own.function)}
    return all(
        _do_nothing([each]) or _words(each) in repeated
        for each in body_statements(base.function)
    )


def _sets(member: Member) -> list[str]:
    """What it sets; a helper that is handed the instance may set anything."""
    assert member.function is not None
    found = find_settings(member.function, member.self_name)
    return [each.name for each in found]


def _words(statement: cst.BaseStatement) -> tuple[tuple[type, object], ...]:
    """A statement without its layout and its comments."""
    return tuple(
        (type(each), each.value if isinstance(each, _LEAVES) else None)
        for each in walk(statement)
    )


def _mentions(hierarchy: Hierarchy, own: Member) -> bool:
    """Whether it speaks of a ``__post_init__``, or a method that it calls does."""
    asked = [own]
    for name in body_facts(own).reads:
        for each in hierarchy.mro(own.owner):
            if name in each.members:
                asked.append(each.members[name])
                break
    return any(
        _speaks_of_it(each.function) for each in asked if each.function is not None
    )


def _speaks_of_it(function: cst.FunctionDef) -> bool:
    for node in walk(function.body):
        if isinstance(node, cst.Attribute) and node.attr.value == POST_INIT:
            return True
        if isinstance(node, cst.SimpleString) and text_of(node) == POST_INIT:
            return True
    return False
