# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A plug-in's specs, built and rebuilt, where vLLM's sources are not at hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import Ran, check

PLUG_IN = """\
from dataclasses import dataclass

from vllm.v1.kv_cache_interface import MLAAttentionSpec, SlidingWindowSpec


@dataclass(frozen=True, kw_only=True)
class RingSpec(SlidingWindowSpec):
    rings: int = 1


class Layer:
    def get_kv_cache_spec(self, vllm_config):
        return MLAAttentionSpec(
            block_size=16,
            num_kv_heads=1,
            head_size=576,
            dtype=self.dtype,
            cache_dtype_str=self.kv_cache_dtype,
        )


def resized(spec: MLAAttentionSpec) -> MLAAttentionSpec:
    return MLAAttentionSpec(
        block_size=32,
        num_kv_heads=spec.num_kv_heads,
        head_size=spec.head_size,
        dtype=spec.dtype,
    )
"""


@pytest.fixture
def plug_in(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "plugin.py").write_text(PLUG_IN)
    return tmp_path


def told(ran: Ran) -> list[tuple[str, int]]:
    assert ran.errors == []
    return [(each["code"], each["line"]) for each in ran.findings]


@pytest.mark.parametrize(
    ("release", "codes"),
    [
        ("0.19.1", {"KV205"}),  # there is no mode yet
        ("0.24.0", {"KV205", "KV206"}),
        ("0.33.0", {"KV204", "KV205", "KV206"}),
    ],
)
def test_what_a_release_says(plug_in: Path, release: str, codes: set[str]) -> None:
    ran = check(plug_in, f"--vllm-version={release}", "--select=KV204,KV205,KV206", ".")
    lines = {"KV204": 7, "KV205": 23, "KV206": 13}
    assert told(ran) == sorted(
        ((code, lines[code]) for code in codes), key=lambda each: each[1]
    )


def test_the_places_are_vllms(plug_in: Path) -> None:
    ran = check(plug_in, "--vllm-version=0.33.0", "--select=KV2", ".")
    for each in ran.findings:
        assert each["related"]
        assert all("vllm 0.33.0/" in note["path"] for note in each["related"])
        if each["code"] == "KV204":
            assert "`_promote_local_kv_cache_specs`" in each["message"]
            assert "takes no `rings`" in each["message"]


def test_the_fix_copies_the_spec(plug_in: Path) -> None:
    options = ["--vllm-version=0.33.0", "--select=KV205", "--fix", "--unsafe-fixes"]
    assert check(plug_in, *options, ".").findings == []
    after = (plug_in / "plugin.py").read_text()
    assert "    return replace(spec, block_size=32)\n" in after
    assert "from dataclasses import dataclass, replace\n" in after
