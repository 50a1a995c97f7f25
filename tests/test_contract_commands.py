# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``kvlint contract``: what it prints, its exit codes, and what a bump touches."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from contract_tree import written
from corpus import bring

from kvlint.cli import main
from kvlint.contracts import bundle
from kvlint.contracts.export import export
from kvlint.contracts.facts import ContractFacts
from kvlint.contracts.upgrading.checklist import Checklist, checklist

ROOT = Path(__file__).parents[1]
SPECS = "from vllm.v1.kv_cache_interface import "
MANAGERS = "from vllm.v1.core.single_type_kv_cache_manager import "


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["contract", *map(str, arguments)])


@pytest.fixture
def plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "plug_in"
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    monkeypatch.chdir(folder)
    return folder


# What a bump touches.


def items(folder: Path, code: str, before: str, after: str) -> list[str]:
    path = folder / "specs.py"
    path.write_text(textwrap.dedent(code), encoding="utf-8")
    found = checklist(bundle.load(before), bundle.load(after), [path], folder)
    assert not found.failures
    return told(found)


def told(found: Checklist) -> list[str]:
    return [
        f"{each.place.line}:{each.place.column} {'due' if each.is_due else 'look'} "
        f"{each.message.replace('`', '')}"
        for each in found.items
    ]


