# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where a release makes specs: from its sources to facts, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from kvlint.contracts.describing import Describer
from kvlint.contracts.facts import ContractFacts
from kvlint.contracts.making import Built, Retyped
from kvlint.contracts.skeleton import place
from kvlint.specs.hierarchy import Hierarchy
from kvlint.specs.spec_names import SpecNames
from kvlint.uses.builds import Build
from kvlint.uses.retypes import Retype, find_retypes
from kvlint.uses.spec_calls import SpecCalls


def describe_builds(
    hierarchy: Hierarchy, files: Sequence[Path], describer: Describer
) -> Iterator[Built]:
    """Yield the facts of the constructor calls of specs and of changed copies.

    Args:
        hierarchy: The spec classes.
        files: Where to look.
        describer: Names places.
    """
    calls = SpecCalls(hierarchy, SpecNames(hierarchy))
    for each in (*calls.builds(files), *calls.changes(files)):
        spot = describer.spot(each.place)
        yield Built(each.spec, each.values, each.is_complete, each.copies, spot)


def describe_retypes(
    hierarchy: Hierarchy, files: Iterable[Path], describer: Describer
) -> Iterator[Retyped]:
    """Yield the facts of the calls that copy all fields into another class.

    Args:
        hierarchy: The spec classes.
        files: Where to look.
        describer: Names places.
    """
    names = SpecNames(hierarchy)
    for each in find_retypes(hierarchy.workspace, names, files):
        yield Retyped(
            {key.name: value.name for key, value in each.targets.items()},
            each.below,
            tuple(sorted(each.dropped)),
            each.function,
            each.what,
            describer.spot(each.place),
        )


def bundled_builds(facts: ContractFacts) -> Iterator[Build]:
    """Yield the constructor calls that facts tell of."""
    for each in facts.built:
        where = place(facts, each.spot)
        yield Build(each.spec, each.values, each.is_complete, each.copies, where)


def bundled_retypes(facts: ContractFacts, hierarchy: Hierarchy) -> Iterator[Retype]:
    """Yield the calls that copy all fields into another class.

    Args:
        facts: What is known of a release.
        hierarchy: The spec classes, that release's among them.
    """
    known = {each.name: each for each in reversed(hierarchy.specs)}
    for each in facts.retyped:
        targets = {
            known[key]: known[value]
            for key, value in each.targets.items()
            if key in known and value in known
        }
        where = place(facts, each.spot)
        yield Retype(
            targets,
            each.below,
            frozenset(each.dropped),
            each.function,
            each.what,
            where,
        )
