# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Fixes keep every byte that is not theirs, whatever the file looks like."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from projects import check_project, write_project

IMPORT = "from vllm.v1.kv_cache_interface import KVCacheSpec\n"
CLASS = "class Pack(KVCacheSpec):\n    layers: dict[str, KVCacheSpec]\n"
PLAIN = (IMPORT + CLASS).encode()

FILES = {
    "plain": PLAIN,
    "CRLF": PLAIN.replace(b"\n", b"\r\n"),
    "BOM": codecs.BOM_UTF8 + PLAIN,
    "no final newline": PLAIN.removesuffix(b"\n"),
    "latin-1": b"# -*- coding: latin-1 -*-\n# \xe9\n" + PLAIN,
    "characters beyond the first plane": "# 😀 é\n".encode() + PLAIN,
    "form feeds": b"\f\n" + PLAIN + b"\f\n",
    "a form feed in front of a comment": b"if True:\n    pass\n\f\n# c\n" + PLAIN,
    "a continued line": (IMPORT + CLASS.replace("str, ", "str, \\\n  ")).encode(),
    "several statements on a line": PLAIN.replace(b"    l", b"    x: int = 0; l"),
    "tabs": (
        IMPORT + "def f():\n\tclass Pack(KVCacheSpec):\n"
        "\t\tlayers: dict[str, KVCacheSpec]\n\n\t\t# foot\n\treturn Pack\n"
    ).encode(),
    "two spaces": PLAIN.replace(b"    l", b"  l"),
    "comments behind a method": (
        IMPORT + CLASS + "\n    def page(self):\n        return 1  # one\n"
        "        # deep\n    # shallow\n# outside\n"
    ).encode(),
    "comments and decorators": (
        IMPORT + CLASS + "\n    # about g\n    @staticmethod\n    # between\n"
        "    def g(): pass  # tail\n"
    ).encode(),
    "an import that is lazy already": (
        "from __future__ import annotations\n" + IMPORT + CLASS
    ).encode(),
}


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_a_fix_only_adds(content: bytes, tmp_path: Path) -> None:
    write_project(tmp_path, {})
    path = tmp_path / "a.py"
    path.write_bytes(content)
    report = check_project(tmp_path, "a.py", fix=True, select=("KV101",))
    assert not report.failures
    assert [each.message for each in report.findings] == []
    mended = path.read_bytes()
    assert mended != content
    newline = b"\r\n" if b"\r\n" in content else b"\n"
    assert mended.count(b"\n") == mended.count(newline)
    assert mended.endswith(newline) == content.endswith(newline)
    bom = codecs.BOM_UTF8
    assert mended.startswith(bom) == content.startswith(bom)
    # What was there is still there, line by line and in order.
    lines = iter(mended.removeprefix(bom).splitlines())
    assert all(line in lines for line in content.removeprefix(bom).splitlines())
    again = check_project(tmp_path, "a.py", fix=True, select=("KV101",))
    assert not again.changes
    assert path.read_bytes() == mended


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (PLAIN.replace(b":\n    l", b": l"), "on the line of `class`"),
        (PLAIN.replace(b"\n", b"\r"), "does not give this file back"),
    ],
)
def test_where_no_edit_is_safe_there_is_none(
    content: bytes, reason: str, tmp_path: Path
) -> None:
    write_project(tmp_path, {})
    path = tmp_path / "a.py"
    path.write_bytes(content)
    report = check_project(tmp_path, "a.py", fix=True, select=("KV101",))
    assert reason in report.findings[0].unfixable
    assert path.read_bytes() == content


def test_indentation_is_that_of_the_class(tmp_path: Path) -> None:
    write_project(tmp_path, {})
    path = tmp_path / "a.py"
    path.write_bytes(FILES["tabs"])
    check_project(tmp_path, "a.py", fix=True, select=("KV101",))
    added = path.read_text().split("class Pack")[1]
    assert "    " not in added
    assert "\t\t\tanswers = {\n\t\t\t\tspec." in added
