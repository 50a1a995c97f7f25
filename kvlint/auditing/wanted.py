# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a user wants brought: a name, with or without versions, such as ``vllm==0.33``.

Which releases fit is decided as pip does: a pre-release only where nothing else fits or
somebody asks for one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from kvlint.errors import KvlintError


@dataclass(frozen=True)
class Wanted:
    """A requirement.

    Attributes:
        text: As it was written.
        name: The distribution's name in its normal form.
        specifier: Which versions.
    """

    text: str
    name: str
    specifier: SpecifierSet

    @property
    def pin(self) -> Version | None:
        """The only version that is meant, if it is named outright."""
        for each in self.specifier:
            if each.operator in ("==", "==="):
                try:
                    return Version(each.version)
                except InvalidVersion:
                    continue  # 0.27.*
        return None

    def fitting(self, versions: Iterable[Version], *, pre: bool) -> list[Version]:
        """Return the versions that fit, from the oldest to the newest.

        Args:
            versions: Those that there are.
            pre: Whether pre-releases are as good as others.
        """
        # Unlike `contains`, `filter` takes a pre-release only where nothing else fits.
        return sorted(self.specifier.filter(versions, prereleases=pre or None))


def parse_all(texts: Iterable[str]) -> list[Wanted]:
    """Return what requirements want.

    Raises:
        KvlintError: There are mistakes; its message has one line for each.
    """
    found, mistakes = [], []
    for text in texts:
        try:
            found.append(parse(text))
        except KvlintError as error:
            mistakes.append(str(error))
    if mistakes:
        raise KvlintError("\n".join(mistakes))
    return found


def parse(text: str) -> Wanted:
    """Return what a requirement wants.

    Args:
        text: Such as ``vllm==0.27.1`` or ``vllm-rbln``.

    Raises:
        KvlintError: It is none, or says more than which sources are meant.
    """
    try:
        found = Requirement(text)
    except InvalidRequirement as error:
        hint = "; for files and folders there is `kvlint check`"
        hint = hint if "/" in text or "\\" in text or text.startswith(".") else ""
        raise KvlintError(
            f'"{text}" is no requirement such as vllm==0.27.1 or vllm-rbln{hint}'
        ) from error
    surplus = {
        "a link": found.url,
        "a condition": found.marker,
        "an extra": found.extras,
    }
    for what, given in surplus.items():
        if given:
            short = f"{found.name}{found.specifier}"
            raise KvlintError(
                f'"{text}": {what} does not choose sources; write "{short}"'
            )
    return Wanted(text, canonicalize_name(found.name), found.specifier)
