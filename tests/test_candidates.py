# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which files are worth holding and parsing, by a quick look at their bytes."""

from __future__ import annotations

import pytest

from kvlint.specs.candidates import Candidates
from kvlint.specs.descendants import is_kept
from kvlint.vocabulary import GROUP_ATTRIBUTE, MANAGERS_MODULE


@pytest.mark.parametrize(
    "names",
    [
        {"FullSpec", "WideSpec", "VeryWideSpec"},  # all end alike
        {"FullSpec", "WideThing", "Row"},  # nothing in common
        {"FullSpec", "C", "Über"},  # short, and beyond ASCII
    ],
)
def test_every_name_is_found(names: set[str]) -> None:
    candidates = Candidates(names)

    for name in names:
        for text in (f"class A({name}):\n", f"x\nimport {name} as A\n"):
            assert candidates.mention(text.encode())
            assert candidates.may_define(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "class A(NotFullSpec): pass\n",
        "class A(FullSpecs): pass\n",
        "class A(Éfull, FullSpecé): pass\n",
        "make(FullSpec)\n",
        "class A(Base):\n    spec: FullSpec\n",
    ],
)
def test_no_other_word_defines(text: str) -> None:
    assert not Candidates({"FullSpec", "WideSpec"}).may_define(text.encode())


def test_a_file_without_the_names() -> None:
    candidates = Candidates({"FullSpec", "WideSpec"})

    assert not candidates.mention(b"class Spec(Base): pass\n")
    assert candidates.mention(b"# NotFullSpec\n")
    assert not Candidates(()).mention(b"class A: pass\n")


@pytest.mark.parametrize("word", [GROUP_ATTRIBUTE, MANAGERS_MODULE, "kvlint"])
def test_what_else_is_kept(word: str) -> None:
    assert is_kept(f"# x_{word}_y".encode())
    assert not is_kept(f"# x_{word[:-1]}_y".encode())
