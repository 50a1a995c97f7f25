# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The facts of vLLM's releases that come with kvlint; each is read when asked for."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from pkgutil import get_data
from zipfile import ZipFile

from packaging.version import Version

from kvlint.contracts.facts import ContractFacts, from_json
from kvlint.contracts.packing import Parts, joined, unpack
from kvlint.errors import KvlintError

NAME = "bundle.zip"
SUFFIX = ".facts"
HISTORY = "history.json"
"""What is known of all releases together, beside the facts of each."""


@cache
def releases() -> tuple[str, ...]:
    """Return the bundled releases, from the oldest to the newest."""
    names = [
        name.removesuffix(SUFFIX) for name in _archive().namelist() if name != HISTORY
    ]
    return tuple(sorted(names, key=Version))


def newest() -> str:
    """Return the newest bundled release."""
    return releases()[-1]


@cache
def load(release: str) -> ContractFacts:
    """Return the facts of a release.

    Args:
        release: One of ``releases()``.

    Raises:
        KvlintError: It is not bundled.
    """
    known = releases()
    if release not in known:
        raise KvlintError(
            f"vLLM {release}: kvlint has no contract of it, only of releases from "
            f"{known[0]} to {known[-1]}"
        )
    return from_json(text(release), f"contract of vLLM {release}")


def text(release: str) -> bytes:
    """Return the facts of a bundled release as JSON.

    Args:
        release: One of ``releases()``.
    """
    newest_first = releases()[::-1]
    return joined(_parts(newest_first.index(release)))


@cache
def _parts(number: int) -> Parts:
    """The parts of a release, counted from the newest, beside which others stand."""
    content = _archive().read(releases()[::-1][number] + SUFFIX)
    return unpack(content, _parts(number - 1) if number else {})


def history() -> bytes:
    """Return the history of the releases' names, as text."""
    return _archive().read(HISTORY)


@cache
def _archive() -> ZipFile:
    """The archive: its bytes, so that no file stays open."""
    # importlib.resources would do it too, but takes longer than all else here.
    content = get_data("kvlint.contracts", NAME)
    assert content is not None, "this loader keeps no data"
    return ZipFile(BytesIO(content))
