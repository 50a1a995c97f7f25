# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The few facts about vLLM's specs that its text does not show, as data.

Everything else is learned from the hierarchy, so that a member that vLLM adds next
month is covered without a release of kvlint.
"""

from __future__ import annotations

import re
from enum import StrEnum


class Combine(StrEnum):
    """How a composite combines its layers' answers to one question."""

    AGREE = "agree"
    SUM = "sum"
    PAGES = "pages"
    ALL = "all"
    MAX = "max"
    LEAVE = "leave"


_COMBINE = {
    "page_size_bytes": Combine.SUM,
    "max_memory_usage_bytes": Combine.PAGES,
    "prefix_cacheable": Combine.ALL,
    "prefix_replay_tokens": Combine.MAX,
    "merge": Combine.LEAVE,
    "is_uniform_with_collection": Combine.LEAVE,
    "is_uniform_type": Combine.LEAVE,
    "from_specs": Combine.LEAVE,
}
"""Members that do not simply have to agree (vLLM 0.11.2 to 0.33.0)."""

WIDTH_METHODS = frozenset({"max_num_blocks_per_req"})
"""Members that size a block-table row (since vLLM 0.26.0; #50823)."""

WIDTHS_OF_GROUPS = "max_num_blocks_per_group"
"""How the second runner's block tables take the rows' sizes (since vLLM 0.24.0)."""

ALIGNMENT = "block_table_token_alignment"
"""By which specs say to how many tokens a row is rounded up (since vLLM 0.30.0)."""

ROUNDING = ("get_block_table_width", "token_alignment")
"""What rounds a row's width up, and what takes the alignment (since vLLM 0.27.0)."""

GROUPING_PROTOCOL = "is_uniform_with_collection"
"""Asked of one layer's spec to learn which others may share its composite."""

UNIFORM_TYPE = "is_uniform_type"
"""Asked of a composite's class whether it may hold some specs.

Before vLLM 0.23.0 it asked the first of them for its class, since then for the above.
"""

UNIFORM_TESTS = frozenset({GROUPING_PROTOCOL, UNIFORM_TYPE})

SLOT_MEMBERS = (
    "max_num_blocks_per_req",
    "max_admission_blocks_per_request",
    "max_memory_usage_bytes",
)
"""Members by which a request has as many blocks in one layer of a group as in another.

Layers of a uniform group must have that in common (vLLM 0.11.0 to 0.33.0).
"""

PAGE_SIZES = re.compile(r"size_bytes$")
"""Members that size a page, which layers of a uniform group need not have in common."""

GROUP_ATTRIBUTE = "kv_cache_spec"
"""Where a group keeps its spec, which may be a composite."""

GROUPS_ATTRIBUTE = "kv_cache_groups"
"""Where a cache configuration lists its groups."""

CONNECTOR_ROLES = "KVConnectorRole"
"""Names the two processes that a connector is made for (vLLM 0.11.0 to 0.33.0)."""

LAYER_NAMES = "layer_names"
"""Where a group lists its layers."""

SHARING_CALLS = {
    "add_kv_sharing_layers_to_kv_cache_groups": "0.11.0",
    "init_attn_backend": "0.22.0",
}
"""What adds layers that share a cache to their groups, and since which release."""

SHARING_HOOKS = {
    "GPUModelRunner": frozenset(
        {
            "initialize_attn_backend",
            "initialize_metadata_builders",
            "initialize_kv_cache_tensors",
            "_allocate_kv_cache_tensors",
            "_reshape_kv_cache_tensors",
        }
    )
}
"""What vLLM's runner calls after that, where it has it (vLLM 0.11.0 to 0.33.0)."""


TELLING_ATTRIBUTES = frozenset({GROUPS_ATTRIBUTE, "kv_cache_tensors"})
"""Attributes that hold the same wherever they are read (vLLM 0.11.0 to 0.33.0).

``kv_cache_spec`` is none of them: what an offloading connector keeps for its events
under that name is no spec (0.33.0).
"""

OF_EVERY_GROUP = TELLING_ATTRIBUTES | {GROUP_ATTRIBUTE, LAYER_NAMES, "kv_cache_specs"}
"""Attributes that tell a group, a configuration or a composite in every release.

That is, from vLLM 0.11.0 to 0.33.0.

Who asks for one asks what something is, not which vLLM is installed.
"""


def combine(member: str) -> Combine:
    """Return how a composite must combine its layers' answers to a member."""
    return _COMBINE.get(member, Combine.AGREE)


MANAGERS_MODULE = "single_type_kv_cache_manager"
REGISTRY_MODULE = "vllm.v1.kv_cache_spec_registry"
REGISTRY = "KVCacheSpecRegistry"
REGISTERING_DECORATOR = "register_kv_cache_spec"
MANAGER_MAP = "spec_manager_map"
REGISTERS = re.compile(rf"\b(?:{REGISTRY}|{REGISTERING_DECORATOR}|{MANAGER_MAP})\b")
"""What joins spec classes to managers: a registry, before vLLM 0.23.0 a dictionary."""

MEMORY, ROW, ADMISSION = SIZING = (
    "max_memory_usage_bytes",
    "max_num_blocks_per_req",
    "max_admission_blocks_per_request",
)
"""Members that size one request: at start-up, in the block table (since vLLM 0.26.0),
and where a run lets it in (since vLLM 0.20.0; #40946)."""

WHOLE_REQUEST_GATE = "can_fit_full_sequence"
"""In vLLM 0.19.0 and 0.19.1, what lets a request in if all its blocks are free."""

BLOCKS_TO_ALLOCATE = "get_num_blocks_to_allocate"
"""A manager's answer to how many blocks a request needs (vLLM 0.11.0 to 0.33.0)."""

NEVER_WRAPPED = re.compile(
    r"(?:EncoderOnlyAttention|HiddenStateCache|HiSparse(?:Hot|Resident))Spec"
)
"""Classes whose specs are never put into a composite (vLLM 0.11.0 to 0.33.0).

Encoder-only layers get groups of the runner's own, hidden states and HiSparse's pools a
plain group each.
"""

OPENERS = frozenset(
    {
        "get_kv_cache_spec_kind",
        "get_kv_cache_spec_sliding_window",
        "get_representative_spec_type",
        "is_full_attention_spec",
        "iter_layer_specs",
    }
)
"""vLLM's functions that look into a composite (0.33.0)."""

LAYER_SPECS = "iter_layer_specs"
"""Gives the specs of all layers of a group (since vLLM 0.29.0; #53240)."""

UNHASHABLE = frozenset({"dict", "list", "set"})
"""Types of fields that make a frozen dataclass fail when it is hashed."""

STATE = "MambaSpec"
HOLDS_STATE_SINCE = "0.29.0"
"""From here on Mamba layers share composites beside groups of attention layers.

Before, they were in one only if the model had no other layers (vLLM 0.11.0 to 0.28.0).
"""
NEVER_ALONE = "CrossAttentionSpec"
"""No model has layers of this class alone, so no composite held any before that."""

PAGE_SIZE = "page_size_bytes"
"""Of a layer, the bytes of a block; of a composite, those of all its layers."""

GUARANTEED = frozenset(
    {
        "attention_chunk_size",
        "block_size",
        "dcp_sharded",
        "num_checkpoint_blocks",
        "num_speculative_blocks",
        "sliding_window",
        "tp_replicated",
    }
)
"""Fields that are alike in all layers of a composite of their class (0.33.0).

A full-attention layer's ``sliding_window`` is not; that is left alone all the same.
"""
