# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV402: an override is asked otherwise than its base: read, called, or on a class."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from kvlint.faults.overrides import Override, is_unconditional, overrides
from kvlint.findings import Finding, Fix, Related, Severity
from kvlint.mending.holders import UnwritableError
from kvlint.mending.properties import make_method, make_property
from kvlint.mending.requests import fix_or_reason
from kvlint.model.annotations import (
    TypeExpression,
    TypeName,
    TypeOther,
    TypeSubscript,
    TypeUnion,
)
from kvlint.model.answering.bodies import body_facts, literal_text
from kvlint.model.classes import Field, Member, MemberKind, SpecClass, SpecFile
from kvlint.model.constructors import (
    generated_constructor,
    is_dataclass,
    is_set_when_made,
)
from kvlint.model.resolution import TypeMeaning
from kvlint.model.scopes import Scope
from kvlint.model.signatures import has_plain_decorators
from kvlint.project import Project
from kvlint.registry import check
from kvlint.specs.contract import Definition
from kvlint.specs.hierarchy import Hierarchy, last_name
from kvlint.wording import names


class _Way(Enum):
    """How a definition is asked."""

    READ = auto()
    CALLED = auto()
    CALLED_ON_CLASS = auto()


class _Ways(NamedTuple):
    """How an override is asked, and its base."""

    own: _Way | None
    base: _Way | None


_WAYS = {
    MemberKind.METHOD: _Way.CALLED,
    MemberKind.CLASSMETHOD: _Way.CALLED_ON_CLASS,
    MemberKind.STATICMETHOD: _Way.CALLED_ON_CLASS,
    MemberKind.PROPERTY: _Way.READ,
}
_WORDS = {
    MemberKind.METHOD: "a method",
    MemberKind.CLASSMETHOD: "a class method",
    MemberKind.STATICMETHOD: "a static method",
    MemberKind.PROPERTY: "a property",
    MemberKind.ATTRIBUTE: "an attribute",
}
_PROPERTIES = {"abstractproperty", "property"}
"""Those that keep a constructor from setting what they stand for."""
_UNMAKEABLE = (
    "the constructor sets the field and fails, for the property has no setter; set the "
    "field"
)
_MAKE_PROPERTY = "make it a property"
_UNIONS = {"Optional", "Union"}
_MAY_BE_CALLED = {"Annotated", "Any", "Callable", "InitVar", "Type", "object", "type"}


@check("KV402")
def override_kind(project: Project) -> Iterator[Finding]:
    """Yield the overrides that are read where their base is called, and the like."""
    for override in overrides(project):
        ways = _Ways(
            _way(project.contract.hierarchy, override.own),
            _way(project.contract.hierarchy, override.base),
        )
        fails = _cannot_be_set(project, override)
        if not fails and (None in ways or ways.own is ways.base):
            continue
        if not is_unconditional(override.own) or not is_unconditional(override.base):
            continue
        harm = _UNMAKEABLE if fails else _harm(project, override, ways)
        if harm:
            yield _finding(override, ways, harm)


def _way(hierarchy: Hierarchy, definition: Definition) -> _Way | None:
    """How a definition is asked, None if that is not certain."""
    if isinstance(definition, Field):
        owner = definition.owner
        is_set = definition.has_default or is_dataclass(owner)
        is_data = _is_data(
            hierarchy, definition.annotation, owner.body_scope, owner.file
        )
        return _Way.READ if is_set and is_data else None
    if definition.kind is MemberKind.ATTRIBUTE:
        value = literal_text(definition.node)
        return None if value in {None, "None"} else _Way.READ
    lasts = {each.rpartition(".")[2] for each in definition.decorators}
    if not has_plain_decorators(definition) or {"classmethod", "property"} <= lasts:
        return None
    return _WAYS[definition.kind]


def _cannot_be_set(project: Project, override: Override) -> bool:
    """Whether a property stands in the way of a constructor that sets a field."""
    own, base = override.own, override.base
    if not isinstance(own, Member) or not isinstance(base, Field):
        return False
    lasts = {last_name(each) for each in own.decorators}
    if not lasts & _PROPERTIES or own.name in own.owner.settable:
        return False
    if not has_plain_decorators(own):
        return False
    order = project.contract.hierarchy.mro(override.spec)
    maker = generated_constructor(order)
    knows_field = maker is not None and order.index(maker) <= order.index(base.owner)
    return knows_field and is_set_when_made(base)


