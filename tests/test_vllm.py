# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What vLLM's own module answers on the CPU, as released and as mended."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from command import check
from corpus import bring
from mended_trees import changed, ruff_formats
from vllm_environment import interpreter

from kvlint import catalogue

pytestmark = pytest.mark.vllm

SPECS = "vllm/v1/kv_cache_interface.py"

# Runs where torch is, on vLLM's sources, and prints what specs answer.
SETTING = """\
import json
from dataclasses import dataclass
from types import SimpleNamespace

import torch

import vllm.v1.kv_cache_interface as kvi


def config(dcp):
    return SimpleNamespace(
        parallel_config=SimpleNamespace(
            decode_context_parallel_size=dcp, prefill_context_parallel_size=1
        ),
        cache_config=SimpleNamespace(mamba_cache_mode="none"),
        model_config=SimpleNamespace(max_model_len=1024),
    )


def mla(**more):
    return kvi.MLAAttentionSpec(
        block_size=16, num_kv_heads=1, head_size=576, dtype=torch.bfloat16, **more
    )


def mamba():
    return kvi.MambaSpec(
        block_size=16,
        shapes=((2, 512), (3, 32, 32)),
        dtypes=(torch.float32, torch.float32),
        num_speculative_blocks=2,
    )


def wrapped(*specs):
    by_layer = {f"layer.{index}": spec for index, spec in enumerate(specs)}
    return kvi.UniformTypeKVCacheSpecs(block_size=16, kv_cache_specs=by_layer)


def answer(ask):
    try:
        return ask()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


answers = {}
"""

WIDTHS = """
for dcp in 1, 2, 4:
    name = f"mla at dcp {dcp}"
    spec, whole = mla(), wrapped(mla(), mla())
    answers[f"layer: {name}"] = spec.max_num_blocks_per_req(config(dcp), 1024)
    answers[name] = whole.max_num_blocks_per_req(config(dcp), 1024)
answers["layer: mamba"] = mamba().max_num_blocks_per_req(config(2), 1024)
answers["mamba"] = wrapped(mamba(), mamba()).max_num_blocks_per_req(config(2), 1024)
answers["disagreeing"] = answer(
    lambda: wrapped(mla(), mamba()).max_num_blocks_per_req(config(2), 1024)
)
answers["storage"] = wrapped(
    mla(compress_ratio=4), mla(compress_ratio=4)
).storage_block_size
answers["disagreeing storage"] = answer(
    lambda: wrapped(mla(compress_ratio=4), mla()).storage_block_size
)
print(json.dumps(answers))
"""

# Asked of 0.33.0, whose copier, mirrored field and first-layer answers are mended too.
COPIES = """
@dataclass(frozen=True, kw_only=True)
class Viewless(kvi.MLAAttentionSpec):
    has_layer_views = False
    uses_slot_mapping = False


def viewless():
    return Viewless(
        block_size=16, num_kv_heads=1, head_size=576, dtype=torch.bfloat16
    )


whole = wrapped(mla(), mla(topk_buffer_width=64))
copied = whole.copy_with_new_block_size(32)
answers["copy"] = [
    copied.block_size,
    [spec.block_size for spec in copied.kv_cache_specs.values()],
    list(copied.kv_cache_specs),
    copied.kv_cache_specs["layer.1"].topk_buffer_width,
]
answers["original"] = [spec.block_size for spec in whole.kv_cache_specs.values()]
aligned = wrapped(
    mla(block_stride_alignment=512), mla(block_stride_alignment=512)
)
answers["stride"] = aligned.block_stride_alignment
answers["no stride"] = wrapped(mla(), mla()).block_stride_alignment
answers["disagreeing stride"] = answer(
    lambda: wrapped(mla(block_stride_alignment=512), mla()).block_stride_alignment
)
for member in "has_layer_views", "uses_slot_mapping", "block_table_token_alignment":
    answers[member] = [
        getattr(wrapped(spec, spec), member) for spec in (mla(), viewless(), mamba())
    ]
    answers[f"disagreeing {member}"] = answer(
        lambda: getattr(wrapped(mla(), viewless(), mamba()), member)
    )
for sharded in False, True:
    whole = wrapped(mla(dcp_sharded=sharded), mla(dcp_sharded=sharded))
    answers[f"sharded {sharded}"] = whole.max_num_blocks_per_req(config(2), 1024)
print(json.dumps(answers))
"""