RENAMED = "gone in 0.29.0, likely renamed to"
GUARDED = "; it is guarded, see that the guard is right"
# From 0.28.0 to 0.29.0: a plug-in, and what of it is told.
READS = {
    "off a parameter that an annotation calls a spec": (
        """
        def ratio(spec: MLAAttentionSpec) -> int:
            return spec.compress_ratio
        """,
        [
            (
                f"4:17 due reads compress_ratio of a MLAAttentionSpec: {RENAMED} "
                "tokens_per_state"
            )
        ],
    ),
    "off a group's spec": (
        """
        def rows(group):
            return group.kv_cache_spec.storage_block_size
        """,
        [f"4:32 due reads storage_block_size of a KVCacheSpec: {RENAMED} num_states"],
    ),
    "off a name that is bound to one": (
        """
        def rows(self, groups):
            for group in groups:
                spec = group.kv_cache_spec
                yield spec.storage_block_size
        """,
        [f"6:20 due reads storage_block_size of a KVCacheSpec: {RENAMED} num_states"],
    ),
    "off what a loop over a configuration gives": (
        """
        def names(kv_cache_config):
            for tensor in kv_cache_config.kv_cache_tensors:
                yield from tensor.shared_by
            return [t.shared_by for t in kv_cache_config.kv_cache_tensors]
        """,
        [
            f"5:27 due reads shared_by of a KVCacheTensor: {RENAMED} layers",
            f"6:15 due reads shared_by of a KVCacheTensor: {RENAMED} layers",
        ],
    ),
    "off the values and items of a mapping": (
        """
        def rows(group):
            for spec in group.kv_cache_spec.kv_cache_specs.values():
                yield spec.storage_block_size
            for i, (name, spec) in enumerate(names):
                yield spec.storage_block_size
            for name, spec in group.kv_cache_spec.kv_cache_specs.items():
                yield spec.storage_block_size
        """,
        [
            f"5:20 due reads storage_block_size of a KVCacheSpec: {RENAMED} num_states",
            f"9:20 due reads storage_block_size of a KVCacheSpec: {RENAMED} num_states",
        ],
    ),
    "behind isinstance": (
        """
        def ratio(anything):
            if isinstance(anything, MLAAttentionSpec):
                return anything.compress_ratio
            return anything.compress_ratio
        """,
        [
            (
                f"5:25 due reads compress_ratio of a MLAAttentionSpec: {RENAMED} "
                "tokens_per_state"
            )
        ],
    ),
    "a method of the composite": (
        """
        def tuples(spec: UniformTypeKVCacheSpecs):
            return spec.get_num_layer_tuples() + len(spec.get_page_sizes())
        """,
        [
            (
                f"4:17 due reads get_num_layer_tuples of a UniformTypeKVCacheSpecs: "
                f"{RENAMED} get_max_layers_per_page_size"
            ),
            (
                "4:51 due reads get_page_sizes of a UniformTypeKVCacheSpecs: gone in "
                "0.29.0"
            ),
        ],
    ),
    "one that asks first": (
        """
        def ratio(spec: MLAAttentionSpec) -> int:
            if hasattr(spec, "compress_ratio"):
                return spec.compress_ratio
            return getattr(spec, "compress_ratio", 1)
        """,
        [
            (
                f"4:22 look reads compress_ratio of a MLAAttentionSpec: {RENAMED} "
                f"tokens_per_state{GUARDED}"
            ),
            (
                f"5:21 look reads compress_ratio of a MLAAttentionSpec: {RENAMED} "
                f"tokens_per_state{GUARDED}"
            ),
            (
                f"6:26 look reads compress_ratio of a MLAAttentionSpec: {RENAMED} "
                f"tokens_per_state{GUARDED}"
            ),
        ],
    ),
    "one under a condition on the release": (
        """
        def ratio(spec: MLAAttentionSpec) -> int:
            if vllm_version_is("0.28.0"):
                return spec.compress_ratio
            return spec.tokens_per_state
        """,
        [],
    ),
    "one that the later release runs": (
        """
        def ratio(spec: MLAAttentionSpec) -> int:
            if vllm_version_is("0.27.1"):
                return 1
            return spec.compress_ratio if vllm.__version__ > "0.28.0" else 1
        """,
        [
            (
                f"6:17 due reads compress_ratio of a MLAAttentionSpec: {RENAMED} "
                "tokens_per_state"
            )
        ],
    ),
    "one under a condition that cannot be told": (
        """
        def ratio(spec: MLAAttentionSpec) -> int:
            if vllm_version_is(old):
                return spec.compress_ratio
            return spec.tokens_per_state
        """,
        [
            (
                f"5:21 look reads compress_ratio of a MLAAttentionSpec: {RENAMED} "
                f"tokens_per_state{GUARDED}"
            )
        ],
    ),
    "one that expects to fail": (
        """
        def ratio(spec: MLAAttentionSpec) -> int:
            try:
                return spec.compress_ratio
            except AttributeError:
                return spec.tokens_per_state
        """,
        [
            (
                f"5:21 look reads compress_ratio of a MLAAttentionSpec: {RENAMED} "
                f"tokens_per_state{GUARDED}"
            )
        ],
    ),
    "off what nobody knows": (
        """
        def ratio(layer, spec, self):
            return layer.compress_ratio + spec.compress_ratio + self.compress_ratio
        """,
        [],
    ),
    "off a name that is another thing by then": (
        """
        def ratio(spec: MLAAttentionSpec, layer):
            spec = layer.description
            return spec.compress_ratio
        """,
        [],
    ),
    "a member that is still there": (
        """
        def size(spec: MLAAttentionSpec, kv_cache_spec):
            return spec.page_size_bytes + kv_cache_spec.block_size
        """,
        [],
    ),
    "a member of the plug-in's own": (
        """
        class MySpec(MLAAttentionSpec):
            storage_block_sizes: int = 0

            def rows(self) -> int:
                return self.storage_block_sizes

        def rows(spec: MySpec) -> int:
            return spec.storage_block_sizes
        """,
        [],
    ),
    "off itself and its base": (
        """
        class MySpec(MLAAttentionSpec):
            @property
            def page_size_bytes(self) -> int:
                return self.storage_block_size * super().storage_block_size
        """,
        [
            f"6:21 due reads storage_block_size of a MySpec: {RENAMED} num_states",
            f"6:50 due reads storage_block_size of a MySpec: {RENAMED} num_states",
        ],
    ),
    "a call that passes what is no field any more": (
        """
        def make(n):
            common = dict(block_size=n, indexes_kv_by_block_stride=True)
            MLAAttentionSpec(**common, compress_ratio=4)
            MLAAttentionSpec(block_size=n, head_size=1)
        """,
        [
            (
                "4:33 due passes indexes_kv_by_block_stride to a MLAAttentionSpec: "
                "gone in 0.29.0"
            ),
            (
                f"5:32 due passes compress_ratio to a MLAAttentionSpec: {RENAMED} "
                "tokens_per_state"
            ),
        ],
    ),
    "a call that passes no field at all": (
        "MLAAttentionSpec(storage_block_size=1)",
        [],
    ),
    "a call that lacks what is required now": (
        """
        def make(rest):
            KVCacheTensor(size=1, shared_by=[])
            KVCacheTensor(size=1, **rest)
            KVCacheTensor(1, [], layer_stride=1, block_stride=1)
        """,
        [
            "4:5 due KVCacheTensor(...) needs layer_stride and block_stride now",
            f"4:27 due passes shared_by to a KVCacheTensor: {RENAMED} layers",
        ],
    ),
    "replace": (
        """
        from dataclasses import replace

        def copied(kv_cache_spec, other):
            replace(other, compress_ratio=1)
            return replace(kv_cache_spec, compress_ratio=1)
        """,
        [
            (
                f"7:35 due passes compress_ratio to a KVCacheSpec: {RENAMED} "
                "tokens_per_state"
            )
        ],
    ),
    "an override of what is gone": (
        """
        class MySpec(MLAAttentionSpec):
            compress_ratio: int = 4
            indexes_kv_by_block_stride: bool = True

            @property
            def storage_block_size(self) -> int:
                return 1
        """,
        [
            (
                "4:5 due MySpec.compress_ratio overrides "
                f"MLAAttentionSpec.compress_ratio, {RENAMED} tokens_per_state"
            ),
            (
                "5:5 look MySpec.indexes_kv_by_block_stride overrides "
                "AttentionSpec.indexes_kv_by_block_stride, gone in 0.29.0"
            ),
            (
                "8:9 due MySpec.storage_block_size overrides "
                f"MLAAttentionSpec.storage_block_size, {RENAMED} num_states"
            ),
        ],
    ),
    "what must be defined now": (
        """
        class MySpec(KVCacheSpec):
            num_heads: int = 1

        class Another(MySpec):
            pass
        """,
        [
            (
                "3:7 due MySpec must define state_content_size_bytes: "
                "KVCacheSpec.state_content_size_bytes is abstract in 0.29.0"
            ),
            (
                "3:7 due MySpec must define tokens_per_state: "
                "KVCacheSpec.tokens_per_state is abstract in 0.29.0"
            ),
            (
                "3:7 look MySpec inherits the default of "
                "KVCacheSpec.prefix_cacheable, new in 0.29.0, which other classes "
                "override: see that it holds"
            ),
            "4:5 look MySpec.num_heads overrides KVCacheSpec.num_heads, new in 0.29.0",
        ],
    ),
    "nothing of vLLM": ("def f(spec):\n    return spec.compress_ratio\n", []),
}
IMPORTS = (
    SPECS + "KVCacheSpec, MLAAttentionSpec, UniformTypeKVCacheSpecs, KVCacheTensor"
)


