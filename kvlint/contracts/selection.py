# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which releases of vLLM a run is meant for, where their sources are not at hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from kvlint.contracts.requirements import required
from kvlint.errors import KvlintError

_LOCAL = re.compile(r"\+[A-Za-z0-9.]+")
"""The local part of a version, such as ``+cpu``: builds of one release are one."""


@dataclass(frozen=True)
class Selection:
    """Releases, and why these.

    Attributes:
        releases: From the oldest to the newest; not empty.
        why: A line for ``--verbose``.
        is_assumed: Whether nothing names any, neither a user nor the metadata.
    """

    releases: tuple[str, ...]
    why: str
    is_assumed: bool = False


def select_releases(
    asked: Sequence[str], known: Sequence[str], project: Path
) -> Selection:
    """Return the releases that a run is for.

    Args:
        asked: What ``vllm-version`` says: versions or specifiers; may be empty.
        known: The bundled releases, from the oldest to the newest.
        project: The project's folder, whose metadata counts if nobody asked.

    Raises:
        KvlintError: What was asked for is no version, or older than every bundle.
    """
    if asked:
        releases: list[str] = []
        notes: list[str] = []
        for text in asked:
            found, note = _matching(text, known, "vllm-version")
            releases += found
            notes += [note] if note else []
        why = "; ".join([f"as vllm-version says ({', '.join(asked)})", *notes])
        return Selection(_ordered(releases, known), why)
    specifier, path = required(project)
    if specifier:
        found, note = _matching(specifier, known, path)
        why = "; ".join(filter(None, [f"as {path} requires (vllm{specifier})", note]))
        return Selection(_ordered(found, known), why)
    return Selection((known[-1],), "the newest that kvlint knows", is_assumed=True)


def _matching(text: str, known: Sequence[str], origin: str) -> tuple[list[str], str]:
    """Releases that a version or specifier admits, and a note if none is exact."""
    newest, oldest = known[-1], known[0]
    text = _LOCAL.sub("", text)
    try:
        version = Version(text)
    except InvalidVersion:
        return _admitted(text, known, origin)
    exact = [each for each in known if Version(each) == version]
    if exact:
        return exact, ""
    if version > Version(newest):
        return [newest], f"{text} is newer than any that kvlint knows: {newest} is used"
    if version < Version(oldest):
        raise KvlintError(
            f"{origin}: vLLM {text} is too old; the oldest that kvlint knows is "
            f"{oldest}"
        )
    below = [each for each in known if Version(each) < version]
    return [below[-1]], f"{text} is not known: {below[-1]} is used"


def _admitted(text: str, known: Sequence[str], origin: str) -> tuple[list[str], str]:
    try:
        specifier = SpecifierSet(text)
    except InvalidSpecifier as error:
        raise KvlintError(
            f'{origin}: "{text}" is neither a version nor a specifier such as '
            '">=0.29,<0.34"'
        ) from error
    found = [each for each in known if specifier.contains(each, prereleases=True)]
    if found:
        return found, ""
    if _starts_above(specifier, known[-1]):
        return [known[-1]], f"{text} admits none that kvlint knows: {known[-1]} is used"
    raise KvlintError(
        f"{origin}: {text} admits none of the releases that kvlint knows; the oldest "
        f"is {known[0]}"
    )


def _starts_above(specifier: SpecifierSet, newest: str) -> bool:
    return any(
        each.operator in {">=", ">", "==", "~=", "==="}
        and Version(each.version.removesuffix(".*")) > Version(newest)
        for each in specifier
    )


def _ordered(releases: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    return tuple(each for each in known if each in releases)


def described(
    releases: Sequence[str], among: Sequence[str], *, goes_on: bool = True
) -> str:
    """Return releases in words: ``0.29.0 and later``, ``0.26.0 to 0.27.1``, ``0.20.2``.

    Args:
        releases: Those in which something holds, not empty.
        among: Those that were looked at, from the oldest to the newest.
        goes_on: Whether the newest of these stands for those after it too.
    """
    runs: list[list[str]] = []
    for index, release in enumerate(among):
        if release not in releases:
            continue
        if index and among[index - 1] in releases:
            runs[-1].append(release)
        else:
            runs.append([release])
    return ", ".join(_run(run, among[-1] if goes_on else "") for run in runs)


def _run(run: list[str], last: str) -> str:
    if run[-1] == last and len(run) > 1:
        return f"{run[0]} and later"
    return run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}"
