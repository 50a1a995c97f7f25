# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Long work on a terminal: it says what it does, and Ctrl-C ends it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from corpus import bring
from package_index import LocalIndex, served
from terminal import KVLINT, Terminal, terminal

from kvlint import progress

# Each check takes a while, and tells who runs it.
SLOW = """\
import os, sys, time
from types import MappingProxyType
from kvlint import cli, looks, progress

seconds, codes = float(sys.argv.pop()), sys.argv.pop().split(",")

def slow(project):
    with open(f"ran-{os.getpid()}", "w"):
        time.sleep(seconds)
    yield from ()

progress._DELAY = 0.2
looks._WORTH_SHARING = 0
looks.helpers_at_hand = lambda: 1
looks.checks = lambda: MappingProxyType(dict.fromkeys(codes, slow))
cli.main(prog_name="kvlint")
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path) -> None:
    """Two files of no interest."""
    for name in ("pyproject.toml", "a.py", "b.py"):
        (tmp_path / name).touch()


def slowly(seconds: float, codes: str, *arguments: str) -> list[str]:
    """A command line of which the checks of some rules take their time."""
    return [sys.executable, "-c", SLOW, "check", *arguments, codes, str(seconds)]


def test_a_long_check_tells_what_it_does(tmp_path: Path) -> None:
    command = slowly(0.6, "KV101", "--vllm-version", "0.28.0")
    with terminal(command, tmp_path, stdout=subprocess.PIPE) as screen:
        code = screen.finish()
        assert screen.process.stdout is not None
        assert screen.process.stdout.read() == b""
    assert code == 0, screen.seen
    drawn = screen.seen.split(b"\r\x1b[K")
    assert drawn[0] == b""
    assert drawn[-1] == b"All checks passed!\r\n"
    assert len(drawn) > 3
    assert drawn[-2].startswith(b"Checking 2 files: vLLM 0.28.0 (")


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A narrow terminal that standard error goes to, and its other end."""
    end, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 20, 0, 0))
    with open(other, "w") as stream:
        # Not sys itself: pytest puts its own stream there when a test begins.
        monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=stream))
        monkeypatch.setattr(progress, "_DELAY", 0.05)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.delenv("CI", raising=False)
        yield end
    os.close(end)


def drawn(end: int) -> bytes:
    """What the terminal shows, which may come in pieces."""
    seen = b""
    while select.select([end], [], [], 0.1)[0]:
        seen += os.read(end, 10_000)
    return seen


def test_the_line_is_no_wider_than_the_terminal(watched: int) -> None:
    with progress.shown(), progress.Step("Ch\x1bcking"), progress.counted("all", 2, 3):
        time.sleep(0.1)
    before, *lines, after = drawn(watched).split(b"\r\x1b[K")
    assert (before, {*lines}, after) == (b"", {b"Ch?cking: all, 2 of"}, b"")


def test_what_is_quick_is_not_worth_a_word(watched: int) -> None:
    with progress.shown(), progress.Step("Checking"):
        pass
    time.sleep(0.1)
    assert drawn(watched) == b""


@pytest.mark.parametrize("variables", [{"CI": "true"}, {"TERM": "dumb"}, {"TERM": ""}])
def test_terminals_that_nobody_watches(
    variables: dict[str, str], watched: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with progress.shown(), progress.Step("Checking"):
        time.sleep(0.1)
    assert drawn(watched) == b""


def test_quiet(watched: int) -> None:
    with progress.shown(quiet=True), progress.Step("Checking"):
        time.sleep(0.1)
    assert drawn(watched) == b""


def test_no_terminal(tmp_path: Path) -> None:
    ran = subprocess.run(slowly(0.4, "KV101"), cwd=tmp_path, capture_output=True)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"All checks passed!\n")


def test_steps_are_parts_of_each_other() -> None:
    shown = progress._steps
    with progress.counted("a", 1, 1), progress.counted("b", 2, 3) as inner:
        assert [each.text for each in shown] == ["a", "b, 2 of 3"]
        inner.text = "c"
    assert shown == []


def assert_interrupted(screen: Terminal) -> None:
    # Interrupted in an import, Python may kill itself; to a shell that is 130 too.
    assert screen.finish() in (130, -signal.SIGINT), screen.seen
    assert screen.seen.endswith(b"interrupted\r\n")
    assert b"Traceback" not in screen.seen
    assert screen.is_deserted


def test_ctrl_c_while_a_copy_works(tmp_path: Path) -> None:
    with terminal(slowly(60, "KV101,KV406"), tmp_path) as screen:
        while len([*tmp_path.glob("ran-*")]) < 2:
            screen.pause(0.05)
            assert screen.process.poll() is None, screen.seen
        screen.wait_for("Checking 2 files")
        screen.press("\x03")
        assert_interrupted(screen)


@pytest.fixture
def stalled(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalIndex]:
    """An index that sends the first half of an archive, and then nothing."""
    with served() as index:
        index.stalled = True
        index.release("ring", "1.2", {"a.py": "x = 1\n" * 10})
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        try:
            yield index
        finally:
            index.go_on.set()


def test_ctrl_c_while_a_distribution_is_brought(
    stalled: LocalIndex, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    command = [*KVLINT, "audit", "ring", "--index-url", stalled.url]
    with terminal(command, tmp_path, KVLINT_CACHE_DIR=str(cache)) as screen:
        screen.wait_for("Bringing ring 1.2: ")
        screen.press("\x03")
        assert_interrupted(screen)
    kept = [path.name for path in cache.rglob("*") if path.is_file()]
    assert kept == ["CACHEDIR.TAG"]


@pytest.mark.corpus
@pytest.mark.parametrize("percent", [5, 30, 55, 80])
def test_ctrl_c_at_any_time(percent: int, tmp_path: Path) -> None:
    tree = bring("vllm==0.33.0")
    command = [*KVLINT, "check", "--exit-zero", "--output-format=concise", str(tree)]
    begun = time.monotonic()
    with terminal(command, tmp_path) as screen:
        assert screen.finish() == 0
    seconds = time.monotonic() - begun
    for _ in range(5):
        with terminal(command, tmp_path) as screen:
            # The first keys must not meet an interpreter that is still starting.
            screen.pause(max(0.2, seconds * percent / 100))
            screen.press("\x03")
            if screen.finish() or not has_ended_first(screen):
                assert_interrupted(screen)
                return
        seconds *= 0.8  # other work had slowed the first run down
    pytest.fail("every run had ended before the keys were pressed")


def has_ended_first(screen: Terminal) -> bool:
    """Return whether all was told before the keys were echoed, if they were at all."""
    told, _, after = screen.seen.partition(b"^C")
    return told.endswith(b"\r\n") and b"Found " in told and after in {b"", b"\r\n"}
