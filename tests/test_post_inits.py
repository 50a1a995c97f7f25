# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What is lost under a ``__post_init__``, where vLLM's own text is not at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from kvlint.running import Options, run

PLUGIN = """\
from dataclasses import dataclass
from vllm.v1.kv_cache_interface import {base}

@dataclass(frozen=True, kw_only=True)
class Ring({base}):
    def __post_init__(self):
        {body}
"""


@pytest.mark.parametrize(
    ("release", "base", "body", "found"),
    [
        ("0.27.1", "FullAttentionSpec", "assert self.dtype", ["head_size_v"]),
        ("0.27.1", "AttentionSpec", "assert self.dtype", []),
        ("0.33.0", "AttentionSpec", "assert self.dtype", ["head_size_v"]),
        ("0.33.0", "MambaSpec", "assert self.shapes", ["what that does"]),
        ("0.27.1", "MambaSpec", "assert self.shapes", []),
        ("0.33.0", "MLAAttentionSpec", "super().__post_init__()", []),
        (
            "0.27.1",
            "FullAttentionSpec",
            'object.__setattr__(self, "head_size_v", 0)',
            [],
        ),
    ],
)
def test_bundled_bases(
    tmp_path: Path, release: str, base: str, body: str, found: list[str]
) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "ring.py").write_text(PLUGIN.format(base=base, body=body))
    options = Options((tmp_path,), select=("KV208",), vllm_version=(release,))
    messages = [each.message for each in run(options, tmp_path).report.findings]
    assert len(messages) == len(found)
    assert all(part in text for part, text in zip(found, messages, strict=True))
