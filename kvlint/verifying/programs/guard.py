# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Runs a command within limits, and leaves no process of it behind.

Usage: ``guard.py SECONDS BYTES PROCESSES CONTROL STATUS FD,FD COMMAND ...``. The
command gets the two descriptors and nothing else that is open. It is ended when it
takes too long, needs too much memory or starts too many processes, and when ``CONTROL``
is closed, as it is when kvlint ends in whatever way. Then ``STATUS`` is told why.

On Linux whatever the command starts is found, also what has left its session.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import sys
import time
from contextlib import suppress

_TICK = 0.05
_LOOK = 0.25
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)
_PAGE = resource.getpagesize()


def main(arguments: list[str]) -> None:
    """Run the command, wait for its end or for a limit, and tell which it was."""
    seconds, memory, processes = float(arguments[0]), int(arguments[1]), arguments[2]
    control, status = int(arguments[3]), int(arguments[4])
    given = [int(each) for each in arguments[5].split(",")]
    _adopt()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the control descriptor tells the end
    pid = os.fork()
    if not pid:
        _become(arguments[6:], memory, [control, status])
    for each in given:
        os.close(each)
    said = _wait(pid, time.monotonic() + seconds, memory, int(processes), control)
    _end(pid)
    os.write(status, json.dumps(said).encode())


def _adopt() -> None:
    """Be the parent of every descendant whose own parent ends."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def _become(command: list[str], memory: int, closed: list[int]) -> None:
    """Turn this process into the command, within its limits."""
    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        for each in closed:
            os.close(each)
        # Not of the address space: of that torch maps far more than it ever uses.
        for limit, value in (
            (resource.RLIMIT_DATA, memory),
            (resource.RLIMIT_CORE, 0),
        ):
            most = resource.getrlimit(limit)[1]
            if most != resource.RLIM_INFINITY:
                value = min(value, most)
            resource.setrlimit(limit, (value, value))
        os.execvp(command[0], command)
    except OSError as error:
        os._exit(126 if error.errno else 127)


def _wait(
    pid: int, end: float, memory: int, processes: int, control: int
) -> dict[str, object]:
    looked = time.monotonic()
    while True:
        if select.select([control], [], [], _TICK)[0]:
            return {"reason": "closed"}
        while True:
            ended, status = os.waitpid(-1, os.WNOHANG)
            if ended == pid:
                return {"reason": "ended", "code": os.waitstatus_to_exitcode(status)}
            if not ended:
                break
        now = time.monotonic()
        if now > end:
            return {"reason": "time"}
        if now - looked > _LOOK:
            looked = now
            running = _descendants()
            if len(running) > processes:
                return {"reason": "processes", "number": len(running)}
            if sum(map(_resident, running)) > memory:
                return {"reason": "memory"}


def _end(pid: int) -> None:
    """Kill the command and all that is left of what it started."""
    while True:
        with suppress(OSError):
            os.killpg(pid, signal.SIGKILL)
        running = _descendants()
        # Stopped first, they cannot start more than can be killed.
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for each in running:
                with suppress(OSError):
                    os.kill(each, number)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(_TICK / 10)


def _descendants() -> list[int]:
    """Return the processes below this one, where the system tells."""
    parents = {}
    try:
        names = os.listdir("/proc")
    except OSError:
        return []
    for name in filter(str.isdigit, names):
        try:
            with open("/proc/" + name + "/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if fields[0] != b"Z":
            parents[int(name)] = int(fields[1])
    found = {os.getpid()}
    while True:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        if not more:
            return sorted(found - {os.getpid()})
        found |= more


def _resident(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


if __name__ == "__main__":
    main(sys.argv[1:])
