# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Released sources: widths worked out by hand, and lookups of layers that share."""

from __future__ import annotations

import pytest
from command import check
from corpus import bring

pytestmark = pytest.mark.corpus

INDEXER = "vllm/v1/attention/backends/mla/indexer.py"
SINK = "vllm/model_executor/layers/attention/static_sink_attention.py"
MSA = "vllm/models/minimax_m3/amd/sparse_attention_msa.py"
RUNNER = "vllm/v1/worker/gpu_model_runner.py"
SECOND = "vllm/v1/worker/gpu/attn_utils.py"
SECOND_RUNNER = "vllm/v1/worker/gpu/model_runner.py"
GROUP = "vllm/v1/worker/utils.py"


def found(requirement: str, code: str) -> list[str]:
    ran = check(bring(requirement), "--select", code, ".")
    assert ran.errors == []
    return sorted(each["path"] for each in ran.findings)


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        ("0.25.1", []),
        ("0.26.0", [SINK, INDEXER, SECOND_RUNNER]),  # vLLM #50302
        ("0.27.0", [SINK, SECOND_RUNNER]),  # the runner asks the specs from 0.29.0 on
        ("0.29.0", [SINK]),
        ("0.33.0", [SINK, MSA]),
    ],
)
def test_widths_of_vllm(release: str, expected: list[str]) -> None:
    assert found(f"vllm=={release}", "KV303") == expected


@pytest.mark.parametrize(
    ("release", "expected"), [("0.29.0", []), ("0.30.0", [GROUP]), ("0.33.0", [GROUP])]
)
def test_alignments_of_vllm(release: str, expected: list[str]) -> None:
    assert found(f"vllm=={release}", "KV304") == expected


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        ("0.11.2", [RUNNER]),  # vLLM #43533
        ("0.20.2", [RUNNER]),
        ("0.22.0", [SECOND, RUNNER]),
        ("0.28.0", [SECOND, RUNNER]),
        ("0.33.0", [SECOND, RUNNER]),
    ],
)
def test_lookups_of_vllm(release: str, expected: list[str]) -> None:
    assert found(f"vllm=={release}", "KV305") == expected
    ran = check(bring(f"vllm=={release}"), "--select", "KV305", ".")
    assert {each["symbol"].rpartition(".")[2] for each in ran.findings} <= {
        "initialize_attn_backend",
        "init_attn_backend",
    }


@pytest.mark.parametrize(
    ("requirement", "code", "expected"),
    [
        ("vllm-rbln==0.12.1a8", "KV303", ["vllm_rbln/v1/worker/rbln_model_runner.py"]),
        ("tpu-inference==0.32.0", "KV303", ["tpu_inference/runner/block_table.py"]),
        ("vllm-torchtpu-core==0.29.0", "KV303", []),
        (
            "vllm-omni==0.32.0rc1",
            "KV304",
            ["vllm_omni/diffusion/diffusion_kv/model_runner_backend.py"],
        ),
        ("vllm-rbln==0.12.1a8", "KV305", ["vllm_rbln/v1/worker/rbln_model_runner.py"]),
        ("vllm-torchtpu-core==0.29.0", "KV305", []),
        ("tpu-inference==0.32.0", "KV305", []),
    ],
)
def test_plug_ins(requirement: str, code: str, expected: list[str]) -> None:
    assert found(requirement, code) == expected