MERGES = """
def sliding(**more):
    return kvi.SlidingWindowMLASpec(
        block_size=16, num_kv_heads=1, dtype=torch.bfloat16, sliding_window=64,
        **{"head_size": 576, **more},
    )


mode = kvi.KVQuantMode.FP8_PER_TENSOR
answers["mode"] = kvi.SlidingWindowMLASpec.merge(
    [sliding(kv_quant_mode=mode), sliding(kv_quant_mode=mode)]
).kv_quant_mode
answers["sizes"] = answer(
    lambda: kvi.SlidingWindowMLASpec.merge(
        [sliding(), sliding(head_size=128)]
    ).head_size
)
answers["strings"] = answer(
    lambda: kvi.MLAAttentionSpec.merge(
        [mla(cache_dtype_str="a"), mla(cache_dtype_str="b")]
    ).cache_dtype_str
)
print(json.dumps(answers))
"""

IMPORTING = """
import importlib

found = []
for name in {modules!r}:
    try:
        found.append(importlib.import_module(name).__name__)
    except ImportError:
        pass
print(json.dumps({{"modules": found}}))
"""


@pytest.fixture(scope="module")
def python() -> Path:
    return interpreter()


def answers(python: Path, tree: Path, script: str, *options: str) -> dict[str, Any]:
    """Run a script on vLLM's sources; the last line that it prints is JSON."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONWARNINGS": "ignore"}
    ran = subprocess.run(
        [python, "-B", *options, "-c", SETTING + script],
        cwd=tree,
        env=environment,
        capture_output=True,
    )
    assert ran.returncode == 0, ran.stderr.decode()
    answered: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return answered


def mended(
    release: str, folder: Path, *options: str, rules: str = "KV1", settings: str = ""
) -> Path:
    """A copy of a release with its fixes applied."""
    tree = shutil.copytree(bring(release), folder / "tree")
    configuration = folder / "kvlint.toml"
    configuration.write_text(f"[tool.kvlint]\n{settings}")
    given: list[str | Path] = ["--config", configuration, "--select", rules]
    ran = check(tree, *given, "--fix", *options, ".")
    left = any(each["fix"] is None for each in ran.findings)
    assert (ran.code, ran.errors) == (left, [])
    return tree


def refused(answered: Any, error: str, member: str, got: Sequence[object]) -> bool:
    """Whether an answer is an error that names the member and every answer."""
    start, _, end = str(answered).partition(" got ")
    return (
        start.startswith(f"{error}: ")
        and "UniformTypeKVCacheSpecs" in start
        and member in start
        and all(str(each) in end for each in got)
    )


@pytest.fixture(scope="module")
def by_assertion(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return mended("vllm==0.27.1", tmp_path_factory.mktemp("assert"))


def test_released_composite_is_wider_than_its_layers(python: Path) -> None:
    said = answers(python, bring("vllm==0.27.1"), WIDTHS)
    assert [said[f"layer: mla at dcp {dcp}"] for dcp in (1, 2, 4)] == [64, 32, 16]
    assert [said[f"mla at dcp {dcp}"] for dcp in (1, 2, 4)] == [64, 64, 64]
    assert (said["layer: mamba"], said["mamba"], said["disagreeing"]) == (3, 64, 64)
    assert (said["storage"], said["disagreeing storage"]) == (16, 16)


def test_mended_composite_answers_as_its_layers(
    python: Path, by_assertion: Path
) -> None:
    said = answers(python, by_assertion, WIDTHS)
    assert [said[f"mla at dcp {dcp}"] for dcp in (1, 2, 4)] == [64, 32, 16]
    assert (said["mamba"], said["storage"]) == (3, 4)
    width = said["disagreeing"]
    assert refused(width, "AssertionError", "max_num_blocks_per_req", [3, 32])
    storage = said["disagreeing storage"]
    assert refused(storage, "AssertionError", "storage_block_size", [4, 16])


def test_assertions_vanish_under_optimisation(python: Path, by_assertion: Path) -> None:
    said = answers(python, by_assertion, WIDTHS, "-O")
    assert [said[f"mla at dcp {dcp}"] for dcp in (1, 2, 4)] == [64, 32, 16]
    assert said["disagreeing"] in (3, 32)


def test_raised_disagreement_outlives_optimisation(
    python: Path, tmp_path: Path
) -> None:
    tree = mended("vllm==0.27.1", tmp_path, settings='agreement = "raise"')
    for options in ([], ["-O"]):
        said = answers(python, tree, WIDTHS, *options)
        assert [said[f"mla at dcp {dcp}"] for dcp in (1, 2, 4)] == [64, 32, 16]
        assert (said["mamba"], said["storage"]) == (3, 4)
        width = said["disagreeing"]
        assert refused(width, "ValueError", "max_num_blocks_per_req", [3, 32])
        storage = said["disagreeing storage"]
        assert refused(storage, "ValueError", "storage_block_size", [4, 16])


def test_released_composite_of_today_copies_itself_alone(python: Path) -> None:
    said = answers(python, bring("vllm==0.33.0"), COPIES)
    assert said["copy"][:2] == [32, [16, 16]]
    assert (said["stride"], said["disagreeing stride"]) == (None, None)
    assert said["has_layer_views"] == [True, True, True]


def test_unsafe_fixes_copy_and_mirror(python: Path, tmp_path: Path) -> None:
    tree = mended("vllm==0.33.0", tmp_path, "--unsafe-fixes")
    said = answers(python, tree, COPIES)
    assert said["copy"] == [32, [32, 32], ["layer.0", "layer.1"], 64]
    assert said["original"] == [16, 16]
    assert (said["stride"], said["no stride"]) == (512, None)
    stride = said["disagreeing stride"]
    assert refused(stride, "AssertionError", "block_stride_alignment", [512, None])
    for member, agreed, got in (
        ("has_layer_views", [True, False, True], [True, False]),
        ("uses_slot_mapping", [True, False, True], [True, False]),
        ("block_table_token_alignment", [128, 128, None], [128, None]),
    ):
        assert said[member] == agreed
        disagreeing = said[f"disagreeing {member}"]
        assert refused(disagreeing, "AssertionError", member, got)
    assert (said["sharded False"], said["sharded True"]) == (64, 32)


def test_mended_merges_keep_the_mode_and_refuse_what_differs(
    python: Path, tmp_path: Path
) -> None:
    released = answers(python, bring("vllm==0.33.0"), MERGES, "-O")
    assert (released["mode"], released["sizes"]) == (0, 576)
    assert released["strings"] in ("a", "b")
    rules = "KV201,KV202,KV210"
    tree = mended("vllm==0.33.0", tmp_path, "--unsafe-fixes", rules=rules)
    for options in ([], ["-O"]):
        said = answers(python, tree, MERGES, *options)
        assert said["mode"] == 1
        assert said["sizes"].startswith("AssertionError: the specs of a group must")
        assert said["strings"].startswith("AssertionError: All attention layers")


def test_every_file_that_a_fix_has_written_is_formatted_and_imports(
    python: Path, tmp_path: Path
) -> None:
    original = bring("vllm==0.33.0")
    fixing = [code for code, rule in catalogue.rules().items() if rule.fix != "none"]
    rules = ",".join(fixing)
    tree = mended("vllm==0.33.0", tmp_path, "--unsafe-fixes", rules=rules)
    written = changed(original, tree)
    assert len(written) > 5
    modules = [name.removesuffix(".py").replace("/", ".") for name in written]
    assert [name for name in written if not ruff_formats(tree / name)] == []
    imported = answers(python, tree, IMPORTING.format(modules=modules))
    # What needs a platform's own libraries is not imported from the release either.
    assert imported == answers(python, original, IMPORTING.format(modules=modules))
    assert len(imported["modules"]) > 8
