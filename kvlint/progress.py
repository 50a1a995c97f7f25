# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What is being done, on one line of the terminal, while it takes long.

The line is drawn when a timer of the system rings: a thread would forbid copies of the
process (see ``kvlint.sharing``), and those have no timer. Where nobody looks, nothing
of this is set up, and a step costs no more than a list does.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

_DELAY, _PERIOD = 0.5, 0.1
_COLUMNS = 80  # of a terminal that does not know
_CLEARED = b"\r\x1b[K"

_steps: list[Step] = []


class Step:
    """A part of the work, or of a larger part, as long as it lasts.

    Args:
        text: What is done. It may be set anew.
    """

    def __init__(self, text: str) -> None:
        """Say what it is called."""
        self.text = text

    def __enter__(self) -> Step:
        """Begin it."""
        _steps.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        _steps.remove(self)


def counted(what: str, number: int, of: int) -> Step:
    """Return a step that is one of several alike.

    Args:
        what: Which one it is.
        number: The how many-th, from 1 on.
        of: How many there are; where there is one, it is not counted.
    """
    return Step(what if of == 1 else f"{what}, {number} of {of}")


@contextmanager
def shown(*, quiet: bool = False) -> Iterator[None]:
    """Show the steps of what is done inside, if a person looks and it takes long.

    Args:
        quiet: Whether the person does not want to know.
    """
    if quiet or not _is_watched():
        yield
        return
    stream = sys.stderr.fileno()
    begun = time.monotonic()
    drawn = False

    def draw(_signal: int, _frame: FrameType | None) -> None:
        nonlocal drawn
        text = ": ".join(each.text for each in _steps if each.text)
        if text:
            drawn = True
            text = f"{text} ({time.monotonic() - begun:.1f} s)"
            text = "".join(x if x.isascii() and x.isprintable() else "?" for x in text)
            with suppress(OSError):  # a terminal that is gone
                columns = os.get_terminal_size(stream).columns or _COLUMNS
                # Not through the stream, which may be in the midst of a write.
                os.write(stream, _CLEARED + text[: columns - 1].encode())

    before = signal.signal(signal.SIGALRM, draw)
    signal.setitimer(signal.ITIMER_REAL, _DELAY, _PERIOD)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if drawn:
            with suppress(OSError):
                os.write(stream, _CLEARED)


def _is_watched() -> bool:
    """Whether standard error is a terminal on which a line can be drawn anew."""
    if os.environ.get("CI") or os.environ.get("TERM") in (None, "", "dumb"):
        return False
    # Windows has no such timer.
    return hasattr(signal, "setitimer") and sys.stderr.isatty()
