# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What ``kvlint verify`` shows of released vLLMs, as released and as mended."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from command import ROOT, check
from corpus import bring
from mended_trees import ruff_formats
from vllm_environment import interpreter

pytestmark = pytest.mark.vllm

COMPOSITE = "vllm.v1.kv_cache_interface:UniformTypeKVCacheSpecs"
WIDTH, STORAGE = "max_num_blocks_per_req", "storage_block_size"
COPY = "copy_with_new_block_size"
# What pytest is made of, for an interpreter that has none.
PYTEST = ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "py")


@pytest.fixture(scope="module")
def python() -> Path:
    return interpreter()


@dataclass(frozen=True)
class Ran:
    code: int
    stderr: str
    members: dict[str, dict[str, dict[str, Any]]]

    def disagreeing(self, class_name: str = COMPOSITE) -> set[str]:
        """The members of a class in which a group differs from its layers."""
        found = self.members[class_name]
        return {name for name in found if found[name]["status"] == "disagrees"}


def verify(tree: Path, python: Path, *arguments: str | Path) -> Ran:
    command = [sys.executable, "-m", "kvlint", "verify", "--output-format=json"]
    ran = subprocess.run(
        [*command, "--isolated", "--python", python, *arguments],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert ran.stdout.startswith("{"), ran.stderr
    composites = json.loads(ran.stdout)["composites"]
    members = {
        each["class"]: {member["member"]: member for member in each["members"]}
        for each in composites
    }
    return Ran(ran.returncode, ran.stderr, members)


@pytest.fixture(scope="module")
def seed_fault(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The test that is written on 0.27.1, as released."""
    written = tmp_path_factory.mktemp("written") / "test_groups.py"
    ran = verify(bring("vllm==0.27.1"), python, COMPOSITE, "--write-test", written)
    assert ran.code == 1
    assert ran.disagreeing() == {WIDTH, STORAGE, COPY}
    width = ran.members[COMPOSITE][WIDTH]
    assert (width["case"]["dcp"], width["case"]["length"]) == (2, 17)
    assert (width["group"], width["layers"]) == (2, [1])
    assert ran.members[COMPOSITE]["max_memory_usage_bytes"]["status"] == "agrees"
    return written


def tried(python: Path, tree: Path, written: Path, folder: Path) -> str:
    """What pytest says of a test on a tree of vLLM, in its last line."""
    modules = folder / "pytest"
    modules.mkdir()
    for name in PYTEST:
        found = find_spec(name)
        assert found is not None and found.origin is not None
        path = Path(found.origin)
        path = path.parent if path.name == "__init__.py" else path
        (modules / path.name).symlink_to(path)
    ran = subprocess.run(
        [python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", written],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{tree}{os.pathsep}{modules}"},
        capture_output=True,
        text=True,
    )
    return ran.stdout.splitlines()[-1].partition(" in ")[0]


def mended(release: str, folder: Path, *options: str) -> Path:
    tree = shutil.copytree(bring(release), folder / "tree")
    check(tree, "--isolated", "--fix", *options, "vllm")
    return tree


def test_width_is_shown_and_its_test_fails(
    python: Path, seed_fault: Path, tmp_path: Path
) -> None:
    assert ruff_formats(seed_fault)
    text = seed_fault.read_text()
    assert text.startswith("# SPDX-License-Identifier: Apache-2.0\n")
    assert text.count("def test_") == 1
    said = tried(python, bring("vllm==0.27.1"), seed_fault, tmp_path)
    assert said == "8 failed, 4 passed"


def test_width_is_gone_after_the_fix(
    python: Path, seed_fault: Path, tmp_path: Path
) -> None:
    tree = mended("vllm==0.27.1", tmp_path)
    ran = verify(tree, python, COMPOSITE)
    assert ran.disagreeing() == {COPY}
    assert tried(python, tree, seed_fault, tmp_path) == "12 passed"


def test_width_agrees_in_the_release_that_mended_it(
    python: Path, seed_fault: Path, tmp_path: Path
) -> None:
    tree = bring("vllm==0.28.0")
    ran = verify(tree, python, COMPOSITE)
    assert ran.disagreeing() == {STORAGE, COPY}
    assert ran.members[COMPOSITE][WIDTH]["cases"] > 300
    assert tried(python, tree, seed_fault, tmp_path) == "12 passed"


def test_storage_block_size_of_an_older_release(python: Path) -> None:
    ran = verify(bring("vllm==0.20.2"), python, "vllm/v1/kv_cache_interface.py")
    assert ran.disagreeing() == {STORAGE, COPY}
    storage = ran.members[COMPOSITE][STORAGE]
    (layer,) = storage["case"]["specs"]
    assert layer["fields"]["compress_ratio"] == 2
    assert (storage["group"], storage["layers"]) == (16, [8])


def test_todays_release_and_its_fixes(python: Path, tmp_path: Path) -> None:
    ran = verify(bring("vllm==0.33.0"), python, "vllm/v1/kv_cache_interface.py")
    stride = {"block_stride_alignment", "get_block_stride_alignment"}
    assert ran.disagreeing() == {COPY, *stride}
    sliding = ran.disagreeing("vllm.v1.kv_cache_interface:SlidingWindowMLASpec")
    assert {"merge.kv_quant_mode", "merge.num_kv_heads"} < sliding
    tree = mended(
        "vllm==0.33.0", tmp_path, "--unsafe-fixes", "--select=KV1,KV201,KV202"
    )
    ran = verify(tree, python, "vllm/v1/kv_cache_interface.py")
    assert [name for name in ran.members if ran.disagreeing(name)] == []
    assert ran.code == 0


def test_findings_of_todays_release_are_confirmed_or_not(python: Path) -> None:
    ran = check(
        bring("vllm==0.33.0"),
        "--isolated",
        "--select=KV1,KV201,KV202",
        "--verify",
        "--python",
        python,
        "vllm",
    )
    shown: dict[str, list[str]] = {}
    for each in ran.findings:
        shown.setdefault(each["proof"]["status"], []).append(each["symbol"])
    assert sorted(shown["confirmed"]) == [
        "SinkFullAttentionSpec.merge",
        "SlidingWindowMLASpec.merge",
        "SlidingWindowMLASpec.merge",
        "UniformTypeKVCacheSpecs.block_stride_alignment",
        "UniformTypeKVCacheSpecs.copy_with_new_block_size",
    ]
    # What answers otherwise is in no composite, or never beside what does not.
    assert sorted(shown["not reproduced"]) == [
        "UniformTypeKVCacheSpecs.block_table_token_alignment",
        "UniformTypeKVCacheSpecs.has_layer_views",
        "UniformTypeKVCacheSpecs.uses_slot_mapping",
    ]


def test_specs_of_a_plugin_are_made(python: Path) -> None:
    plugin, vllm = bring("vllm-rbln==0.12.1a8"), bring("vllm==0.32.0")
    ran = verify(plugin, python, "vllm_rbln/v1/kv_cache.py", "--vllm-path", vllm)
    stride = {"block_stride_alignment", "get_block_stride_alignment"}
    assert ran.disagreeing() == {COPY, *stride}
    (layer,) = ran.members[COMPOSITE][COPY]["case"]["specs"]
    assert layer["class"] == "vllm_rbln.v1.kv_cache:RBLNSlidingWindowSpec"
    assert ran.members[COMPOSITE][WIDTH]["cases"] > 100
