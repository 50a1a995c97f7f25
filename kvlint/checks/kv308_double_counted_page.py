# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV308: a group's page size is multiplied with the number of its layers."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.findings import Finding, Related, Severity
from kvlint.model.groups.group_events import Deed
from kvlint.project import Project
from kvlint.registry import check
from kvlint.vocabulary import PAGE_SIZE
from kvlint.wording import names


@check("KV308")
def double_counted_page(project: Project) -> Iterator[Finding]:
    """Yield the products in which a composite's layers count twice."""
    composites = [each.spec for each in project.contract.composites.values()]
    sizes = [project.contract.definition(each, PAGE_SIZE) for each in composites]
    told = names(sorted(each.name for each in composites)) if composites else ""
    for use in project.group_uses(Deed.PRODUCT):
        yield Finding(
            "KV308",
            Severity.WARNING,
            f"`{use.function.symbol}` counts a group's `{PAGE_SIZE}` once for each of "
            f"its layers, but that of {told} is the sum over its layers already: add "
            "up the page sizes of the layers",
            use.place,
            use.function.symbol,
            related=tuple(
                Related(each.place, "the sum over the layers")
                for each in sizes
                if each is not None
            ),
        )
