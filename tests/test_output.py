# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What each output format prints for a report."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kvlint.findings import (
    Edit,
    Failure,
    Finding,
    Fix,
    Related,
    Safety,
    Severity,
)
from kvlint.output import FORMATS, diff
from kvlint.output.excerpt import LIMIT, marked
from kvlint.output.summary import statistics, summary
from kvlint.output.view import View
from kvlint.reports import Change, Report
from kvlint.sources import Source, decode_source

HERE = Path("/project")
NAMES = {"KV101": "undelegated-member", "KV104": "unmirrored-field"}
VIEW = View(HERE, NAMES)
UNSAFE = View(HERE, NAMES, unsafe=True)

RING = decode_source(
    HERE / "plugin" / "ring.py",
    b"from base import Spec\n\n\nclass RingSpecs(Spec):\n    specs: dict[str, Spec]\n",
)
BASE = decode_source(
    Path("/elsewhere/base.py"),
    b"class Spec:\n" + b"\n" * 98 + b"    def width(self):\n",
)


def finding(
    source: Source = RING,
    text: str = "RingSpecs",
    code: str = "KV101",
    severity: Severity = Severity.ERROR,
    safety: Safety | None = Safety.SAFE,
    message: str = "`RingSpecs` inherits `width`",
    related: tuple[Related, ...] = (),
    unfixable: str = "",
) -> Finding:
    start = source.text.index(text)
    end = len(source.text)
    fix = safety and Fix(safety, "Add `width`", (Edit(end, end, "    width = 1\n"),))
    return Finding(
        code,
        severity,
        message,
        source.place(start, start + len(text)),
        "RingSpecs.width",
        related,
        fix or None,
        unfixable,
    )


def report(*findings: Finding, **more: Any) -> Report:
    sources = {each.path: each for each in (RING, BASE)}
    plain = {"failures": (), "notes": (), "files_checked": 2, "sources": sources}
    return Report(findings, **{**plain, **more})


NOTE = Related(BASE.place(118, 123), "the default that it inherits")
SAFE = finding(related=(NOTE,))
HELD = finding(code="KV104", severity=Severity.WARNING, safety=Safety.UNSAFE)
BARE = finding(code="KV104", safety=None, unfixable="its bases are computed")

FULL_SAFE = """\
plugin/ring.py:4:7: KV101 [*] error: `RingSpecs` inherits `width`
    |
  4 | class RingSpecs(Spec):
    |       ^^^^^^^^^
    |
    note: ../elsewhere/base.py:100:9: the default that it inherits
    |
100 |     def width(self):
    |         -----
    |
    = help: Add `width`
"""
FULL_HELD = """\
plugin/ring.py:4:7: KV104 warning: `RingSpecs` inherits `width`
  |
4 | class RingSpecs(Spec):
  |       ^^^^^^^^^
  |
  = help: Add `width` (unsafe: `--fix --unsafe-fixes`)
"""
FULL_BARE = """\
plugin/ring.py:4:7: KV104 error: `RingSpecs` inherits `width`
  |
4 | class RingSpecs(Spec):
  |       ^^^^^^^^^
  |
  = no fix: its bases are computed
"""


@pytest.mark.parametrize(
    ("findings", "view", "expected"),
    [
        ([], VIEW, ""),
        ([SAFE], VIEW, f"{FULL_SAFE}\n"),
        ([HELD], VIEW, f"{FULL_HELD}\n"),
        ([HELD], UNSAFE, FULL_HELD.replace("KV104 w", "KV104 [*] w") + "\n"),
        ([BARE], UNSAFE, f"{FULL_BARE}\n"),
        ([SAFE, BARE], VIEW, f"{FULL_SAFE}\n{FULL_BARE}\n"),
    ],
)
def test_full(findings: list[Finding], view: View, expected: str) -> None:
    assert FORMATS["full"](report(*findings), view) == expected


