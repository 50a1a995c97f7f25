# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Texts of facts are cut, packed beside one another, and come back as they were."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kvlint.contracts.packing import cut, joined, pack, unpack

CLASSES = [
    {"name": "Spec", "line": 10, "fields": ["a", "b"]},
    {"name": "Window", "line": 40, "fields": []},
]


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"format": 1, "release": "1.0", "imports": {"a": "b"}, "nothing": None},
        {"classes": CLASSES, "reads": []},
        {"classes": [CLASSES[1]], "probed": ["merge", "copy"]},
        {"classes": [*CLASSES, {"name": "", "line": 1}], "module": ""},
        {"quoted": 'a "name", and [more]', "\N{SNOWMAN}": ["\N{SNOWMAN}"]},
        {"long": [{"name": "x", "text": "ab" * 40_000}]},
    ],
)
def test_what_is_packed_comes_back(document: dict[str, Any]) -> None:
    text = json.dumps(document).encode()
    parts = cut(text)
    assert json.loads(joined(parts)) == document
    for base in ({}, cut(json.dumps({"classes": CLASSES}).encode()), parts):
        assert joined(unpack(pack(parts, base), base)) == joined(parts)


def test_a_text_takes_little_room_beside_one_like_it() -> None:
    other = [{**each, "line": 50 + index} for index, each in enumerate(CLASSES)]
    base = cut(json.dumps({"classes": CLASSES}).encode())
    parts = cut(json.dumps({"classes": other}).encode())
    assert len(pack(parts, base)) < len(pack(parts, {}))
