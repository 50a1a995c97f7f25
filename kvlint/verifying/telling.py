# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Cases in words and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from kvlint.verifying.domains import BATCH, DCP, DRAFTED, LENGTH, MODE, PCP
from kvlint.verifying.results import Example, Layer
from kvlint.verifying.subjects import MERGE

_LABELS = {
    DCP: "DCP",
    PCP: "PCP",
    LENGTH: "length",
    "max_len": "length",
    "max_model_len": "length",
    "num_tokens": "length",
    MODE: "cache mode",
    BATCH: "batch",
    "max_num_batched_tokens": "batch",
    "max_in_flight_tokens": "batch",
    DRAFTED: "drafted",
    "num_speculative_tokens": "drafted",
    "scheduler_config.max_num_encoder_input_tokens": "encoder length",
    "block_size": "new block size",
    "kernel_block_size": "kernel block size",
}
"""What people call the settings and arguments that have a part in a case."""
_PLAIN = {"DCP": 1, "PCP": 1, "cache mode": "none", "drafted": 0}
"""What goes without saying."""
_CONTAINERS = frozenset({"list", "tuple", "set", "frozenset"})


def case_text(member: str, example: Example) -> str:
    """Return a case in words, such as ``DCP 2, length 17: group 2, layers 1``.

    Args:
        member: What was asked.
        example: The case.
    """
    parts = [_layers(example.layers)]
    read = dict.fromkeys(
        f"{label} {_value(value)}"
        for label, value in _labelled(example).items()
        if value != _PLAIN.get(label)
    )
    parts += read
    if example.part and not member.startswith(f"{MERGE}."):
        parts.append(example.part)
    group = "merged" if member.startswith(MERGE) else "group"
    layers = " and ".join(dict.fromkeys(map(_value, example.answers)))
    if example.is_sure and example.expected not in example.answers:
        layers = " and ".join(map(_value, example.answers))
        layers += f", in all {_value(example.expected)}"
    return f"{', '.join(parts)}: {group} {_value(example.group)}, layers {layers}"


def _layers(layers: Sequence[Layer]) -> str:
    """The layers, each class with what it is given beside the simplest values."""
    told = []
    for text, alike in groupby(map(_layer, layers)):
        count = len(list(alike))
        told.append(text if count == 1 else f"{count} x {text}")
    return ", ".join(told)


def _layer(layer: Layer) -> str:
    given = ", ".join(f"{each}={_value(layer.fields[each])}" for each in layer.told)
    return f"{layer.name}({given})" if given else layer.name


def _labelled(example: Example) -> dict[str, Any]:
    """What had a part in a case; the same by two names is told once."""
    passed = {x: y for x, y in (example.passed or {}).items() if y is not None}
    read = {**example.read, **passed}
    ordered = sorted(read, key=[*_LABELS, *read].index)
    return {_LABELS.get(name, name): read[name] for name in ordered}


def _value(value: Any) -> str:
    told = plain(value)
    return told if isinstance(told, str) else repr(told)


def plain(value: Any) -> Any:
    """Return a value as JSON that people can read."""
    if not isinstance(value, dict):
        return value
    match value["~"]:
        case "dtype":
            return f"torch.{value['name']}"
        case "fraction":
            return "/".join(map(str, value["of"]))
        case "dict":
            return {_value(key): plain(each) for key, each in value["items"]}
        case "spec":
            return value["class"].rpartition(":")[2]
        case kind if kind in _CONTAINERS:
            return [plain(each) for each in value["items"]]
        case "raised":
            return f"raises {value['text']}"
        case _:
            return value["text"]


def case_entry(example: Example) -> dict[str, Any]:
    """Return a case as JSON: its layers, and what else had a part in it."""
    layers = [
        {
            "class": each.class_name,
            "fields": {name: plain(value) for name, value in each.fields.items()},
        }
        for each in example.layers
    ]
    read = {
        label.lower().replace(" ", "_"): plain(value)
        for label, value in _labelled(example).items()
    }
    part = {"field": example.part} if example.part else {}
    return {"specs": layers, **read, **part}
