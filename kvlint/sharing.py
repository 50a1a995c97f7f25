# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Work that this process shares with copies of itself, where that can be had safely.

A copy begins with all that is known so far; what it gives comes back as plain data. It
costs some milliseconds to make one, so that small work is better done alone.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

_Result = TypeVar("_Result")
_MOST = 4
_MOST_TASKS = 256


def helpers_at_hand() -> int:
    """Return how many copies of this process may help it, none if it must work alone.

    A copy of a process with threads may wait for ever for one that it does not have.
    On macOS libraries of the system forbid copies, on Windows there are none.
    """
    if sys.platform in {"darwin", "win32"} or not hasattr(os, "fork"):
        return 0
    if threading.active_count() > 1:
        return 0
    if hasattr(os, "sched_getaffinity"):
        processors = len(os.sched_getaffinity(0))
    else:
        processors = os.cpu_count() or 1
    return min(processors, _MOST) - 1


def shared(tasks: Sequence[Callable[[], _Result]], helpers: int) -> list[_Result]:
    """Return what tasks give, in their order, whoever did them.

    Whoever is free takes the next one. What a copy took and did not bring home, since
    it was killed or crashed, this process does again; so what a task raises here is
    what it raises.

    Args:
        tasks: The longest first. What they give must be plain data, and what they
            leave behind elsewhere may be lost.
        helpers: How many copies of this process help.
    """
    if helpers < 1 or not 1 < len(tasks) <= _MOST_TASKS:
        return [task() for task in tasks]
    queue, filling = os.pipe()
    os.write(filling, bytes(range(len(tasks))))
    os.close(filling)
    copies: list[_Copy] = []
    gc.freeze()  # to look through what is shared for garbage would be to copy it
    try:
        # Until all copies are known by name, no interrupt may lose one.
        # If the system gives no more processes, as many help as there are.
        with _uninterrupted(), contextlib.suppress(OSError):
            for _ in range(min(helpers, len(tasks) - 1)):
                copies.append(_start(tasks, queue))
        done = _taken(tasks, queue)
        for copy in copies:
            done |= copy.results()
    finally:
        with _uninterrupted():  # whoever presses Ctrl-C twice
            os.close(queue)
            for copy in copies:
                copy.end()
            gc.unfreeze()
    return [done[x] if x in done else task() for x, task in enumerate(tasks)]


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _taken(tasks: Sequence[Callable[[], _Result]], queue: int) -> dict[int, _Result]:
    """Do tasks as long as there are any that nobody has taken."""
    done = {}
    while taken := os.read(queue, 1):
        done[taken[0]] = tasks[taken[0]]()
    return done


@dataclass(frozen=True)
class _Copy:
    """A copy of this process that does tasks.

    Attributes:
        process: Its number.
        reading: Where it writes what they gave, once there are none left.
    """

    process: int
    reading: int

    def results(self) -> dict[int, _Result]:
        """Wait for what it did; nothing if it came to grief."""
        pieces = []
        while piece := os.read(self.reading, 1 << 20):
            pieces.append(piece)
        try:
            done: dict[int, _Result] = pickle.loads(b"".join(pieces))
        except Exception:  # whatever half a message may raise
            return {}
        return done

    def end(self) -> None:
        """See that nothing remains of it."""
        os.close(self.reading)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.process, 0)


def _start(tasks: Sequence[Callable[[], object]], queue: int) -> _Copy:
    """Make a copy that takes tasks.

    Raises:
        OSError: There cannot be one.
    """
    reading, writing = os.pipe()
    try:
        process = os.fork()
    except OSError:
        os.close(reading)
        os.close(writing)
        raise
    if process:
        os.close(writing)
        return _Copy(process, reading)
    try:
        # An interrupt is the first process's to tell; and what that has yet to print,
        # nobody prints twice: no exit handler runs here.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        os.close(reading)
        with open(writing, "wb") as stream:
            pickle.dump(_taken(tasks, queue), stream, pickle.HIGHEST_PROTOCOL)
    finally:
        os._exit(0)
