# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Whether a project's own specs and managers still fit below their bases."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from kvlint.contracts.changes import CONSTRUCTOR
from kvlint.contracts.facts import FieldFacts, MemberFacts
from kvlint.contracts.lineage import Answer, Definition, own
from kvlint.contracts.renames import plain_type
from kvlint.contracts.upgrading.plugin import OwnClass, PlugIn
from kvlint.contracts.upgrading.releases import Releases, is_called, replaced_parameters
from kvlint.contracts.upgrading.verdicts import Verdict
from kvlint.model.classes import Field, Member, MemberKind

_STARS = frozenset({"var-positional", "var-keyword"})


def own_class(
    own_class: OwnClass, releases: Releases, plug_in: PlugIn
) -> Iterator[Verdict]:
    """Yield what is the matter with a class of the project.

    What it inherits from another class of the project is that one's matter.

    Args:
        own_class: The class.
        releases: What became of names.
        plug_in: The project.
    """
    spec = own_class.spec
    yield from _bases(own_class, releases, plug_in)
    definitions: list[Field | Member] = [*spec.fields.values(), *spec.members.values()]
    for definition in definitions:
        if not definition.name.startswith("_") or definition.name == CONSTRUCTOR:
            yield from _definition(definition, own_class, releases)
    if not any(each in plug_in.own for each in own_class.chain[1:]):
        yield from _undefined(own_class, releases)


def _bases(
    own_class: OwnClass, releases: Releases, plug_in: PlugIn
) -> Iterator[Verdict]:
    spec = own_class.spec
    for name, argument in zip(spec.bases, spec.node.bases, strict=False):
        for base in plug_in.named(name, spec.scope, spec.file) if name else ():
            if isinstance(base, str) and base not in releases.after.classes:
                message = (
                    f"`{spec.name}` derives from `{base}`, gone in {releases.name}"
                )
                yield Verdict(argument.value, True, message, base)


def _definition(
    definition: Member | Field, own_class: OwnClass, releases: Releases
) -> Iterator[Verdict]:
    spec, name = own_class.spec, definition.name
    node = definition.node if isinstance(definition, Field) else definition.name_node
    was, now = releases.definitions(spec, name)
    shown = f"{spec.name}.{name}"
    if was is not None and now is None:
        told = releases.told_gone(spec, name)
        symbol = f"{was.owner.name}.{name}"
        message = f"`{shown}` overrides `{symbol}`, {told}"
        # Without a new name nothing breaks: it is dead, or kept for older releases.
        yield Verdict(node, "renamed" in told, message, symbol)
    elif was is None and now is not None:
        symbol = f"{now.owner.name}.{name}"
        message = f"`{shown}` overrides `{symbol}`, new in {releases.name}"
        yield Verdict(node, False, message, symbol)
    elif was is not None and now is not None:
        yield from _override(definition, node, was, now, releases)


def _override(
    definition: Member | Field,
    node: cst.CSTNode,
    was: Answer,
    now: Answer,
    releases: Releases,
) -> Iterator[Verdict]:
    """An override of something that there is in both releases."""
    spec, symbol = definition.owner, f"{now.owner.name}.{definition.name}"
    shown = f"{spec.name}.{definition.name}"
    old, new = was.definition, now.definition
    if is_called(old) != is_called(new):
        if _is_called(definition) != is_called(new):
            kind = "called" if is_called(new) else "read without a call"
            message = f"`{shown}`: `{symbol}` is {kind} in {releases.name}"
            yield Verdict(node, True, message, symbol)
        return
    if not isinstance(definition, Member) or definition.function is None:
        return
    if not isinstance(old, MemberFacts) or not isinstance(new, MemberFacts):
        return
    for due, message in _signature(definition, old, new):
        yield Verdict(
            node,
            due,
            f"`{shown}` {message} as `{symbol}` does in {releases.name}",
            symbol,
        )
    if plain_type(old.returns) != plain_type(new.returns) and new.returns:
        given = ""
        if definition.returns is not None:
            given = cst.Module([]).code_for_node(definition.returns)
        if not _options(given) <= _options(new.returns):
            message = (
                f"`{shown}` must give `{new.returns}`, as `{symbol}` does; "
                f"it gave `{old.returns or 'something untyped'}`"
            )
            is_due = plain_type(given) == plain_type(old.returns)
            yield Verdict(node, is_due, message, symbol)


