# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Headers of methods, read quickly, say what the model of the file says."""

from __future__ import annotations

from pathlib import Path

import pytest

from kvlint.model.headers import read_headers
from kvlint.model.reading import read_file
from kvlint.sources import decode_source

FILE = '''\
"""A module: with a colon."""


class First(Base):
    """def nothing(self): ..."""

    LIMIT = 3

    def plain(self, a, /, b: "dict[str, int]", c=1, *rest, d, e=2, **more) -> None:
        def inner(self, x): ...

        return inner

    @property
    def size(self) -> int: return 1

    @classmethod
    @functools.wraps(other)
    def merge(
        cls,
        specs: list[int],  # a comment: with (a bracket
        text: str = "):",
    ) -> list[int]:
        class Inner:
            def deeper(self, y): ...

    @staticmethod
    def build(specs, *, strict=False): ...

    async def fetch(self, *, layer): ...


def function(a): ...


class Second:
\tdef tabs(self, a): ...


class Third(First): ...
'''


def test_headers_agree_with_the_model() -> None:
    model = read_file(decode_source(Path("a.py"), FILE.encode()))
    headers = read_headers(FILE)
    classes = [each for each in model.classes if not each.is_nested]
    assert list(headers) == [each.name for each in classes]
    for each in classes:
        methods = {x.name: x for x in each.members.values() if x.function is not None}
        assert list(headers[each.name]) == list(methods)
        for name, header in headers[each.name].items():
            assert header is not None
            member = methods[name]
            kind = "" if member.kind == "method" else str(member.kind)
            assert "".join(header.kinds) == kind
            assert [(x.name, x.kind, x.default is None) for x in header.parameters] == [
                (x.name, x.kind, x.default is None) for x in member.parameters
            ]


@pytest.mark.parametrize("rest", ["self,\n", ":"])
def test_what_cannot_be_read(rest: str) -> None:
    assert read_headers(f"class A:\n    def f({rest}") == {"A": {"f": None}}
