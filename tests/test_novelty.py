# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which findings are new, told by what they say and where."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kvlint.changes.novelty import novel
from kvlint.findings import Finding, Severity
from kvlint.reports import Report
from kvlint.sources import decode_source

PATH = Path("/project/a.py")
CLASS = "class Ring(Spec):\n    width = 1\n"
TEXT = f"import os\n\n\n{CLASS}\n\nx = take(\n    1,\n    2,\n)\n"


def finding(
    marked: str = "Ring",
    message: str = "`Ring` lacks `width`, which `A` and `B` have",
    text: str = TEXT,
    symbol: str = "Ring.width",
    severity: Severity = Severity.WARNING,
) -> Finding:
    start = text.index(marked)
    place = decode_source(PATH, text.encode()).place(start, start + len(marked))
    return Finding("KV101", severity, message, place, symbol)


def report(*findings: Finding, text: str = TEXT) -> Report:
    sources = {PATH: decode_source(PATH, text.encode())}
    return Report(findings, (), (), 1, sources=sources)


OLD = finding()
CALL = finding("take(\n    1,\n    2,\n)", "`x` takes no `y`", symbol="x")


@pytest.mark.parametrize(
    ("now", "then", "is_new"),
    [
        (OLD, OLD, False),
        (OLD, replace(OLD, severity=Severity.ERROR), False),
        (replace(OLD, severity=Severity.ERROR), OLD, True),
        (replace(OLD, code="KV102"), OLD, True),
        (replace(OLD, symbol="Ring.height"), OLD, True),
        (finding(message="`Ring` lacks `width`, which `A` has"), OLD, False),
        (finding(message="`Ring` lacks `width`, as `A`, `B`, `C`"), OLD, True),
        (finding(message="`A`, `B` and 3 others"), finding(message="`A`, `B`"), True),
        (
            finding(message="`A`, `B` and 3 others"),
            finding(message="`A`, `B` and 2 others"),
            True,
        ),
        (
            finding(message="`A`, `B` and 2 others"),
            finding(message="`A`, `B` and 3 others"),
            False,
        ),
        (finding(message="`A` (vLLM 0.30.0)"), finding(message="`A` (9)"), False),
        (finding(message="none for KV101"), finding(message="none for KV102"), True),
    ],
)
def test_what_is_said(now: Finding, then: Finding, is_new: bool) -> None:
    assert novel(report(now), report(then)) == ([now] if is_new else [])


def shifted(finding: Finding, lines: int) -> Finding:
    place = finding.place
    moved = replace(place, line=place.line + lines, end_line=place.end_line + lines)
    return replace(finding, place=moved)


@pytest.mark.parametrize(
    ("old", "text", "shift", "is_new"),
    [
        (CALL, TEXT, 0, False),
        (CALL, "\n\n" + TEXT, 2, False),
        (CALL, TEXT.replace("    2", "    3"), 0, True),
        (CALL, TEXT.replace("    2", "  2"), 0, False),
        (CALL, TEXT.replace("width = 1", "width = 2"), 0, False),
        (OLD, TEXT.replace("(Spec)", "(Base)"), 0, True),
        (OLD, TEXT.replace("\n", "\r"), 0, False),
    ],
)
def test_where_it_is_said(old: Finding, text: str, shift: int, is_new: bool) -> None:
    now = shifted(old, shift)
    found = novel(report(now, text=text), report(old))
    assert found == ([now] if is_new else [])


def test_each_old_one_accounts_for_one() -> None:
    twice = TEXT + CLASS
    start = twice.rindex("Ring")
    second = replace(
        OLD, place=decode_source(PATH, twice.encode()).place(start, start + 4)
    )
    now = report(OLD, second, text=twice)
    assert novel(now, report(OLD)) == [second]
    assert novel(now, now) == []


def test_the_name_of_what_it_is_in_may_change() -> None:
    old = "class A:\n    def f(self):\n        return one\n"
    new = old.replace("class A", "class B")
    then = finding("one", "`A.f` says one", old, "A.f")
    now = finding("one", "`B.f` says one", new, "B.f")
    assert novel(report(now, text=new), report(then, text=old)) == []
    both = new + "\n\nclass A:\n    pass\n"
    assert novel(report(now, text=both), report(then, text=old)) == [now]
    deeper = replace(now, symbol="B.f.g")
    assert novel(report(deeper, text=new), report(then, text=old)) == [deeper]
