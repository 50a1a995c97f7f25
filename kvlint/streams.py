# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Standard output and error: printing, colour, and errors that become exit codes."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from kvlint.errors import KvlintError

FAILED = 2
_INTERRUPTED = 130  # as shells count: 128 and the signal
_noted: list[int] = []
"""The interrupts of the command at hand."""


def emit(text: str | bytes, *, err: bool = False) -> None:
    """Print as it is; who stops reading early is not told off for it."""
    if not text:
        return
    try:
        # Colour is decided by then; click would strip it by rules of its own.
        click.echo(text, nl=False, err=err, color=True)
    except BrokenPipeError:
        stream = sys.stderr if err else sys.stdout
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def wants_colour(*, err: bool) -> bool:
    """Return whether a stream is a terminal whose user did not refuse colour."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return (sys.stderr if err else sys.stdout).isatty()


def announce_run(python: Path) -> None:
    """Say that code is run, and with which interpreter."""
    # A line that shows what is being done may stand there.
    start = "\r\x1b[K" if wants_colour(err=True) else ""
    emit(f"{start}note: this imports and runs the code, with {python}\n", err=True)


@contextmanager
def guarded(
    *, verbose: bool = True, tell: Callable[[list[str]], None] | None = None
) -> Iterator[None]:
    """Turn errors into lines on standard error and an exit code.

    Args:
        verbose: Whether to print the traceback of a crash, as commands do that have no
            option to ask for it.
        tell: Tells the readers of documents what went wrong, who wait for one all the
            same.

    Raises:
        click.exceptions.Exit: With 2 after an error, 130 after an interrupt.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # No terminal's encoding, and no file's odd name, stops a report.
            stream.reconfigure(errors="backslashreplace")
    try:
        with _interrupts_noted():
            yield
            heed_interrupts()
    except click.exceptions.Exit:
        raise
    except KvlintError as error:
        messages = str(error).splitlines()
    except KeyboardInterrupt:
        interrupted()
    except Exception as error:
        if verbose:
            import traceback

            emit(traceback.format_exc(), err=True)
        told = " ".join(f"{type(error).__name__}: {error}".split())
        more = "the traceback above" if verbose else "what --verbose adds"
        fault = f"this is a fault of kvlint, please report it with {more}"
        messages = [f"kvlint crashed: {told}; {fault}"]
    else:
        return
    emit("".join(map(error_line, messages)), err=True)
    if tell:
        tell(messages)
    raise click.exceptions.Exit(FAILED)


@contextmanager
def _interrupts_noted() -> Iterator[None]:
    """Remember each Ctrl-C: what runs just then may make another error of it."""
    is_ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not is_ours or threading.current_thread() is not threading.main_thread():
        yield
        return
    _noted.clear()
    signal.signal(signal.SIGINT, _note)
    try:
        yield
    except click.exceptions.Exit:
        raise
    except Exception:
        heed_interrupts()
        raise
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _note(number: int, frame: FrameType | None) -> NoReturn:
    _noted.append(number)
    raise KeyboardInterrupt


def heed_interrupts() -> None:
    """Raise an interrupt again that something has swallowed.

    Raises:
        KeyboardInterrupt: There was one.
    """
    if _noted:
        raise KeyboardInterrupt


def interrupted() -> NoReturn:
    """End after Ctrl-C.

    Raises:
        click.exceptions.Exit: With 130.
    """
    emit("interrupted\n", err=True)
    raise click.exceptions.Exit(_INTERRUPTED) from None


def error_line(message: str) -> str:
    """Return an error as standard error has it."""
    label = "error"
    if wants_colour(err=True):
        label = click.style(label, fg="red", bold=True)
    return f"{label}: {message}\n"