def test_full_without_the_source_prints_the_header_alone() -> None:
    text = FORMATS["full"](report(SAFE, sources={}), VIEW)
    assert text.splitlines()[1:] == [
        "    note: ../elsewhere/base.py:100:9: the default that it inherits",
        "    = help: Add `width`",
        "",
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("RingSpecs(Spec):\n", ["class RingSpecs(Spec):", "      ^^^^^^^^^^^^^^^^"]),
        (
            "(Spec):\n    specs",
            [
                "class RingSpecs(Spec):",
                "               ^^^^^^^",
                "    specs: dict[str, Spec]",
                "    ^^^^^",
            ],
        ),
    ],
)
def test_full_over_several_lines(text: str, shown: list[str]) -> None:
    lines = FORMATS["full"](report(finding(text=text)), VIEW).splitlines()
    assert [line[4:] for line in lines if line[2:4] == "| "] == shown


def test_full_shows_three_lines_of_a_long_stretch() -> None:
    source = decode_source(HERE / "long.py", b"class A:\n" + b"    x = 1\n" * 50)
    text = FORMATS["full"](
        report(finding(source, source.text), sources={source.path: source}), VIEW
    )
    assert text.count("^\n") == 3


@pytest.mark.parametrize("name", ["full", "concise"])
def test_colour_only_adds_escapes(name: str) -> None:
    import click

    everything = report(SAFE, HELD, BARE)
    plain = FORMATS[name](everything, VIEW)
    coloured = FORMATS[name](everything, View(HERE, NAMES, colour=True))
    assert "\x1b[" in coloured
    assert click.unstyle(coloured) == plain
    assert "\x1b" not in plain


@pytest.mark.parametrize(
    ("line", "start", "end", "shown", "marks"),
    [
        ("abc", 1, 2, "abc", " ^"),
        ("abc", 3, 3, "abc", "   ^"),
        ("abc", 1, 1, "abc", " ^"),
        ("\tx = 1", 1, 2, "    x = 1", "    ^"),
        ("a\tx", 1, 2, "a    x", " ^^^^"),
        ("# 漢字 x", 5, 6, "# 漢字 x", "       ^"),
        ("漢字", 0, 2, "漢字", "^^^^"),
        ("e\u0301x", 2, 3, "e\u0301x", " ^"),
        ("\x0cx", 1, 2, "␌x", " ^"),
        ("\x1b[31mx", 5, 6, "␛[31mx", "     ^"),
        ("a\u202eb", 2, 3, "a\ufffdb", "  ^"),
        ("x = 1   ", 0, 1, "x = 1", "^"),
    ],
)
def test_marks_are_under_what_they_mark(
    line: str, start: int, end: int, shown: str, marks: str
) -> None:
    assert marked(line, start, end) == (shown, marks)


@pytest.mark.parametrize("start", [0, 39, 40, 41, 110, 121, 5000, 9990])
def test_a_long_line_is_cut_around_its_mark(start: int) -> None:
    line = "a" * start + "HERE" + "b" * (9996 - start)
    shown, marks = marked(line, start, start + 4)
    gap = marks.index("^")
    assert shown[gap : gap + len(marks.strip())] == "HERE"
    assert len(shown) <= LIMIT
    assert shown.startswith("…") == (start > 40)


def test_a_mark_longer_than_the_line_shown_ends_with_it() -> None:
    shown, marks = marked("x" * 1000, 0, 1000)
    assert shown == "x" * (LIMIT - 1) + "…"
    assert marks == "^" * (LIMIT - 1)


@pytest.mark.parametrize(
    ("found", "view", "expected"),
    [
        (SAFE, VIEW, "KV101 error `RingSpecs` inherits `width` [*]"),
        (HELD, VIEW, "KV104 warning `RingSpecs` inherits `width`"),
        (HELD, UNSAFE, "KV104 warning `RingSpecs` inherits `width` [*]"),
        (
            BARE,
            UNSAFE,
            "KV104 error `RingSpecs` inherits `width` (no fix: its bases are computed)",
        ),
        (finding(message="a\nb\x1bc", safety=None), VIEW, r"KV101 error a\nb\x1bc"),
    ],
)
def test_concise(found: Finding, view: View, expected: str) -> None:
    text = FORMATS["concise"](report(found), view)
    assert text == f"plugin/ring.py:4:7: {expected}\n"