@pytest.mark.parametrize("case", READS)
def test_a_bump_to_0_29_0(case: str, plug_in: Path) -> None:
    code, expected = READS[case]
    text = f"{IMPORTS}\n{textwrap.dedent(code)}"
    assert sorted(items(plug_in, text, "0.28.0", "0.29.0")) == sorted(expected)


INTERFACE = "import vllm.v1.kv_cache_interface as interface\n"
BUMPS: Mapping[str, tuple[str, str, str, list[str]]] = {
    "a class that is gone": (
        "0.27.1",
        "0.28.0",
        SPECS + "TQFullAttentionSpec\nclass MySpec(TQFullAttentionSpec):\n    pass\n",
        [
            "1:40 due imports TQFullAttentionSpec, gone in 0.28.0",
            "2:14 due MySpec derives from TQFullAttentionSpec, gone in 0.28.0",
        ],
    ),
    "a class that is gone, in a function and known by another name": (
        "0.27.1",
        "0.28.0",
        "def f():\n    " + SPECS + "TQFullAttentionSpec as Spec\n    return Spec()\n",
        ["2:44 due imports TQFullAttentionSpec, gone in 0.28.0"],
    ),
    "a class that may be gone": (
        "0.27.1",
        "0.28.0",
        "try:\n    " + SPECS + "TQFullAttentionSpec\n"
        "except ImportError:\n    TQFullAttentionSpec = None\n",
        [],
    ),
    "a class that may be gone with one that may not be": (
        "0.27.1",
        "0.28.0",
        "try:\n    import elsewhere\n    " + SPECS + "KVCacheSpec as Base\n"
        "except ImportError:\n    " + SPECS + "TQFullAttentionSpec as Base\n",
        [f"5:44 look imports TQFullAttentionSpec, gone in 0.28.0{GUARDED}"],
    ),
    "a constructor that cannot take what the factory passes": (
        "0.22.1",
        "0.23.0",
        MANAGERS + "SingleTypeKVCacheManager\n"
        "class MyManager(SingleTypeKVCacheManager):\n"
        "    def __init__(self, kv_cache_spec, block_pool, enable_caching):\n"
        "        super().__init__(kv_cache_spec, block_pool, enable_caching)\n",
        [
            (
                "3:9 due MyManager.__init__ must take the parameter "
                "scheduler_block_size as SingleTypeKVCacheManager.__init__ does in "
                "0.23.0"
            ),
            (
                "4:17 due SingleTypeKVCacheManager.__init__ must be passed "
                "scheduler_block_size now"
            ),
        ],
    ),
    "a constructor that passes on what it is given": (
        "0.22.1",
        "0.23.0",
        MANAGERS + "SingleTypeKVCacheManager\n"
        "class MyManager(SingleTypeKVCacheManager):\n"
        "    def __init__(self, kv_cache_spec, **kwargs):\n"
        "        super().__init__(kv_cache_spec, **kwargs)\n",
        [],
    ),
    "an override that lacks a parameter and gives what was given": (
        "0.25.1",
        "0.26.0",
        MANAGERS + "FullAttentionManager\n"
        "class MyManager(FullAttentionManager):\n"
        "    def get_num_blocks_to_allocate(\n"
        "        self, request_id, num_tokens, new_computed_blocks,\n"
        "        total_computed_tokens, num_tokens_main_model,\n"
        "        apply_admission_cap=False):\n"
        "        return 1\n"
        "    @classmethod\n"
        "    def find_longest_cache_hit(\n"
        "        cls, *args, **kwargs\n"
        "    ) -> tuple[list[KVCacheBlock], ...]:\n"
        "        return ()\n",
        [
            (
                "3:9 due MyManager.get_num_blocks_to_allocate must take the parameter "
                "num_local_computed_tokens as "
                "SingleTypeKVCacheManager.get_num_blocks_to_allocate does in 0.26.0"
            ),
            (
                "9:9 due MyManager.find_longest_cache_hit must give "
                "tuple[tuple[list[KVCacheBlock], ...], int], as "
                "FullAttentionManager.find_longest_cache_hit does; it gave "
                "tuple[list[KVCacheBlock], ...]"
            ),
        ],
    ),
    "an override that takes anything": (
        "0.25.1",
        "0.26.0",
        MANAGERS + "FullAttentionManager\n"
        "class MyManager(FullAttentionManager):\n"
        "    def get_num_blocks_to_allocate(self, request_id, *args, **kwargs):\n"
        "        return 1\n",
        [],
    ),
    "an override whose parameter has another name": (
        "0.25.1",
        "0.26.0",
        SPECS + "SlidingWindowSpec\n"
        "class MySpec(SlidingWindowSpec):\n"
        "    def max_admission_blocks_per_request(\n"
        "        self, max_num_batched_tokens, max_model_len):\n"
        "        return 1\n",
        [
            (
                "3:9 look MySpec.max_admission_blocks_per_request takes "
                "max_num_batched_tokens, not max_in_flight_tokens as "
                "SlidingWindowSpec.max_admission_blocks_per_request does in 0.26.0"
            ),
        ],
    ),
    "a call that passes a parameter by a name that it had": (
        "0.25.1",
        "0.26.0",
        SPECS + "SlidingWindowSpec\n"
        "def f(spec: SlidingWindowSpec):\n"
        "    spec.max_admission_blocks_per_request(1, 2)\n"
        "    spec.max_admission_blocks_per_request(\n"
        "        max_num_batched_tokens=1, max_model_len=2)\n",
        [
            (
                "5:9 due passes max_num_batched_tokens to "
                "SlidingWindowSpec.max_admission_blocks_per_request, which takes it no "
                "more; max_in_flight_tokens stands there now"
            ),
        ],
    ),
    "a spec below the root that inherits a new width": (
        "0.25.1",
        "0.26.0",
        SPECS + "AttentionSpec, KVCacheSpec\n"
        "class MySpec(KVCacheSpec):\n    pass\n"
        "class Fine(AttentionSpec):\n    pass\n",
        [
            (
                "2:7 look MySpec inherits the default of "
                "KVCacheSpec.max_num_blocks_per_req, new in 0.26.0, which other "
                "classes override: see that it holds"
            )
        ],
    ),
    "patches of members": (
        "0.27.1",
        "0.33.0",
        SPECS + "KVCacheSpec, MLAAttentionSpec, UniformTypeKVCacheSpecs as Many\n"
        "setattr(KVCacheSpec, 'storage_block_size', property(len))\n"
        "setattr(Many, 'get_page_sizes', len)\n"
        "Many.max_num_blocks_per_req = len\n"
        "if Many.page_size_bytes:\n"
        "    setattr(MLAAttentionSpec, 'compress_ratio', 4)\n"
        "KVCacheSpec.page_size_bytes = property(len)\n"
        "KVCacheSpec.mine = 1\n",
        [
            (
                "2:1 due patches KVCacheSpec.storage_block_size, gone in 0.33.0, "
                "likely renamed to num_states"
            ),
            "3:1 due patches UniformTypeKVCacheSpecs.get_page_sizes, gone in 0.33.0",
            (
                "4:1 look patches UniformTypeKVCacheSpecs.max_num_blocks_per_req, "
                "which UniformTypeKVCacheSpecs defines in 0.33.0"
            ),
            (
                "6:5 look patches MLAAttentionSpec.compress_ratio, gone in 0.33.0, "
                "likely renamed to tokens_per_state; see that its condition is right"
            ),
        ],
    ),
    "patches in the place of classes": (
        "0.27.1",
        "0.28.0",
        INTERFACE + "from vllm.v1.core import kv_cache_utils as utils\n"
        "from vllm.v1.core import single_type_kv_cache_manager as m\n"
        "def install():\n"
        "    utils.TQFullAttentionSpec = None\n"
        "    interface.UniformTypeKVCacheSpecs = None\n"
        "    interface.MambaSpec = None\n"
        "    m.MambaManager.cache_blocks = None\n",
        [
            "5:5 due replaces TQFullAttentionSpec, gone in 0.28.0",
            (
                "6:5 look replaces UniformTypeKVCacheSpecs, which gains "
                "max_num_blocks_per_req in 0.28.0"
            ),
        ],
    ),
    "the same release": (
        "0.33.0",
        "0.33.0",
        SPECS + "KVCacheSpec\nclass MySpec(KVCacheSpec):\n    old: int\n",
        [],
    ),
}


