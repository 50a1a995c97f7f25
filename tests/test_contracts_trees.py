# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where a tree of vLLM is, which release it is, and what is said where neither is."""

from __future__ import annotations

from pathlib import Path

import pytest
from contract_tree import SPECS, written

from kvlint.contracts.export import export
from kvlint.errors import KvlintError

RELEASES = {
    "of the tree": ({}, None, "0.99.1"),
    "asked for": ({}, "0.30.0", "0.30.0"),
    "without its local part": (
        {"vllm/_version.py": "__version__ = '0.15.1+cpu'\n"},
        None,
        "0.15.1",
    ),
    "metadata": (
        {"vllm/_version.py": "", "PKG-INFO": "Name: vllm\nVersion: 0.12.0\n"},
        None,
        "0.12.0",
    ),
    "project": (
        {
            "vllm/_version.py": "__version__ = 'dev'\n",
            "pyproject.toml": "tool.x.version = '1'\nproject.version = '0.13.0'\n",
        },
        None,
        "0.13.0",
    ),
    "name of the folder": ({"vllm/_version.py": ""}, None, "0.14.0"),
}


@pytest.mark.parametrize(
    ("files", "asked", "expected"), RELEASES.values(), ids=RELEASES
)
def test_releases(
    tmp_path: Path, files: dict[str, str], asked: str | None, expected: str
) -> None:
    folder = tmp_path / "vllm-0.14.0"
    folder.mkdir()
    assert export(written(folder, files), asked).release == expected


def test_the_package_itself_may_be_named(tmp_path: Path) -> None:
    written(tmp_path)
    assert export(tmp_path / "vllm") == export(tmp_path)


MISTAKES = {
    "no vLLM": ("elsewhere", None, {}, "holds no vLLM sources; name the folder"),
    "missing": ("missing", None, {}, "holds no vLLM sources; name the folder"),
    "a folder in it": ("tree/vllm/v1", None, {}, "holds no vLLM sources"),
    "no version": ("tree", "latest", {}, '--release: "latest" is no version'),
    "no release": ("tree", None, {"vllm/_version.py": ""}, "name it with --release"),
    "no root": ("tree", None, {SPECS: "x = 1\n"}, "defines no KVCacheSpec"),
    "no root, another file broken": (
        "tree",
        None,
        {SPECS: "x = 1\n", "vllm/v1/wrapping.py": "class Own(KVCacheSpec:\n"},
        "defines no KVCacheSpec",
    ),
    "broken": ("tree", None, {SPECS: "class KVCacheSpec(:\n"}, f"{SPECS}:1:"),
}


@pytest.mark.parametrize(
    ("named", "release", "files", "said"), MISTAKES.values(), ids=MISTAKES
)
def test_mistakes(
    tmp_path: Path, named: str, release: str | None, files: dict[str, str], said: str
) -> None:
    for name in ("elsewhere", "tree"):
        (tmp_path / name).mkdir()
    written(tmp_path / "tree", files)
    with pytest.raises(KvlintError) as caught:
        export(tmp_path / named, release)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
