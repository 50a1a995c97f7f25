# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A program on a terminal of its own, as a person has it: keys in, screen out."""

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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[1]
_PATIENCE = 30.0
KVLINT = [sys.executable, "-m", "kvlint"]


@dataclass
class Terminal:
    """A terminal and the program in front of it.

    Attributes:
        process: The program.
        end: The side of the terminal on which a person sits.
        seen: What was drawn so far.
    """

    process: subprocess.Popen[bytes]
    end: int
    seen: bytes = field(default=b"")

    def press(self, keys: str) -> None:
        """Press keys; the character of code 3 is Ctrl-C."""
        os.write(self.end, keys.encode())

    def wait_for(self, text: str) -> None:
        """Read until a text is there, which was not there at the last look."""
        begun = time.monotonic()
        seen = len(self.seen)
        while text.encode() not in self.seen[seen:]:
            assert time.monotonic() < begun + _PATIENCE, self.seen
            assert self._read(), self.seen

    def pause(self, seconds: float) -> None:
        """Read for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self._read():
            pass

    def finish(self) -> int:
        """Read until the program ends; return its exit code."""
        begun = time.monotonic()
        while self.process.poll() is None:
            assert time.monotonic() < begun + _PATIENCE, self.seen
            self._read()
        while self._read():
            pass
        return self.process.returncode

    @property
    def is_deserted(self) -> bool:
        """Whether nothing is left of the program and of what it started."""
        try:
            os.killpg(self.process.pid, 0)
        except ProcessLookupError:
            return True
        return False

    def _read(self) -> bytes:
        is_over = self.process.poll() is not None
        # What a program wrote last may arrive after its end, and then the end does.
        if not select.select([self.end], [], [], 1.0 if is_over else 0.02)[0]:
            return b"" if is_over else b" "
        try:
            read = os.read(self.end, 100_000)
        except OSError:  # as Linux says that nobody writes any more
            return b""
        self.seen += read
        return read


@contextmanager
def terminal(
    command: Sequence[str],
    folder: Path,
    *,
    stdout: int | IO[bytes] | None = None,
    size: tuple[int, int] = (24, 80),
    **variables: str,
) -> Iterator[Terminal]:
    """Start a program on a new terminal, of which it is the first process.

    Args:
        command: The program and its arguments.
        folder: Its working directory.
        stdout: Where standard output goes, if not to the terminal.
        size: Lines and columns.
        variables: More of the environment.
    """
    end, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**environment(), **variables},
        stdin=other,
        stdout=other if stdout is None else stdout,
        stderr=other,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(2, termios.TIOCSCTTY, 0),
    )
    os.close(other)
    try:
        yield Terminal(process, end)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        os.close(end)
        if process.stdout is not None:
            process.stdout.close()


def environment() -> Mapping[str, str]:
    """Return an environment in which nothing keeps kvlint from using a terminal."""
    silent = ("CI", "NO_COLOR", "COLUMNS", "LINES", "PAGER", "LESS", "VIRTUAL_ENV")
    found = {key: value for key, value in os.environ.items() if key not in silent}
    return {**found, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
