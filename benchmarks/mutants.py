# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Damage releases of vLLM in every way that a rule promises to find, one at a time.

    python benchmarks/mutants.py [RELEASE ...] [--json] [--missed] [--least PERCENT]

Without a release it takes 0.28.0 and 0.33.0, which ``tests/corpus.py`` brings. A damage
is caught if a rule that promises to find it says something about the damaged class or
function that it does not say about the release as it is. ``damage/`` holds the kinds of
damage, and says of each what is left out since it changes nothing.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from damage import (
    classes,
    composites,
    dispatch,
    making,
    merging,
    overriding,
    reading,
)
from damage.judging import Judge
from damage.mutants import Mutant
from damage.trees import Release

ROOT = Path(__file__).parents[1]
RELEASES = ("0.28.0", "0.33.0")
SOURCES = (composites, merging, classes, making, dispatch, reading, overriding)
PROCESSES = 2


@dataclass(frozen=True)
class Verdict:
    """What came of one damage.

    Attributes:
        release: The release that was damaged.
        kind: How.
        rules: Which of them had to say so.
        symbol: What was damaged.
        is_caught: Whether one did.
    """

    release: str
    kind: str
    rules: tuple[str, ...]
    symbol: str
    is_caught: bool


def tree_of(release: str) -> Path:
    """Return the folder of a release's sources, downloading it if it is not there."""
    bring = [sys.executable, str(ROOT / "tests" / "corpus.py"), f"vllm=={release}"]
    return Path(subprocess.check_output(bring, text=True).strip())


def batches(mutants: Iterable[Mutant]) -> list[list[Mutant]]:
    """Return the damages in groups that are checked at once.

    Those that may concern each other are checked one by one: of one file, what stands
    in another's zone; and whatever is not known to concern nothing but its own place.
    """
    found: list[list[Mutant]] = []
    open_ones: dict[tuple[str, ...], list[list[Mutant]]] = {}
    for each in mutants:
        known = open_ones.setdefault(each.rules, [])
        for batch in known if each.apart is not None else ():
            if not any(_clash(each, other) for other in batch):
                batch.append(each)
                break
        else:
            batch = [each]
            found.append(batch)
            if each.apart is not None:
                known.append(batch)
    return found


def _clash(one: Mutant, other: Mutant) -> bool:
    if one.apart == other.apart or one.apart in other.kin or other.apart in one.kin:
        return True
    return one.path == other.path and (
        one.zone[0] < other.zone[1] and other.zone[0] < one.zone[1]
    )


def judged(name: str, tree: Path) -> list[Verdict]:
    """Return what comes of all damages to a release.

    Args:
        name: The release.
        tree: Its folder.
    """
    release = Release(tree)
    mutants = [each for source in SOURCES for each in source.mutants(release)]
    grouped = sorted(batches(mutants), key=lambda batch: batch[0].rules)
    context = multiprocessing.get_context("fork")
    with context.Pool(PROCESSES, Judge.begin, (Judge(tree),)) as pool:
        caught = pool.map(Judge.in_this_process, grouped, chunksize=8)
    return [
        Verdict(name, each.kind, each.rules, each.symbol, is_caught)
        for batch, found in zip(grouped, caught, strict=True)
        for each, is_caught in zip(batch, found, strict=True)
    ]


def table(verdicts: Sequence[Verdict]) -> str:
    """Return the figures for people, by rule and kind of damage."""
    made: Counter[tuple[str, str]] = Counter()
    caught: Counter[tuple[str, str]] = Counter()
    for each in verdicts:
        key = ", ".join(each.rules), each.kind
        made[key] += 1
        caught[key] += each.is_caught
    lines = [
        f"{rules:6}  {kind:48}{caught[rules, kind]:>5} of {made[rules, kind]:>4}"
        for rules, kind in sorted(made)
    ]
    share = 100 * caught.total() / made.total()
    lines.append(
        f"caught {caught.total():,} of {made.total():,} damages, {share:.1f} %"
    )
    return "\n".join(lines)


def main() -> None:
    """Read the command line, damage, check and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("releases", nargs="*", default=RELEASES, metavar="RELEASE")
    parser.add_argument("--json", action="store_true", help="print one document")
    parser.add_argument("--missed", action="store_true", help="name what is not caught")
    parser.add_argument("--least", type=float, default=0, help="percents, or fail")
    given = parser.parse_args()
    verdicts = [v for name in given.releases for v in judged(name, tree_of(name))]
    if given.json:
        keys = ("release", "kind", "rules", "symbol", "is_caught")
        shown = [{key: getattr(each, key) for key in keys} for each in verdicts]
        print(json.dumps(shown, indent=2))
    else:
        for each in verdicts if given.missed else ():
            if not each.is_caught:
                what = f"{', '.join(each.rules)} {each.kind}: {each.symbol}"
                print(f"missed in {each.release}: {what}")
        print(table(verdicts))
    caught = sum(each.is_caught for each in verdicts)
    if 100 * caught < given.least * len(verdicts):
        raise SystemExit(f"fewer than {given.least} % were caught")


if __name__ == "__main__":
    main()
