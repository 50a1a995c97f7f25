# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which releases of vLLM had which names on which classes, before and after one."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from packaging.version import Version

from kvlint.contracts import bundle

Spans = Sequence[Sequence[int]]
"""Stretches of releases, each from a number to one past the last."""


@dataclass(frozen=True, slots=True)
class Past:
    """What became of something that earlier releases had.

    Attributes:
        last: The last release that had it.
        gone: The first one without it.
        successor: The name that stands for it now, if one likely does.
        renamed: The first release in which that name stood for it; may be earlier
            than ``gone``, where a name came back with another meaning.
    """

    last: str
    gone: str
    successor: str | None = None
    renamed: str | None = None


@dataclass(frozen=True, slots=True)
class History:
    """The names of classes from release to release, inherited ones too.

    Private names are left out.

    Attributes:
        releases: From the oldest to the newest; all else counts them from 0.
        classes: In which of them each class is, whatever its kind.
        names: In which of them each class has a field or member, by class and name.
        renames: Likely renames: the first release with the new name, the old and the
            new one, and the classes that have them.
    """

    releases: Sequence[str]
    classes: Mapping[str, Spans]
    names: Mapping[str, Mapping[str, Spans]]
    renames: Sequence[tuple[int, str, str, Sequence[str]]]

    def has(self, owner: str, name: str, release: str) -> bool:
        """Return whether a class has a name in a release, as ``past`` counts them."""
        return _are_at(self._spans(owner, name), self._number(release))

    def past(self, owner: str, name: str, release: str) -> Past | None:
        """Return what became of a name that a class had before a release.

        Args:
            owner: The class's simple name.
            name: A field or member, which it may have inherited.
            release: The release; for one that is not among ``releases``, the newest
                below it counts.

        Returns:
            None if the class has the name in that release, or never had it before.
        """
        now = self._number(release)
        found = self._ended(self._spans(owner, name), now)
        if found is None:
            return None
        for number, new in self._successors(owner, name, now):
            return Past(found.last, found.gone, new, self.releases[number])
        return found

    def future(self, owner: str, name: str, release: str) -> str | None:
        """Return the first release after another in which a class has a name.

        Args:
            owner: The class's simple name.
            name: A field or member, which it may inherit.
            release: The release, as for ``past``.

        Returns:
            None if the class has the name in that release, or never has it later.
        """
        return self._begun(self._spans(owner, name), release)

    def past_class(self, name: str, release: str) -> Past | None:
        """Return what became of a class, as ``past`` does; no successor is known."""
        return self._ended(self.classes.get(name, ()), self._number(release))

    def future_class(self, name: str, release: str) -> str | None:
        """Return the first later release with a class, as ``future`` does."""
        return self._begun(self.classes.get(name, ()), release)

    def _spans(self, owner: str, name: str) -> Spans:
        return self.names.get(owner, {}).get(name, ())

    def _number(self, release: str) -> int:
        """Where a release stands; -1 for one before them all."""
        return bisect_right(self.releases, Version(release), key=Version) - 1

    def _ended(self, spans: Spans, now: int) -> Past | None:
        if _are_at(spans, now):
            return None
        ends = [end for _, end in spans if end <= now]
        if not ends:
            return None
        return Past(self.releases[ends[-1] - 1], self.releases[ends[-1]])

    def _begun(self, spans: Spans, release: str) -> str | None:
        now = self._number(release)
        if _are_at(spans, now):
            return None
        return next((self.releases[first] for first, _ in spans if first > now), None)

    def _successors(self, owner: str, name: str, now: int) -> Iterator[tuple[int, str]]:
        """What the class has in a release instead, the latest rename first."""
        for number, old, new, classes in reversed(self.renames):
            if old == name and owner in classes and number <= now:
                if _are_at(self._spans(owner, new), now):
                    yield number, new
                else:
                    # Every step of such a chain is later than the one before it.
                    later = self._successors(owner, new, now)
                    yield from (each for each in later if each[0] > number)


def _are_at(spans: Spans, number: int) -> bool:
    return any(first <= number < end for first, end in spans)


@cache
def history() -> History:
    """Return the history that comes with kvlint: of all bundled releases."""
    return History(**json.loads(bundle.history()))
