# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Functions of a file by name, and which of them are handed group specs."""

from __future__ import annotations

from pathlib import Path

import pytest

from kvlint.model.functions import FunctionIndex
from kvlint.model.groups.handing import HandingEvents, receiver
from kvlint.model.groups.kinds import Names
from kvlint.sources import decode_source

NAMES = Names(
    composites=frozenset({"HolderSpec", "KVCacheSpec"}),
    holders=frozenset({"held"}),
    group_classes=frozenset({"KVCacheGroupSpec"}),
)
TEXT = """\
class Worker:
    def bind(self, group):
        def inner(number, spec):
            return isinstance(spec, RingSpec)

        CALL

    def of_self(self, spec):
        return spec

    def of_class(cls, number=0, spec=None):
        return spec

    def of_static(spec):
        return spec


def plain(number, spec: KVCacheSpec, *, other: "HolderSpec | None" = None):
    return spec


def of_layer(spec: RingSpec):
    return spec


def twice(spec):
    return spec


def twice(spec):
    return spec
"""


def index(call: str) -> FunctionIndex:
    return FunctionIndex(
        decode_source(Path("worker.py"), TEXT.replace("CALL", call).encode())
    )


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("inner(1, group.kv_cache_spec)", ("inner", "spec")),
        ("inner(spec=group.kv_cache_spec, number=1)", ("inner", "spec")),
        ("self.of_self(group.kv_cache_spec)", ("of_self", "spec")),
        ("self.of_class(1, group.kv_cache_spec)", ("of_class", "spec")),
        ("self.of_static(group.kv_cache_spec)", ("of_static", "spec")),
        ("plain(1, group.kv_cache_spec)", ("plain", "spec")),
        ("plain(1, 2, other=group.kv_cache_spec)", ("plain", "other")),
        ("plain(1, 2, group.kv_cache_spec)", None),
        ("plain(1, key=group.kv_cache_spec)", None),
        ("plain(*args, group.kv_cache_spec)", None),
        ("plain(1, group.kv_cache_spec.block_size)", None),
        ("of_layer(group.kv_cache_spec)", None),
        ("twice(group.kv_cache_spec)", None),
        ("of_self(group.kv_cache_spec)", None),
        ("self.plain(1, group.kv_cache_spec)", None),
        ("other.plain(1, group.kv_cache_spec)", None),
    ],
)
def test_who_is_handed_a_group_spec(call: str, expected: tuple[str, str]) -> None:
    functions = index(call)
    giver = functions.named("bind", "Worker")
    assert giver is not None
    flow = HandingEvents(NAMES, frozenset())
    flow.function(giver.node)
    found = [receiver(functions, giver, each, NAMES) for each in flow.handed]
    told = [(x.node.name.value, x.parameter) for x in found if x is not None]
    assert told == ([] if expected is None else [expected])


def test_functions_by_name() -> None:
    functions = index("pass")
    assert functions.named("plain") is not None
    assert functions.named("of_self", "Worker") is not None
    for name, class_name in [("of_self", ""), ("plain", "Worker"), ("twice", "")]:
        assert functions.named(name, class_name) is None
    assert functions.named("inner", "Worker") is None


def test_all_functions_of_a_name() -> None:
    functions = index("pass")
    assert list(functions.texts("twice")) == [
        "def twice(spec):\n    return spec\n\n\n",
        "def twice(spec):\n    return spec\n",
    ]
    (inner,) = functions.texts("inner")
    assert "RingSpec" in inner
    assert "of_self" not in inner
    assert list(functions.texts("Worker")) == []
