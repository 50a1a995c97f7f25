# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A text read again after an edit is what it is when all of it is read."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvlint.model.acceptance import accepted
from kvlint.model.functions import FunctionIndex
from kvlint.model.nodes import walk
from kvlint.model.splicing import SplicedTree, parse_again
from kvlint.model.syntax import Tree, UnparsableError, parse, python_error
from kvlint.sources import Source, decode_source

TEXT = '''\
# About the file.

"""Doc."""

import os  # why


# About A.
@decorated(
    1,
)
class A(B):
    """It has a text
of several lines."""

    x: int = 0; y = 1

    @property
    def one(self):
        # first
        return 1
    # after

    async def two(self): return [
        2,
    ]
# between

    class Inner:
        def three(self):
            return """
def not_one():
"""


def four(x): \\
    return x
if a:
    pass
else:
    b = 1

z = 3
# the end
'''
PIECES = [
    "",
    "\n",
    " ",
    "    ",
    "\n\n",
    "# c\n",
    "    # c\n",
    '"""',
    "(",
    ")",
    ":",
    "x = 1\n",
]
PIECES += [
    "else:\n",
    "@x\n",
    "class C:\n    pass\n",
    "    def f(self): ...\n",
    "\\\n",
    ";",
    "\r\n",
]


def source(text: str) -> Source:
    return decode_source(Path("a.py"), text.encode())


@st.composite
def edited(draw: st.DrawFn) -> list[str]:
    """A text and what becomes of it, edit by edit."""
    texts = [TEXT]
    for _ in range(draw(st.integers(1, 3))):
        text = texts[-1]
        start = draw(st.integers(0, len(text)))
        if draw(st.booleans()):  # where a line begins, edits do the most
            start = text.rfind("\n", 0, start) + 1
        end = min(len(text), start + draw(st.sampled_from([0, 0, 1, 4, 30])))
        piece = draw(st.sampled_from(PIECES) | st.just(text[end : end + 40]))
        texts.append(text[:start] + piece + text[end:])
    return texts


@given(edited())
def test_trees(texts: list[str]) -> None:
    tree = Tree(source(TEXT), parse(source(TEXT)))
    for text in texts[1:]:
        again = parse_again(source(text), tree)
        try:
            whole = Tree(source(text), parse(source(text)))
        except UnparsableError:
            assert again is None
            continue
        if again is not None:
            assert again.module.deep_equals(whole.module)
            assert again.is_exact
            for one, other in zip(walk(again.module), walk(whole.module), strict=True):
                if isinstance(one, cst.BaseExpression | cst.BaseStatement):
                    assert again.span(one) == whole.span(other)
        tree = again or whole


@given(edited())
def test_syntax(texts: list[str]) -> None:
    former = accepted(source(TEXT))
    assert former is not None
    for text in texts[1:]:
        found = accepted(source(text), former)
        assert (found is None) == (python_error(text) is not None)
        if found is not None:
            assert found.text == text
            former = found


@given(edited())
def test_functions(texts: list[str]) -> None:
    former = FunctionIndex(source(TEXT))
    for text in texts:
        index = FunctionIndex(source(text), former)
        found = index.around(range(len(text)))
        fresh = FunctionIndex(source(text)).around(range(len(text)))
        assert [each.extent for each in found] == [each.extent for each in fresh]
        assert [each.symbol for each in found] == [each.symbol for each in fresh]
        assert [each.place(each.node) for each in found] == [
            each.place(each.node) for each in fresh
        ]
        former = index


def test_what_an_edit_does_not_meet_is_kept() -> None:
    text = "".join(f"def f{x}(self):\n    return {x}\n\n\n" for x in range(9))
    tree = Tree(source(text), parse(source(text)))
    again = parse_again(source(text.replace("return 4", "return 44")), tree)
    assert isinstance(again, SplicedTree)
    pairs = zip(tree.module.body, again.module.body, strict=True)
    assert [one is other for one, other in pairs] == [
        *[True] * 3,
        *[False] * 3,
        *[True] * 3,
    ]
    functions = FunctionIndex(source(text))
    before = functions.around(range(len(text)))
    moved = FunctionIndex(source("\n" + text), functions).around(range(len(text)))
    assert [
        one.node is other.node for one, other in zip(before, moved, strict=True)
    ] == [True] * 9
    told = iter("ab")
    assert before[0].known("letter", lambda: next(told)) == "a"
    assert moved[0].known("letter", lambda: next(told)) == "a"


@pytest.mark.parametrize("text", ["", "x", "\n", "# c", "x = 1\r\ny = 2\r\n", "\tx"])
def test_small_texts(text: str) -> None:
    tree = Tree(source("x = 1\n"), parse(source("x = 1\n")))
    former = accepted(source("x = 1\n"))
    try:
        whole = parse(source(text))
    except UnparsableError:
        assert parse_again(source(text), tree) is None
        assert accepted(source(text), former) is None
    else:
        again = parse_again(source(text), tree)
        assert again is None or again.module.deep_equals(whole)
        assert accepted(source(text), former) is not None