def test_json_is_the_documented_schema() -> None:
    failures = (
        Failure("the check crashed", RING.path, "KV104"),
        Failure("no such folder"),
    )
    text = FORMATS["json"](report(SAFE, BARE, failures=failures), VIEW)
    first, second = json.loads(text)["findings"]
    assert first == {
        "code": "KV101",
        "name": "undelegated-member",
        "severity": "error",
        "message": "`RingSpecs` inherits `width`",
        "path": "plugin/ring.py",
        "line": 4,
        "column": 7,
        "end_line": 4,
        "end_column": 16,
        "symbol": "RingSpecs.width",
        "related": [
            {
                "path": "../elsewhere/base.py",
                "line": 100,
                "column": 9,
                "message": "the default that it inherits",
            }
        ],
        "fix": {
            "safety": "safe",
            "title": "Add `width`",
            "edits": [
                {
                    "line": 6,
                    "column": 1,
                    "end_line": 6,
                    "end_column": 1,
                    "content": "    width = 1\n",
                }
            ],
        },
    }
    assert list(first) == list(second)
    assert second["fix"] is None
    assert json.loads(text) == {
        "version": 1,
        "findings": [first, second],
        "errors": [
            {"path": "plugin/ring.py", "code": "KV104", "message": "the check crashed"},
            {"path": None, "code": None, "message": "no such folder"},
        ],
        "files_checked": 2,
    }


def test_json_tells_unsafe_fixes_unasked_and_is_ascii() -> None:
    text = FORMATS["json"](report(finding(safety=Safety.UNSAFE, message="Größe")), VIEW)
    (found,) = json.loads(text)["findings"]
    assert (found["fix"]["safety"], found["message"]) == ("unsafe", "Größe")
    assert text.isascii()


@pytest.mark.parametrize(
    ("source", "found", "expected"),
    [
        (
            RING,
            SAFE,
            (
                "::error file=plugin/ring.py,line=4,col=7,endLine=4,endColumn=16,"
                "title=kvlint (KV101)::`RingSpecs` inherits `width`"
            ),
        ),
        (
            RING,
            finding(severity=Severity.WARNING, message="100%, a: b\r\nc", text="Spec"),
            (
                "::warning file=plugin/ring.py,line=1,col=18,endLine=1,endColumn=22,"
                "title=kvlint (KV101)::100%25, a: b%0D%0Ac"
            ),
        ),
        (
            RING,
            finding(text="Spec\n\n"),
            (
                "::error file=plugin/ring.py,line=1,endLine=3,"
                "title=kvlint (KV101)::`RingSpecs` inherits `width`"
            ),
        ),
        (
            odd := decode_source(HERE / "a,b:c%d.py", b"RingSpecs"),
            finding(odd),
            (
                "::error file=a%2Cb%3Ac%25d.py,line=1,col=1,endLine=1,endColumn=10,"
                "title=kvlint (KV101)::`RingSpecs` inherits `width`"
            ),
        ),
    ],
)
def test_github(source: Source, found: Finding, expected: str) -> None:
    assert FORMATS["github"](report(found), VIEW) == f"{expected}\n"