@pytest.mark.parametrize("case", BUMPS)
def test_bumps(case: str, plug_in: Path) -> None:
    before, after, code, expected = BUMPS[case]
    assert sorted(items(plug_in, code, before, after)) == sorted(expected)


def test_classes_are_followed_through_the_plug_in(plug_in: Path) -> None:
    files = {
        "plug/__init__.py": "",
        "plug/base.py": SPECS + "MLAAttentionSpec as Upstream\n"
        "class Base(Upstream):\n    pass\n",
        "plug/specs.py": "from .base import Base\n"
        "class Mine(Base):\n    compress_ratio: int = 2\n",
        "plug/use.py": "from plug.specs import Mine\nmade = Mine(compress_ratio=1)\n"
        "print(Mine(indexes_kv_by_block_stride=False).indexes_kv_by_block_stride)\n",
    }
    for name, text in files.items():
        (plug_in / name).parent.mkdir(exist_ok=True)
        (plug_in / name).write_text(text, encoding="utf-8")
    paths = sorted(plug_in.rglob("*.py"))
    found = checklist(bundle.load("0.28.0"), bundle.load("0.29.0"), paths, plug_in)
    assert [f"{each.place.path.name}:{each.symbol}" for each in found.items] == [
        "specs.py:MLAAttentionSpec.compress_ratio",
        "use.py:indexes_kv_by_block_stride",
        "use.py:indexes_kv_by_block_stride",
    ]


