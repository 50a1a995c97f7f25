# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where nodes come to stand in the text that libcst writes."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper

from kvlint.model.codegen import write

ROOT = Path(__file__).parents[1]
TEXT = '''\
# a comment
@decorated(1)
class A(B, metaclass=M):  # behind

    field: int = 1

    async def method(self, *rest: str, **more) -> "A":
        """A docstring."""
        with a as b, (c): pass
        try:
            return [x for x in (yield) if x]  ;
        except* ValueError as e:
            raise X from e
        else: ...
        finally:
            del a[1:2, ::3]
if a: b
elif c:
\tmatch d:
\t\tcase [1, *_] | {"k": v, **w} | P(x=1) if v: pass
else:
    lambda x, /, *, y=1: (x := f"{y!r:>{x}}" 'z')
'''


@pytest.mark.parametrize("name", ["", "kvlint/model/syntax.py", "kvlint/cli.py"])
def test_places_are_those_that_libcst_tells(name: str) -> None:
    text = (ROOT / name).read_text("utf-8") if name else TEXT
    wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)

    written = write(wrapper.module)

    told = wrapper.resolve(ByteSpanPositionProvider)
    assert text.isascii()  # for libcst counts bytes
    assert written.text == text
    assert {id(each): written.span(each) for each in told} == {
        id(each): (span.start, span.start + span.length) for each, span in told.items()
    }


def test_a_node_of_another_tree() -> None:
    module = cst.parse_module("a\n")  # kept, for nodes are known by identity
    written = write(module)
    with pytest.raises(KeyError):
        written.span(cst.parse_expression("a"))
