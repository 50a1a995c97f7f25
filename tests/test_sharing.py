# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Work shared with copies of the process: the same comes of it, whatever they do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from projects import PRELUDE, check_project, write_project

from kvlint import checking, looks
from kvlint.registry import checks
from kvlint.reports import Report
from kvlint.sharing import helpers_at_hand, shared
from kvlint.specs import descendants

ROOT = Path(__file__).parents[1]
HERE = os.getpid()


def has_children() -> bool:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False
    return True


@pytest.fixture(autouse=True)
def no_child_remains() -> Iterator[None]:
    assert not has_children()
    yield
    assert not has_children()


def numbered(count: int, also: Callable[[], object] = lambda: None) -> list[Any]:
    """Tasks that take turns, so that everybody gets some, and tell who did them."""

    def task(number: int) -> tuple[int, int]:
        time.sleep(0.01)
        also()
        return number, os.getpid()

    return [lambda number=number: task(number) for number in range(count)]


@pytest.mark.parametrize("helpers", [0, 1, 3])
def test_results_are_in_order(helpers: int) -> None:
    found = shared(numbered(12), helpers)

    assert [number for number, _ in found] == list(range(12))
    workers = {process for _, process in found}
    assert workers == {HERE} if not helpers else len(workers) > 1


@pytest.mark.parametrize("count", [0, 1])
def test_nothing_to_share(count: int) -> None:
    assert shared(numbered(count), 3) == [(number, HERE) for number in range(count)]


def test_long_results() -> None:
    sizes = range(0, 300_000, 9999)

    found = shared([partial(str.__mul__, "x", size) for size in sizes], 2)

    assert [len(each) for each in found] == [*sizes]


def killed() -> None:
    if os.getpid() != HERE:
        os.kill(os.getpid(), signal.SIGKILL)


def crashed() -> None:
    if os.getpid() != HERE:
        raise ValueError("in a copy alone")


def left() -> None:
    if os.getpid() != HERE:
        os._exit(3)


@pytest.mark.parametrize("death", [killed, crashed, left])
def test_a_copy_that_comes_to_grief_loses_nothing(death: Callable[[], None]) -> None:
    found = shared(numbered(8, death), 2)

    assert found == [(number, HERE) for number in range(8)]


def test_what_cannot_be_sent_is_done_again() -> None:
    def task() -> Callable[[], int]:
        time.sleep(0.01)
        return lambda: os.getpid()

    assert [found() for found in shared([task] * 6, 1)] == [HERE] * 6


def test_no_more_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> int:
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(os, "fork", refused)

    assert shared(numbered(3), 2) == [(number, HERE) for number in range(3)]


def test_what_a_task_raises() -> None:
    def task() -> None:
        time.sleep(0.01)
        raise KeyError("here and there")

    with pytest.raises(KeyError, match="here and there"):
        shared([task] * 4, 1)


def test_an_interrupt_ends_all() -> None:
    def task() -> None:
        if os.getpid() == HERE:
            raise KeyboardInterrupt
        time.sleep(60)

    with pytest.raises(KeyboardInterrupt):
        shared([task] * 4, 2)


def test_a_process_with_threads_works_alone() -> None:
    waiting = threading.Event()
    thread = threading.Thread(target=waiting.wait)
    thread.start()
    try:
        assert helpers_at_hand() == 0
    finally:
        waiting.set()
        thread.join()


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_platforms_without_copies(
    platform: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)

    assert helpers_at_hand() == 0


def test_one_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)

    assert helpers_at_hand() == 0


def test_nothing_is_printed_twice() -> None:
    script = (
        "import time; from kvlint.sharing import shared\n"
        "print('once')\n"
        "print(*shared([lambda: time.sleep(0.01)] * 4, 2))\n"
    )

    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT
    )

    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == "once\nNone None None None\n"


