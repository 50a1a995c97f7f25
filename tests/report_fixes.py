# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Apply the fixes of a report as a service or an editor would, knowing nothing else.

A fix is a list of replacements: a file, a first and a last position, and a text.
Columns count what the format says they count.
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

Replacement = tuple[bytes, int, int, int, int, str]
"""A path, the line and column of the start and of the end, and the text."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


def of_sarif(run: dict[str, Any]) -> list[list[Replacement]]:
    """Return the fixes of a run of SARIF, in the order of its results."""
    assert run["columnKind"] == "utf16CodeUnits"
    bases = run["originalUriBaseIds"]
    fixes = []
    for result in run["results"]:
        for fix in result.get("fixes", []):
            replacements = []
            for change in fix["artifactChanges"]:
                location = change["artifactLocation"]
                base = bases[location["uriBaseId"]]["uri"]
                path = unquote_to_bytes(urlsplit(base).path + location["uri"])
                for each in change["replacements"]:
                    region = each["deletedRegion"]
                    replacements.append(
                        (
                            path,
                            region["startLine"],
                            region["startColumn"],
                            region["endLine"],
                            region["endColumn"],
                            each["insertedContent"]["text"],
                        )
                    )
            fixes.append(replacements)
    return fixes


def of_rdjson(document: dict[str, Any], folder: Path) -> list[list[Replacement]]:
    """Return the suggestions of reviewdog's diagnostics, in their order."""
    fixes = []
    for diagnostic in document["diagnostics"]:
        path = bytes(folder / diagnostic["location"]["path"])
        replacements = []
        for each in diagnostic.get("suggestions", []):
            start, end = each["range"]["start"], each["range"]["end"]
            replacements.append(
                (
                    path,
                    start["line"],
                    start["column"],
                    end["line"],
                    end["column"],
                    each["text"],
                )
            )
        if replacements:
            fixes.append(replacements)
    return fixes


def apply(fixes: Sequence[Sequence[Replacement]], units: str) -> int:
    """Apply fixes to the files, each wholly or not at all; what meets another waits.

    Args:
        fixes: From one report.
        units: What columns count: the units of ``utf-16-le``, or of ``utf-8``.

    Returns:
        How many were applied.
    """
    texts: dict[bytes, tuple[str, str, bool]] = {}
    taken: dict[bytes, dict[tuple[int, int], str]] = {}
    applied = 0
    for fix in fixes:
        wanted = []
        for path, line, column, end_line, end_column, text in fix:
            if path not in texts:
                texts[path] = _read(path)
            content, _, has_bom = texts[path]
            # UTF-8's bytes of a file begin with its BOM; characters do not.
            bom = 3 if has_bom and units == "utf-8" else 0
            start = _offset(content, line, column - bom * (line == 1), units)
            end = _offset(content, end_line, end_column - bom * (end_line == 1), units)
            wanted.append((path, (start, end), text))
        fresh = [x for x in wanted if taken.get(x[0], {}).get(x[1]) != x[2]]
        if any(_meets(span, taken.get(path, {})) for path, span, _ in fresh):
            continue
        for path, span, text in fresh:
            taken.setdefault(path, {})[span] = text
        applied += 1
    for path, replacements in taken.items():
        content, encoding, has_bom = texts[path]
        for (start, end), text in sorted(replacements.items(), reverse=True):
            content = content[:start] + text + content[end:]
        mark = b"\xef\xbb\xbf" if has_bom else b""
        name = path.decode("utf-8", "surrogateescape")
        Path(name).write_bytes(mark + content.encode(encoding))
    return applied


def _read(path: bytes) -> tuple[str, str, bool]:
    name = path.decode("utf-8", "surrogateescape")
    with open(name, "rb") as file:
        encoding, _ = tokenize.detect_encoding(file.readline)
    content = Path(name).read_bytes()
    if encoding == "utf-8-sig":
        return content[3:].decode("utf-8"), "utf-8", True
    return content.decode(encoding), encoding, False


def _offset(text: str, line: int, column: int, units: str) -> int:
    """Return the offset of a position in a text."""
    lines = [match[0] for match in _LINE.finditer(text)]
    before = "".join(lines[: line - 1])
    rest = lines[line - 1].encode(units) if line <= len(lines) else b""
    width = 2 if units == "utf-16-le" else 1
    part = rest[: (column - 1) * width]
    assert len(part) == (column - 1) * width, "the column is beyond the line"
    return len(before) + len(part.decode(units))


def _meets(span: tuple[int, int], others: dict[tuple[int, int], str]) -> bool:
    start, end = span
    return any(
        start == other[0] or (start < other[1] and other[0] < end) for other in others
    )
