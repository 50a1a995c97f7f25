# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The sources that were brought: a folder for each release, whole or not there.

Beside them stands the tag by which backup programs know a cache; what has no such tag
of kvlint's is never cleared.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from kvlint.errors import KvlintError

VARIABLE = "KVLINT_CACHE_DIR"
# The number goes up when what is kept of a distribution changes.
_FOLDER = "audit-1"
_SCRATCH = ".new-"
_TAG = "CACHEDIR.TAG"
_TAG_TEXT = """\
Signature: 8a477f597d28d172789f06886806bc55
# Sources that `kvlint audit` brought; `kvlint audit --clear-cache` removes them.
"""


def cache_folder(named: Path | None = None) -> Path:
    """Return the folder of kvlint's caches.

    Args:
        named: What ``--cache-dir`` says. Else ``$KVLINT_CACHE_DIR`` counts, then the
            habit of the system.
    """
    variables = os.environ
    home = Path.home()
    if named is not None or variables.get(VARIABLE):
        folder = Path(named or variables[VARIABLE]).expanduser()
    elif variables.get("XDG_CACHE_HOME"):
        folder = Path(variables["XDG_CACHE_HOME"]) / "kvlint"
    elif sys.platform == "darwin":
        folder = home / "Library" / "Caches" / "kvlint"
    elif sys.platform == "win32":
        local = variables.get("LOCALAPPDATA") or home / "AppData" / "Local"
        folder = Path(local) / "kvlint" / "Cache"
    else:
        folder = home / ".cache" / "kvlint"
    return folder.absolute()


@dataclass(frozen=True)
class Shelf:
    """A folder that holds one sub-folder per release, ``name-version``.

    Attributes:
        folder: The folder; it need not be there yet.
    """

    folder: Path

    def place(self, name: str, version: Version) -> Path:
        """Return where a release's sources belong."""
        return self.folder / f"{name}-{version}"

    def versions(self, name: str) -> list[Version]:
        """Return the releases of a distribution that are here."""
        found = []
        for path in self.folder.glob(f"{name}-*"):
            with contextlib.suppress(InvalidVersion):
                found.append(Version(path.name.removeprefix(f"{name}-")))
        return found


class Cache:
    """What ``kvlint audit`` keeps, with a shelf for each package index.

    Args:
        folder: The folder of kvlint's caches.
    """

    def __init__(self, folder: Path) -> None:
        """Touch nothing yet."""
        self.folder = folder / _FOLDER

    def shelf(self, index: str) -> Shelf:
        """Return the shelf for what one package index gives.

        Args:
            index: What tells it from others, fit to be a folder's name.
        """
        return Shelf(self.folder / index)

    def prepare(self) -> None:
        """Make the folder and its tag.

        Raises:
            KvlintError: It cannot be written.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not (self.folder / _TAG).exists():
                (self.folder / _TAG).write_text(_TAG_TEXT, encoding="utf-8")
        except OSError as error:
            raise _unwritable(self.folder, error) from error

    def releases(self) -> list[Path]:
        """Return the folders of the releases that are kept."""
        return sorted(
            path
            for path in self.folder.glob("*/*-*")
            if path.is_dir() and not path.name.startswith(_SCRATCH)
        )

    def size(self) -> int:
        """Return how many bytes the kept files have."""
        size = 0
        for folder, _, names in os.walk(self.folder):
            for name in names:
                with contextlib.suppress(OSError):  # another process clears it
                    size += (Path(folder) / name).lstat().st_size
        return size

    def clear(self) -> None:
        """Remove everything that is kept.

        Raises:
            KvlintError: The folder is not kvlint's, or cannot be removed.
        """
        if not self.folder.exists():
            return
        tag = self.folder / _TAG
        is_ours = tag.is_file() and tag.read_text("utf-8", "replace") == _TAG_TEXT
        if not is_ours:
            raise KvlintError(
                f"{self.folder}: not cleared, for kvlint did not make this folder: it "
                f"lacks kvlint's {_TAG}"
            )
        try:
            shutil.rmtree(self.folder)
        except OSError as error:
            raise KvlintError(
                f"{error.filename or self.folder}: cannot remove: {error.strerror}"
            ) from error


@contextlib.contextmanager
def becoming(folder: Path) -> Iterator[Path]:
    """Give a place for a folder that is put where it belongs only when complete.

    Args:
        folder: Where it belongs. What is beside the given place vanishes.

    Raises:
        KvlintError: The folder above cannot be written.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        scratch = tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=folder.parent)
    except OSError as error:
        raise _unwritable(folder.parent, error) from error
    with scratch as beside:
        made = Path(beside) / "sources"
        yield made
        try:
            made.rename(folder)
        except OSError:
            # Another process was first, and its copy is as good.
            if not folder.is_dir():
                raise


def _unwritable(folder: Path, error: OSError) -> KvlintError:
    return KvlintError(
        f"{folder}: cannot write there: {error.strerror}; --cache-dir or ${VARIABLE} "
        "chooses another folder"
    )
