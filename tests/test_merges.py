# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What is read of functions that make one spec of several: KV201 to KV203."""

from __future__ import annotations

import textwrap
from pathlib import Path

import libcst as cst
import pytest
from projects import write_project

from kvlint.contracts.export import export
from kvlint.contracts.making import MergeFacts
from kvlint.contracts.skeleton import skeletons
from kvlint.model.merging.merge_reading import read_merge
from kvlint.model.merging.merges import Merge


def merge_of(body: str) -> Merge:
    code = f"def merge(cls, specs):\n{textwrap.indent(body, '    ')}\n"
    function = cst.parse_module(code).body[0]
    assert isinstance(function, cst.FunctionDef)
    return read_merge(function, "specs", frozenset({"RingSpec"}))


@pytest.mark.parametrize(
    ("body", "agreed"),
    [
        ("assert len({s.a for s in specs}) == 1", {"a"}),
        ("found = set(s.a for s in specs)\nassert len(found) == 1", {"a"}),
        ("assert all(s.a == specs[0].a for s in specs)", {"a"}),
        ("first, *rest = specs\nassert all(s.a == first.a for s in rest)", {"a"}),
        ("(one,) = {s.a for s in specs}", {"a"}),
        ("assert len({(s.a, s.b) for s in specs}) == 1", {"a", "b"}),
        ("assert all(s == specs[0] for s in specs)", {"*"}),
        ("assert len(set(specs)) == 1", {"*"}),
        (
            "for n in ('a', 'b'):\n assert len({getattr(s, n) for s in specs}) == 1",
            {"a", "b"},
        ),
        (
            """for f in fields(RingSpec):
                assert len({getattr(s, f.name) for s in specs}) == 1""",
            {"fields(RingSpec)"},
        ),
        ("assert all(s.a == 3 for s in specs)", {"a"}),
        ("assert all(s.a < specs[0].a for s in specs)", set()),
        ("assert len(specs) > 1", set()),
        ("assert specs[0].a == 3", set()),
        ("assert all(s.a == specs[0].b for s in specs)", set()),
        ("print(specs[0].a, specs[1].b)", set()),
    ],
)
def test_what_specs_agree_on(body: str, agreed: set[str]) -> None:
    assert merge_of(body).agreed == agreed


def test_what_is_built() -> None:
    merge = merge_of(
        "kinds = {spec.kind for spec in specs}\n"
        "return cls(size=specs[0].size, kind=kinds.pop(), top=max(s.n for s in specs))"
    )
    (build,) = merge.builds
    assert build.built == "cls" and not build.is_open
    assert build.kept == {"size", "kind"}
    assert build.firsts == {"size"}
    assert build.arbitrary == {"kind": "kinds"}
    assert merge.first == "specs[0]"


@pytest.mark.parametrize(
    ("call", "is_open"),
    [
        ("cls(size=specs[0].size, **rest)", True),
        ("cls(**{'size': specs[0].size})", False),
        ("cls(**dict(size=specs[0].size))", False),
        ("cls(*rest, size=specs[0].size)", True),
    ],
)
def test_a_build_that_may_pass_more(call: str, is_open: bool) -> None:
    (build,) = merge_of(f"return {call}").builds
    assert build.is_open == is_open
    assert set(build.given) == {"size"}


@pytest.mark.parametrize(
    ("body", "merged_by", "changed"),
    [
        ("return replace(super().merge(specs), a=1)", [("super", "merge")], {"a"}),
        ("return RingSpec.merge(specs)", [("RingSpec", "merge")], set()),
        ("m = cls(b=1)\nobject.__setattr__(m, 'a', 2)", [], {"a"}),
    ],
)
def test_what_is_handed_over(
    body: str, merged_by: list[tuple[str, str]], changed: set[str]
) -> None:
    merge = merge_of(body)
    assert merge.merged_by == merged_by
    assert merge.changed == changed


MODULE = """\
from dataclasses import dataclass, fields, replace


@dataclass(frozen=True)
class KVCacheSpec:
    block_size: int
    size: int = 0
    padded: int = 0

    def __post_init__(self):
        if self.size < 0:
            raise ValueError(self.size)
        _pad(self)

    @classmethod
    def merge(cls, specs):
        assert len({spec.size for spec in specs}) == 1
        merged = cls(block_size=specs[0].block_size, size=specs[0].size)
        for each in fields(KVCacheSpec):
            assert getattr(merged, each.name) == getattr(specs[0], each.name)
        return merged


@dataclass(frozen=True)
class RingSpec(KVCacheSpec):
    rings: int = 1

    @classmethod
    def merge(cls, specs):
        return replace(super().merge(specs), rings=specs[0].rings)


def _pad(spec):
    object.__setattr__(spec, "padded", spec.block_size * 2)
    if spec.filled is None:
        object.__setattr__(spec, "filled", spec.block_size)
"""
ROOT_MODULE = "vllm/v1/kv_cache_interface.py"


def told(folder: Path) -> dict[str, object]:
    return {
        f"{spec.name}.{member.name}": (
            member.merge,
            member.derives,
            member.fills,
            member.derived_from,
        )
        for spec in export(folder, "1.0").classes
        for member in spec.members
    }


def test_a_release_made_a_text_again_says_the_same(tmp_path: Path) -> None:
    sources, again = tmp_path / "sources", tmp_path / "again"
    write_project(sources, {ROOT_MODULE: MODULE})
    stubs = skeletons(export(sources, "1.0"))
    texts = {ROOT_MODULE: stubs["vllm.v1.kv_cache_interface"].text}
    write_project(again, texts)
    assert told(again) == told(sources)
    assert told(sources) == {
        "KVCacheSpec.__post_init__": (
            None,
            ("filled", "padded"),
            ("filled",),
            ("block_size", "filled"),
        ),
        "KVCacheSpec.merge": (
            MergeFacts(
                specs="specs",
                given=("block_size", "size"),
                agreed=("fields(KVCacheSpec)", "size"),
                verified=("fields(KVCacheSpec)",),
                changed=(),
                merged_by=(),
            ),
            (),
            (),
            (),
        ),
        "RingSpec.merge": (
            MergeFacts(
                specs="specs",
                given=None,
                agreed=(),
                verified=(),
                changed=("rings",),
                merged_by=("super.merge",),
            ),
            (),
            (),
            (),
        ),
    }
