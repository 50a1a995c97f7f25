# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which fields of a copied composite no longer fit the specs in it."""

from __future__ import annotations

from collections.abc import Collection

from kvlint.model.classes import Field, Member
from kvlint.model.values.settings import find_settings
from kvlint.specs.contract import Composite, Contract


def stale_fields(
    contract: Contract, composite: Composite, replaced: Collection[str]
) -> list[str]:
    """Return the fields that a copy gets anew, and its specs have too.

    Args:
        contract: What defines specs.
        composite: What is copied.
        replaced: The keywords of ``replace``; ``**`` for a mapping of them.

    Returns:
        Nothing if the specs are among what is replaced.
    """
    if any(holder.name in replaced for holder in composite.holders):
        return []
    wrapped = [spec for holder in composite.holders for spec in holder.wrapped]
    return sorted(
        name
        for name in replaced
        if name == "**"
        or any(isinstance(contract.definition(spec, name), Field) for spec in wrapped)
    )


def keeps_in_step(contract: Contract, composite: Composite) -> bool:
    """Return whether a composite makes its specs anew when it is made.

    Args:
        contract: What defines specs.
        composite: The composite.
    """
    made = contract.definition(composite.spec, "__post_init__")
    if not isinstance(made, Member) or made.function is None:
        return False
    set_anew = {each.name for each in find_settings(made.function, made.self_name)}
    return any(holder.name in set_anew for holder in composite.holders)
