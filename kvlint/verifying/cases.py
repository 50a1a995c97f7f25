# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Cases: layers, settings and lengths, drawn by Hypothesis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from hypothesis import strategies as st

from kvlint.verifying.domains import (
    BATCH,
    BLOCK_SIZE,
    BLOCK_SIZES,
    CACHE_MODE,
    CACHE_MODES,
    DCP,
    DRAFTED,
    LENGTH,
    MODE,
    PCP,
)
from kvlint.verifying.kinds import Kind
from kvlint.verifying.results import Layer
from kvlint.vocabulary import GUARANTEED

_LONGEST = 1 << 20
_UNITS = (16, 128, 1024, 8192)
_MOST_LAYERS = 3


@dataclass(frozen=True)
class Case:
    """What a group and its layers are asked.

    Attributes:
        layers: The layers.
        others: Other layers, for a copy that holds these instead.
        settings: What the engine's configuration says, by dotted names.
        arguments: What methods are given, by the names of their parameters.
    """

    layers: tuple[Layer, ...]
    others: tuple[Layer, ...]
    settings: Mapping[str, Any]
    arguments: Mapping[str, Any]


_edges = st.builds(
    lambda unit, times, beside: max(1, min(_LONGEST, unit * times + beside)),
    st.sampled_from(_UNITS),
    st.integers(1, 128),
    st.sampled_from([0, 1, -1]),
)
_LENGTHS = st.one_of(st.integers(1, _LONGEST), _edges)
"""From 1 to 1 M, many of them where something is rounded up."""
_DCP, _PCP = st.sampled_from([1, 2, 4, 8]), st.sampled_from([1, 2])
_MODES, _BLOCK_SIZES = st.sampled_from(CACHE_MODES), st.sampled_from(BLOCK_SIZES)
_BATCHES = st.sampled_from([2048, 17, 8192, 100_000])
_DRAFTED = st.sampled_from([0, 1, 3])
_ENCODED = st.sampled_from([1500, 1, 17])
_NEW_SIZES, _KERNEL_SIZES = st.sampled_from([32, 16, 64, 8]), st.sampled_from([16, 8])
_NUMBERS, _MERGED = st.integers(1, _MOST_LAYERS), st.integers(2, _MOST_LAYERS)


