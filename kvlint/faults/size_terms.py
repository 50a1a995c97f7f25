# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a spec class's answer about the size of a request depends on."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from kvlint.model.answering.bodies import body_facts
from kvlint.model.classes import Member, SpecClass, default_text
from kvlint.model.sizes.sizing import LENGTHS, sizing
from kvlint.project import Project
from kvlint.vocabulary import SIZING

BATCHES = frozenset({"max_num_batched_tokens", "max_in_flight_tokens"})
"""Tokens of a step, or of all steps in flight (since vLLM 0.26.0)."""

_PAGE = "page_size_bytes"
_OF_PAGES = re.compile(r"(?:^|_)block_size$|page_size")
_LENGTH = re.compile(r"^max_\w*len(?:gth)?$")
_SHARDED = re.compile(r"(?:^|_)(?:[dp]?cp|context_parallel)(?:_|$)")
_PREFILL = re.compile(r"(?:^|_)(?:pcp|prefill_context_parallel)(?:_|$)")
_SPECULATIVE = re.compile(r"specul|(?:^|_)num_spec(?:_|$)")
_PREFILL_SIZE = "prefill_context_parallel_size"
_DECODE_SIZE = "decode_context_parallel_size"
_TRUTHS = frozenset({"True", "False"})


@dataclass(frozen=True)
class Terms:
    """What an answer depends on, through all that it asks; pages left out.

    Attributes:
        asked: Sizing members among what it asks.
        lengths: The length of a request, where nothing else holds it down.
        bounds: Fields that it counts by, and tokens of a batch.
        shards: Sizes of context parallelism, as the configuration calls them.
        flags: Fields that say whether a spec is sharded.
        speculation: What it reads about speculative decoding.
        modes: What else it reads off the configuration.
    """

    asked: frozenset[str]
    lengths: frozenset[str]
    bounds: frozenset[str]
    shards: frozenset[str]
    flags: frozenset[str]
    speculation: frozenset[str]
    modes: frozenset[str]

    @property
    def grows(self) -> bool:
        """Whether it grows with the length of a request."""
        return bool(self.lengths)


def sized_classes(project: Project) -> Iterator[tuple[SpecClass, list[Member]]]:
    """Yield the per-layer classes to report on that size requests, and how they do.

    Args:
        project: The project.
    """
    hierarchy, layers = project.contract.hierarchy, set(project.contract.layers)
    for spec in project.specs():
        own = [spec.members[name] for name in SIZING if name in spec.members]
        known = [each for each in own if not each.is_conditional]
        if known and spec in layers and not hierarchy.unresolved_bases(spec):
            yield spec, known


def size_terms(
    project: Project,
    spec: SpecClass,
    member: str,
    start: int = 0,
    without: Collection[str] = (),
) -> Terms | None:
    """Return what specs of a class work an answer out of.

    Args:
        project: The project.
        spec: The class.
        member: What they are asked.
        start: Where in the class's order to look for it first.
        without: Other members, of which it is not followed what they ask.

    Returns:
        None if that cannot be told.
    """
    order = project.contract.hierarchy.mro(spec)
    fields: set[str] = set()
    others: set[str] = set()
    asked: set[str] = set()
    seen: set[tuple[str, int]] = set()
    pending = [(member, start)]
    while pending:
        name, start = pending.pop()
        if (name, start) in seen or name in without or _OF_PAGES.search(name):
            continue
        seen.add((name, start))
        index = _index(order, name, start)
        if index is None:
            return None
        known = order[index].members.get(name)
        if known is None or known.function is None:
            fields.add(name)
            continue
        found = sizing(known)
        facts = body_facts(known)
        if found.is_open or known.is_conditional:
            return None
        if facts.is_abstract or facts.only_raises:
            return None
        parameters = {each.name for each in known.parameters}
        is_sizing = name in SIZING
        asked |= {name} if is_sizing else set()
        others |= found.others - (parameters - LENGTHS - BATCHES)
        pending += [(each, 0) for each in found.fields]
        pending += [(each, index + 1) for each in found.supers]
    fields -= {*_page_fields(project, spec), *filter(_is_object, fields)}
    return _terms(order, fields, others, asked - {member})


def _index(order: tuple[SpecClass, ...], name: str, start: int) -> int | None:
    for number, each in enumerate(order[start:], start):
        if name in each.members or name in each.fields:
            return number
    return None


def _page_fields(project: Project, spec: SpecClass) -> set[str]:
    """What the size of a page depends on, as far as that is known."""
    order = project.contract.hierarchy.mro(spec)
    seen: set[str] = set()
    pending = [_PAGE]
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        for each in order:
            if name in each.members:
                facts = body_facts(each.members[name])
                pending += [*facts.reads, *facts.supers]
    return seen


def _terms(
    order: tuple[SpecClass, ...], fields: set[str], others: set[str], asked: set[str]
) -> Terms:
    sharded = set(filter(_SHARDED.search, fields))
    flags = {each for each in sharded if _defaults(order, each) & _TRUTHS}
    sizes = {*(sharded - flags), *filter(_SHARDED.search, others)}
    speculation = set(filter(_SPECULATIVE.search, fields | others))
    lengths = {*(LENGTHS & others), *filter(_LENGTH.search, fields)}
    batches = BATCHES & others
    bounds = (fields - sharded - speculation - lengths) | batches
    known = {*LENGTHS, *batches, *sizes, *speculation}
    return Terms(
        asked=frozenset(asked),
        lengths=frozenset(lengths),
        bounds=frozenset(bounds),
        shards=frozenset(
            _PREFILL_SIZE if _PREFILL.search(each) else _DECODE_SIZE for each in sizes
        ),
        flags=frozenset(flags),
        speculation=frozenset(speculation),
        modes=frozenset(each for each in others - known if not _is_object(each)),
    )


def _defaults(order: Collection[SpecClass], name: str) -> set[str]:
    return {default_text(each.fields[name]) for each in order if name in each.fields}


def first_default(order: Collection[SpecClass], name: str) -> str:
    """Return the default that a field has in the first of some classes."""
    found: Iterator[str] = (
        default_text(each.fields[name]) for each in order if name in each.fields
    )
    return next(found, "")


def is_sharding(name: str) -> bool:
    """Return whether a name speaks of context parallelism."""
    return _SHARDED.search(name) is not None


def _is_object(name: str) -> bool:
    return name.endswith("config")
