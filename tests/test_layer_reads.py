# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What is read off raw group specs in a function, and what insures it."""

from __future__ import annotations

import libcst as cst
import pytest

from kvlint.model.groups.group_events import Deed, GroupEvent
from kvlint.model.groups.kinds import Names
from kvlint.model.groups.layer_reads import LayerReads

NAMES = Names(
    composites=frozenset({"HolderSpec", "KVCacheSpec"}),
    holders=frozenset({"held"}),
    group_classes=frozenset({"KVCacheGroupSpec"}),
)


def reads(*lines: str) -> list[GroupEvent]:
    body = "\n".join(f"    {line}" for line in lines)
    module = cst.parse_module(f"def bind(self, group, kv_cache_groups):\n{body}\n")
    (function,) = module.body
    assert isinstance(function, cst.FunctionDef)
    flow = LayerReads(NAMES, frozenset(), lacking=frozenset({"width", "depth"}))
    flow.function(function)
    return [each for each in flow.events if each.deed is Deed.READ]


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (["return group.kv_cache_spec.width"], [("width",)]),
        (["return group.kv_cache_spec.height"], []),
        (["del group.kv_cache_spec.width"], []),
        (["group.kv_cache_spec.width = 1"], []),
        (["return cast(Ring, group.kv_cache_spec).depth"], [("depth", "Ring")]),
        (
            ["spec = t.cast(s.Ring, group.kv_cache_spec)", "return spec.depth"],
            [("depth", "Ring")],
        ),
        (
            [
                "spec = cast(Ring, group.kv_cache_spec)",
                "spec = group.kv_cache_spec",
                "return spec.depth",
            ],
            [("depth",)],
        ),
        (["spec = cast(Ring, self.spec)", "return spec.depth"], []),
    ],
)
def test_reads(lines: list[str], names: list[tuple[str, ...]]) -> None:
    assert [each.names for each in reads(*lines)] == names


@pytest.mark.parametrize(
    ("call", "count"),
    [
        ("self.check_groups(kv_cache_groups)", 0),
        ("_validate(self.cache_config)", 0),
        ("supports(group)", 0),
        ("checksum(self.name)", 1),
        ("self.uncheck(group)", 1),
        ("self.bind(group)", 1),
    ],
)
def test_what_insures_reads(call: str, count: int) -> None:
    assert len(reads(call, "return group.kv_cache_spec.width")) == count
    assert len(reads("x = group.kv_cache_spec.width", call)) == 1


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        (["if _is_ring(spec):", "    return spec.width"], 0),
        (["if has_rings(group):", "    return group.kv_cache_spec.width"], 0),
        (["if type(spec) in RINGS:", "    return spec.width"], 0),
        (["if is_ring(self.spec):", "    return spec.width"], 1),
        (["if getattr(spec, 'width', None):", "    return spec.width"], 0),
        (["if getattr(spec, 'depth', None):", "    return spec.width"], 1),
        (["x = next(g for g in kv_cache_groups if is_ring(g))", "x.x = spec.width"], 0),
        (["return sorted(x, key=lambda spec: spec.width)"], 0),
        (["return sorted(x, key=lambda y: spec.width)"], 1),
    ],
)
def test_what_has_been_asked(lines: list[str], count: int) -> None:
    assert len(reads("spec = group.kv_cache_spec", *lines)) == count


def test_where_the_failure_is_caught() -> None:
    lines = ["    x = group.kv_cache_spec.width", "except AttributeError:"]
    (found,) = reads("try:", *lines, "    x = group.kv_cache_spec.depth")
    assert found.names == ("depth",)
    assert len(reads("with suppress(KeyError):", lines[0])) == 1
    assert reads("with suppress(AttributeError):", lines[0]) == []


def test_what_was_sought_before() -> None:
    sought = "x = next(g for g in kv_cache_groups if isinstance(g.kv_cache_spec, Ring))"
    (found,) = reads(sought, "return x.kv_cache_spec.width")
    assert found.sifted == ("Ring",)
    (found,) = reads("x = group.kv_cache_spec.width", sought)
    assert found.sifted == ()