# The commands.


def test_show_is_of_the_newest_release_by_default() -> None:
    ran = run("show")
    assert ran.exit_code == 0
    assert ran.stdout.startswith(f"vLLM {bundle.newest()}: ")
    assert "\x1b" not in ran.stdout


@pytest.mark.parametrize("version", ["0.27.1", "v0.27.1", "0.27.1+cpu", "0.27.1.0"])
def test_a_release_by_any_spelling(version: str) -> None:
    assert run("show", version).stdout.startswith("vLLM 0.27.1: ")


@pytest.mark.parametrize(
    ("output_format", "beginning"),
    [
        ("text", "vLLM 0.27.1: "),
        ("json", '{\n  "version": 1'),
        ("markdown", "# vLLM 0.27.1\n"),
        ("html", "<!doctype html>"),
    ],
)
def test_show_in_every_format(output_format: str, beginning: str) -> None:
    ran = run("show", "0.27.1", "--format", output_format)
    assert ran.exit_code == 0
    assert ran.stdout.startswith(beginning)


def test_a_tree_and_what_was_exported_of_it(tmp_path: Path) -> None:
    tree = written(tmp_path / "tree")
    file = tmp_path / "contract.json"
    assert run("export", tree, "-o", file).exit_code == 0
    exported = run("export", tree)
    assert exported.stdout == file.read_text(encoding="utf-8")
    assert run("export", tree, "--release", "9.0").stdout.count('"release": "9.0"') == 1
    shown = run("show", tree)
    assert shown.stdout.startswith("vLLM 0.99.1: ")
    assert run("show", file).stdout == shown.stdout
    assert run("diff", tree, file).stdout == (
        "vLLM 0.99.1 to 0.99.1: nothing changed for specs and their managers\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "0.1.0"], "vLLM 0.1.0: kvlint has no contract of it"),
        (["show", "nowhere"], "nowhere: neither a release from 0.11.0 to"),
        (["show", "."], ".: holds no vLLM sources"),
        (["show", "pyproject.toml"], "pyproject.toml: not JSON"),
        (["diff", "0.28.0", "0.99.0"], "vLLM 0.99.0: kvlint has no contract of it"),
        (["export", "nowhere"], "nowhere: holds no vLLM sources"),
        (["upgrade", "--from", "0.28.0", "nowhere"], "nowhere: "),
        (["export", "{tree}", "-o", "no/such/file"], "no/such/file: not written"),
    ],
)
def test_mistakes_are_told_in_a_line(
    arguments: list[str], message: str, plug_in: Path, tmp_path: Path
) -> None:
    tree = str(written(tmp_path / "tree"))
    ran = run(*(each.replace("{tree}", tree) for each in arguments))
    assert ran.exit_code == 2
    assert ran.stdout == ""
    assert ran.stderr.startswith(f"error: {message}")
    assert len(ran.stderr.splitlines()) == 1


