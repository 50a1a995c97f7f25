# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Outlines: what they leave out, and that every place is the one in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from kvlint.model.classes import SpecFile
from kvlint.model.outlines import read_outline
from kvlint.model.reading import read_file
from kvlint.sources import Source, decode_source

FILE = '''\
"""A module."""

import registry

LIMIT = 3


class Manager(Base):
    """What it does."""

    cap: int = 3

    def __init__(self, spec, *, more: int = 1) -> None:  # a comment
        super().__init__(spec)
        self.more = more

    @functools.cache
    @property
    def size(self) -> "dict[str, int]":
        """Its size."""
        return {"a": 1}

    @classmethod
    def long(
        cls,
        first,  # with a comment: and a colon
        second: str = "a:b)",
    ) -> int:
        if first:
            return 1

        # between
        return 2
    # behind

    def short(self): return 1

    @classmethod
    @override
    def register(cls):
        registry.KVCacheSpecRegistry.register(Spec, Manager)

    async def last(self):
        return """
            def g(self): a:
        """


def function(a):
    return a
'''


def read(text: str) -> Source:
    return decode_source(Path("file.py"), text.encode())


def described(file: SpecFile) -> list[object]:
    """The classes, and those of their members that an outline keeps."""
    return [
        (
            each.name,
            each.bases,
            each.place,
            [(x.name, x.place) for x in each.fields.values()],
            [
                (x.name, x.place, x.kind, x.decorators, [p.name for p in x.parameters])
                for x in each.members.values()
                if x.name in {"__init__", "register", "LIMIT"}
            ],
        )
        for each in file.classes
    ]


TEXTS = {
    "everything": FILE,
    "Windows": FILE.replace("\n", "\r\n"),
    "no end of line": "class A:\n    def f(self):\n        return 1\n        return 2",
    "one line too short": "class A:\n    def f(self):\n        x\n",
    "tabs": "class A:\n\tdef f(self):\n\t\treturn 111111111\n\n\tdef g(self): ...\n",
    "decorators": "class A:\n    @f(\n        1\n    )\n    def f(self):\n        a\n",
    "one line": "class A:\n    @f\n    def f(self): return 1\n    def g(self): return",
    "nothing": "",
    "functions": "if x:\n    def f():\n        return 1111111111\nelse:\n    f = 1\n",
    "ends in a comment": "class A:\n    def f(self):\n        return 1  # x\n    # y\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_stays_is_where_it_was(text: str) -> None:
    source = read(text)
    found = read_outline(source)
    assert found is not None
    assert found.tree.is_exact
    assert described(found) == described(read_file(source))


def test_what_is_left_out() -> None:
    found = read_outline(read(FILE))
    assert found is not None
    text = found.tree.module.code
    assert len(text) == len(FILE)
    for kept in ("self.more = more", "What it does", "registry.KV", "return a", "cap"):
        assert kept in text
    for lost in ("Its size", "between", "return 2", "def size", "@property"):
        assert lost not in text


@pytest.mark.parametrize(
    "text",
    [
        'class A:\n    def f(self):\n        """\nx\n        """\n        return 1\n',
        "class A:\n    def __init__(self:\n        return 1\n",
    ],
)
def test_what_an_outline_cannot_tell(text: str) -> None:
    assert read_outline(read(text)) is None
