# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where a tree of vLLM stands, and which release it is."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from kvlint.errors import KvlintError

_PACKAGE = "vllm"
_GENERATED = re.compile(r"^__version__ *= *(?:version *= *)?['\"](.+)['\"]", re.M)
_METADATA = re.compile(r"^Version: *(.+)$", re.M)


@dataclass(frozen=True)
class VllmTree:
    """A tree of vLLM.

    Attributes:
        folder: What the package stands in.
        release: Which release it is, without a local part such as ``+cpu``.
    """

    folder: Path
    release: str

    @property
    def files(self) -> list[Path]:
        """The package's Python files, in order."""
        return sorted((self.folder / _PACKAGE).rglob("*.py"))


def find_tree(named: Path, release: str | None = None) -> VllmTree:
    """Return the tree at a folder.

    Args:
        named: The folder that ``vllm`` stands in, or that package itself.
        release: Which release it is; by default what the tree or its name says.

    Raises:
        KvlintError: There is no vLLM, or nothing says which release it is.
    """
    given = named.absolute()
    around = [given, given.parent] if given.name == _PACKAGE else [given]
    for folder in around:
        if (folder / _PACKAGE / "v1").is_dir():
            return VllmTree(folder, _release(folder, release))
    raise KvlintError(
        f"{named}: holds no vLLM sources; name the folder that contains `vllm/v1`"
    )


def release_of(folder: Path) -> str | None:
    """Return the release of the vLLM in a folder, None if nothing says it.

    A project that has taken vLLM's package into its own folder says its own version.
    """
    name = _project(folder).get("name", _PACKAGE)
    try:
        return _release(folder, None) if name == _PACKAGE else None
    except KvlintError:
        return None


def _release(folder: Path, asked: str | None) -> str:
    for text in _said(folder) if asked is None else [asked]:
        try:
            return Version(text).public
        except InvalidVersion:
            continue
    if asked is not None:
        raise KvlintError(f'--release: "{asked}" is no version, such as 0.27.1')
    raise KvlintError(
        f"{folder}: nothing says which release of vLLM this is; name it with --release"
    )


def _said(folder: Path) -> Iterator[str]:
    """What a tree and its name say, the surest first."""
    yield from _GENERATED.findall(_text(folder / _PACKAGE / "_version.py"))
    yield from _METADATA.findall(_text(folder / "PKG-INFO"))
    yield str(_project(folder).get("version", ""))
    yield folder.name.rpartition("-")[2]


def _project(folder: Path) -> dict[str, object]:
    """What ``pyproject.toml`` says of the project in a folder."""
    try:
        found = tomllib.loads(_text(folder / "pyproject.toml")).get("project")
    except tomllib.TOMLDecodeError:
        found = None
    return found if isinstance(found, dict) else {}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