def test_diff_names_what_changed() -> None:
    ran = run("diff", "0.25.1", "0.26.0")
    assert ran.exit_code == 0
    flat = " ".join(ran.stdout.split())
    assert (
        "+ KVCacheSpec.max_num_blocks_per_req(vllm_config, max_len) -> int new, "
        "concrete, overridden by AttentionSpec and MambaSpec, missing on the composite "
        "UniformTypeKVCacheSpecs"
    ) in flat
    assert "+ get_manager_for_kv_cache_spec(..., needs_kv_cache_zeroing=...)" in flat


def test_diff_names_likely_renames() -> None:
    text = run("diff", "0.28.0", "0.29.0").stdout
    for line in (
        "  > KVCacheSpec.storage_block_size → num_states\n      gone, likely renamed",
        "  > MLAAttentionSpec.compress_ratio → tokens_per_state\n      gone, likely",
        "  > KVCacheTensor.shared_by → layers\n      gone, likely renamed",
        "  > UniformTypeKVCacheSpecs.get_num_layer_tuples → ",
        "  - UniformTypeKVCacheSpecs.get_page_sizes  gone\n",
    ):
        assert line in text


def test_diff_as_json_and_markdown() -> None:
    document = json.loads(run("diff", "0.28.0", "0.29.0", "--format", "json").stdout)
    assert (document["from"], document["to"]) == ("0.28.0", "0.29.0")
    change = next(
        each for each in document["changes"] if each["name"] == "storage_block_size"
    )
    assert change["turn"] == "renamed"
    assert change["new_name"] == "num_states"
    assert change["before"]["path"] == "vllm/v1/kv_cache_interface.py"
    text = run("diff", "0.28.0", "0.29.0", "--format", "markdown").stdout
    assert "- `KVCacheSpec.storage_block_size → num_states`: gone, likely" in text


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["0.28.0", "0.29.0"], 0),
        (["0.28.0", "0.29.0", "--exit-code"], 1),
        (["0.28.0", "0.28.0", "--exit-code"], 0),
    ],
)
def test_exit_codes_of_diff(arguments: list[str], code: int) -> None:
    assert run("diff", *arguments).exit_code == code


