# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Bring a published distribution's sources by name. Nothing is built or run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.version import Version

from kvlint.auditing.archives import suffix_of, unpack
from kvlint.auditing.cache import Shelf, becoming
from kvlint.auditing.index import Archive, Index
from kvlint.auditing.wanted import Wanted
from kvlint.errors import KvlintError


@dataclass(frozen=True)
class Distribution:
    """A release whose sources are at hand.

    Attributes:
        name: In its normal form.
        version: Which release.
        folder: Where its sources are.
    """

    name: str
    version: Version
    folder: Path

    def __str__(self) -> str:
        """Return name and version."""
        return f"{self.name} {self.version}"


@dataclass(frozen=True)
class Choice:
    """Which releases of several that fit are wanted.

    Attributes:
        pre: Whether pre-releases are as good as others.
        all_releases: Whether all are wanted, not the newest alone.
        offline: Whether only what is at hand counts.
    """

    pre: bool = False
    all_releases: bool = False
    offline: bool = False


def bring(
    wanted: Wanted,
    shelf: Shelf,
    index: Index,
    choice: Choice | None = None,
    announce: Callable[[Archive], None] = lambda archive: None,
) -> list[Distribution]:
    """Return the releases that are wanted, bringing those that are not at hand.

    A release that is named outright and at hand needs no network.

    Args:
        wanted: The requirement.
        shelf: What is at hand, and where to keep more.
        index: Where to get it.
        choice: Which of several.
        announce: Is told each archive before it is downloaded.

    Returns:
        From the oldest to the newest; not empty.

    Raises:
        KvlintError: No release fits, or one cannot be had. What was brought before
            stays.
    """
    choice = choice or Choice()
    at_hand = shelf.versions(wanted.name)
    if choice.offline or wanted.pin in at_hand:
        found = _chosen(wanted, at_hand, choice)
        if found:
            return [_distribution(wanted.name, each, shelf) for each in found]
        if choice.offline:
            raise KvlintError(
                f"{wanted.text}: no fitting release was brought before; leave out "
                "--offline"
            )
    archives = index.archives(wanted.name)
    versions = {each.version for each in archives if wanted.pin or not each.is_yanked}
    found = _chosen(wanted, versions, choice)
    if not found:
        raise KvlintError(_nothing_fits(wanted, archives))
    for version in found:
        if version not in at_hand:
            best = min(
                (each for each in archives if each.version == version),
                key=lambda each: (each.is_yanked, each.rank),
            )
            announce(best)
            _fetch(best, shelf, index)
    return [_distribution(wanted.name, each, shelf) for each in found]


def _chosen(
    wanted: Wanted, versions: Iterable[Version], choice: Choice
) -> Sequence[Version]:
    fitting = wanted.fitting(versions, pre=choice.pre)
    return fitting if choice.all_releases else fitting[-1:]


def _distribution(name: str, version: Version, shelf: Shelf) -> Distribution:
    return Distribution(name, version, shelf.place(name, version))


def _fetch(archive: Archive, shelf: Shelf, index: Index) -> None:
    with becoming(shelf.place(archive.name, archive.version)) as folder:
        # The index may call it anything: its own name never becomes a path.
        path = folder.with_name("archive" + suffix_of(archive.filename))
        index.download(archive, path)
        unpack(path, folder, archive.filename)


def _nothing_fits(wanted: Wanted, archives: Sequence[Archive]) -> str:
    """What to say where no release fits: which there are, as far as that helps."""
    if not archives:
        return f"{wanted.text}: the index has no sdist or wheel of it"
    versions = sorted({each.version for each in archives})
    if yanked := wanted.fitting(versions, pre=True):
        return (
            f"{wanted.text}: what fits was yanked; to have it all the same, pin it: "
            f"{wanted.name}=={yanked[-1]}"
        )
    return (
        f"{wanted.text}: no such release; the index has those from {versions[0]} to "
        f"{versions[-1]}"
    )
