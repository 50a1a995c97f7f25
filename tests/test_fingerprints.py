# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Fingerprints stay when lines move, and tell findings apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from kvlint.findings import Finding, Place, Severity
from kvlint.fingerprints import fingerprints
from kvlint.sources import decode_source

TEXT = "class Ring(Spec):\n    x: int\n\n\nclass Ring2(Spec): x = f(a, b)\n"


def marks(
    text: str,
    *wanted: str,
    path: str = "/project/a.py",
    code: str = "KV101",
    symbol: str = "Ring.x",
    message: str = "is wrong",
) -> list[str]:
    """Return the fingerprints of findings that mark stretches of a text, in order."""
    source = decode_source(Path(path), text.encode())
    found, after = [], 0
    for each in wanted:
        start = source.text.index(each, after)
        after = start + len(each)
        place = source.place(start, after)
        found.append(Finding(code, Severity.ERROR, message, place, symbol))
    folder = Path("/project")
    return fingerprints(
        found, {source.path: source}, lambda x: x.relative_to(folder).as_posix()
    )


BEFORE = marks(TEXT, "Ring")


@pytest.mark.parametrize(
    "text",
    [
        "import os\n\n" + TEXT,
        TEXT.replace("\n", "\r\n"),
        TEXT.replace("\n", "\r"),
        "\ufeff" + TEXT,
        "# \U0001f600\n" + TEXT,
        TEXT.replace("Ring(Spec)", "Ring(Base, Spec)"),
        TEXT.replace("x: int", "y: str"),
        TEXT.rstrip(),
    ],
)
def test_what_is_no_new_finding(text: str) -> None:
    assert marks(text, "Ring") == BEFORE


def test_what_is_another_finding() -> None:
    others = [
        marks(TEXT, "Ring2"),
        marks(TEXT, "Ring", code="KV102"),
        marks(TEXT, "Ring", symbol="Ring.y"),
        marks(TEXT, "Ring", path="/project/b.py"),
        marks(TEXT, "Ring", path="/project/sub/a.py"),
    ]
    assert len({BEFORE[0], *(one for (one,) in others)}) == 1 + len(others)


def test_code_that_is_wrapped_anew_is_the_same() -> None:
    wrapped = TEXT.replace("f(a, b)", "f(\n    a,\n    b\n)")
    assert marks(wrapped, "f(\n    a,\n    b\n)") == marks(TEXT, "f(a, b)")


def test_what_is_alike_is_numbered() -> None:
    text = "f(x)\ng()\nf( x )\nf(x)\n"
    first, second, third = marks(text, "f(x)", "f( x )", "f(x)")
    assert [each.partition(":")[2] for each in (first, second, third)] == [
        "1",
        "2",
        "3",
    ]
    assert len({each.partition(":")[0] for each in (first, second, third)}) == 1
    # One that goes leaves as many as there are.
    assert marks(text, "f( x )", "f(x)") == [first, second]


def test_the_message_does_not_count() -> None:
    assert marks(TEXT, "Ring", message="is (vLLM 0.26.0)") == BEFORE


@pytest.mark.parametrize("mark", ["", "\n\n"])
def test_the_message_counts_where_nothing_is_marked(mark: str) -> None:
    (one,) = marks(TEXT, mark, message="never closed on line 12 (vLLM 0.26.0)")
    (same,) = marks(TEXT, mark, message="never closed on  line 3 (vLLM 0.27.1)")
    (other,) = marks(TEXT, mark, message="invalid syntax")
    assert one == same != other


def test_a_file_that_is_not_there_and_odd_names() -> None:
    path = Path("/project/\udcff\U0001f600.py")
    finding = Finding("KV101", Severity.ERROR, "is wrong", Place(path, 1, 1, 1, 2), "")
    (one,) = fingerprints([finding], {}, str)
    assert one.endswith(":1")


def test_they_do_not_change_from_one_kvlint_to_the_next() -> None:
    """A baseline holds them: if this fails, every baseline is void."""
    assert BEFORE == ["324ad8538a464939:1"]
