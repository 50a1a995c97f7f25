# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Released sources: where specs are built, rebuilt and retyped with fields lost."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command import check
from corpus import bring

pytestmark = pytest.mark.corpus

PROMOTION = "unify_hybrid_kv_cache_specs"
LATER_PROMOTION = "_promote_local_kv_cache_specs"
# vLLM #47716 and #48379; a third branch of one function is told until it is apart.
DEEPSEEK = {
    "DeepseekV4MLAAttention.get_kv_cache_spec",
    "DeepseekV4Attention.get_kv_cache_spec",
    "DeepseekV4SWACache.get_kv_cache_spec",
}
LATENT = "MLAAttention.get_kv_cache_spec"
BRANCH = "Attention.get_kv_cache_spec"


def symbols(requirement: str, code: str) -> list[str]:
    ran = check(bring(requirement), "--isolated", f"--select={code}", ".")
    assert ran.errors == []
    return [each["symbol"] for each in ran.findings]


@pytest.mark.parametrize(
    ("release", "told"),
    [
        ("0.19.1", []),
        ("0.20.2", [PROMOTION] * 3),
        ("0.24.0", [PROMOTION] * 3),
        ("0.27.1", [LATER_PROMOTION] * 3),
        ("0.28.0", []),
        ("0.33.0", []),
    ],
)
def test_promotions_by_hand(release: str, told: list[str]) -> None:
    assert symbols(f"vllm=={release}", "KV205") == told


def test_promotions_lose_the_quantisation() -> None:
    ran = check(bring("vllm==0.27.1"), "--isolated", "--select=KV205", ".")
    lost = [each for each in ran.findings if "`kv_quant_mode`" in each["message"]]
    assert [each["message"].split("`")[1] for each in lost] == [
        "MLAAttentionSpec",
        "FullAttentionSpec",
    ]


@pytest.mark.parametrize(
    ("release", "deepseek", "others"),
    [
        ("0.19.1", 0, set()),
        ("0.20.2", 2, {LATENT, BRANCH}),
        ("0.24.0", 2, {LATENT, BRANCH}),
        ("0.25.1", 0, {LATENT}),
        ("0.26.0", 0, set()),
        ("0.33.0", 0, set()),
    ],
)
def test_builders_without_the_mode(
    release: str, deepseek: int, others: set[str]
) -> None:
    found = symbols(f"vllm=={release}", "KV206")
    assert len(DEEPSEEK.intersection(found)) == deepseek
    assert set(found) - DEEPSEEK == others


@pytest.mark.parametrize(
    ("release", "told"),
    [
        ("0.27.1", []),
        ("0.28.0", []),
        ("0.30.0", []),
        ("0.31.0", [LATER_PROMOTION]),
        ("0.33.0", [LATER_PROMOTION]),
    ],
)
def test_promotions_that_raise(release: str, told: list[str]) -> None:
    assert symbols(f"vllm=={release}", "KV204") == told


def test_a_drop_list_is_extended(tmp_path: Path) -> None:
    tree = shutil.copytree(bring("vllm==0.33.0"), tmp_path / "tree")
    ran = check(tree, "--select=KV204", "--fix", "--unsafe-fixes", ".")
    assert (ran.code, ran.findings, ran.errors) == (0, [], [])
    path = tree / "vllm/v1/core/kv_cache_planning.py"
    assert 'drop=("extra_retained_tokens", "bounded_replay"),' in path.read_text()
    command = [sys.executable, "-m", "ruff", "format", "--no-cache", "--check"]
    assert subprocess.run([*command, path], capture_output=True).returncode == 0


@pytest.mark.parametrize(
    ("requirement", "told"),
    [
        ("vllm==0.18.1", []),
        ("vllm==0.19.1", ["ChunkedLocalAttentionSpec", "SlidingWindowSpec"]),
        ("vllm==0.20.0", []),
        ("vllm==0.25.1", []),
        ("vllm==0.26.0", []),
        ("vllm==0.30.0", []),
        ("vllm==0.33.0", []),
        ("vllm-rbln==0.12.1a8", ["RBLNSlidingWindowSpec"]),
    ],
)
def test_sizes_that_are_not_paired(requirement: str, told: list[str]) -> None:
    members = [f"{each}.max_memory_usage_bytes" for each in told]
    assert symbols(requirement, "KV207") == members