def _is_data(
    hierarchy: Hierarchy,
    annotation: TypeExpression,
    scope: Scope,
    file: SpecFile,
    seen: frozenset[TypeExpression] = frozenset(),
) -> bool:
    """Whether values of a type are read, never called."""
    if annotation in seen:
        return True
    seen |= {annotation}
    match annotation:
        case TypeUnion(options):
            return all(_is_data(hierarchy, x, scope, file, seen) for x in options)
        case TypeSubscript(name, options) if last_name(name) in _UNIONS:
            return all(_is_data(hierarchy, x, scope, file, seen) for x in options)
        case TypeOther(text):
            return text == "None"
        case TypeSubscript(name) | TypeName(name):
            if last_name(name) in _MAY_BE_CALLED:
                return False
    for meaning in hierarchy.resolver.resolve(name, scope, file):
        match meaning:
            case SpecClass():
                if any("__call__" in x.members for x in hierarchy.mro(meaning)):
                    return False
            case TypeMeaning(options, there, source, _, is_variable):
                inner = (_is_data(hierarchy, x, there, source, seen) for x in options)
                if is_variable or not all(inner):
                    return False
    return True


def _harm(project: Project, override: Override, ways: _Ways) -> str:
    """What goes wrong; nothing if all goes well."""
    base = override.base
    if ways.base is _Way.READ:
        if isinstance(base, Field) and is_dataclass(base.owner):
            return "the value that each spec carries hides it; set the field"
        return f"code that reads it gets the method, not the answer; {_MAKE_PROPERTY}"
    remedy = f"make it {_word(base)}"
    if ways.own is _Way.READ:
        return f"code that calls it fails; {remedy}"
    if ways.base is _Way.CALLED_ON_CLASS:
        return f"code that calls it on the class fails; {remedy}"
    # What is called on a class can be called on its instances too.
    reads = _reads_of_instances(project, override)
    if not reads:
        return ""
    return f"it reads {names(reads)} off the class, not off the spec; {remedy}"


def _reads_of_instances(project: Project, override: Override) -> list[str]:
    """What a class method reads off its class that only specs have."""
    own = override.own
    if not isinstance(own, Member) or own.kind is not MemberKind.CLASSMETHOD:
        return []
    found = []
    for name in sorted(body_facts(own).reads):
        definition = project.contract.definition(override.spec, name)
        if isinstance(definition, Field) or (
            definition is not None and definition.kind is MemberKind.PROPERTY
        ):
            found.append(name)
    return found


def _finding(override: Override, ways: _Ways, harm: str) -> Finding:
    own, base = override.own, override.base
    fix, unfixable = fix_or_reason(lambda: _fix(override, ways))
    return Finding(
        "KV402",
        Severity.ERROR,
        f"`{override.symbol}` is {_word(own)} and overrides {_word(base)} of "
        f"`{base.owner.name}`: {harm}",
        own.place,
        override.symbol,
        related=(Related(base.place, "the definition that it overrides"),),
        fix=fix,
        unfixable=unfixable,
    )


def _word(definition: Definition) -> str:
    return "a field" if isinstance(definition, Field) else _WORDS[definition.kind]


def _fix(override: Override, ways: _Ways) -> Fix:
    own, base = override.own, override.base
    if not isinstance(own, Member) or own.function is None:
        raise UnwritableError("how to work it out is not known")
    if own.kind is MemberKind.PROPERTY and isinstance(base, Field):
        raise UnwritableError("what the field is to hold is for you to decide")
    if isinstance(base, Field) and is_dataclass(base.owner):
        raise UnwritableError("a property would keep constructors from setting it")
    if ways == (_Way.CALLED, _Way.READ):
        return make_property(own)
    if ways == (_Way.READ, _Way.CALLED):
        if isinstance(base, Member) and base.parameters:
            raise UnwritableError(f"`{base.symbol}` has parameters")
        return make_method(own)
    raise UnwritableError("whether its body needs the spec is for you to decide")