def test_ctrl_c(tmp_path: Path) -> None:
    script = (
        "import os, sys, time; from kvlint.sharing import shared\n"
        "def task():\n"
        "    os.write(1, b'%d\\n' % os.getpid()); time.sleep(60)\n"
        "try: shared([task] * 4, 1)\n"
        "except KeyboardInterrupt: print('interrupted', flush=True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,
    )
    assert process.stdout is not None
    workers = {int(process.stdout.readline()) for _ in range(2)}

    os.killpg(process.pid, signal.SIGINT)
    out, errors = process.communicate(timeout=30)

    assert (out, errors) == ("interrupted\n", "")
    assert process.pid in workers
    for each in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(each, 0)


FILES = {
    "p/composite.py": PRELUDE
    + """\
@dataclass(frozen=True)
class Twin(AttentionSpec):
    specs: dict[str, AttentionSpec] = field(default_factory=dict)

    @property
    def page_size_bytes(self):
        return next(iter(self.specs.values())).page_size_bytes
""",
    "p/use.py": PRELUDE
    + """\
def make(groups: list[KVCacheGroupSpec]):
    sizes = {group.kv_cache_spec.block_size for group in groups}
    assert len(sizes) == 1
    spec = FullAttentionSpec(16, nonsense=1)
    return sizes.pop(), spec.no_such_member
""",
    "p/broken.py": PRELUDE + "class A(KVCacheSpec):\n    def f(self: x=\n",
}


def check_both(
    folder: Path, monkeypatch: pytest.MonkeyPatch, helpers: int = 2
) -> tuple[Report, Report]:
    """Check alone, and then with copies."""
    alone = check_project(folder, isolated=True)
    monkeypatch.setattr(descendants, "_AT_ONCE", 1)
    for module in (checking, looks):
        monkeypatch.setattr(module, "_WORTH_SHARING", 0)
        monkeypatch.setattr(module, "helpers_at_hand", lambda: helpers)
    return alone, check_project(folder, isolated=True)


def test_a_check_with_copies_finds_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_project(tmp_path, FILES)

    alone, both = check_both(tmp_path, monkeypatch)

    assert both == alone
    assert len({each.code for each in both.findings}) > 4
    assert [each.code for each in both.failures] == ["KV900"]


@pytest.mark.parametrize("death", [killed, left])
def test_a_check_whose_copies_die_finds_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, death: Callable[[], None]
) -> None:
    write_project(tmp_path, FILES)

    def deadly(check: Callable[[Any], Iterator[Any]]) -> Callable[[Any], Any]:
        def run(project: object) -> Iterator[Any]:
            death()
            return check(project)

        return run

    lethal = {code: deadly(check) for code, check in checks().items()}
    monkeypatch.setattr(looks, "checks", lambda: MappingProxyType(lethal))

    alone, both = check_both(tmp_path, monkeypatch)

    assert both == alone
    assert both.findings


def test_a_check_that_crashes_in_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_project(tmp_path, FILES)

    def faulty(project: object) -> Iterator[Any]:
        time.sleep(0.01)
        raise ValueError("broken")
        yield

    known = {**checks(), "KV101": faulty, "KV406": faulty, "KV210": faulty}
    monkeypatch.setattr(looks, "checks", lambda: MappingProxyType(known))

    alone, both = check_both(tmp_path, monkeypatch)

    assert both == alone
    assert [each.code for each in both.failures[:3]] == ["KV101", "KV210", "KV406"]


def test_a_file_that_only_a_copy_has_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_project(tmp_path, FILES)

    def parsing(project: Any) -> Iterator[Any]:
        if os.getpid() != HERE:
            project.workspace.file(tmp_path / "p/broken.py")
        else:
            time.sleep(0.2)
        yield from ()

    known = dict.fromkeys(["KV101", "KV406", "KV210"], parsing)
    monkeypatch.setattr(looks, "checks", lambda: MappingProxyType(known))
    monkeypatch.setattr(checking.Run, "_worth_parsing", lambda self, checked: ())

    _, both = check_both(tmp_path, monkeypatch)

    assert [each.code for each in both.findings] == ["KV900"]
