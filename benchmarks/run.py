# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Measure kvlint against ruff on one tree, in turn.

    python benchmarks/run.py [TREE] [--runs N] [--json]

Without a tree it takes vLLM 0.33.0, which ``tests/corpus.py`` brings; with one it
downloads nothing. Neither tool uses a cache; one run of each before the measured ones
lets the system read the files.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
RELEASE = "vllm==0.33.0"
MEGABYTE = 1_000_000
# What `ru_maxrss` counts in: kilobytes, but for macOS.
MEMORY_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass
class Subject:
    """A command and what was measured of it.

    Attributes:
        name: What it is called in the table.
        command: The command line.
        seconds: The wall time of each run.
        memory: The peak memory of each run, in megabytes.
    """

    name: str
    command: Sequence[str]
    seconds: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)

    def measure(self) -> None:
        """Run once and note what it took.

        Raises:
            SystemExit: The command could not do its work.
        """
        seconds, memory = run(self.command)
        self.seconds.append(seconds)
        self.memory.append(memory)

    def figures(self, ruff: float) -> dict[str, float]:
        """Return seconds, megabytes, and the median as a multiple of ruff's.

        Args:
            ruff: The median of ruff's wall times.
        """
        median = statistics.median(self.seconds)
        return {
            "median": round(median, 3),
            "least": round(min(self.seconds), 3),
            "most": round(max(self.seconds), 3),
            "megabytes": round(max(self.memory), 1),
            "times ruff": round(median / ruff, 2),
        }


@dataclass(frozen=True)
class Results:
    """What a whole measurement gave.

    Attributes:
        tree: The name of the tree.
        files: How many Python files are in it.
        megabytes: How large they are together.
        runs: How often each command was run.
        figures: For each command what ``Subject.figures`` gives.
    """

    tree: str
    files: int
    megabytes: float
    runs: int
    figures: dict[str, dict[str, float]]

    def table(self) -> str:
        """Return the results for people: seconds, megabytes, and multiples."""
        columns = list(next(iter(self.figures.values())))
        size = f"{self.files:,} Python files, {self.megabytes:.0f} MB"
        lines = [
            f"{self.tree}: {size}; {self.runs} runs of each command, in turn",
            " " * 16 + "".join(f"{each:>12}" for each in columns),
        ]
        for name, figures in self.figures.items():
            cells = [f"{figures[each]:>12,.2f}" for each in columns]
            lines.append(f"{name:16}" + "".join(cells))
        return "\n".join(lines)


def run(command: Sequence[str]) -> tuple[float, float]:
    """Return the seconds and the megabytes that one run of a command takes.

    Args:
        command: A command line whose exit code is 0 or, for findings, 1.

    Raises:
        SystemExit: The exit code is another.
    """
    environment = dict(os.environ, PYTHONPATH=str(ROOT))
    # An installed kvlint is compiled already.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    begun = time.perf_counter()
    child = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    # Not `child.wait`: the resources of this child alone are wanted.
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - begun
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        raise SystemExit(f"exit code {child.returncode}: {' '.join(command)}")
    return seconds, usage.ru_maxrss * MEMORY_UNIT / MEGABYTE


def subjects(tree: Path) -> list[Subject]:
    """Return the commands that are measured.

    Args:
        tree: The folder to check.

    Raises:
        SystemExit: There is no ruff.
    """
    beside = str(Path(sys.executable).parent)
    ruff = shutil.which("ruff", path=beside) or shutil.which("ruff")
    if ruff is None:
        raise SystemExit("no ruff to measure against: pip install -e '.[dev]'")
    kvlint = [sys.executable, "-m", "kvlint"]
    options = ["--no-cache", "--isolated", "--select", "E9"]
    return [
        Subject("kvlint check", [*kvlint, "check", str(tree)]),
        Subject("ruff check, E9", [ruff, "check", *options, str(tree)]),
        Subject("kvlint --help", [*kvlint, "--help"]),
    ]


def measure(tree: Path, runs: int) -> Results:
    """Run each command once unmeasured, then all in turn.

    Args:
        tree: The folder to check.
        runs: How often each command is run.

    Raises:
        SystemExit: A command could not do its work.
    """
    measured = subjects(tree)
    for subject in measured:
        run(subject.command)
    for _ in range(runs):
        for subject in measured:
            subject.measure()
    sizes = [
        path.stat().st_size
        for suffix in ("py", "pyi")
        for path in tree.rglob(f"*.{suffix}")
    ]
    ruff = next(each for each in measured if each.name.startswith("ruff"))
    median = statistics.median(ruff.seconds)
    return Results(
        tree.name,
        len(sizes),
        round(sum(sizes) / MEGABYTE, 1),
        runs,
        {each.name: each.figures(median) for each in measured},
    )


def main() -> None:
    """Read the command line, measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tree", nargs="?", type=Path, help="default: vLLM 0.33.0")
    parser.add_argument("--runs", type=int, default=7, help="of each command")
    parser.add_argument("--json", action="store_true", help="print one document")
    given = parser.parse_args()
    tree: Path | None = given.tree
    if tree is None:
        # In a process of its own: what this one holds would count as every child's.
        bring = [sys.executable, str(ROOT / "tests" / "corpus.py"), RELEASE]
        tree = Path(subprocess.check_output(bring, text=True).strip())
    if not tree.is_dir():
        parser.error(f"no such folder: {tree}")
    if given.runs < 1:
        parser.error("--runs must be 1 or more")
    results = measure(tree.resolve(), given.runs)
    print(json.dumps(asdict(results), indent=2) if given.json else results.table())


if __name__ == "__main__":
    main()
