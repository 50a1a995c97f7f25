# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Measure how long an editor waits for ``kvlint server``.

    python benchmarks/editing.py [TREE] [--edits N]

Without a tree of vLLM it takes vLLM 0.33.0, which ``tests/corpus.py`` brings. An edit
adds a statement to a function in the middle of the file; a time is from the text that
the editor sends to the findings that it gets. On Linux the server's processor time for
an edit is told too, which a busy machine changes less. Nothing is written.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from corpus import bring  # noqa: E402
from editor import Editor  # noqa: E402

RELEASE = "vllm==0.33.0"
FILES = {
    "vllm/v1/kv_cache_interface.py": "spec classes",
    "vllm/v1/worker/gpu_model_runner.py": "no spec class",
    "vllm/v1/core/kv_cache_utils.py": "no spec class",
    "vllm/v1/core/single_type_kv_cache_manager.py": "managers",
}
PAUSE = 0.3
"""Seconds between edits, in which other open files would be checked."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tree", nargs="?", type=Path, help="a tree of vLLM")
    parser.add_argument("--edits", type=int, default=20, help="in each file")
    options = parser.parse_args(arguments)
    tree = options.tree.absolute() if options.tree else bring(RELEASE)
    print(f"{'':61} {'first':>8} {'median':>8} {'worst':>8} {'processor':>9}")
    for name, kind in FILES.items():
        if (tree / name).exists():
            first, times, busy = measure(tree, tree / name, options.edits)
            middle, worst = statistics.median(times), max(times)
            print(f"{name:46} {kind:14}", end="")
            print(f" {first:6.2f} s {middle:5.0f} ms {worst:5.0f} ms", end="")
            print(f" {busy:6.0f} ms", flush=True)


def measure(tree: Path, path: Path, edits: int) -> tuple[float, list[float], float]:
    """Return the seconds until the first findings, and milliseconds for each edit.

    The last figure is the processor's for an edit.
    """
    editor = Editor(tree)
    try:
        editor.open(path)
        first = editor.seconds
        text = editor.texts[path.as_uri()]
        at = text.index("\n        return ", len(text) // 2)
        times = []
        time.sleep(PAUSE)
        before = processor(editor.process)
        for number in range(edits):
            line = f"\n        number = {number}"
            time.sleep(PAUSE)
            editor.change(path, text[:at] + line + text[at:])
            times.append(editor.seconds * 1000)
        busy = (processor(editor.process) - before) * 1000 / edits
    finally:
        editor.stop()
    return first, times, busy


def processor(process: int) -> float:
    """Return the seconds that a process has worked; nothing where nobody tells."""
    stat = Path(f"/proc/{process}/stat")
    if not stat.exists():
        return 0.0
    fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
