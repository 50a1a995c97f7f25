# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Released sources: what class a spec is, searches among groups, copies of specs."""

from __future__ import annotations

import pytest
from command import check
from corpus import bring

pytestmark = pytest.mark.corpus

NOTES = [
    "SingleTypeKVCacheManager.allocate_new_blocks",
    "SingleTypeKVCacheManager.allocate_new_computed_blocks",
]


@pytest.mark.parametrize(
    ("release", "left_out", "also"),
    [
        ("0.16.0", [], []),
        ("0.19.1", ["MLAAttentionSpec"], ["KVBlockZeroer.init_meta"]),
        ("0.20.2", ["MLAAttentionSpec"], []),
        ("0.22.1", ["MLAAttentionSpec", "HiddenStateCacheSpec"], []),
        ("0.23.0", ["HiddenStateCacheSpec"], []),  # vLLM #45849
        ("0.24.0", [], []),
        ("0.28.0", [], ["build_offloading_config"]),
        ("0.29.0", [], []),
        ("0.33.0", [], []),
    ],
)
def test_classes_that_are_left_out(
    release: str, left_out: list[str], also: list[str]
) -> None:
    ran = check(bring(f"vllm=={release}"), "--select", "KV306", "vllm")
    assert ran.errors == []
    found = sorted(each["symbol"] for each in ran.findings)
    assert found == sorted([*(NOTES if left_out else ()), *also])
    for each in ran.findings:
        if each["symbol"] in NOTES:
            assert all(f"`{name}`" in each["message"] for name in left_out)


@pytest.mark.parametrize("release", ["0.11.2", "0.20.2", "0.27.1", "0.33.0"])
def test_no_branch_is_shadowed(release: str) -> None:
    ran = check(bring(f"vllm=={release}"), "--select", "KV307", "vllm")
    assert (ran.errors, ran.findings) == ([], [])


@pytest.mark.parametrize(
    ("release", "told"),
    [
        ("0.17.1", []),
        ("0.20.2", ["_get_attention_kv_cache_gid"]),
        ("0.24.0", ["__init__", "_get_attention_kv_cache_gid"]),  # by a layer's name
        ("0.25.0", ["_get_attention_kv_cache_gid", "_get_transfer_regions"]),
        ("0.27.1", ["_get_attention_kv_cache_gid", "_get_transfer_regions"]),
        ("0.28.0", ["_get_transfer_regions"]),  # the first raises, see #53240
        ("0.31.0", ["_get_transfer_regions"]),
        ("0.33.0", ["_get_transfer_regions"]),
    ],
)
def test_searches_that_end_with_the_first_group(release: str, told: list[str]) -> None:
    ran = check(bring(f"vllm=={release}"), "--select", "KV310", "vllm")
    assert ran.errors == []
    found = [each["symbol"].rpartition(".")[2] for each in ran.findings]
    assert sorted(found) == sorted(told)


@pytest.mark.parametrize(
    ("release", "told"),
    [
        ("0.21.0", []),
        ("0.22.0", ["MooncakeStoreWorker.__init__"]),
        ("0.28.0", ["MooncakeStoreWorker.__init__"]),
        ("0.29.0", []),
        ("0.33.0", []),
    ],
)
def test_copies_that_leave_inner_specs(release: str, told: list[str]) -> None:
    ran = check(bring(f"vllm=={release}"), "--select", "KV313", "vllm")
    assert ran.errors == []
    assert [each["symbol"] for each in ran.findings] == told
