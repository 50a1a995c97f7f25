# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""How long tuples are, and which annotations allow for one element alone."""

from __future__ import annotations

import libcst as cst
import pytest

from kvlint.model.tuples import length, one_tuple


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("()", 0),
        ("(1,)", 1),
        ("(1, 2, 3)", 3),
        ("(1, *more)", 2),
        ("tuple()", 0),
        ("tuple([1])", 1),
        ("tuple(shapes)", 2),
        ("tuple(each for each in shapes)", 2),
        ("(1,) + (2,)", 2),
        ("(1,) + other", None),
        ("(1,) * count", 2),
        ("count * (1,)", 2),
        ("2 * 3", None),
        ("(1,) - (2,)", None),
        ("bound", 2),
        ("bound_twice", None),
        ("annotated", 1),
        ("parameter", None),
        ("changed", None),
        ("unknown", None),
        ("[1, 2]", None),
    ],
)
def test_length(text: str, expected: int | None) -> None:
    function = cst.parse_statement(
        "def build(parameter):\n"
        "    bound = (1, 2)\n"
        "    bound_twice = (1, 2)\n"
        "    bound_twice = ()\n"
        "    annotated: tuple[int] = (1,)\n"
        "    changed = (1, 2)\n"
        "    changed += parameter\n"
    )
    assert length(cst.parse_expression(text), function) == expected


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("tuple[int]", True),
        ("typing.Tuple[int]", True),
        ("None | tuple[int]", True),
        ("Optional[tuple[int]]", True),
        ("tuple[tuple[int, ...]]", True),
        ("tuple[int, ...]", False),
        ("tuple[int, str]", False),
        ("tuple[()]", False),
        ("tuple[*Types]", False),
        ("tuple[Unpack[Types]]", False),
        ("list[tuple[int]]", False),
        ("dict[str, tuple[int]]", False),
        ("tuple", False),
    ],
)
def test_one_tuple(text: str, is_one: bool) -> None:
    assert (one_tuple(cst.parse_expression(text)) is not None) is is_one
