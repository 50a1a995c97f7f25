# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a finding is known by from one run to the next, wherever its lines move to."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from kvlint.findings import Finding
from kvlint.sources import Source

_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_LENGTH = 8  # bytes: GitHub's own are as long


def fingerprints(
    findings: Iterable[Finding],
    sources: Mapping[Path, Source],
    told: Callable[[Path], str],
) -> list[str]:
    """Return the fingerprint of each finding, all of them different.

    A fingerprint is of the rule, the file, the symbol and the code that is marked, but
    for its blanks. Lines may move, be wrapped anew, or change beside the mark. The
    message does not count: it names releases of vLLM, and the classes that they have.
    Findings that are alike in all of that are numbered in the order of their places.

    Args:
        findings: All that are told of a run, in the order of their places.
        sources: The text of each file that one is in.
        told: Names a file, in the same way on every machine.

    Returns:
        For each finding a hash and a number, such as ``6f1c2a90b3d4e5f7:1``.
    """
    seen: Counter[str] = Counter()
    found = []
    for finding in findings:
        path = finding.place.path
        parts = (finding.code, told(path), finding.symbol, _marked(finding, sources))
        content = "\0".join(parts).encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(content, digest_size=_LENGTH).hexdigest()
        seen[digest] += 1
        found.append(f"{digest}:{seen[digest]}")
    return found


def _marked(finding: Finding, sources: Mapping[Path, Source]) -> str:
    """Return the code that a finding marks, or else what it says, without numbers."""
    place, text = finding.place, ""
    if source := sources.get(place.path):
        start, end = source.offsets(place)
        text = "".join(source.text[start:end].split())
    return text or " ".join(_NUMBER.sub("", finding.message).split())
