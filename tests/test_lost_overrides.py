# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Overrides that vLLM has left behind: several releases, and sources on disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import check_project, write_project

PLUGIN = """\
from vllm.v1.kv_cache_interface import FullAttentionSpec, MLAAttentionSpec


class Ratio(MLAAttentionSpec):
    compress_ratio: int = 4


class Strided(FullAttentionSpec):
    indexes_kv_by_block_stride: bool = True
"""


def told(project: Path, *releases: str) -> dict[str, str]:
    """What is said of each symbol: the remedy, and the releases if they are several."""
    report = check_project(project, vllm_version=releases, select=("KV403",))
    assert not report.failures
    return {each.symbol: each.message.rpartition("; ")[2] for each in report.findings}


@pytest.mark.parametrize(
    ("releases", "expected"),
    [
        ((">=0.25,<0.29",), {}),
        (
            ("0.28.0", "0.29.0"),
            {"Ratio.compress_ratio": "define `tokens_per_state` too (vLLM 0.29.0)"},
        ),
        (
            (">=0.27",),
            {
                "Ratio.compress_ratio": "define `tokens_per_state` too "
                "(vLLM 0.29.0 and later)"
            },
        ),
        (
            ("0.30.0", "0.33.0"),
            {
                "Ratio.compress_ratio": "define `tokens_per_state` too "
                "(vLLM 0.30.0 and later)",
                "Strided.indexes_kv_by_block_stride": "remove it "
                "(vLLM 0.30.0 and later)",
            },
        ),
    ],
)
def test_several_releases(
    releases: tuple[str, ...], expected: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "specs.py").write_text(PLUGIN)
    assert told(tmp_path, *releases) == expected


def tree(folder: Path, release: str, member: str, reader: str) -> list[str]:
    """What is found in a tree of vLLM with a spec that has an old member."""
    module = f"class KVCacheSpec:\n    def num_states(self): ...\n\n\n{member}"
    files = {
        "vllm/v1/kv_cache_interface.py": module,
        "vllm/_version.py": f"__version__ = version = '{release}'\n",
        "vllm/v1/worker/runner.py": reader,
    }
    write_project(folder, files)
    report = check_project(folder, select=("KV403",))
    assert not report.failures
    return [f"{each.severity}: {each.symbol}" for each in report.findings]


MEMBER = """\
class OddSpec(KVCacheSpec):
    def storage_block_size(self): return 1
"""
READER = "def rows(spec): return spec.storage_block_size()\n"
FOUND = ["error: OddSpec.storage_block_size"]


@pytest.mark.parametrize(
    ("release", "reader", "expected"),
    [
        ("0.33.0", "", FOUND),
        ("0.29.0+cpu", "", FOUND),
        ("0.33.1.dev7+g123", "", FOUND),
        # In vLLM's own tree a reader is a reader; a plug-in's own is not vLLM.
        ("0.33.0", READER, []),
        ("0.28.0", "", []),
        ("0.19.0", "", []),
        ("unknown", "", []),
    ],
)
def test_sources(
    release: str, reader: str, expected: list[str], tmp_path: Path
) -> None:
    assert tree(tmp_path, release, MEMBER, reader) == expected