class Cases:
    """Draws cases; what it draws from is made once, which takes longer than drawing.

    Args:
        kinds: The classes of layers.
        more: Further settings and their values.
        mixed: Whether layers may differ in what composites guarantee to be alike; those
            that say who may be in them will see to it.
    """

    def __init__(
        self,
        kinds: Sequence[Kind],
        more: Mapping[str, Sequence[Any]],
        *,
        mixed: bool = True,
    ) -> None:
        """Prepare."""
        self._kinds = list(kinds)
        self._picked = st.sampled_from(self._kinds)
        self._another = {
            each.class_name: st.sampled_from([each, *(self._kinds if mixed else [])])
            for each in kinds
        }
        left_out = frozenset() if mixed else GUARANTEED
        self._shared = {each.class_name: _changes(each, 3) for each in kinds}
        self._own = {each.class_name: _changes(each, 2, left_out) for each in kinds}
        sizes = {BLOCK_SIZE: BLOCK_SIZES}
        self._one = {
            each.class_name: _changes(
                each, 1, more=sizes if BLOCK_SIZE in each.fields else {}
            )
            for each in kinds
        }
        self._more = {
            name: st.sampled_from(list(values)) for name, values in more.items()
        }

    def groups(self) -> st.SearchStrategy[Case]:
        """Return cases of groups.

        All layers have the block size and the cache mode in common, most the class.
        """
        return st.composite(self._group)()

    def merges(self) -> st.SearchStrategy[Case]:
        """Return cases of layers of one class, most of them much alike."""
        return st.composite(self._merge)()

    def _group(self, draw: st.DrawFn) -> Case:
        given = self._settings(draw)
        kind = draw(self._picked)
        shared = dict(draw(self._shared[kind.class_name]))
        picked = [(kind, shared)]
        for _ in range(draw(_NUMBERS) - 1):
            another = draw(self._another[kind.class_name])
            own = dict(draw(self._own[another.class_name]))
            picked.append((another, {**shared, **own}))
        swapped = dict(draw(self._own[kind.class_name]))
        length, batch = given[LENGTH], given[BATCH]
        return Case(
            tuple(_layer(each, changes, given) for each, changes in picked),
            tuple(_layer(each, {**x, **swapped}, given) for each, x in picked),
            given,
            {
                "max_len": length,
                "max_model_len": length,
                "num_tokens": length,
                "max_in_flight_tokens": batch,
                "max_num_batched_tokens": batch,
                "block_size": draw(_NEW_SIZES),
                "kernel_block_size": draw(_KERNEL_SIZES),
            },
        )

    def _merge(self, draw: st.DrawFn) -> Case:
        kind = draw(self._picked)
        given = {"cache_config.block_size": draw(_BLOCK_SIZES), MODE: draw(_MODES)}
        shared = dict(draw(self._shared[kind.class_name]))
        layers = [
            {**shared, **dict(draw(self._one[kind.class_name]))}
            for _ in range(draw(_MERGED))
        ]
        return Case(tuple(_layer(kind, each, given) for each in layers), (), given, {})

    def _settings(self, draw: st.DrawFn) -> dict[str, Any]:
        """Draw the settings that specs read (vLLM 0.11.0 to 0.33.0), and some more."""
        dcp, pcp, mode = draw(_DCP), draw(_PCP), draw(_MODES)
        block_size, length = draw(_BLOCK_SIZES), draw(_LENGTHS)
        batch, drafted = draw(_BATCHES), draw(_DRAFTED)
        found: dict[str, Any] = {
            DCP: dcp,
            PCP: pcp,
            "parallel_config.tensor_parallel_size": dcp,
            "parallel_config.pipeline_parallel_size": 1,
            "parallel_config.data_parallel_size": 1,
            "parallel_config.world_size": dcp * pcp,
            "parallel_config.cp_kv_cache_interleave_size": 1,
            "parallel_config.dcp_kv_cache_interleave_size": 1,
            "cache_config.block_size": block_size,
            MODE: mode,
            "cache_config.mamba_block_size": block_size,
            "cache_config.mamba_page_size_padded": None,
            "cache_config.cache_dtype": "auto",
            "cache_config.gpu_memory_utilization": 0.9,
            "cache_config.enable_prefix_caching": mode != "none",
            LENGTH: length,
            BATCH: batch,
            "scheduler_config.max_num_seqs": 64,
            "scheduler_config.max_num_encoder_input_tokens": draw(_ENCODED),
            "scheduler_config.enable_chunked_prefill": True,
            "scheduler_config.async_scheduling": False,
            "scheduler_config.disable_hybrid_kv_cache_manager": False,
            "max_in_flight_tokens": batch,
            "num_speculative_tokens": drafted,
            "kv_transfer_config": None,
            "lora_config": None,
        }
        found |= {DRAFTED: drafted} if drafted else {"speculative_config": None}
        return found | {name: draw(each) for name, each in self._more.items()}


def _changes(
    kind: Kind,
    most: int,
    left_out: frozenset[str] = frozenset(),
    more: Mapping[str, Sequence[Any]] = MappingProxyType({}),
) -> st.SearchStrategy[list[tuple[str, Any]]]:
    """Lists of changes, in which no field is there the more often for its values."""
    by_field: dict[str, list[Any]] = {}
    for name, value in kind.changes:
        if name not in left_out:
            by_field.setdefault(name, []).append(value)
    by_field |= {name: list(each) for name, each in more.items()}
    options = [
        st.tuples(st.just(name), st.sampled_from(each))
        for name, each in by_field.items()
    ]
    return st.lists(st.one_of(options), max_size=most) if options else st.just([])


def _layer(kind: Kind, changes: Mapping[str, Any], given: Mapping[str, Any]) -> Layer:
    fields = {**kind.base}
    common = {BLOCK_SIZE: given["cache_config.block_size"], CACHE_MODE: given[MODE]}
    fields |= {name: each for name, each in common.items() if name in kind.fields}
    known = {name: each for name, each in changes.items() if name in kind.fields}
    fields |= known
    told = tuple(
        each
        for each in fields
        if each not in kind.base or fields[each] != kind.base[each]
    )
    return Layer(kind.class_name, fields, told)
