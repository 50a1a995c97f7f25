# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Layers that share a block table, and the runner that makes room for it."""

from dataclasses import dataclass

from ring_plugin.specs import RingSpec


@dataclass(frozen=True)
class RingGroupSpec(RingSpec):
    """Stands for several layers: ask it, and it must answer as they do."""

    layers: dict[str, RingSpec]

    @property
    def page_size_bytes(self) -> int:
        """The bytes of one block of every layer."""
        return sum(spec.page_size_bytes for spec in self.layers.values())


@dataclass
class RingGroup:
    """The layers of one block table."""

    layer_names: list[str]
    kv_cache_spec: RingSpec


class RingRunner:
    """Sizes the block tables of a worker."""

    def __init__(self, kv_cache_groups: list[RingGroup], ranks: int) -> None:
        """Keep the groups."""
        self.kv_cache_groups = kv_cache_groups
        self.ranks = ranks

    def table_widths(self, max_len: int) -> list[int]:
        """Return the width of each group's block table."""
        return [
            group.kv_cache_spec.table_width(max_len, self.ranks)
            for group in self.kv_cache_groups
        ]
