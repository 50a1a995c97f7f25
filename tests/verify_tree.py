# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A small vLLM that needs no torch, and composites of a plug-in that answer wrongly."""

from __future__ import annotations

from pathlib import Path

from projects import write_project

SPECS = """
from dataclasses import dataclass, replace
from enum import Enum


class Mode(Enum):
    PLAIN = 0
    PACKED = 1


@dataclass(frozen=True)
class KVCacheSpec:
    block_size: int

    @property
    def page_size_bytes(self) -> int:
        raise NotImplementedError

    @property
    def storage_block_size(self) -> int:
        return self.block_size

    @property
    def prefix_cacheable(self) -> bool:
        return True

    @property
    def prefix_replay_tokens(self) -> int:
        return 0

    @property
    def num_heads(self) -> int:
        raise NotImplementedError

    def max_memory_usage_bytes(self, vllm_config) -> int:
        raise NotImplementedError

    def max_num_blocks_per_req(self, vllm_config, max_len: int) -> int:
        return -(-max_len // self.block_size)

    def entry_of(self, place) -> int:
        return 0

    def blocks_of_tier(self, vllm_config) -> int:
        return vllm_config.tier_config.blocks

    def copy_with_new_block_size(self, block_size: int):
        return replace(self, block_size=block_size)

    @classmethod
    def merge(cls, specs):
        assert all(spec == specs[0] for spec in specs)
        return specs[0]


@dataclass(frozen=True)
class FullAttentionSpec(KVCacheSpec):
    num_kv_heads: int
    ratio: int = 1
    mode: Mode = Mode.PLAIN
    cached: bool = True

    @property
    def page_size_bytes(self) -> int:
        return self.block_size * self.num_kv_heads

    @property
    def storage_block_size(self) -> int:
        return self.block_size // self.ratio

    @property
    def prefix_cacheable(self) -> bool:
        return self.cached

    @property
    def prefix_replay_tokens(self) -> int:
        return self.ratio

    @property
    def num_heads(self) -> int:
        return self.num_kv_heads

    def max_memory_usage_bytes(self, vllm_config) -> int:
        length = vllm_config.model_config.max_model_len
        return -(-length // self.block_size) * self.page_size_bytes

    def max_num_blocks_per_req(self, vllm_config, max_len: int) -> int:
        dcp = vllm_config.parallel_config.decode_context_parallel_size
        return -(-max_len // (self.block_size * dcp))

    @classmethod
    def merge(cls, specs):
        assert len({spec.ratio for spec in specs}) == 1
        assert len({spec.block_size for spec in specs}) == 1
        return cls(
            block_size=specs[0].block_size,
            num_kv_heads=specs[0].num_kv_heads,
            ratio=specs[0].ratio,
            cached=all(spec.cached for spec in specs),
        )


@dataclass(frozen=True)
class UniformTypeKVCacheSpecs(KVCacheSpec):
    kv_cache_specs: dict[str, KVCacheSpec]

    @property
    def page_size_bytes(self) -> int:
        return sum(spec.page_size_bytes for spec in self.kv_cache_specs.values())

    @property
    def prefix_cacheable(self) -> bool:
        return all(spec.prefix_cacheable for spec in self.kv_cache_specs.values())

    @property
    def prefix_replay_tokens(self) -> int:
        return max(spec.prefix_replay_tokens for spec in self.kv_cache_specs.values())

    def max_memory_usage_bytes(self, vllm_config) -> int:
        pages = max(
            -(-spec.max_memory_usage_bytes(vllm_config) // spec.page_size_bytes)
            for spec in self.kv_cache_specs.values()
        )
        return pages * self.page_size_bytes

    @classmethod
    def is_uniform_type(cls, kv_cache_specs):
        return len({type(spec) for spec in kv_cache_specs.values()}) == 1

    @classmethod
    def from_specs(cls, kv_cache_specs):
        if not cls.is_uniform_type(kv_cache_specs):
            return None
        first = next(iter(kv_cache_specs.values()))
        return cls(first.block_size, kv_cache_specs)


def layers():
    yield FullAttentionSpec(16, 1, mode=Mode.PACKED, cached=False)
"""
PLUGIN = """
from dataclasses import dataclass

from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheSpec


@dataclass(frozen=True)
class PluginSpec(FullAttentionSpec):
    tier: complex = 0j

    @property
    def storage_block_size(self) -> int:
        return 7


@dataclass(frozen=True)
class PairSpec(KVCacheSpec):
    label: str
    layers: tuple[KVCacheSpec, ...]

    def __post_init__(self):
        print("a composite is made")

    @property
    def page_size_bytes(self) -> int:
        return self.layers[0].page_size_bytes

    @property
    def storage_block_size(self) -> int:
        answers = {spec.storage_block_size for spec in self.layers}
        assert len(answers) == 1
        return answers.pop()

    def copy_with_new_block_size(self, block_size: int):
        layers = [spec.copy_with_new_block_size(block_size) for spec in self.layers]
        return PairSpec(block_size, self.label, tuple(layers))
"""


def write_tree(folder: Path) -> None:
    """Write both into a folder."""
    write_project(
        folder,
        {
            "pyproject.toml": '[project]\nname = "plugin"\n',
            "vllm/__init__.py": "",
            "vllm/v1/__init__.py": "",
            "vllm/v1/kv_cache_interface.py": SPECS,
            "plugin/__init__.py": "",
            "plugin/specs.py": PLUGIN,
        },
    )
