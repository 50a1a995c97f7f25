# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Bring a published distribution's sources by name. Nothing is built or run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


@dataclass(frozen=True)
class Planned:
    """A release that is wanted.

    Attributes:
        distribution: What it is once its sources are at hand.
        archive: What to download for it; None if they are.
    """

    distribution: Distribution
    archive: Archive | None = None


def plan(
    wanted: Wanted, shelf: Shelf, index: Index, choice: Choice | None = None
) -> list[Planned]:
    """Return the releases that are wanted.

    A release that is named outright and at hand needs no network.

    Args:
        wanted: The requirement.
        shelf: What is at hand, and where to keep more.
        index: What else there is.
        choice: Which of several.

    Returns:
        From the oldest to the newest; not empty.

    Raises:
        KvlintError: No release fits, or the index cannot be asked.
    """
    choice = choice or Choice()
    # By itself, for 1.0 and 1.0.0 are one version but two folders.
    at_hand = {each: each for each in shelf.versions(wanted.name)}
    best: dict[Version, Archive] = {}
    found: Sequence[Version] = ()
    if choice.offline or wanted.pin in at_hand:
        found = _chosen(wanted, at_hand, choice)
    if choice.offline and not found:
        raise KvlintError(
            f"{wanted.text}: no fitting release was brought before; leave out --offline"
        )
    if not found:
        archives = index.archives(wanted.name)
        for each in sorted(archives, key=lambda each: (each.is_yanked, each.rank)):
            if wanted.pin or not each.is_yanked:
                best.setdefault(each.version, each)
        found = _chosen(wanted, best, choice)
        if not found:
            raise KvlintError(_nothing_fits(wanted, archives))
    planned = []
    for release in found:
        version = at_hand.get(release, release)
        place = shelf.place(wanted.name, version)
        archive = None if release in at_hand else best[release]
        planned.append(Planned(Distribution(wanted.name, version, place), archive))
    return planned


def fetch(planned: Planned, index: Index) -> Distribution:
    """Return a release whose sources are at hand from then on.

    Args:
        planned: The release.
        index: Where to get it.

    Raises:
        KvlintError: It cannot be had. Nothing of it is left behind.
    """
    if archive := planned.archive:
        with becoming(planned.distribution.folder) as folder:
            # The index may call it anything: its own name never becomes a path.
            path = folder.with_name("archive" + suffix_of(archive.filename))
            index.download(archive, path)
            unpack(path, folder, archive.filename)
    return planned.distribution


def _chosen(
    wanted: Wanted, versions: Iterable[Version], choice: Choice
) -> Sequence[Version]:
    fitting = wanted.fitting(versions, pre=choice.pre)
    return fitting if choice.all_releases else fitting[-1:]


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
