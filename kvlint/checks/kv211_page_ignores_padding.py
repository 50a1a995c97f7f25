# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV211: a page size does not follow padding, or the block size, that is changed."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.faults.page_sizes import (
    BLOCK,
    PADDED,
    Unpadded,
    Unscaled,
    unpadded_pages,
    unscaled_pages,
)
from kvlint.findings import Finding, Related, Severity
from kvlint.project import Project
from kvlint.registry import check
from kvlint.wording import names


@check("KV211")
def page_ignores_padding(project: Project) -> Iterator[Finding]:
    """Yield the page sizes without padding, and changes that leave pages alone."""
    yield from map(_unpadded, unpadded_pages(project))
    yield from map(_unscaled, unscaled_pages(project))


def _unpadded(found: Unpadded) -> Finding:
    page = found.page
    return Finding(
        "KV211",
        Severity.WARNING,
        f"`{page.symbol}` never reads `{PADDED}`, so a padded spec has the page of an "
        f"unpadded one; return `{PADDED}` where it is not None",
        page.place,
        page.symbol,
        related=(Related(found.setters[0], "pads specs"),),
    )


def _unscaled(found: Unscaled) -> Finding:
    symbols = [each.symbol for each in found.pages]
    verb = "does" if len(symbols) == 1 else "do"
    return Finding(
        "KV211",
        Severity.ERROR,
        f"another `{BLOCK}` gives no other page here: {names(symbols)} {verb} not "
        "depend on it; pad the pages of such specs",
        found.function.place(found.call),
        found.function.node.name.value,
        related=tuple(Related(each.place, f"no `{BLOCK}`") for each in found.pages),
    )
