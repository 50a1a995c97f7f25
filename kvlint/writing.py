# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Writing a file: all of it or nothing, and never over somebody's work."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kvlint.errors import KvlintError
from kvlint.sources import Source

_WRITE_BITS = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def write(before: Source, after: Source) -> None:
    """Put a file's new content in the place of its old one.

    The new content is written beside the file and then takes its name, so that no
    reader sees half a file. A symlink stays one: its target is replaced. The file's
    mode stays, and its owner where the system allows it.

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
        if not (state.st_mode & _WRITE_BITS and os.access(target, os.W_OK)):
            raise KvlintError(f"{path}: not written: the file is read-only")
        if not (os.stat(folder).st_mode & _WRITE_BITS and os.access(folder, os.W_OK)):
            raise KvlintError(f"{path}: not written: its folder is read-only")
        _replace(before, after, target, state)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not os.path.exists(path):
            raise KvlintError(f"{path}: not written: the file is gone") from error
        raise KvlintError(f"{path}: not written: {error.strerror}") from error


def create(path: Path, text: str) -> None:
    """Write a report: all of it or nothing, over what was there.

    Args:
        path: The file. What is no ordinary one, such as a pipe, is written to as it is,
            and so is a file in a folder that takes no other.
        text: What to write.

    Raises:
        KvlintError: The system refuses; an ordinary file is then as it was.
    """
    try:
        target = os.path.realpath(path)
        folder = os.path.dirname(target)
        is_plain = os.path.isfile(target) and os.access(folder, os.W_OK)
        if os.path.exists(target) and not is_plain:
            Path(target).write_text(text, encoding="utf-8")
            return
        mode = _mode_of(target)
        handle, scratch = _scratch_beside(target)
        with _removed_on_failure(scratch):
            with open(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(scratch, mode)
            os.replace(scratch, target)
    except OSError as error:
        raise KvlintError(f"{path}: cannot write: {error.strerror}") from error


def _mode_of(path: str) -> int:
    """The mode of a file, or what the system would give to a new one."""
    with suppress(FileNotFoundError):
        return stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _scratch_beside(target: str) -> tuple[int, str]:
    folder = os.path.dirname(target)
    return tempfile.mkstemp(prefix=".kvlint-", suffix=".tmp", dir=folder)


@contextmanager
def _removed_on_failure(scratch: str) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with suppress(OSError):
            os.unlink(scratch)
        raise


def _replace(before: Source, after: Source, target: str, state: os.stat_result) -> None:
    """Write beside the target and give the new file the target's name."""
    handle, scratch = _scratch_beside(target)
    with _removed_on_failure(scratch):
        with open(handle, "wb") as file:
            file.write(after.content)
            file.flush()
            if hasattr(os, "fchown"):
                # Before the mode: a change of owner takes bits from it.
                with suppress(PermissionError):
                    os.fchown(handle, state.st_uid, state.st_gid)
            os.chmod(scratch, stat.S_IMODE(state.st_mode))
            os.fsync(handle)
        # As late as possible, so that as little as possible can happen in between.
        with open(target, "rb") as file:
            if file.read() != before.content:
                raise KvlintError(
                    f"{before.path}: not written: it changed since it was read; "
                    "run kvlint again"
                )
        os.replace(scratch, target)