@pytest.mark.parametrize(
    ("seen", "view", "dry", "expected"),
    [
        (report(), VIEW, False, "All checks passed!\n"),
        (report(failures=(Failure("broken"),)), VIEW, False, ""),
        (report(BARE), VIEW, False, "Found 1 finding (1 error).\n"),
        (
            report(SAFE, HELD),
            VIEW,
            False,
            (
                "Found 2 findings (1 error, 1 warning).\n"
                "[*] 1 fixable with `--fix` (1 unsafe fix held back: "
                "`--fix --unsafe-fixes` applies, `--diff --unsafe-fixes` shows).\n"
            ),
        ),
        (
            report(HELD, HELD),
            VIEW,
            False,
            (
                "Found 2 findings (2 warnings).\n"
                "2 unsafe fixes held back: "
                "`--fix --unsafe-fixes` applies, `--diff --unsafe-fixes` shows.\n"
            ),
        ),
        (
            report(SAFE, HELD),
            UNSAFE,
            False,
            (
                "Found 2 findings (1 error, 1 warning).\n"
                "[*] 2 fixable with `--fix --unsafe-fixes`.\n"
            ),
        ),
        (
            report(SAFE),
            UNSAFE,
            False,
            "Found 1 finding (1 error).\n[*] 1 fixable with `--fix`.\n",
        ),
        (
            report(BARE, mended=(SAFE, SAFE)),
            VIEW,
            False,
            "Found 3 findings (3 errors): 2 mended, 1 remaining.\n",
        ),
        (
            report(mended=(SAFE,)),
            VIEW,
            True,
            "Found 1 finding (1 error): 1 would be mended, 0 remaining.\n",
        ),
        (replace(report(), assumed="0.33.0"), VIEW, False, "All checks passed!\n"),
        (
            replace(report(SAFE), assumed="0.33.0"),
            VIEW,
            False,
            (
                "Found 1 finding (1 error).\n"
                "Nothing names the project's vLLM: vLLM 0.33.0 was taken, the newest "
                "known (`--vllm-version` or `vllm-version` names it).\n"
                "[*] 1 fixable with `--fix`.\n"
            ),
        ),
    ],
)
def test_summary(seen: Report, view: View, dry: bool, expected: str) -> None:
    assert summary(seen, view, dry=dry) == expected


def test_statistics_counts_by_rule() -> None:
    many = report(*[HELD] * 10, SAFE)
    assert statistics(many, VIEW) == (
        "10  KV104  unmirrored-field\n 1  KV101  undelegated-member  [*] 1 fixable\n"
    )
    assert statistics(report(), VIEW) == ""


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.py", b"x = 1\ny = 2\n", b"x = 1\nz = 3\ny = 2\n"),
        ("a b.py", b"x = 1\n", b"x = 2\n"),
        ('quo"te\\.py', b"x = 1\n", b"x = 2\n"),
        ("größe.py", b"x = 1\n", b"x = 2\n"),
        ("deep/er/a.py", b"x = 1\n", b"x = 2\n"),
        ("a.py", b"x = 1\r\ny = 2\r\n", b"x = 1\r\nz = 3\r\ny = 2\r\n"),
        ("a.py", b"x = 1\ny = 2", b"x = 1\ny = 2\nz = 3"),
        ("a.py", b"x = 1\ny = 2", b"x = 1\ny = 2\n"),
        ("a.py", b"# coding: latin-1\n# \xe4\nx = 1\n", b"# coding: latin-1\n# \xe4\n"),
        ("a.py", b"\xef\xbb\xbfx = 1\n", b"\xef\xbb\xbfx = 2\n"),
        ("a.py", b"x = '\x0c \x1c \xe2\x80\xa8'\ny = 1\n", b"y = 1\n"),
        ("a.py", b"-- x\n", b"++ x\n"),
    ],
)
def test_git_applies_the_diff(
    tmp_path: Path, name: str, before: bytes, after: bytes
) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(before)
    change = Change(decode_source(path, before), decode_source(path, after))
    patch = diff.render(report(changes=(change,)), View(tmp_path, NAMES))
    subprocess.run(
        ["git", "apply", "-"], input=patch, cwd=tmp_path, check=True, timeout=30
    )
    assert path.read_bytes() == after


def test_the_diff_is_plain_text() -> None:
    change = Change(RING, decode_source(RING.path, RING.content + b"    x = 1"))
    seen = report(changes=(change,))
    assert diff.render(seen, VIEW).decode() == (
        "--- a/plugin/ring.py\n"
        "+++ b/plugin/ring.py\n"
        "@@ -3,3 +3,4 @@\n"
        " \n"
        " class RingSpecs(Spec):\n"
        "     specs: dict[str, Spec]\n"
        "+    x = 1\n"
        "\\ No newline at end of file\n"
    )
    coloured = diff.render(seen, View(HERE, NAMES, colour=True))
    assert b"\x1b[32m+    x = 1\x1b[0m\n" in coloured
