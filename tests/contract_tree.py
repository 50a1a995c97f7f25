# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A small vLLM with something of everything that a contract tells."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from projects import write_project

SPECS = "vllm/v1/kv_cache_interface.py"
MANAGERS = "vllm/v1/core/single_type_kv_cache_manager.py"
COORDINATOR = "vllm/v1/core/kv_cache_coordinator.py"

WRAPPER = """\
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from vllm.v1.kv_cache_interface import KVCacheSpec


@dataclass(frozen=True)
class UniformTypeKVCacheSpecs(KVCacheSpec):
    kv_cache_specs: dict[str, KVCacheSpec]
    labels: tuple[
        str,  # a comment that is no fact
        ...,
    ] = field(default=("a", "b"), compare=False)
    notes: list[str] = field(default_factory=list, kw_only=True)
    total: int = field(init=False)
    kinds: ClassVar[int] = 2
    SIDES = 2

    def __post_init__(self):
        self.total = 0
        object.__setattr__(self, "ranks", self.first_spec.ranks)

    @property
    def first_spec(self):
        return next(iter(self.kv_cache_specs.values()))

    @cached_property
    def page_size_bytes(self) -> int:
        return sum(spec.page_size_bytes for spec in self.kv_cache_specs.values())

    @classmethod
    def from_specs(cls, specs):
        assert len({spec.block_size for spec in specs.values()}) == 1
        return cls(block_size=1, kv_cache_specs=specs)

    @staticmethod
    def helper(size, /, *rest: int, strict: bool = False, **more) -> "int | None":
        return size

    async def fetch(self):
        return describe(self)

    def max_num_blocks_per_req(self, vllm_config, max_len):
        return super().max_num_blocks_per_req(vllm_config, max_len)


@dataclass
class KVCacheConfig:
    kv_cache_groups: list[KVCacheGroupSpec]
"""
SERVING = """\
from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheSpec, MambaSpec
from vllm.v1.kv_cache_spec_registry import KVCacheSpecRegistry


class SingleTypeKVCacheManager(ABC):
    def __init__(self, kv_cache_spec: KVCacheSpec, block_pool, **kwargs):
        self.kv_cache_spec = kv_cache_spec


class FullAttentionManager(SingleTypeKVCacheManager):
    pass


class MambaManager(SingleTypeKVCacheManager):
    def __init__(self, kv_cache_spec, block_pool, *, enable_caching=True):
        super().__init__(kv_cache_spec, block_pool)


class Unrelated:
    pass


def get_manager_for_kv_cache_spec(
    kv_cache_spec: KVCacheSpec, max_model_len: int, **kwargs
) -> SingleTypeKVCacheManager:
    manager_class = KVCacheSpecRegistry.get_manager_class(kv_cache_spec)
    if manager_class is FullAttentionManager:
        kwargs["cap"] = len(kv_cache_spec)
    manager = manager_class(kv_cache_spec, **kwargs)
    return manager


def register_all():
    KVCacheSpecRegistry.register(FullAttentionSpec, FullAttentionManager)
    KVCacheSpecRegistry.register(
        kvcache_spec_cls=MambaSpec,
        manager_class=MambaManager,
        uniform_type_base_spec=KVCacheSpec,
    )
"""
CALLS = """\
class Coordinator:
    def __init__(self, config):
        self.managers = [
            get_manager_for_kv_cache_spec(
                kv_cache_spec=group.kv_cache_spec,
                max_model_len=1,
                block_pool=self.pool,
                enable_caching=True,
            )
            for group in config.kv_cache_groups
        ]
"""
RUNNER = """\
class GPUModelRunner:
    def f(self, config):
        for group in config.kv_cache_groups:
            spec = group.kv_cache_spec
            yield spec.max_num_blocks_per_req(config, 1), spec._secret, spec.other

    def g(self):
        return FullAttentionSpec(block_size=16, sliding_window=128)

    def h(self):
        return FullAttentionSpec(block_size=16, sliding_window=None)

    def k(self, names):
        return KVCacheGroupSpec(names, MambaSpec(state_bytes=1, block_size=16))
"""
SCHEDULER = """\
class Scheduler:
    def f(self, kv_cache_config):
        return kv_cache_config.kv_cache_groups[0].kv_cache_spec.block_size
"""
FILES = {
    "vllm/_version.py": "__version__ = version = '0.99.1'\n",
    "vllm/v1/wrapping.py": WRAPPER,
    "vllm/v1/worker/runner.py": RUNNER,
    "vllm/v1/core/sched/scheduler.py": SCHEDULER,
    MANAGERS: SERVING,
    COORDINATOR: CALLS,
    "vllm/v1/ring.py": "from vllm.v1.core.single_type_kv_cache_manager import *\n"
    "class RingManager(FullAttentionManager):\n    ring = 1\n",
    "vllm/v1/tests/test_specs.py": "from vllm.v1.kv_cache_interface import *\n"
    "class FakeSpec(KVCacheSpec):\n    pass\n"
    "class FakeManager(FullAttentionManager):\n    pass\n",
}


def written(folder: Path, files: Mapping[str, str] = {}) -> Path:  # noqa: B006
    """Write the tree into a folder, some files of it otherwise, and return that."""
    write_project(folder, {**FILES, **files})
    return folder
