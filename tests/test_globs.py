# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Patterns with many wildcards match what pathspec says, without its patience."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec
from projects import check_project, write_project

from kvlint.globs import Glob

PARTS = st.lists(st.sampled_from(["a", "b", "*", "?", "[ab]", "\\*"]), min_size=1)
PATTERNS = st.lists(
    st.one_of(st.just("**"), PARTS.map("".join)), min_size=1, max_size=4
).map("/".join)
PATHS = st.lists(st.text("ab*", min_size=1, max_size=4), min_size=1, max_size=4).map(
    "/".join
)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(pattern=PATTERNS, path=PATHS)
@example("a/**", "a")
@example("a/**", "a/b/a")
@example("**/a/**/b", "a/b")
@example("/a*b", "a/ab")
def test_what_fits(pattern: str, path: str) -> None:
    if pattern.strip("*/") == "":
        return  # everything: pathspec does not say what of a path it is
    known = GitIgnoreSpec.from_lines([pattern])
    assert Glob(pattern).matches_some(path) is known.match_file(path), pattern
    found = known.patterns[0].match_file(path)
    itself = found is not None and not found.match.groupdict().get("ps_d")
    if not pattern.endswith("/**"):
        assert Glob(pattern).match(path) is itself


def test_ranges() -> None:
    # pathspec lets `[!a]` stand for a slash, git does not.
    assert Glob("*a*[!a]*a").match("xa.a")
    assert not Glob("*a*[!a]*a").match("aaa")
    assert not Glob("*a[!a]a*").match("a/a")
    assert not Glob("*a*[z-a]*").match("xaz")


@pytest.mark.parametrize(
    "pattern", ["a*" * 40 + "b", "**/" * 40 + "*a" * 20 + "[!y]", "*a?" * 30 + "\\b"]
)
def test_many_wildcards_take_no_time(pattern: str, tmp_path: Path) -> None:
    name = "a" * 200 + ".py"
    config = f'exclude = ["{pattern}"]'.replace("\\", "\\\\")
    ignores = f'per-file-ignores = {{ "{pattern}" = ["ALL"] }}'.replace("\\", "\\\\")
    write_project(
        tmp_path,
        {
            "pyproject.toml": f"[tool.kvlint]\n{config}\n{ignores}\n",
            ".gitignore": pattern,
            name: "from vllm.v1.kv_cache_interface import KVCacheSpec\n"
            "class Pack(KVCacheSpec):\n    layers: dict[str, KVCacheSpec]\n",
        },
    )
    assert [each.symbol for each in check_project(tmp_path).findings]
