# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Released sources: code that takes a group's spec for that of a layer."""

from __future__ import annotations

import pytest
from command import check
from corpus import bring

pytestmark = pytest.mark.corpus

SCHEDULER = ("/v1/core/", "/v1/engine/", "/scheduler.py", "/backends/")
LEFT_OUT = {("KV306", "single_type_kv_cache_manager.py")}  # mended by #45849
BOTH_ASK = {("KV301", "kv_cache_utils.py")}  # asks every layer since 0.29.0
KNOWN_FAULTS = {
    **dict.fromkeys(["0.20.2", "0.21.0"], LEFT_OUT),
    **dict.fromkeys(["0.22.0", "0.22.1", "0.23.0"], LEFT_OUT | BOTH_ASK),
    **dict.fromkeys(["0.24.0", "0.25.0", "0.25.1"], BOTH_ASK),
    "0.26.0": BOTH_ASK | {("KV303", "indexer.py")},  # mended by #50302
    **dict.fromkeys(["0.27.0", "0.27.1", "0.28.0"], BOTH_ASK),
}
RELEASES = [
    "0.20.2",
    "0.21.0",
    "0.22.0",
    "0.22.1",
    "0.23.0",
    "0.24.0",
    "0.25.0",
    "0.25.1",
    "0.26.0",
    "0.27.0",
    "0.27.1",
    "0.28.0",
    "0.29.0",
    "0.30.0",
    "0.31.0",
    "0.32.0",
    "0.33.0",
]


def found(requirement: str, code: str) -> dict[str, str]:
    """Return severities by symbols."""
    ran = check(bring(requirement), "--isolated", f"--select={code}", ".")
    assert ran.errors == []
    return {each["symbol"]: each["severity"] for each in ran.findings}


@pytest.mark.parametrize(
    ("symbol", "last", "first"),
    [
        ("get_routed_experts_attn_gid", "0.28.0", "0.29.0"),  # #53240
        ("KVCacheConfig.has_mamba_layers", "0.28.0", "0.29.0"),
        ("resolve_kv_cache_block_sizes", "0.28.0", "0.29.0"),
    ],
)
def test_windows_of_blind_tests(symbol: str, last: str, first: str) -> None:
    assert symbol in found(f"vllm=={last}", "KV301")
    assert symbol not in found(f"vllm=={first}", "KV301")


def test_the_two_sides_of_a_connector_disagree() -> None:
    told = found("vllm==0.33.0", "KV301")
    assert told["_split_kv_cache_group_kinds"] == "error"
    assert told["initialize_mamba_ssu_backend"] == "error"
    assert told["CPUModelRunner._zero_block_ids"] == "warning"


def test_group_specs_that_are_handed_on() -> None:
    assert "warmup_kernels" in found("vllm==0.27.1", "KV301")
    assert "GPUModelRunner._get_encoder_seq_lens" in found("vllm==0.33.0", "KV301")
    assert "GPUModelRunner._get_encoder_seq_lens" not in found("vllm==0.28.0", "KV301")


def test_pages_counted_twice() -> None:  # #39617
    assert list(found("vllm==0.19.1", "KV308")) == ["CPUOffloadingSpec.__init__"]
    assert found("vllm==0.20.2", "KV308") == {}


@pytest.mark.parametrize("release", RELEASES)
def test_schedulers_managers_and_backends_are_left_alone(release: str) -> None:
    ran = check(bring(f"vllm=={release}"), "--isolated", "--select", "KV3", ".")
    assert ran.errors == []
    found = {
        (each["code"], each["path"].rpartition("/")[2])
        for each in ran.findings
        if any(part in f"/{each['path']}" for part in SCHEDULER)
    }
    assert found == KNOWN_FAULTS.get(release, set())
