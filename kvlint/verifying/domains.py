# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which values a field is tried with: by what it means, else by its annotation.

The meanings are the few that no annotation tells (vLLM 0.11.0 to 0.33.0). The first
value is the simplest one, which a shrunk case has unless another is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

DCP = "parallel_config.decode_context_parallel_size"
PCP = "parallel_config.prefill_context_parallel_size"
LENGTH = "model_config.max_model_len"
MODE = "cache_config.mamba_cache_mode"
BATCH = "scheduler_config.max_num_batched_tokens"
DRAFTED = "speculative_config.num_speculative_tokens"
"""Settings, by their dotted names below ``vllm_config``."""

BLOCK_SIZES = (16, 32, 64, 128, 256, 1, 8, 544)
CACHE_MODES = ("none", "align", "all")
BLOCK_SIZE, CACHE_MODE = "block_size", "mamba_cache_mode"
"""Fields that all layers of a case have alike."""

_INTEGERS = (1, 2, 4, 16, 64, 512)


def kind(name: str, /, **more: Any) -> dict[str, Any]:
    """Return a value that JSON has no form for."""
    return {"~": name, **more}


def dtype(name: str) -> dict[str, Any]:
    """Return one of torch's types of numbers."""
    return kind("dtype", name=name)


def several(*items: Any) -> dict[str, Any]:
    """Return a tuple."""
    return kind("tuple", items=list(items))


_DTYPES = tuple(map(dtype, ("bfloat16", "float16", "float32", "uint8")))
_STATE, _WIDER = (
    several(several(2, 512), several(3, 32, 32)),
    several(several(4, 512), several(3, 32, 32)),
)
_MEANINGS: dict[str, Sequence[Any]] = {
    "block_size": BLOCK_SIZES,
    "mamba_cache_mode": CACHE_MODES,
    "num_kv_heads": (1, 2, 8),
    "head_size": (64, 128, 576),
    "sliding_window": (64, 17, 1000),
    "attention_chunk_size": (64, 17, 1000),
    # At least what is in a page, which is no more than this for the values here.
    "page_size_padded": (1 << 24, 1 << 25),
    "block_stride_alignment": (512, 128),
    "page_size": (4096, 8192),
    "shapes": (_STATE, _WIDER),
    "dtypes": (
        several(dtype("float32"), dtype("float32")),
        several(dtype("bfloat16"), dtype("float32")),
    ),
    "num_speculative_blocks": (0, 1, 3),
    "cache_dtype_str": ("auto", "fp8_ds_mla"),
    "model_version": ("deepseek_v4",),
}


def values(field: dict[str, Any]) -> list[Any]:
    """Return the values that a field is tried with, the simplest first.

    Args:
        field: As the interpreter describes it.

    Returns:
        Its default first, if it has one; nothing if no value can be guessed.
    """
    found: list[Any] = [field["default"]] if "default" in field else []
    options = _flat(field["type"])
    meant = _MEANINGS.get(field["name"])
    if {"kind": "none"} in options:
        found.append(None)
    if meant is not None:
        found += meant
    else:
        for each in options:
            found += _of(each)
    return [each for index, each in enumerate(found) if each not in found[:index]]


def _flat(shape: dict[str, Any]) -> list[dict[str, Any]]:
    if shape["kind"] != "union":
        return [shape]
    return [option for each in shape["of"] for option in _flat(each)]


def _of(shape: dict[str, Any]) -> Iterator[Any]:
    """Values of a type."""
    match shape["kind"]:
        case "bool":
            yield from (False, True)
        case "int":
            yield from _INTEGERS
        case "float":
            yield from (1.0, 0.5)
        case "fraction":
            yield kind("fraction", of=[1, 2])
        case "str":
            yield "other"
        case "dtype":
            yield from _DTYPES
        case "values":
            yield from shape["values"]
        case "list":
            yield from (kind("list", items=[each]) for each in _of(shape["item"]))
        case "tuple" if shape["items"]:
            inner = [list(_of(each)) for each in map(_plain, shape["items"])]
            if all(inner):
                for at in range(min(map(len, inner))):
                    yield several(*(each[at] for each in inner))


def _plain(shape: dict[str, Any]) -> dict[str, Any]:
    return _flat(shape)[0]
