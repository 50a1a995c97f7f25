# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Sources: decoding as Python does, counting lines, editing without losing a byte."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvlint.errors import KvlintError
from kvlint.findings import Edit, Place
from kvlint.sources import Source, decode_source, nests_too_deep, read_source

PATH = Path("spec.py")


def source_of(text: str) -> Source:
    return decode_source(PATH, text.encode())


@pytest.mark.parametrize(
    ("content", "text", "encoding"),
    [
        (b"", "", "utf-8"),
        (b"x = 1", "x = 1", "utf-8"),
        ("x = 'é'\n".encode(), "x = 'é'\n", "utf-8"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n", "utf-8"),
        (b"\xef\xbb\xbf# coding: utf-8\n", "# coding: utf-8\n", "utf-8"),
        (b"# coding: latin-1\n\xe9\n", "# coding: latin-1\né\n", "iso-8859-1"),
        (b"#!/x\n# vim: set fileencoding=cp1252 :\n\x80", None, "cp1252"),
        (b"\n# coding: latin-1\n\xe9\n", None, "iso-8859-1"),
        (b"x\n# coding: latin-1\n", None, "utf-8"),
        (b"\n\n# coding: latin-1\n", None, "utf-8"),
        (b"#\r# coding: latin-1\r\xe9", None, "iso-8859-1"),
        # On a file of carriage returns alone, the first line is not all of it.
        (b"# Spec\rdef f(encoding: str): ...\r", None, "utf-8"),
        (b"# Spec\r\nx: int\r\ndef f(encoding: str): ...\r\n", None, "utf-8"),
        ("# coding: gbk\n缓\n".encode("gbk"), "# coding: gbk\n缓\n", "gbk"),
        (b"x = '\x0c\x0b\x1c'\r\n", "x = '\x0c\x0b\x1c'\r\n", "utf-8"),
    ],
)
def test_decoding(content: bytes, text: str | None, encoding: str) -> None:
    source = decode_source(PATH, content)
    assert source.encoding == encoding
    assert source.text == text or text is None
    assert source.has_bom == content.startswith(b"\xef\xbb\xbf")
    assert source.edited([]).content == content


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"x = '\xff'\n", "invalid or missing encoding declaration"),
        (b"x\ny\nz = '\xff'\n", "'utf-8' codec can't decode byte 0xff"),
        (b"# coding: nonsense\n", "unknown encoding: nonsense"),
        (b"# coding: rot13\n", "'rot13' is not a text encoding"),
        (b"# coding: undefined\n", "undefined encoding"),
        (b"\xef\xbb\xbf# coding: latin-1\n", "encoding problem: utf-8"),
        (b"# coding: ascii\n# \xe9\n", "'ascii' codec can't decode byte 0xe9"),
    ],
)
def test_what_cannot_be_decoded(content: bytes, reason: str) -> None:
    with pytest.raises(KvlintError) as caught:
        decode_source(PATH, content)
    assert str(caught.value).startswith("spec.py: cannot decode: ")
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    for path, reason in (
        (tmp_path / "gone.py", "No such file or directory"),
        (tmp_path, "Is a directory"),
    ):
        with pytest.raises(KvlintError) as caught:
            read_source(path)
        assert str(caught.value) == f"{path}: cannot read: {reason}"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a", ""]),
        ("a\nb", ["a", "b"]),
        ("a\r\nb\r\n", ["a", "b", ""]),
        ("a\rb\r", ["a", "b", ""]),
        ("a\n\rb", ["a", "", "b"]),
        ("a\r\r\nb", ["a", "", "b"]),
        ("\n\n", ["", "", ""]),
        # Python ends no line here, unlike str.splitlines.
        ("a\x0cb\x0bc\x1cd\x85e\u2028f", ["a\x0cb\x0bc\x1cd\x85e\u2028f"]),
    ],
)
def test_lines(text: str, lines: list[str]) -> None:
    source = source_of(text)
    assert len(source.line_starts) == len(lines)
    assert [source.line(number + 1) for number in range(len(lines))] == lines


@pytest.mark.parametrize(
    ("text", "newline"),
    [
        ("", "\n"),
        ("a", "\n"),
        ("a\nb\n", "\n"),
        ("a\r\nb\r\n", "\r\n"),
        ("a\rb\r", "\r"),
        ("a\r\nb\r\nc\n", "\r\n"),
        ("a\r\nb\nc\n", "\n"),
        ("a\r\nb\n", "\n"),
    ],
)
def test_newline(text: str, newline: str) -> None:
    assert source_of(text).newline == newline


@pytest.mark.parametrize(
    ("text", "start", "end", "place"),
    [
        ("abc", 0, 3, (1, 1, 1, 4)),
        ("abc\ndef\n", 4, 7, (2, 1, 2, 4)),
        ("abc\r\ndef", 1, 6, (1, 2, 2, 2)),
        ("abc\ndef\n", 0, 4, (1, 1, 2, 1)),
        ("é𝄞x", 2, 3, (1, 3, 1, 4)),
        ("a\n", 2, 2, (2, 1, 2, 1)),
        ("", 0, 0, (1, 1, 1, 1)),
    ],
)
def test_places(
    text: str, start: int, end: int, place: tuple[int, int, int, int]
) -> None:
    source = source_of(text)
    assert source.place(start, end) == Place(PATH, *place)
    assert source.offsets(Place(PATH, *place)) == (start, end)


