# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Writing a file: all of it or nothing, and never over somebody's work."""

from __future__ import annotations

import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from kvlint.errors import KvlintError
from kvlint.sources import Source

_PREFIX, _SUFFIX = ".kvlint-", ".tmp"
_LEFT_BEHIND = 60
"""Seconds after which nobody is still writing a file; it takes some milliseconds."""
_WRITE_BITS = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def write(before: Source, after: Source) -> None:
    """Put a file's new content in the place of its old one.

    The new content is written beside the file and then takes its name, so that no
    reader sees half a file. A symlink stays one: its target is replaced. Of a file
    with several names (hard links) the others keep the old content. The file's mode
    stays, and its owner where the system allows it.

    Args:
        before: The file as it was read.
        after: The same file with edits made.

    Raises:
        KvlintError: The file changed since it was read or is gone, it or its folder is
            read-only, or the system refuses; the file is then as it was.
    """
    path = before.path
    try:
        target = os.path.realpath(path, strict=True)
        folder = os.path.dirname(target)
        state = os.stat(target)
        if not stat.S_ISREG(state.st_mode):
            raise KvlintError(f"{path}: not written: it is not an ordinary file")
        # The superuser may write anywhere; read-only is still what somebody wanted.
        if not _is_writable(target):
            raise KvlintError(f"{path}: not written: the file is read-only")
        if not _is_writable(folder):
            raise KvlintError(f"{path}: not written: its folder is read-only")
        _replace(before, after, target, state)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not os.path.exists(path):
            raise KvlintError(f"{path}: not written: the file is gone") from error
        raise KvlintError(f"{path}: not written: {error.strerror}") from error


def write_report(path: Path, content: bytes) -> None:
    """Put a report in a file, in the place of what may be there.

    No reader sees half of it. A symlink stays one, and a file's mode stays. What is no
    ordinary file, such as a pipe, is written to as it is.

    Args:
        path: The file, in a folder that exists.
        content: All that it will hold.

    Raises:
        KvlintError: The file is read-only, its folder is, is not there or is full.
    """
    try:
        target = os.path.realpath(path)
        mode = 0o666 & ~_mask()
        if os.path.exists(target):
            mode = os.stat(target).st_mode
            if not stat.S_ISREG(mode):
                path.write_bytes(content)
                return
            if not _is_writable(target):
                raise KvlintError(f"{path}: not written: the file is read-only")
        with _replacement(target) as file:
            file.write(content)
            os.chmod(file.name, stat.S_IMODE(mode))
    except OSError as error:
        raise KvlintError(f"{path}: not written: {error.strerror}") from error


def _mask() -> int:
    """Return which permissions a new file does not get: it can only be set to ask."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _is_writable(path: str) -> bool:
    """Return whether somebody may write a file or to a folder, and this user may."""
    return bool(os.stat(path).st_mode & _WRITE_BITS) and os.access(path, os.W_OK)


def _replace(before: Source, after: Source, target: str, state: os.stat_result) -> None:
    """Write beside the target and give the new file the target's name."""
    with _replacement(target) as file:
        file.write(after.content)
        file.flush()
        if hasattr(os, "fchown"):
            # Before the mode: a change of owner takes bits from it.
            with suppress(PermissionError):
                os.fchown(file.fileno(), state.st_uid, state.st_gid)
        os.chmod(file.name, stat.S_IMODE(state.st_mode))
        os.fsync(file.fileno())
        # As late as possible, so that as little as possible can happen in between.
        with open(target, "rb") as there:
            if there.read() != before.content:
                raise KvlintError(
                    f"{before.path}: not written: it changed since it was read; "
                    "run kvlint again"
                )


@contextmanager
def _replacement(target: str) -> Iterator[IO[bytes]]:
    """Open a file beside a target; what was written to it in the end takes its name."""
    handle, scratch = tempfile.mkstemp(
        prefix=_PREFIX, suffix=_SUFFIX, dir=os.path.dirname(target)
    )
    os.close(handle)
    try:
        with open(scratch, "wb") as file:
            yield file
        os.replace(scratch, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(scratch)
        raise


def sweep(folder: str | os.PathLike[str]) -> None:
    """Remove what runs left behind that were killed while they wrote to a folder.

    Args:
        folder: It; a fresh file may be that of a run that goes on, and stays.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX):
                state = entry.stat(follow_symlinks=False)
                is_old = time.time() - state.st_mtime > _LEFT_BEHIND
                if is_old and stat.S_ISREG(state.st_mode):
                    os.unlink(entry.path)
