# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""How a report is to be seen: paths, names, colours, and which fixes count."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kvlint.findings import Failure, Finding, Fix, Place, Proof, Safety, Severity

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow"}


@dataclass(frozen=True)
class View:
    """What outputs must know besides the report.

    Attributes:
        folder: The working directory; paths are told relative to it.
        names: The name of each rule by its code.
        colour: Whether to colour the text.
        unsafe: Whether unsafe fixes count as available.
        mends: Whether a fix can be applied where the files are.
    """

    folder: Path
    names: Mapping[str, str]
    colour: bool = False
    unsafe: bool = False
    mends: bool = True

    def relative(self, path: Path) -> str:
        """Return a path relative to the working directory, with slashes."""
        if not path.is_absolute():  # it names a release of vLLM, not a file
            return path.as_posix()
        try:
            return Path(os.path.relpath(path, self.folder)).as_posix()
        except ValueError:  # another drive
            return path.as_posix()

    def location(self, place: Place) -> str:
        """Return ``path:line:column`` for people and problem matchers."""
        path = printable(self.relative(place.path))
        return f"{path}:{place.line}:{place.column}"

    def reason(self, failure: Failure) -> str:
        """Return what failed, without the path that the message may begin with."""
        if failure.path:
            for spelling in (str(failure.path), self.relative(failure.path)):
                if failure.message.startswith(f"{spelling}: "):
                    return failure.message.removeprefix(f"{spelling}: ")
        return failure.message

    def fixable(self, finding: Finding) -> bool:
        """Return whether ``--fix`` as asked for would mend a finding."""
        return self.mends and self.offered(finding) is not None

    def offered(self, finding: Finding) -> Fix | None:
        """Return a finding's fix, unless it is unsafe and those do not count."""
        fix = finding.fix
        wanted = fix is not None and (self.unsafe or fix.safety is Safety.SAFE)
        return fix if wanted else None

    @staticmethod
    def message(finding: Finding) -> str:
        """Return a finding's message, with the reason where it has no fix."""
        if finding.fix is not None or not finding.unfixable:
            return finding.message
        return f"{finding.message} (no fix: {finding.unfixable})"

    @classmethod
    def proven(cls, finding: Finding) -> str:
        """Return the message, and what running the code has shown."""
        told = cls.message(finding)
        return told if finding.proof is None else f"{told} ({proof(finding.proof)})"

    def style(self, text: str, colour: str | None = None, *, bold: bool = False) -> str:
        """Return a text in a colour, or as it is where colours are not wanted."""
        if not self.colour:
            return text
        from click import style

        return style(text, fg=colour, bold=bold or None)

    def severe(self, severity: Severity, text: str) -> str:
        """Return a text in the colour of a severity."""
        return self.style(text, _COLOURS[severity], bold=True)


def proof(shown: Proof) -> str:
    """Return what running the code has shown, as every format tells it."""
    return f"confirmed: {shown.text}" if shown.is_confirmed else shown.text


def printable(text: str) -> str:
    r"""Return a text on one line, control characters as ``\x1b`` and the like."""
    return "".join(
        each.encode("unicode_escape").decode()
        if unicodedata.category(each) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        else each
        for each in text
    )


def counted(number: int, noun: str) -> str:
    """Return ``1 finding``, ``2 findings``, and so on."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
