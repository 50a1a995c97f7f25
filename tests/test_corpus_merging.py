# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Released sources: what merges of specs lose, and what only an assertion guards."""

from __future__ import annotations

import pytest
from command import check
from corpus import bring

pytestmark = pytest.mark.corpus

MLA, SLIDING = "MLAAttentionSpec.merge", "SlidingWindowMLASpec.merge"
SINK, FULL = "SinkFullAttentionSpec.merge", "FullAttentionSpec.merge"


@pytest.mark.parametrize(
    ("release", "lost", "first"),
    [
        ("0.13.0", [], [MLA]),
        ("0.19.1", [], [FULL, MLA, SINK]),
        ("0.20.2", [SLIDING], [FULL, MLA, SINK, SLIDING]),
        ("0.26.0", [SLIDING], [FULL, MLA, SINK, SLIDING]),
        ("0.27.0", [SLIDING], [FULL, SINK, SLIDING]),  # vLLM mended MLA's
        ("0.29.0", [SLIDING], [SINK, SLIDING]),
        ("0.33.0", [SLIDING], [SINK, SLIDING]),
    ],
)
def test_what_merges_lose_and_do_not_compare(
    release: str, lost: list[str], first: list[str]
) -> None:
    ran = check(bring(f"vllm=={release}"), "--select", "KV201,KV202", "vllm")
    assert ran.errors == []
    assert [symbol for symbol, _ in ran.of("KV201")] == lost
    for each in ran.findings:
        if each["code"] == "KV201":
            assert "without `kv_quant_mode`:" in each["message"]
    assert sorted(symbol for symbol, _ in ran.of("KV202")) == first


@pytest.mark.parametrize(
    ("release", "times"), [("0.28.0", 1), ("0.29.0", 2), ("0.30.0", 1)]
)
def test_a_flag_taken_on_the_word_of_an_assertion(release: str, times: int) -> None:
    ran = check(bring(f"vllm=={release}"), "--select", "KV210", "vllm")
    found = [symbol for symbol, _ in ran.of("KV210")]
    assert found.count(MLA) == times  # vLLM #55234
    assert "get_uniform_page_size" in found  # vLLM #55187
    assert "allocate_kv_cache" in found or release == "0.28.0"


@pytest.mark.parametrize(
    ("release", "told"),
    [("0.15.1", 1), ("0.25.1", 1), ("0.26.0", 0), ("0.33.0", 0)],
)
def test_pages_that_another_block_size_does_not_change(release: str, told: int) -> None:
    ran = check(bring(f"vllm=={release}"), "--select", "KV211", "vllm")
    assert ran.errors == []
    found = [each["symbol"] for each in ran.findings]  # vLLM #45207
    assert found == ["unify_kv_cache_spec_page_size"] * told
