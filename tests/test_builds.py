# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What constructor calls tell, and the names in them, without parsing whole files."""

from __future__ import annotations

from pathlib import Path

import pytest

from kvlint.model.calls import CallFinder
from kvlint.model.imported import read_imports
from kvlint.model.scopes import ImportedModule, ImportedName
from kvlint.sources import Source, decode_source
from kvlint.uses.builds import COPIERS, Build, copies_spec, read_build

SPEC = CallFinder(["Spec"])


def source(text: str) -> Source:
    return decode_source(Path("/x.py"), text.encode())


def build(text: str) -> Build:
    *_, last = SPEC.calls(text)
    return read_build("Spec", last, source(text))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Spec(a=1, b=None, c='x', d=-1)", {"a": "1", "b": "None", "c": "'x'"}),
        ("Spec(a=self.b.size, b=size)", {"a": "size", "b": "size"}),
        ("Spec(a=m.mode(self.kind))", {"a": "mode(kind)"}),
        ("Spec(a=mode(kind, 1), b=mode(1), c=x + 1)", {"a": "...", "b": "..."}),
        ("Spec(a=(  # (\n  ')'\n))", {"a": "')'"}),
        ('Spec(\n    a=""")""",\n    b=1,\n)', {"b": "1"}),
        ("more = dict(a=x.size)\nSpec(**more, b=1)", {"a": "size", "b": "1"}),
        ("more: dict[str, int] = {'a': size}\nSpec(**more)", {"a": "size"}),
        ("more = {'a': 1}\nOther(**more, x=1)\nSpec(**more)", {"a": "1"}),
        ("Spec(**{'a': size})", {"a": "size"}),
    ],
)
def test_what_fields_are_given(text: str, values: dict[str, str]) -> None:
    found = build(text)
    assert found.is_complete
    assert values.items() <= found.values.items()


@pytest.mark.parametrize(
    "text",
    [
        "Spec(**more)",
        "more = {'a': 1}\nmore['b'] = 2\nSpec(**more)",
        "more = {'a': 1}\nmore.update(b=2)\nSpec(**more)",
        "more = {name: 1}\nSpec(**more)",
        "def f():\n    more = {'a': 1}\n\ndef g(more):\n    return Spec(**more)",
        "Spec(**call())",
    ],
)
def test_fields_that_are_not_known(text: str) -> None:
    assert not build(text).is_complete


@pytest.mark.parametrize(
    ("text", "copies"),
    [
        ("Spec(a=spec.a, b=spec.b, c=spec.c)", True),
        ("Spec(a=specs[0].a, b=specs[0].b, c=specs[0].c)", True),
        ("Spec(a=spec.a, b=spec.b, c=other.c)", False),
        ("Spec(a=self.a, b=self.b, c=self.c)", False),
    ],
)
def test_copies_by_their_names(text: str, copies: bool) -> None:
    assert build(text).copies is copies


@pytest.mark.parametrize(
    ("text", "copies"),
    [
        ("dataclasses.replace(spec, a=1)", True),
        ("replace(layer_specs[name], a=1)", True),
        ("replace(config, a=1)", False),
        ("name.replace('a', 'b')", False),
        ("object.__setattr__(spec, 'a', 1)", True),
        ("object.__setattr__(self, 'a', 1)", False),
        ("setter.__setattr__(spec)", False),
    ],
)
def test_changed_copies(text: str, copies: bool) -> None:
    (found,) = CallFinder(COPIERS).calls(text)
    assert copies_spec(found) is copies
    if copies:
        assert read_build("", found, source(text)).values == {"a": "1"}


def test_calls_are_no_definitions_comments_or_open_ends() -> None:
    text = "class Spec(Base): ...\ndef Spec(): ...\n# Spec(a=1)\nx.y.Spec(b=1)\nSpec(("
    (found,) = SPEC.calls(text)
    assert (found.dotted, text[found.start : found.end]) == (
        "x.y.Spec",
        "x.y.Spec(b=1)",
    )


def test_imports_alone() -> None:
    text = (
        "import a.b, c as d\nfrom e import (\n    f,  # so\n    g as h,\n)\n"
        "def i():\n    from .j import k\n    import l.m as n\nfrom o import *\n"
        "from p import q, \\\n    r\nfrom import s\nimport not valid\n"
    )
    file = read_imports(source(text))
    assert file.scope.names == {
        "a": [ImportedModule("a")],
        "d": [ImportedModule("c")],
        "f": [ImportedName("e", "f", 0)],
        "h": [ImportedName("e", "g", 0)],
        "k": [ImportedName("j", "k", 1)],
        "n": [ImportedModule("l.m")],
        "q": [ImportedName("p", "q", 0)],
        "r": [ImportedName("p", "r", 0)],
    }
    assert [each.module for each in file.scope.stars] == ["o"]
