# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Quick looks at a text find what the plain patterns would."""

from __future__ import annotations

import re

import pytest

from kvlint.model.blocks import names_around
from kvlint.model.glances import beginnings, headers, quoted, read_off

TEXT = """\
name = 1
a.name; a .\n  name(b); rename(name="x"); a.names; a.rename
getattr(a, "name"), getattr(a, 'name')
"a name", "name, name=2
b.näme, a.nameé; x_name == y
.name"""


def test_what_is_read_off_something() -> None:
    pattern = r"\.\s*name\b|[\"']name[\"']"
    expected = [each.start() for each in re.finditer(pattern, TEXT)]

    assert sorted(read_off(TEXT, "name")) == expected
    assert len(expected) == 5


def test_what_stands_in_quotes() -> None:
    expected = [each.start() for each in re.finditer(r"[\"']name[\"']", TEXT)]

    assert list(quoted(TEXT, "name")) == expected


@pytest.mark.parametrize("pattern", [r"name\s*=(?!=)", r"name\b", r"a\b"])
def test_words_by_their_beginnings(pattern: str) -> None:
    expected = [each.start() for each in re.finditer(rf"\b{pattern}", TEXT)]

    assert list(beginnings(re.compile(pattern), TEXT)) == expected


def test_headers_around_a_place() -> None:
    text = """\
def before(): pass
class A:
    async def one(self):
        "class B: def no(): pass"
        def inner(): x
    q = 1
    def two(self):
        redef name
z
"""
    found = {word: names_around(text, [text.index(word)]) for word in "xqz"}

    assert found == {"x": {"A", "one", "inner"}, "q": {"A"}, "z": set()}
    assert names_around(text, [text.index("name")]) == {"A", "two"}


def test_functions_inside_others_are_a_part_of_them() -> None:
    text = """\
def outer(spec):
    def inner():
        return 1

    return spec.width


if TYPE:

    def guarded(): ...


class A:
    def method(self): ...

    async def other(self):
        def inner(): ...


async def last(): ...
"""
    found = [text[at:].lstrip().split("(")[0] for at in headers(text)]
    assert found == [
        "def outer",
        "def guarded",
        "def method",
        "async def other",
        "async def last",
    ]
