# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""How a single layer keeps its cache: in a ring of blocks."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RingSpec:
    """What every layer answers; the base of the plug-in's specs."""

    block_size: int

    @property
    def page_size_bytes(self) -> int:
        """The bytes of one block."""
        raise NotImplementedError

    def table_width(self, max_len: int, ranks: int) -> int:
        """The entries that a request needs in its row of the block table."""
        return -(-max_len // self.block_size)


@dataclass(frozen=True)
class AttentionRingSpec(RingSpec):
    """Keys and values of an attention layer, shared out over the ranks."""

    head_size: int

    @property
    def page_size_bytes(self) -> int:
        """The bytes of one block."""
        return 4 * self.block_size * self.head_size

    def table_width(self, max_len: int, ranks: int) -> int:
        """The entries that a request needs on one of the ranks."""
        return -(-max_len // (self.block_size * ranks))
