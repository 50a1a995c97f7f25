# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""An interpreter that makes and asks specs, watched over and ended with all it does."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from kvlint.errors import KvlintError

_PROGRAMS = Path(__file__).parent / "programs"
_STDERR = 2
_GRACE = 5.0
_TURN = 0.3
_CHUNK = 1 << 16
_LONGEST_ANSWER = 1 << 26
_MARK = "KVLINT_VERIFY"


@dataclass(frozen=True)
class Limits:
    """What the interpreter may take.

    Attributes:
        seconds: Time, from its start to its end.
        memory: Bytes, all of its processes together.
        processes: How many it may have at once.
    """

    seconds: float = 120.0
    memory: int = 4 << 30
    processes: int = 32


@dataclass(frozen=True)
class Refusal:
    """The classes themselves do not want what they are asked to make."""

    reason: str


class Raised(KvlintError):
    """What was asked of the interpreter raised an error there.

    Attributes:
        error: The error as JSON, as the program tells it.
        told: Its type, its text and its place.
    """

    def __init__(self, doing: str, error: dict[str, Any]) -> None:
        """Make its text of what went on and of the error's."""
        self.error = error
        where = f" ({error['place']})" if error.get("place") else ""
        text = f": {error['text']}" if error.get("text") else ""
        self.told = f"{error.get('type')}{text}{where}"
        super().__init__(f"{doing} raised {self.told}")


class Interpreter:
    """A process of a Python interpreter that answers requests.

    Args:
        python: The interpreter.
        paths: Folders to put before its own ``sys.path``.
        limits: What it may take.
        folder: Its working directory.
        shown: Whether what it prints goes to standard error, not away.

    Raises:
        KvlintError: It cannot be started.
    """

    def __init__(
        self,
        python: Path,
        paths: Sequence[Path],
        limits: Limits,
        folder: Path,
        *,
        shown: bool = False,
    ) -> None:
        """Start it."""
        self.python, self._limits = python, limits
        self._mark = uuid.uuid4().hex
        self._buffer = b""
        self._doing = "starting"
        self._failure: KvlintError | None = None
        their_requests, self._requests = os.pipe()
        self._answers, their_answers = os.pipe()
        their_control, self._control = os.pipe()
        self._status, their_status = os.pipe()
        theirs = [their_requests, their_answers, their_control, their_status]
        numbers = [str(limits.seconds), str(limits.memory), str(limits.processes)]
        fds = f"{their_requests},{their_answers}"
        guard = [sys.executable, "-I", "-S", str(_PROGRAMS / "guard.py"), *numbers]
        guard += [str(their_control), str(their_status), fds]
        command = [str(python), "-B", str(_PROGRAMS)]
        command += [str(their_requests), str(their_answers), *map(str, paths)]
        self._end = time.monotonic() + limits.seconds + _GRACE
        printed = _STDERR if shown else subprocess.DEVNULL
        try:
            self._guard = subprocess.Popen(
                [*guard, *command],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=printed,
                pass_fds=theirs,
                cwd=folder,
                env={**os.environ, _MARK: self._mark},
            )
        except OSError as error:
            for each in (self._requests, self._answers, self._control, self._status):
                os.close(each)
            raise KvlintError(f"{python}: cannot be run: {error.strerror}") from error
        finally:
            for each in theirs:
                os.close(each)

    def __enter__(self) -> Interpreter:
        """Return it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it, and all that it has started."""
        self.close()

    def call(self, doing: str, do: str, **request: Any) -> Any:
        """Return the answer to a request.

        Args:
            doing: What goes on, for messages, such as ``importing x``.
            do: The kind of request.
            request: Its parts.

        Returns:
            What was asked for, or a ``Refusal``.

        Raises:
            Raised: The request failed.
            KvlintError: The interpreter has ended, for whatever reason.
        """
        if self._failure is not None:
            raise self._failure  # Hypothesis asks again for what has failed
        self._doing = doing
        line = json.dumps({"do": do, **request}).encode() + b"\n"
        try:
            while line:
                line = line[os.write(self._requests, line) :]
        except OSError:
            raise self._ended() from None
        said = self._read()
        if "refused" in said:
            return Refusal(str(said["refused"]))
        if "error" in said:
            old = said["error"].get("old")
            if old:
                raise KvlintError(
                    f"{self.python}: is Python {old}; verify needs 3.10 or later there"
                )
            if said["error"].get("type") == "MemoryError":
                raise KvlintError(f"{doing} {self._too_much}")
            raise Raised(doing, said["error"])
        return said["ok"]

    @property
    def _too_much(self) -> str:
        megabytes = self._limits.memory >> 20
        return f"took more than {megabytes} MB of memory (--memory-limit)"

    def _read(self) -> dict[str, Any]:
        while b"\n" not in self._buffer:
            left = max(0.0, self._end - time.monotonic())
            watched = [self._answers, self._status]
            if self._answers not in select.select(watched, [], [], left)[0]:
                raise self._ended()
            more = os.read(self._answers, _CHUNK)
            self._buffer += more
            if not more or len(self._buffer) > _LONGEST_ANSWER:
                raise self._ended()
        line, _, self._buffer = self._buffer.partition(b"\n")
        try:
            said = json.loads(line)
        except ValueError:
            said = None
        if not isinstance(said, dict) or not said.keys() & {"ok", "refused", "error"}:
            raise KvlintError(f"{self._doing}: the interpreter's answer makes no sense")
        return said

    def _ended(self) -> KvlintError:
        """Return the error that says why the interpreter has ended."""
        status = self.close(wait=_TURN)
        limits = self._limits
        match status.get("reason"):
            case "time":
                why = f"did not end within {limits.seconds:g} seconds (--timeout)"
            case "memory":
                why = self._too_much
            case "processes":
                why = f"started more than {limits.processes} processes"
            case "ended":
                code = int(status["code"])
                how = f"with exit code {code}"
                if code < 0:
                    how = f"by signal {_signal(-code)}"
                why = f"ended the interpreter {how}"
            case "closed":
                why = "closed the descriptor that its answers go to"
            case _:
                why = "ended the interpreter, and what watched over it"
        self._failure = KvlintError(f"{self._doing} {why}")
        return self._failure

    def close(self, wait: float = 0.0) -> dict[str, Any]:
        """End the interpreter and all it has started.

        Args:
            wait: For how many seconds it may still end by itself.

        Returns:
            Why it had ended before, as the guard tells it.
        """
        if self._guard.returncode is not None:
            return {}
        os.close(self._requests)
        select.select([self._status], [], [], wait)
        os.close(self._control)
        try:
            self._guard.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._guard.kill()
            self._guard.wait()
        said = os.read(self._status, _CHUNK)
        for each in (self._answers, self._status):
            os.close(each)
        if not said:
            _sweep(self._mark)
        return dict(json.loads(said)) if said else {}


def _sweep(mark: str) -> None:
    """Kill what bears a mark in its environment: the guard was killed before it."""
    wanted = f"{_MARK}={mark}".encode()
    for _ in range(20):
        found = False
        for path in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if wanted in path.read_bytes().split(b"\0"):
                    os.kill(int(path.parent.name), signal.SIGKILL)
                    found = True
        if not found:
            return


def _signal(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return str(number)
