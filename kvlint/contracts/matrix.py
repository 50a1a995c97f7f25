# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Who answers what: the members of a release against its spec classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from kvlint.contracts.facts import (
    ClassFacts,
    ContractFacts,
    FieldFacts,
    MemberFacts,
    Spot,
)
from kvlint.contracts.lineage import (
    COMPOSITE,
    SPEC_ROLES,
    Branch,
    Definition,
    Lineage,
    own,
)

_CONSTRUCTORS = ("__init__", "__post_init__")


class Standing(StrEnum):
    """How a class stands to a member."""

    OWN = "own"
    INHERITED = "inherited"
    ABSTRACT = "abstract"
    DELEGATED = "delegated"
    MISSING = "missing"


MEANINGS = {
    Standing.OWN: "defined here",
    Standing.INHERITED: "a base's",
    Standing.ABSTRACT: "asks for an override",
    Standing.DELEGATED: "the composite's own, for the specs in it",
    Standing.MISSING: "the composite inherits a default that specs in it override",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A member of a class.

    Attributes:
        standing: How the class stands to it.
        owner: The class whose definition it is.
        spot: Where that stands.
        differ: For a missing one, the classes that answer otherwise.
    """

    standing: Standing
    owner: str
    spot: Spot
    differ: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A member, and how each class stands to it.

    Attributes:
        name: The member or field.
        kind: ``field``, or the kind of the member where it is first defined.
        signature: What it takes and gives there, as text.
        since: The class that is first to have it.
        cells: By class; one that lacks the member has none.
    """

    name: str
    kind: str
    signature: str
    since: str
    cells: dict[str, Cell]

    @property
    def label(self) -> str:
        """Its name, with ``()`` if it is called."""
        return self.name if self.kind in _UNCALLED else f"{self.name}()"

    @property
    def differ(self) -> dict[str, tuple[str, ...]]:
        """For each composite that misses it, the classes that answer otherwise."""
        return {name: cell.differ for name, cell in self.cells.items() if cell.differ}


_UNCALLED = frozenset({"field", "property", "attribute"})


@dataclass(frozen=True, slots=True)
class Matrix:
    """A release's spec classes, and who answers what.

    Attributes:
        release: The release.
        branches: The classes, as a tree.
        members: Their methods, properties and attributes.
        fields: Their dataclass fields.
        beside: The classes beside them, such as that of groups.
        managers: The manager that serves each spec class, as far as it is registered.
    """

    release: str
    branches: tuple[Branch, ...]
    members: tuple[Row, ...]
    fields: tuple[Row, ...]
    beside: tuple[ClassFacts, ...]
    managers: dict[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """The classes' names, in the order of the tree."""
        return tuple(each.facts.name for each in self.branches)

    @property
    def missing(self) -> list[tuple[str, Row]]:
        """Each composite with each member that it misses."""
        return [(name, row) for row in self.members for name in row.differ]


def matrix(facts: ContractFacts) -> Matrix:
    """Return who answers what in a release.

    Names with a leading underscore are left out.

    Args:
        facts: The release.
    """
    lineage = Lineage(each for each in facts.classes if each.role in SPEC_ROLES)
    branches = tuple(lineage.tree())
    rows = list(_rows(lineage, branches))
    return Matrix(
        facts.release,
        branches,
        tuple(each for each in rows if each.kind != "field"),
        tuple(each for each in rows if each.kind == "field"),
        tuple(each for each in facts.classes if each.role not in SPEC_ROLES),
        {each.spec: each.manager for each in facts.registrations},
    )


def signature(definition: Definition) -> str:
    """Return what a definition takes and gives, as text without names of types.

    Args:
        definition: A member or a field.

    Returns:
        ``(a, b=1) -> int`` for a method, ``-> int`` for a property, ``: int = 1``
        for a field.
    """
    if isinstance(definition, FieldFacts):
        if not definition.has_default:
            return f": {definition.type}"
        return f": {definition.type} = {definition.default or '...'}"
    answer = f" -> {definition.returns}" if definition.returns else ""
    if definition.kind == "property":
        return answer.strip()
    if definition.kind == "attribute":
        return f"= {definition.constant or '...'}"
    return f"({', '.join(parameters(definition))}){answer}"


def parameters(member: MemberFacts) -> list[str]:
    """Return a member's parameters as texts, stars included, without types."""
    texts = []
    seen_star = False
    for index, each in enumerate(member.parameters):
        if each.kind == "keyword-only" and not seen_star:
            texts.append("*")
            seen_star = True
        seen_star |= each.kind == "var-positional"
        stars = {"var-positional": "*", "var-keyword": "**"}.get(each.kind, "")
        default = "" if each.default is None else f"={each.default}"
        texts.append(f"{stars}{each.name}{default}")
        following = member.parameters[index + 1 : index + 2]
        if each.kind == "positional-only" and not (
            following and following[0].kind == each.kind
        ):
            texts.append("/")
    return texts


def _rows(lineage: Lineage, branches: tuple[Branch, ...]) -> Iterator[Row]:
    done: set[str] = set()
    for branch in branches:
        for name in own(branch.facts):
            if name in done or name.startswith("_"):
                continue
            done.add(name)
            cells = {
                each.facts.name: cell
                for each in branches
                if (cell := _cell(lineage, each.facts, name)) is not None
            }
            since, definition = _first(branches, name)
            kind = "field" if isinstance(definition, FieldFacts) else definition.kind
            yield Row(name, kind, signature(definition), since, cells)


def _first(branches: tuple[Branch, ...], name: str) -> tuple[str, Definition]:
    """The class that is first to have a name, and what it is there."""
    facts = next(each.facts for each in branches if name in own(each.facts))
    return facts.name, own(facts)[name]


def _cell(lineage: Lineage, facts: ClassFacts, name: str) -> Cell | None:
    answer = lineage.answer(facts, name)
    if answer is None:
        return None
    definition, owner = answer.definition, answer.owner
    is_abstract = isinstance(definition, MemberFacts) and definition.is_abstract
    differ: tuple[str, ...] = ()
    standing = Standing.INHERITED
    if is_abstract:
        standing = Standing.ABSTRACT
    elif facts.role == COMPOSITE and lineage.is_missing(facts, name):
        standing = Standing.MISSING
        differ = tuple(each.name for each in lineage.overriders(facts, name))
    elif facts.role == COMPOSITE and _is_delegated(lineage, facts, name):
        standing = Standing.DELEGATED
    elif owner is facts:
        standing = Standing.OWN
    return Cell(standing, owner.name, definition.spot, differ)


def _is_delegated(lineage: Lineage, composite: ClassFacts, name: str) -> bool:
    """Whether a composite answers itself what its per-layer ancestors answer."""
    if lineage.asked(composite, name) is None:
        return False
    if name in own(composite):
        return True
    constructors = [lineage.answer(composite, each) for each in _CONSTRUCTORS]
    return any(
        isinstance(each.definition, MemberFacts) and name in each.definition.sets
        for each in constructors
        if each is not None and each.owner.role == COMPOSITE
    )
