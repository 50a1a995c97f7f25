# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
from __future__ import annotations

import ast
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvlint.mending.answers import Answers, answers_of, literal, literals, message
from kvlint.mending.layout import Style, width


@pytest.mark.parametrize(
    ("composite", "start"),
    [
        ("Pair", "The layers of Pair must"),
        ("UniformTypeKVCacheSpecs", "The layers of UniformTypeKVCacheSpecs must"),
        ("AttentionPair", "The layers of AttentionPair must"),
        ("_Inner", "The layers of _Inner must"),
    ],
)
def test_the_message_names_the_class(composite: str, start: str) -> None:
    assert message(composite, "m", "answers").startswith(start)


NAMES = st.from_regex(re.compile(r"[a-z_]{3,60}", re.ASCII), fullmatch=True)


@given(NAMES, NAMES, st.integers(10, 120), st.sampled_from([Style(), Style(quote="'")]))
def test_literals_say_the_whole_message(
    composite: str, member: str, room: int, style: Style
) -> None:
    text = message(composite, member, "sorted(answers)")
    pieces = literals(text, style, room)
    joined = ast.parse(f"({' '.join(pieces)})", mode="eval")
    whole = ast.parse(literal(text, style), mode="eval")
    assert ast.dump(joined) == ast.dump(whole)
    for piece in pieces:
        is_one_word = " " not in piece.strip("f\"'").strip()
        assert width(piece) <= room or is_one_word or "got {" in piece
        assert piece[0] == ("f" if "{" in piece else style.quote)


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        ("int", Answers.SORTABLE),
        ("'int'", Answers.SORTABLE),
        ("bytes", Answers.SORTABLE),
        ("int | float", Answers.SORTABLE),
        ("Union[int, bool]", Answers.SORTABLE),
        ("int | str", Answers.HASHABLE),
        ("int | None", Answers.HASHABLE),
        ('"int | None"', Answers.HASHABLE),
        ("Optional[int]", Answers.HASHABLE),
        ("typing.Optional['int']", Answers.HASHABLE),
        ("None", Answers.HASHABLE),
        ("Fraction | int", Answers.HASHABLE),
        ("tuple[int, ...]", Answers.HASHABLE),
        ("tuple[tuple[int, str], None]", Answers.HASHABLE),
        ("frozenset[str]", Answers.HASHABLE),
        ("torch.dtype", Answers.HASHABLE),
        ("Literal['auto', 1]", Answers.HASHABLE),
        ("type[Spec]", Answers.HASHABLE),
        ("Annotated[int, 'bytes']", Answers.HASHABLE),
        (None, Answers.UNKNOWN),
        ("", Answers.UNKNOWN),
        ("not an annotation", Answers.UNKNOWN),
        ("Any", Answers.UNKNOWN),
        ("KVQuantMode", Answers.UNKNOWN),
        ("KVQuantMode | None", Answers.UNKNOWN),
        ("list[int]", Answers.UNKNOWN),
        ("tuple[list[int], int]", Answers.UNKNOWN),
        ("dict[str, int]", Answers.UNKNOWN),
        ("tuple", Answers.UNKNOWN),
        ("torch.Tensor", Answers.UNKNOWN),
        ("numbers.int", Answers.UNKNOWN),
    ],
)
def test_answers_by_their_type(annotation: str | None, kind: Answers) -> None:
    assert answers_of(annotation) is kind
