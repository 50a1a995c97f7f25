# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``check --since`` on repositories made of two releases: a base, and a branch."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from command import check
from corpus import bring
from repositories import commit, git, repository, turn_into

pytestmark = pytest.mark.corpus

OFFLOADING = "vllm/distributed/kv_transfer/kv_connector/v1/offloading/config.py"
NIXL = "vllm_rbln/distributed/kv_transfer/kv_connector/v1/rbln_nixl/registration.py"
SINK = "vllm/model_executor/layers/attention/static_sink_attention.py"
CHUNKS = "vllm_omni/experimental/ar_diffusion/kv_cache/paged.py"
WIDTH = "UniformTypeKVCacheSpecs.max_num_blocks_per_req"
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)

# Two releases, for which vLLM each of them is, some of what is told, and whether it is
# in a file that the change does not touch.
Release = tuple[str, str]
PAIRS: list[tuple[Release, Release, list[tuple[str, bool]]]] = [
    (
        ("vllm-omni==0.26.0", "0.26.0"),
        ("vllm-omni==0.28.0", "0.28.0"),
        [(f"{CHUNKS} KV204 ChunkWindowSpec", False)],
    ),
    (
        ("vllm-rbln==0.12.0", "0.33.0"),
        ("vllm-rbln==0.12.1a8", "0.33.0"),
        [
            (f"{NIXL} KV301 RblnNixlRegistrationMixin.register_kv_caches", True),
        ],
    ),
    (
        ("vllm==0.25.1", ""),
        ("vllm==0.26.0", ""),
        [
            (f"vllm/v1/kv_cache_interface.py KV101 {WIDTH}", True),
            (f"{SINK} KV303 create_static_sink_attention_backend", False),
            (f"{OFFLOADING} KV210 build_offloading_config", True),
        ],
    ),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Make repositories, each once."""

    @cache
    def make(base: Release, change: Release) -> Path:
        return made_of(tmp_path_factory.mktemp("made"), base, change)

    return make


def made_of(folder: Path, base: Release, change: Release) -> Path:
    """Return a repository with one release on main and another on a branch."""
    repository(folder, {})
    for branch, (release, vllm) in (("main", base), ("change", change)):
        git(folder, "switch", "--quiet", "--force-create", branch)
        turn_into(folder, bring(release))
        if vllm:
            settings = f"\n[tool.kvlint]\nvllm-version = '{vllm}'\n".encode()
            project = folder / "pyproject.toml"
            before = project.read_bytes() if project.exists() else b""
            commit(folder, {"pyproject.toml": before + settings})
    return folder


def added(folder: Path, path: str) -> set[int]:
    """Return the lines of a file that git counts as added or changed."""
    diff = git(folder, "diff", "--unified=0", "--find-renames", "main", "--", path)
    hunks = [(int(start), int(size or 1)) for start, size in _HUNK.findall(diff)]
    return {start + each for start, size in hunks for each in range(size)}


def named(finding: dict[str, Any]) -> str:
    return "{path} {code} {symbol}".format(**finding)


def said(finding: dict[str, Any]) -> tuple[str, ...]:
    return finding["code"], finding["symbol"], finding["message"], finding["severity"]


@pytest.mark.parametrize(("base", "change", "expected"), PAIRS)
def test_what_the_change_broke_and_nothing_old(
    base: Release,
    change: Release,
    expected: list[tuple[str, bool]],
    made: Callable[..., Path],
) -> None:
    folder = made(base, change)
    told = check(folder, "--since=main").findings
    now = check(folder).findings
    git(folder, "switch", "--quiet", "main")
    before = {said(each) for each in check(folder).findings}
    git(folder, "switch", "--quiet", "change")
    assert before
    touched = set(git(folder, "diff", "--name-only", "main").splitlines())
    names = [named(each) for each in told]
    for name, is_touched in expected:
        assert name in names
        assert (name.split()[0] in touched) == is_touched
    changed = {path: added(folder, path) for path in {each["path"] for each in now}}
    for each in now:
        lines = range(each["line"], each["end_line"] + 1)
        if each not in told:
            assert each["code"] in {code for code, *_ in before}
            assert not changed[each["path"]].intersection(lines) or said(each) in before
        elif not changed[each["path"]].intersection(lines):
            assert said(each) not in before


def test_only_what_a_change_of_vllm_broke_is_mended(tmp_path: Path) -> None:
    folder = made_of(tmp_path, *PAIRS[-1][:2])
    ran = check(folder, "--since=main", "--select=KV101", "--fix")
    assert (ran.code, ran.findings) == (0, [])
    assert git(folder, "diff", "--name-only") == "vllm/v1/kv_cache_interface.py\n"
    patch = git(folder, "diff")
    assert patch.count("+    def ") == 1
    assert "+    def max_num_blocks_per_req(" in patch
    commit(folder, {})
    assert check(folder, "--since=main", "--select=KV101").findings == []
    assert check(folder, "--select=KV101").of("KV101") == [
        ("UniformTypeKVCacheSpecs.storage_block_size", "warning")
    ]
