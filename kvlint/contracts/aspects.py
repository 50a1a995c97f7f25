# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""In what two definitions of a name differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kvlint.contracts.facts import (
    ClassFacts,
    FieldFacts,
    MemberFacts,
    ParameterFacts,
)
from kvlint.contracts.lineage import Definition
from kvlint.contracts.renames import plain_type


@dataclass(frozen=True, slots=True)
class Aspect:
    """What differs: its name, and both texts of it."""

    name: str
    before: str
    after: str


def compare(old: Definition, new: Definition) -> Iterator[Aspect]:
    """Yield in what two definitions of a field or member differ.

    Args:
        old: In the earlier release.
        new: In the later one.
    """
    if isinstance(old, FieldFacts) and isinstance(new, FieldFacts):
        yield from _fields(old, new)
    elif isinstance(old, MemberFacts) and isinstance(new, MemberFacts):
        yield from _members(old, new)
    else:
        yield Aspect("kind", kind(old), kind(new))


def kind(definition: Definition) -> str:
    """Return how a name is asked: ``field``, ``method``, ``cached property``, ..."""
    if isinstance(definition, FieldFacts):
        return "field"
    lasts = {each.rpartition(".")[2] for each in definition.decorators}
    lead = "async " if definition.is_async else ""
    lead += "cached " if any("cached" in each for each in lasts) else ""
    return lead + definition.kind


def compare_classes(old: ClassFacts, new: ClassFacts) -> tuple[Aspect, ...]:
    """Return in what two class statements differ, their bodies left out."""
    aspects = [
        Aspect("bases", ", ".join(old.bases), ", ".join(new.bases)),
        Aspect("module", old.module, new.module),
        Aspect("decorators", _decorators(old), _decorators(new)),
    ]
    return tuple(each for each in aspects if each.before != each.after)


def _decorators(facts: ClassFacts) -> str:
    return ", ".join(
        f"@{each.name}"
        + (
            f"({', '.join(f'{key}={text}' for key, text in each.options.items())})"
            if each.options
            else ""
        )
        for each in facts.decorators
    )


def _fields(old: FieldFacts, new: FieldFacts) -> Iterator[Aspect]:
    if plain_type(old.type) != plain_type(new.type):
        yield Aspect("type", old.type, new.type)
    defaults = _default(old), _default(new)
    if defaults[0] != defaults[1]:
        yield Aspect("default", *defaults)
    for option in sorted({*old.options, *new.options}):
        texts = old.options.get(option, ""), new.options.get(option, "")
        if texts[0] != texts[1]:
            yield Aspect(option, *(each or "not given" for each in texts))


def _default(field: FieldFacts) -> str:
    if not field.has_default:
        return "required"
    return field.default or "some default"


def _members(old: MemberFacts, new: MemberFacts) -> Iterator[Aspect]:
    if kind(old) != kind(new):
        yield Aspect("kind", kind(old), kind(new))
    yield from _parameters(old, new)
    if plain_type(old.returns) != plain_type(new.returns):
        yield Aspect("answer", old.returns or "untyped", new.returns or "untyped")
    if old.is_abstract != new.is_abstract:
        words = {True: "abstract", False: "concrete"}
        yield Aspect("body", words[old.is_abstract], words[new.is_abstract])
    elif old.constant != new.constant:
        texts = (old.constant or "worked out", new.constant or "worked out")
        yield Aspect("default answer", *texts)


def _parameters(old: MemberFacts, new: MemberFacts) -> Iterator[Aspect]:
    """Parameters that came, went, were replaced, or changed default or type."""
    was = {each.name: each for each in old.parameters}
    now = {each.name: each for each in new.parameters}
    gone = [each for each in was.values() if each.name not in now]
    came = [each for each in now.values() if each.name not in was]
    for left in list(gone):
        for right in list(came):
            if left in gone and _is_replaced(old, left, new, right):
                gone.remove(left)
                came.remove(right)
                yield Aspect("parameter replaced", left.name, right.name)
    for left in gone:
        yield Aspect("parameter removed", _parameter(left), "")
    for right in came:
        yield Aspect("parameter added", "", _parameter(right))
    for name, left in was.items():
        if name in now and (texts := _in_what(left, now[name])):
            yield Aspect("parameter changed", *texts)
    kept = [
        [each for each in was if each in now],
        [each for each in now if each in was],
    ]
    if kept[0] != kept[1]:
        yield Aspect("order of parameters", *(", ".join(each) for each in kept))


def _is_replaced(
    old: MemberFacts, left: ParameterFacts, new: MemberFacts, right: ParameterFacts
) -> bool:
    """Whether parameters stand at one place and take the same."""
    return (
        left.kind == right.kind
        and plain_type(left.annotation) == plain_type(right.annotation)
        and left.default == right.default
        and (old.parameters.index(left) == new.parameters.index(right))
        and len(old.parameters) == len(new.parameters)
    )


def _in_what(left: ParameterFacts, right: ParameterFacts) -> tuple[str, str] | None:
    """Both texts of a parameter that changed, with types where those differ."""
    if plain_type(left.annotation) != plain_type(right.annotation):
        return _parameter(left, typed=True), _parameter(right, typed=True)
    if (left.kind, left.default) != (right.kind, right.default):
        kinds = left.kind != right.kind
        texts = _parameter(left), _parameter(right)
        return (
            (f"{left.kind} {texts[0]}", f"{right.kind} {texts[1]}") if kinds else texts
        )
    return None


def _parameter(parameter: ParameterFacts, *, typed: bool = False) -> str:
    stars = {"var-positional": "*", "var-keyword": "**"}.get(parameter.kind, "")
    text = stars + parameter.name
    annotated = typed and parameter.annotation is not None
    if annotated:
        text += f": {parameter.annotation}"
    if parameter.default is not None:
        text += f" = {parameter.default}" if annotated else f"={parameter.default}"
    return text
