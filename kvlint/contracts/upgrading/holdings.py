# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What attributes of a release's specs, groups and configurations hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kvlint.contracts.facts import ClassFacts, FieldFacts, MemberFacts
from kvlint.contracts.lineage import own
from kvlint.model.annotations import read_annotation_text
from kvlint.uses.following.values import Environment, Value, held_by_name, typed


def attribute_table(classes: Iterable[ClassFacts]) -> Environment:
    """Return what attributes hold, by name.

    Such as ``kv_cache_spec``, which is a spec wherever it is read.

    Args:
        classes: A release's classes.
    """
    known = {each.name: each for each in classes}

    def lookup(name: str) -> str | None:
        return name if name in known else None

    def attributes() -> Iterator[tuple[str, Value | None]]:
        for facts in known.values():
            for name, definition in own(facts).items():
                if isinstance(definition, FieldFacts):
                    text = definition.type
                elif (
                    isinstance(definition, MemberFacts)
                    and "property" in definition.kind
                ):
                    text = definition.returns or ""
                else:
                    continue
                yield name, typed(read_annotation_text(text), lookup)

    return held_by_name(attributes())
