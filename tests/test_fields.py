# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Fields that a composite takes over, or does not: KV104."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from projects import check_project, symbols, write_project

MODULE = """
from dataclasses import dataclass, fields
from vllm.v1.kv_cache_interface import KVCacheSpec

@dataclass(frozen=True, kw_only=True)
class LayerSpec(KVCacheSpec):
    sharded: bool = False

    def ranks(self, count: int) -> int:
        return 1 if self.sharded else count

def layer():
    return LayerSpec(block_size=16, sharded=True)

@dataclass(frozen=True, kw_only=True)
class Above(LayerSpec):
    layers: list[LayerSpec]

    def __post_init__(self):
        object.__setattr__(self, "sharded", self.layers[0].sharded)

@dataclass(frozen=True, kw_only=True)
class Pack({base}):
    layers: list[LayerSpec]
{body}
"""

TAKEN_OVER = {
    "by name": """
        def __post_init__(self):
            object.__setattr__(self, "sharded", self.layers[0].sharded)
    """,
    "by super": """
        def __post_init__(self):
            super().__setattr__("sharded", self.layers[0].sharded)
    """,
    "in a loop over names": """
        def __post_init__(self):
            for name in ("sharded",):
                object.__setattr__(self, name, getattr(self.layers[0], name))
    """,
    "by a method": """
        def __post_init__(self):
            self._take_over()

        def _take_over(self):
            object.__setattr__(self, "sharded", self.layers[0].sharded)
    """,
    "by a function that is given the composite": """
        def __post_init__(self):
            take_over(self, "sharded")
    """,
    "through its dict": """
        def __post_init__(self):
            self.__dict__.update(sharded=self.layers[0].sharded)
    """,
    "by unpacking": """
        def __post_init__(self):
            (self.sharded,) = {layer.sharded for layer in self.layers}
    """,
    "as a property": """
        @property
        def sharded(self):
            return self.layers[0].sharded
    """,
    "by the constructor call": """
        @classmethod
        def of(cls, layers):
            return cls(layers=layers, sharded=layers[0].sharded)
    """,
}
LEFT = {
    "nothing done": "",
    "another field": """
        def __post_init__(self):
            object.__setattr__(self, "block_size", self.layers[0].block_size)
    """,
    "another object": """
        def __post_init__(self):
            object.__setattr__(self.layers[0], "sharded", True)
    """,
    "only read": """
        def __post_init__(self):
            assert self.layers[0].sharded
    """,
}


def check(tmp_path: Path, body: str, base: str = "LayerSpec") -> list[str]:
    text = MODULE.format(base=base, body=textwrap.indent(textwrap.dedent(body), "    "))
    write_project(tmp_path, {"plug/a.py": text})
    report = check_project(tmp_path)
    assert not report.failures
    return symbols(report, "KV104")


@pytest.mark.parametrize("body", TAKEN_OVER.values(), ids=TAKEN_OVER)
def test_a_field_taken_over(body: str, tmp_path: Path) -> None:
    assert check(tmp_path, body) == []


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_a_field_left_at_its_default(body: str, tmp_path: Path) -> None:
    assert check(tmp_path, body) == ["Pack.sharded"]


@pytest.mark.parametrize(
    "body",
    ["", "def __post_init__(self):\n    super().__post_init__()"],
    ids=["inherited", "called"],
)
def test_what_a_composite_above_takes_over_counts(body: str, tmp_path: Path) -> None:
    assert check(tmp_path, body, base="Above") == []
