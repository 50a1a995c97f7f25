# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What the number that a member answers is worked out of."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from projects import write_project

from kvlint.contracts.export import export
from kvlint.contracts.facts import from_json
from kvlint.contracts.skeleton import skeletons
from kvlint.model.reading import read_file
from kvlint.model.sizes.sizing import Sizing, sizing
from kvlint.sources import decode_source

MEMORY = "max_memory_usage_bytes"


def read(body: str) -> Sizing:
    source = "class Spec:\n    def max_memory_usage_bytes(self, config, extra=0):\n"
    source += textwrap.indent(textwrap.dedent(body), " " * 8)
    file = read_file(decode_source(Path("specs.py"), source.encode()))
    return sizing(file.classes[0].members[MEMORY])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "return self.rows * config.model_config.max_model_len",
            "self.rows max_model_len",
        ),
        ("return getattr(self, 'rows', extra)", "self.rows extra"),
        ("return getattr(config.cache_config, 'mode')", "mode"),
        (
            "return super().size + Base.max_memory_usage_bytes(self, config)",
            "super.max_memory_usage_bytes super.size",
        ),
        ("a, b = self.rows, self.heads\nreturn a", "self.rows"),
        ("a = self.rows\na += self.heads\nreturn a", "self.heads self.rows"),
        (
            "a = a = self.rows\nreturn max(a for b in self.heads)",
            "self.heads self.rows",
        ),
        ("if (a := config.x.ranks) > 1:\n    return 1\nreturn 2", "ranks"),
        ("for a in self.rows:\n    if a:\n        return a\nreturn 0", "self.rows"),
        ("p = config.parallel\nreturn cdiv(p.ranks, 2)", "ranks"),
        ("return min(self.rows, config.max_model_len)", "self.rows"),
        (
            "n = config.m.max_model_len\nreturn min(n, self.rows + extra)",
            "extra self.rows",
        ),
        (
            "return min(config.max_model_len, 2 * config.m.max_len)",
            "max_len max_model_len",
        ),
        (
            "n = config.max_model_len\nreturn min(extra, cdiv(n, self.block_size))",
            "extra",
        ),
        ("assert self.rows\nreturn 1", ""),
        ("del config\nlog(self, config)\nreturn 1", ""),
        (
            "if self.rows > 1:\n    raise ValueError(self)\nreturn self.heads",
            "self.heads",
        ),
        ("if self.rows > 1:\n    raise ValueError\nelse:\n    return 1", "self.rows"),
        (
            "return self.blocks(extra) * self.max_num_blocks_per_req(config, extra)",
            "extra self.blocks self.max_num_blocks_per_req",
        ),
        (
            "return math.ceil(self.rows / limits.TOP) if isinstance(self, B) else 0",
            "self.rows",
        ),
        ("return self.layers.first.rows + len(set())", "rows self.layers"),
        ("return aligned(extra, 128)", "extra"),
        ("return measured(self)", "*"),
        ("return measured(config.cache_config)", "* cache_config"),
        ("c = config\nreturn measured(c) + config.x", "* config x"),
        ("return config.count()", "* config"),
        ("return ranks()", "*"),
        ("return ranks().size", "*"),
        ("return getattr(self, extra)", "*"),
        ("return sum(map(lambda x: x, self.rows))", "* self.rows"),
    ],
)
def test_sizing(body: str, expected: str) -> None:
    assert text(read(body)) == " ".join(sorted(expected.split()))


def text(found: Sizing) -> str:
    parts = [f"self.{each}" for each in found.fields]
    parts += [f"super.{each}" for each in found.supers]
    parts += [*found.others, *(["*"] if found.is_open else [])]
    return " ".join(sorted(parts))


def test_what_is_refused() -> None:
    found = read(
        """\
        assert self.rows == 1
        if config.parallel.ranks > 1 or extra:
            raise ValueError("ranks")
        return 1
        """
    )
    assert found.refused >= {"rows", "ranks", "extra"}


def test_an_attribute_may_be_anything() -> None:
    file = read_file(
        decode_source(Path("specs.py"), f"class A:\n    {MEMORY} = made()\n".encode())
    )
    assert sizing(file.classes[0].members[MEMORY]).is_open


ROOT = """\
from dataclasses import dataclass


@dataclass(frozen=True)
class KVCacheSpec:
    block_size: int
    sharded: bool = False

    def max_memory_usage_bytes(self, vllm_config):
        raise NotImplementedError

    def max_num_blocks_per_req(self, vllm_config, max_len):
        return max_len // self.block_size


class Window(KVCacheSpec):
    window: int

    def max_memory_usage_bytes(self, vllm_config):
        assert not self.sharded
        ranks = vllm_config.parallel_config.ranks
        return min(self.window, vllm_config.model_config.max_model_len) // ranks

    def max_num_blocks_per_req(self, vllm_config, max_len):
        return super().max_num_blocks_per_req(vllm_config, max_len) + 1

    def max_admission_blocks_per_request(self, max_model_len):
        return 1


class Other(Window):
    def max_memory_usage_bytes(self, vllm_config):
        return measured(self, vllm_config)

    def max_num_blocks_per_req(self):
        return nothing()

    def max_admission_blocks_per_request(self):
        return self.window.rows
"""


def test_a_contract_says_the_same_as_sources(tmp_path: Path) -> None:
    path = "vllm/v1/kv_cache_interface.py"
    write_project(tmp_path, {path: ROOT})
    facts = from_json(export(tmp_path, "1.0").to_json(), "test")
    files = [
        read_file(decode_source(tmp_path / path, ROOT.encode())),
        read_file(skeletons(facts)[facts.module]),
    ]
    sources, bundled = (
        {
            member.symbol: text(sizing(member))
            for each in file.classes
            for member in each.members.values()
        }
        for file in files
    )
    assert bundled == sources
    assert sources["Window.max_memory_usage_bytes"] == "ranks self.window"
    assert sources["Other.max_num_blocks_per_req"] == "*"
    other = sources["Other.max_admission_blocks_per_request"]
    assert other == "rows self.window"
