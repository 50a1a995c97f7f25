# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV207: an override sizes a request otherwise than what its class inherits."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.faults.paired_sizes import Assumption, Unpaired, unpaired_sizes
from kvlint.faults.ungated_bounds import Ungated, ungated_bounds
from kvlint.findings import Finding, Related, Severity
from kvlint.project import Project
from kvlint.registry import check
from kvlint.wording import names

_ABOUT = {
    Assumption.RECYCLING: "how many blocks a request holds",
    Assumption.SHARDING: "how tokens are sharded",
    Assumption.SPECULATION: "speculative blocks",
}


@check("KV207")
def unpaired_sizing(project: Project) -> Iterator[Finding]:
    """Yield the overrides that leave out what belongs with them."""
    yield from map(_unpaired, unpaired_sizes(project))
    yield from map(_ungated, ungated_bounds(project))


def _unpaired(found: Unpaired) -> Finding:
    override, inherited = found.override, found.inherited
    readers = [("the inherited one", found.only), ("the override", found.more)]
    told = " and ".join(
        f"only {who} reads {names(what)}" for who, what in readers if what
    )
    return Finding(
        "KV207",
        Severity.WARNING,
        f"`{override.symbol}` and the `{inherited.name}` that it inherits differ about "
        f"{_ABOUT[found.assumption]}: {told}; override both, or let one ask the other",
        override.place,
        override.symbol,
        related=(Related(inherited.place, "inherited beside it"),),
    )


def _ungated(found: Ungated) -> Finding:
    override = found.override
    return Finding(
        "KV207",
        Severity.WARNING,
        f"`{override.symbol}` bounds what a request holds, but to let one in "
        f"`{found.manager.name}` asks for blocks of its whole length: what fits at "
        "start-up may wait for ever; give both the same bound",
        override.place,
        override.symbol,
        related=(Related(found.gate, "knows no bound"),),
    )
