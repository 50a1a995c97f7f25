# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Damage releases of vLLM in every way that a rule promises to find, one at a time.

    python benchmarks/mutants.py [RELEASE ...] [--json] [--missed] [--least PERCENT]

Without a release it takes 0.28.0 and 0.33.0, which ``tests/corpus.py`` brings, and a
plug-in for what only code outside vLLM can do wrong: ``tpu-inference==0.32.0``, which
is checked beside the vLLM of the same number. A damage is caught if a rule that
promises to find it says something about the damaged class or function that it does not
say about the release as it is. ``damage/`` holds the kinds of damage, and says of each
what is left out since it changes nothing.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from damage import (
    asserting,
    classes,
    composites,
    dispatch,
    losing,
    making,
    merging,
    overriding,
    patching,
    reading,
    retyping,
    searching,
)
from damage.judging import Judge
from damage.mutants import Mutant
from damage.trees import Release

ROOT = Path(__file__).parents[1]
RELEASES = ("0.28.0", "0.33.0", "tpu-inference==0.32.0")
SOURCES = (
    composites,
    merging,
    asserting,
    retyping,
    classes,
    making,
    dispatch,
    searching,
    reading,
    overriding,
)
EARLIER = ("0.20.2", "0.28.0")
"""Of these, the last before a release tells what its classes have no more."""
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
        is_mended: Whether there is a fix, of a kind that has to give back what was
            there.
        is_restored: Whether it does.
    """

    release: str
    kind: str
    rules: tuple[str, ...]
    symbol: str
    is_caught: bool
    is_mended: bool
    is_restored: bool


def tree_of(release: str) -> Path:
    """Return the folder of a release's sources, downloading it if it is not there."""
    wanted = release if "==" in release else f"vllm=={release}"
    bring = [sys.executable, str(ROOT / "tests" / "corpus.py"), wanted]
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
    project, _, vllm = name.rpartition("==")
    release = Release(tree, project.replace("-", "_") or "vllm")
    sources = (patching,) if project else SOURCES
    mutants = [each for source in sources for each in source.mutants(release)]
    if not project and (
        before := [each for each in EARLIER if _numbers(each) < _numbers(name)]
    ):
        mutants += losing.mutants(release, Release(tree_of(before[-1])))
    grouped = sorted(batches(mutants), key=lambda batch: batch[0].rules)
    context = multiprocessing.get_context("fork")
    with context.Pool(
        PROCESSES, Judge.begin, (Judge(tree, vllm if project else ""),)
    ) as pool:
        found = pool.map(Judge.in_this_process, grouped, chunksize=8)
    return [
        Verdict(name, mutant.kind, mutant.rules, mutant.symbol, **asdict(outcome))
        for batch, outcomes in zip(grouped, found, strict=True)
        for mutant, outcome in zip(batch, outcomes, strict=True)
    ]


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


def figures(
    verdicts: Sequence[Verdict], key: Callable[[Verdict], str]
) -> dict[str, list[int]]:
    """Return how many were made, caught, mended and restored, by something."""
    found: dict[str, list[int]] = {}
    for each in sorted(verdicts, key=key):
        counts = found.setdefault(key(each), [0, 0, 0, 0])
        known = True, each.is_caught, each.is_mended, each.is_restored
        counts[:] = [count + one for count, one in zip(counts, known, strict=True)]
    return found


def table(verdicts: Sequence[Verdict]) -> str:
    """Return the figures for people, by rule and kind of damage."""
    lines = [" " * 56 + "made  caught   fixes  restored"]
    by_kind = figures(verdicts, lambda each: f"{each.rules[0]:8}{each.kind}")
    total = figures(verdicts, lambda each: "all")
    for name, (made, *others) in (by_kind | total).items():
        caught, mended, restored = (f"{each:>8,}" for each in others)
        lines.append(f"{name:54}{made:>6,}{caught}{mended}{restored}".rstrip())
    return "\n".join(lines)


def too_few(verdicts: Sequence[Verdict], least: float) -> list[str]:
    """Return the rules that catch, or give back, less than so many percent."""
    return [
        rule
        for rule, counts in figures(verdicts, lambda each: each.rules[0]).items()
        if 100 * counts[1] < least * counts[0] or 100 * counts[3] < least * counts[2]
    ]


def main() -> None:
    """Read the command line, damage, check and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("releases", nargs="*", default=RELEASES, metavar="RELEASE")
    parser.add_argument("--json", action="store_true", help="print one document")
    parser.add_argument("--missed", action="store_true", help="name what is not caught")
    parser.add_argument("--least", type=float, default=0, help="percent of each rule")
    given = parser.parse_args()
    verdicts = [v for name in given.releases for v in judged(name, tree_of(name))]
    if given.json:
        print(json.dumps([asdict(each) for each in verdicts], indent=2))
    else:
        for each in verdicts if given.missed else ():
            is_lost = each.is_mended and not each.is_restored
            if is_lost or not each.is_caught:
                what = "not restored" if is_lost else "missed"
                where = f"{', '.join(each.rules)} {each.kind}: {each.symbol}"
                print(f"{what} in {each.release}: {where}")
        print(table(verdicts))
    if rules := too_few(verdicts, given.least):
        raise SystemExit(f"less than {given.least:g} %: {', '.join(rules)}")


if __name__ == "__main__":
    main()
