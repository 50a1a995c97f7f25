# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The comment that an editor puts on a line silences it, or there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from kvlint.findings import Finding, Place, Severity, apply_edits
from kvlint.server.silencing import silencing
from kvlint.sources import decode_source
from kvlint.suppressions import find_comments

PATH = Path("a.py")


@pytest.mark.parametrize(
    ("text", "line", "after"),
    [
        ("x = 1\n", 1, "x = 1  # kvlint: ignore[KV101] TODO: say why"),
        ("x = 1", 1, "x = 1  # kvlint: ignore[KV101] TODO: say why"),
        ("x = 1  \r\ny\r\n", 1, "x = 1  # kvlint: ignore[KV101] TODO: say why  "),
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
    edit = silencing(source, finding)
    if after is None:
        assert edit is None
        return
    assert edit is not None
    edited = decode_source(PATH, apply_edits(text, [edit]).encode())
    assert edited.text.splitlines()[line - 1] == after
    if text != "x = (\n":
        codes = {code.text for each in find_comments(edited) for code in each.codes}
        assert "KV101" in codes


def test_what_no_comment_silences() -> None:
    source = decode_source(PATH, b"x\n")
    finding = Finding("KV900", Severity.ERROR, "", Place(PATH, 1, 1, 1, 2), "")
    assert silencing(source, finding) is None