PLUG_IN = SPECS + "MLAAttentionSpec\n\nspec = MLAAttentionSpec(compress_ratio=4)\n"
LINE = (
    "specs.py:3:25: must change: passes `compress_ratio` to a `MLAAttentionSpec`: gone "
    "in 0.29.0, likely renamed to `tokens_per_state`\n"
)


def test_upgrade(plug_in: Path) -> None:
    (plug_in / "specs.py").write_text(PLUG_IN, encoding="utf-8")
    ran = run("upgrade", "--from", "0.28.0", "--to", "0.29.0")
    assert ran.exit_code == 1
    assert ran.stdout == LINE
    assert ran.stderr == "vLLM 0.28.0 to 0.29.0: 1 place must change in 1 file.\n"


def test_upgrade_reads_long_sums(plug_in: Path) -> None:
    total = "\n\ntotal = " + " + ".join(["x.block_size"] * 900) + "\n"
    (plug_in / "specs.py").write_text(PLUG_IN + total, encoding="utf-8")
    ran = run("upgrade", "--from", "0.28.0", "--to", "0.29.0")
    assert (ran.exit_code, ran.stdout) == (1, LINE)


def test_upgrade_goes_to_the_newest_release_by_default(plug_in: Path) -> None:
    (plug_in / "specs.py").write_text(PLUG_IN, encoding="utf-8")
    assert f"to {bundle.newest()}: " in run("upgrade", "--from", "0.28.0").stderr


def test_upgrade_in_other_formats(plug_in: Path) -> None:
    (plug_in / "specs.py").write_text(PLUG_IN, encoding="utf-8")
    bump = ["upgrade", "--from", "0.28.0", "--to", "0.29.0", "--format"]
    markdown = run(*bump, "markdown")
    assert markdown.exit_code == 1
    assert "## Must change\n\n- [ ] `specs.py:3:25` passes" in markdown.stdout
    document = json.loads(run(*bump, "json").stdout)
    (item,) = document["items"]
    assert (item["due"], item["path"], item["line"]) == (True, "specs.py", 3)
    assert document["files_checked"] == 1


@pytest.mark.parametrize(
    ("files", "paths", "code"),
    [
        ({"a.py": "x = 1\n"}, [], 0),
        ({"a.py": PLUG_IN, "b.py": "x = 1\n"}, ["b.py"], 0),
        ({"a.py": PLUG_IN, "b.py": "x = 1\n"}, ["a.py"], 1),
        # As with `check`, test code counts where it is named.
        ({"tests/test_a.py": PLUG_IN}, [], 0),
        ({"tests/test_a.py": PLUG_IN}, ["tests"], 1),
        # Guarded code is worth a look, no more.
        (
            {
                "a.py": f"try:\n    {PLUG_IN.splitlines()[0]}\n"
                "    y = MLAAttentionSpec(compress_ratio=4)\n"
                "except TypeError:\n    pass\n"
            },
            [],
            0,
        ),
    ],
)
def test_exit_codes_of_upgrade(
    files: Mapping[str, str], paths: list[str], code: int, plug_in: Path
) -> None:
    for name, text in files.items():
        (plug_in / name).parent.mkdir(exist_ok=True)
        (plug_in / name).write_text(text, encoding="utf-8")
    ran = run("upgrade", "--from", "0.28.0", "--to", "0.29.0", *paths)
    assert ran.exit_code == code, ran.output


