# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which attributes of modules and classes code sets, by their absolute names."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from kvlint.model.reading import read_file
from kvlint.model.references import Series, Text
from kvlint.model.values.writes import Write, find_writes
from kvlint.sources import decode_source


def writes(code: str, path: Path = Path("plugin.py")) -> list[Write]:
    source = decode_source(path, textwrap.dedent(code).encode())
    return find_writes(read_file(source))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import a.b\na.b.c = 1", ["a.b.c"]),
        ("import a.b as x\nx.c = 1", ["a.b.c"]),
        ("from a.b import c\nc.d = 1", ["a.b.c.d"]),
        ("from a import b as x, c\nx.d, c.e = 1, 2", ["a.b.d", "a.c.e"]),
        ("import a\nx = a.b\nx.c = x.d = 1", ["a.b.c", "a.b.d"]),
        ("import a\nx, y = a.b, a.c\ny.d = 1", ["a.c.d"]),
        ("import a\na.b: int = 1\na.c: int", ["a.b"]),
        ("import a, b\nx = a if a.d else b\nx.c = 1", ["a.c", "b.c"]),
        ("if t:\n    import a as x\nelse:\n    import b as x\nx.c = 1", ["a.c", "b.c"]),
        ("import a\nx = a\nx = 1\nx.c = 1", []),
        ("import a\ndef a(): ...\na.c = 1", []),
        ("import a\nclass a: ...\na.c = 1", []),
        ("x.c = 1\nself.d = 1", []),
        ("from a import *\nb.c = 1", []),
        ("import sys\nsys.modules['a.b'].c = 1", ["a.b.c"]),
        ("import sys as s\nx = s.modules.get('a')\nx.c = 1", ["a.c"]),
        ("from importlib import import_module as i\ni('a.b').c = 1", ["a.b.c"]),
        ("import a\ngetattr(a, 'b').c = 1", ["a.b.c"]),
        ("import a\nsetattr(a, 'b', 1)\nsetattr(a, n, 1)", ["a.b"]),
        ("import a\na.setattr(a, 'b', 1)\nsetattr(a, 'b')", []),
        ("import a\ntype.__setattr__(a.B, 'c', 1)", ["a.B.c"]),
        ("import a\ndelattr(a, 'b')\ndel a.c, a.d, a", ["a.b", "a.c", "a.d"]),
        ("import a\nvars(a)['b'] = 1\na.__dict__['c'] = 1", ["a.b", "a.c"]),
        ("import a\ndel a.__dict__['b']\na['c'] = 1", ["a.b"]),
        ("import a\nvars(a).update({'b': 1, **x}, c=1)", ["a.c", "a.b"]),
        ("import a\na.update(b=1)\na.d.update({'b': 1})", []),
        ("import a, b\nfor x in (a, b):\n    x.c = 1", ["a.c", "b.c"]),
        ("import a, b\nall = [a, b]\nfor x in all:\n    x.c = 1", ["a.c", "b.c"]),
        (
            "import a, b\nfor x, n in ((a, 'c'), (b, 'd')):\n    setattr(x, n, 1)",
            ["a.c", "a.d", "b.c", "b.d"],
        ),
        ("import a\nfor x in f(a):\n    x.c = 1", []),
        ("import a\ndef f(a):\n    a.c = 1\ndef g(*, x=a):\n    x.c = 1", []),
        ("def f():\n    a.c = 1\nimport a", ["a.c"]),
        ("def f():\n    import a\n    def g():\n        a.c = 1\na.d = 1", ["a.c"]),
        ("class C:\n    import a\n    a.c = 1\n    def f(s): x.d = a.e = 1\nimport x",
         ["a.c", "x.d"]),
        ("with x() as y:\n    import a\n    a.b = 1", ["a.b"]),
    ],
)  # fmt: skip
def test_targets(code: str, expected: list[str]) -> None:
    assert sorted(each.target for each in writes(code)) == sorted(expected)


def test_relative_imports(tmp_path: Path) -> None:
    for folder in ("plugin", "plugin/inner"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    code = "from . import a\nfrom ..b import c\na.x = 1\nc.y = 1"
    found = writes(code, tmp_path / "plugin/inner/module.py")
    assert [each.target for each in found] == ["plugin.inner.a.x", "plugin.b.c.y"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import a\nx = 1\na.c = x", []),
        ("import a\na.c = a.d", ["a.d"]),
        ("import a\nsetattr(a, 'c', a.d)", ["a.d"]),
        ("import a\na.c = 'text'", [Text("text")]),
        ("import a\na.c = ('x',)", [Series((frozenset({Text("x")}),))]),
        ("import a\ndel a.c", []),
    ],
)
def test_values(code: str, expected: list[object]) -> None:
    (found,) = writes(code)
    assert list(found.values) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def f():\n    a.b = 1\n    try:\n        g()\n    finally:\n        a.b = 2",
         []),
        ("def f():\n    a.b = 1\n    try:\n        g()\n    finally:\n        a.c = 2",
         ["a.b"]),
        ("def f():\n    try:\n        a.b = 1\n    except E:\n        a.b = 2",
         ["a.b", "a.b"]),
        ("class C:\n    def f(self): a.b = 1\n    def __exit__(self, *e): a.b = 2", []),
        ("class C:\n    def f(self): a.b = 1\n    def close(self): a.b = 2",
         ["a.b", "a.b"]),
        ("class C:\n    def __exit__(self, *e): a.b = 2\ndef f(): a.b = 1", ["a.b"]),
    ],
)  # fmt: skip
def test_what_is_put_back(code: str, expected: list[str]) -> None:
    assert [each.target for each in writes(f"import a\n{code}")] == expected


def test_conditions() -> None:
    (found,) = writes(
        """
        import a
        if a.B.m is a.C.m and a.B.n is not a.C.n:
            if t or a.B is a.C:
                a.B.m = 1
        """
    )
    assert [
        each and (set(each.left), set(each.right), each.is_wanted)
        for each in found.conditions
    ] == [({"a.B.m"}, {"a.C.m"}, True), ({"a.B.n"}, {"a.C.n"}, False), None]


def test_conditions_end_with_their_block() -> None:
    code = """
    import a
    if a.B is a.C:
        def f(): a.x = 1
    elif t:
        a.y = 1
    else:
        a.z = 1
    a.w = 1
    try:
        a.v = 1
    finally:
        for each in ():
            a.u = 1
    """
    counts = {each.target: len(each.conditions) for each in writes(code)}
    assert counts == {"a.x": 1, "a.y": 2, "a.z": 2, "a.w": 0, "a.v": 1}