def _options(text: str) -> set[str]:
    """The types that a union names."""
    return set(plain_type(text).split("|"))


def _signature(
    member: Member, old: MemberFacts, new: MemberFacts
) -> Iterator[tuple[bool, str]]:
    """Parameters that the base's callers now pass, or pass no more."""
    takes = {each.name for each in member.parameters}
    stars = {each.kind for each in member.parameters} & _STARS
    knew = {each.name for each in old.parameters}
    knows = {each.name for each in new.parameters}
    renamed = replaced_parameters(old, new)
    for left, right in renamed.items():
        if left in takes and right not in takes:
            # Callers that pass it by position do not mind.
            yield False, f"takes `{left}`, not `{right}`"
    for each in new.parameters:
        is_new = each.name not in knew and each.name not in renamed.values()
        if is_new and each.kind not in _STARS and each.name not in takes:
            if each.kind == "keyword-only" or member.name == CONSTRUCTOR:
                is_taken = "var-keyword" in stars
            else:
                is_taken = bool(stars)
            if not is_taken:
                yield True, f"must take the parameter `{each.name}`"
    for mine in member.parameters:
        is_passed_no_more = mine.name in knew - knows - renamed.keys()
        if is_passed_no_more and mine.default is None:
            yield True, f"must not insist on the parameter `{mine.name}`"


def _is_called(definition: Member | Field) -> bool:
    return isinstance(definition, Member) and definition.kind not in {
        MemberKind.PROPERTY,
        MemberKind.ATTRIBUTE,
    }


def _undefined(own_class: OwnClass, releases: Releases) -> Iterator[Verdict]:
    """What the class does not define and now should, or should think about."""
    spec = own_class.spec
    for old, new in releases.bases(spec):
        for name in releases.after.names(new):
            if name.startswith("_") or own_class.defines(name):
                continue
            was = releases.before.answer(old, name)
            now = releases.after.answer(new, name)
            if now is None or not isinstance(now.definition, MemberFacts):
                continue
            symbol = f"{now.owner.name}.{name}"
            if now.definition.is_abstract and not _is_abstract(was):
                message = (
                    f"`{spec.name}` must define `{name}`: `{symbol}` is abstract in "
                    f"{releases.name}"
                )
                yield Verdict(spec.node.name, True, message, symbol)
            elif was is None and now.owner is new and _is_overridden(now, releases):
                message = (
                    f"`{spec.name}` inherits the default of `{symbol}`, new in "
                    f"{releases.name}, which other classes override: see that it holds"
                )
                yield Verdict(spec.node.name, False, message, symbol)
            elif was is not None and _answers_otherwise(was.definition, now.definition):
                message = (
                    f"`{spec.name}` inherits `{symbol}`, which answers "
                    f"{now.definition.constant or 'otherwise'} in {releases.name}"
                )
                yield Verdict(spec.node.name, False, message, symbol)


def _is_abstract(answer: Answer | None) -> bool:
    return (
        answer is not None
        and isinstance(answer.definition, MemberFacts)
        and answer.definition.is_abstract
    )


def _is_overridden(answer: Answer, releases: Releases) -> bool:
    """Whether classes beside override what a class inherits from a root."""
    name = answer.definition.name
    return answer.owner.role == "root" and any(
        name in own(each) and each is not answer.owner
        for each in releases.after.classes.values()
    )


def _answers_otherwise(old: Definition, new: Definition) -> bool:
    if isinstance(old, FieldFacts) or isinstance(new, FieldFacts):
        return False
    return old.constant is not None and old.constant != new.constant