@pytest.mark.parametrize(
    ("content", "edit", "after"),
    [
        (b"a\nb\n", Edit(1, 1, "\nx"), b"a\nx\nb\n"),
        (b"a\r\nb", Edit(1, 1, "\nx"), b"a\r\nx\r\nb"),
        (b"a\rb", Edit(1, 1, "\nx\n"), b"a\rx\r\rb"),
        (b"a", Edit(1, 1, "\nx"), b"a\nx"),
        # Text that was taken from the file itself.
        (b"a\r\nb\r\n", Edit(0, 0, "b\r\n"), b"b\r\na\r\nb\r\n"),
        (b"a\nb\n", Edit(0, 0, "b\r\n"), b"b\na\nb\n"),
        # Other line ends of a mixed file stay.
        (b"a\r\nb\nc\n", Edit(0, 1, "x\ny"), b"x\ny\r\nb\nc\n"),
        (b"\xef\xbb\xbfa\n", Edit(0, 1, "b"), b"\xef\xbb\xbfb\n"),
        (b"# coding: latin-1\na", Edit(18, 19, "é"), b"# coding: latin-1\n\xe9"),
        (b"a\x0c\n", Edit(0, 1, ""), b"\x0c\n"),
    ],
)
def test_edits(content: bytes, edit: Edit, after: bytes) -> None:
    source = decode_source(PATH, content).edited([edit])
    assert source.content == after
    # It is what reading the new file would give.
    assert source == decode_source(PATH, after)


@pytest.mark.parametrize(
    ("content", "text", "reason"),
    [
        (b"# coding: ascii\n", "é", "file's encoding (ascii): ordinal not in range"),
        (b"# coding: latin-1\n", "理", "file's encoding (iso-8859-1): ordinal not"),
        (
            b"# coding: unicode_escape\n# \\x41\n",
            "x",
            "does not give back the bytes as they are",
        ),
        (b"# coding: utf-7\n# +AEE-\n", "x", "does not give back the bytes"),
    ],
)
def test_edits_that_cannot_be_written(content: bytes, text: str, reason: str) -> None:
    with pytest.raises(KvlintError) as caught:
        decode_source(PATH, content).edited([Edit(0, 0, text)])
    assert str(caught.value).startswith("spec.py: cannot write the fix")
    assert reason in str(caught.value)


@given(
    st.text("ab\r\n\x0cé", max_size=20),
    st.booleans(),
    st.integers(0, 20),
    st.integers(0, 5),
    st.text("xy\n", max_size=6),
)
def test_an_edit_changes_nothing_else(
    text: str, bom: bool, start: int, length: int, new: str
) -> None:
    content = b"\xef\xbb\xbf" * bom + text.encode()
    source = decode_source(PATH, content)
    start = min(start, len(text))
    end = min(start + length, len(text))
    after = source.edited([Edit(start, end, new)])
    assert after.text.startswith(text[:start])
    assert after.text.endswith(text[end:])
    inserted = after.text[start : len(after.text) - (len(text) - end)]
    assert inserted == new.replace("\n", source.newline)
    assert after.content == b"\xef\xbb\xbf" * bom + after.text.encode()


@given(st.text("ab\r\n", max_size=30))
def test_lines_make_up_the_text(text: str) -> None:
    source = source_of(text)
    assert source.line_starts[0] == 0
    expected = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert [
        source.line(number + 1) for number in range(len(source.line_starts))
    ] == expected


def test_a_long_file_of_carriage_returns_is_no_trap() -> None:
    start = time.process_time()
    assert len(source_of("x = 1\r" * 100_000).line_starts) == 100_001
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("text", "deep"),
    [
        ("x = 1\n", False),
        ("(" * 200 + ")" * 200, False),
        ("(" * 201 + ")" * 201, True),
        ("[{(" * 70 + ")}]" * 70, True),
        ("(" * 10_000, True),
        ("()\n" * 10_000, False),
        ("(" + "(),\n" * 10_000 + ")", False),
        ("()" * 10_000, True),
        ("(a\n" + "+ a  # (,\n" * 2_000 + ")", False),
        ("(a\n" + "+ a  # (,\n" * 3_000 + ")", True),
        ("a" + " \\\n+ a" * 3_000, True),
        ("(" + "'(,'\n" * 4_000 + ")", True),
        ("(" + "'(,',\n" * 4_000 + ")", False),
        ('x = """' + "+ a\n" * 4_000 + '"""\n', False),
        ("x = '" + "(" * 300 + "'\n", False),
        ("# " + "(" * 300 + "\n", False),
        ("x = '" + "(" * 300 + "'\n" + "(" * 201, True),
        (")" * 300, False),
    ],
)
def test_nesting(text: str, deep: bool) -> None:
    assert nests_too_deep(text) is deep