def test_a_file_that_does_not_parse_is_told(plug_in: Path) -> None:
    (plug_in / "a.py").write_text(PLUG_IN + "def f(:\n", encoding="utf-8")
    ran = run("upgrade", "--from", "0.28.0", "--to", "0.29.0")
    assert ran.exit_code == 0
    assert "a.py:4:7: cannot parse" in ran.stderr


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """Run in a terminal of its own, and return what it shows."""
    master, slave = pty.openpty()
    plain = {name: text for name, text in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        [sys.executable, "-m", "kvlint", "contract", *arguments],
        stdout=slave,
        stderr=slave,
        env={**plain, "PYTHONPATH": str(ROOT), "TERM": "xterm", **environment},
    )
    os.close(slave)
    shown = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(master)
    process.wait()
    return shown.decode()


def test_colour_is_for_terminals_whose_users_like_it() -> None:
    arguments = ("diff", "0.27.0", "0.28.0")
    assert "\x1b[" in on_a_terminal(*arguments)
    assert "\x1b[" not in on_a_terminal(*arguments, NO_COLOR="1")


def test_checking_does_not_import_it() -> None:
    code = (
        "import sys, kvlint.cli; "
        "print([each for each in sys.modules if 'contract' in each])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "[]\n"


def test_the_readme_shows_what_is_printed() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    _, _, section = text.partition("### From one vLLM to the next")
    _, _, shown = section.partition("```text\n")
    shown, _, _ = shown.partition("```")
    assert shown
    assert shown in run("diff", "0.25.1", "0.26.0").stdout


# Released plug-ins.


def facts(release: str) -> ContractFacts:
    return bundle.load(release)


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("requirement", "before", "after", "expected"),
    [
        (
            "vllm-ascend==0.30.0rc2",
            "0.30.0",
            "0.33.0",
            [
                "vllm_ascend/core/kv_cache_interface.py storage_block_size",
                "vllm_ascend/models/deepseek_v41/cache_config.py storage_block_size",
                "vllm_ascend/models/deepseek_v41/cache_config.py storage_block_size",
                "vllm_ascend/models/deepseek_v41/cache_config.py storage_block_size",
                (
                    "vllm_ascend/models/glm5next/kv_cache.py "
                    "SingleTypeKVCacheManager.allocate_external_computed_blocks"
                ),
                (
                    "vllm_ascend/models/glm5next/kv_cache.py "
                    "SingleTypeKVCacheManager.get_num_blocks_to_allocate"
                ),
                (
                    "vllm_ascend/patch/platform/patch_mamba_manager.py "
                    "MambaManager.get_num_blocks_to_allocate"
                ),
            ],
        ),
        (
            "vllm-kunlun==0.11.1",
            "0.11.0",
            "0.33.0",
            ["vllm_kunlun/v1/worker/gpu_model_runner.py shared_by"],
        ),
        ("vllm-rbln==0.12.1a8", "0.28.0", "0.29.0", []),
        ("vllm-torchtpu-core==0.29.0", "0.28.0", "0.29.0", []),
    ],
)
def test_released_plug_ins(
    requirement: str, before: str, after: str, expected: list[str]
) -> None:
    """Each of these has been read in the plug-in's text, and is true."""
    folder = bring(requirement)
    package = requirement.partition("==")[0].replace("-core", "").replace("-", "_")
    files = sorted((folder / package).rglob("*.py"))
    found = checklist(facts(before), facts(after), files, folder)
    assert found.files_checked
    due = [
        f"{each.place.path.relative_to(folder).as_posix()} {each.symbol}"
        for each in found.due
    ]
    assert sorted(due) == expected


@pytest.mark.corpus
def test_vllm_did_what_its_own_checklist_says() -> None:
    """Before its bump to 0.29.0 vLLM had dozens of places to change; after it, none."""
    counts = []
    for release in ("0.28.0", "0.29.0"):
        tree = bring(f"vllm=={release}")
        files = sorted((tree / "vllm").rglob("*.py"))
        found = checklist(facts("0.28.0"), facts("0.29.0"), files, tree)
        counts.append(len(found.due))
    assert counts[0] > 40
    assert counts[1] == 0


@pytest.mark.corpus
def test_sources_and_bundle_show_the_same() -> None:
    tree = bring("vllm==0.27.1")
    assert export(tree, "0.27.1") == facts("0.27.1")
    assert run("show", tree).stdout == run("show", "0.27.1").stdout
