# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The comment that silences a finding, and where none can."""

from __future__ import annotations

from pathlib import Path

import pytest

from kvlint.findings import Finding, Place, Severity, apply_edits
from kvlint.silencing import CommentLines
from kvlint.sources import decode_source
from kvlint.suppressions import find_comments

PATH = Path("a.py")


@pytest.mark.parametrize(
    ("text", "line", "after"),
    [
        ("x = 1\n", 1, "x = 1  # kvlint: ignore[KV101] TODO: say why"),
        ("x = 1", 1, "x = 1  # kvlint: ignore[KV101] TODO: say why"),
        ("x = 1  \r\ny\r\n", 1, "x = 1  # kvlint: ignore[KV101] TODO: say why"),
        ("f(\n    1,\n)\n", 2, "    1,  # kvlint: ignore[KV101] TODO: say why"),
        ("x  # noqa\n", 1, "x  # noqa  # kvlint: ignore[KV101] TODO: say why"),
        (
            "x  # kvlint: ignore[KV104] old\n",
            1,
            "x  # kvlint: ignore[KV104, KV101] old",
        ),
        (
            "x  # kvlint: ignore[KV9999] old\n",
            1,
            "x  # kvlint: ignore[KV9999] old  # kvlint: ignore[KV101] TODO: say why",
        ),
        ("x  # a `tick\n", 1, None),
        ("x = \\\n    1\n", 1, None),
        ('x = """\n"""\n', 1, None),
        ('x = f"""{\n  y}"""\n', 1, None),
        ("x = (\n", 1, "x = (  # kvlint: ignore[KV101] TODO: say why"),
    ],
)
def test_silencing(text: str, line: int, after: str | None) -> None:
    source = decode_source(PATH, text.encode())
    finding = Finding("KV101", Severity.ERROR, "", Place(PATH, line, 1, line, 2), "")
    lines = CommentLines(source)
    found = lines.line_for(finding)
    if after is None:
        assert found is None
        return
    assert found == line
    edits = lines.edits(found, [finding.code], "TODO: say why")
    edited = decode_source(PATH, apply_edits(text, edits).encode())
    assert edited.text.splitlines()[line - 1] == after
    if text != "x = (\n":
        codes = {code.text for each in find_comments(edited) for code in each.codes}
        assert "KV101" in codes


def test_what_no_comment_silences() -> None:
    source = decode_source(PATH, b"x\n")
    finding = Finding("KV900", Severity.ERROR, "", Place(PATH, 1, 1, 1, 2), "")
    assert CommentLines(source).line_for(finding) is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("@a\nclass B: pass\n", 2),
        ("@a(\\\n)\nclass B: pass\n", 3),
        ("@a\nclass B: \\\n  pass\n", 1),
        ("@a  # kvlint: ignore[KV104] old\nclass B: pass\n", 1),
        ("@a  # kvlint: ignore[KV104]\nclass B: pass\n", 2),
    ],
)
def test_one_of_several_lines(text: str, line: int) -> None:
    source = decode_source(PATH, text.encode())
    own = 1 + text[: text.index("class")].count("\n")
    place = Place(PATH, own, 1, own, 2)
    finding = Finding(
        "KV101", Severity.ERROR, "", place, "", suppressible_lines=frozenset({1})
    )
    assert CommentLines(source).line_for(finding) == line
