# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A release's facts, made a text again, say what its sources say."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from projects import write_project

from kvlint import catalogue, config, discovery
from kvlint.checking import Run
from kvlint.contracts.export import export
from kvlint.contracts.facts import from_json
from kvlint.contracts.skeleton import skeletons
from kvlint.model.answering.bodies import body_facts
from kvlint.model.classes import Member, SpecFile
from kvlint.model.merging.uniform_tests import read_uniform_tests
from kvlint.model.reading import read_file
from kvlint.reports import Job, Report
from kvlint.sources import decode_source

ROOT_MODULE = "vllm/v1/kv_cache_interface.py"
MODULE = '''\
"""A root module with something of everything."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vllm.config import VllmConfig

DEFAULT = 3


@dataclass(frozen=True)
class KVCacheSpec:
    block_size: int
    sharded: bool = field(default=False, kw_only=True)

    @property
    def page_size_bytes(self) -> int:
        raise NotImplementedError

    @property
    def alignment(self) -> "int | None":
        return 128

    def width(self, config: "VllmConfig", max_len: int = DEFAULT, *, cap=None) -> int:
        if cap:
            return cap
        return -(-max_len // self.block_size)

    def ranks(self, a, /, *more, **rest):
        return 1 if self.sharded else 2

    def copy_with_new_block_size(self, block_size: int):
        return replace(self, block_size=block_size)

    @classmethod
    def merge(cls, specs):
        return specs[0]

    @staticmethod
    def helper(x: int) -> int:
        return x

    def is_uniform_with_collection(self, specs):
        base = KVCacheSpecRegistry.get_uniform_type_base_spec(self)
        return all(isinstance(spec, base) for spec in specs.values())


@dataclass(frozen=True, kw_only=True)
class LayerSpec(KVCacheSpec):
    sharded: bool = True
    heads: int

    @property
    def page_size_bytes(self) -> int:
        return self.block_size * self.heads

    def width(self, config: "VllmConfig", max_len: int = DEFAULT, *, cap=None) -> int:
        return -(-max_len // (self.block_size * config.ranks))

    def is_uniform_with_collection(self, specs):
        return super().is_uniform_with_collection(specs) and all(
            isinstance(spec, LayerSpec | StateSpec) and spec.heads == self.heads
            for spec in specs.values()
        )


class StateSpec(KVCacheSpec):
    kind = "state"

    @property
    def alignment(self): return None

    def is_uniform_with_collection(self, specs):
        return all(type(spec) is type(self) and spec == self for spec in specs.values())


@dataclass(frozen=True)
class GroupSpec(KVCacheSpec):
    layers: dict[str, KVCacheSpec]

    def __post_init__(self):
        object.__setattr__(self, "sharded", self.first.sharded)

    @property
    def first(self) -> KVCacheSpec:
        return next(iter(self.layers.values()))

    @property
    def page_size_bytes(self) -> int:
        return sum(spec.page_size_bytes for spec in self.layers.values())

    @classmethod
    def of(cls, specs):
        assert len({spec.block_size for spec in specs.values()}) == 1
        return cls(block_size=1, layers=specs)

    @classmethod
    def is_uniform_type(cls, specs):
        if len({spec.block_size for spec in specs.values()}) > 1:
            return False
        one = next(iter(specs.values()))
        if isinstance(one, (LayerSpec, StateSpec)):
            return all(type(spec) is StateSpec for spec in specs.values())
        elif isinstance(one, GroupSpec):
            return True
        raise NotImplementedError(one)


@dataclass
class KVCacheGroupSpec:
    layer_names: list[str]
    kv_cache_spec: KVCacheSpec


@dataclass
class KVCacheConfig:
    kv_cache_groups: list[KVCacheGroupSpec]


def build(heads):
    return LayerSpec(block_size=16, heads=heads, sharded=heads > 1)
'''
RUNNER = """\
class GPUModelRunner:
    def f(self, config):
        return [g.kv_cache_spec.alignment for g in config.kv_cache_groups]
"""
PLUGIN = """\
from vllm.v1.kv_cache_interface import GroupSpec, KVCacheSpec, LayerSpec, StateSpec

class Rings(KVCacheSpec):
    layers: list[LayerSpec | StateSpec]

class First(KVCacheSpec):
    layers: dict[str, KVCacheSpec]

    @property
    def page_size_bytes(self):
        return self.block_size

    def width(self, config, max_len=0, *, cap=None):
        return self.layers["x"].width(config, max_len, cap=cap)

class Wide(GroupSpec):
    more: int = 0

    def width(self, config, max_len=0, *, cap=None):
        return self.first.width(config, max_len, cap=cap)
"""


@pytest.fixture
def vllm(tmp_path: Path) -> Path:
    folder = tmp_path / "vllm-source"
    write_project(folder, {ROOT_MODULE: MODULE, "vllm/v1/worker/runner.py": RUNNER})
    return folder


def uniform_tests(member: Member) -> set[object]:
    """What a member asks of specs that are to share a group."""
    if member.function is None or not member.name.startswith("is_uniform"):
        return set()
    found = read_uniform_tests(member.function)
    assert found
    return {(x.asked, x.admits, x.is_exact, x.compared, x.asks_base) for x in found}


def described(file: SpecFile) -> dict[str, object]:
    """Everything that checks ask of a file's classes, with the places."""
    return {
        each.name: (
            each.bases,
            each.place.line,
            each.place.column,
            {
                name: (field.annotation, field.has_default, field.place.line)
                for name, field in each.fields.items()
            },
            {
                name: (
                    member.kind,
                    [(x.name, x.kind) for x in member.parameters],
                    member.place.line,
                    member.place.column,
                    body_facts(member).is_abstract,
                    body_facts(member).constant,
                    body_facts(member).replaced,
                    body_facts(member).reads >= set(),
                    uniform_tests(member),
                )
                for name, member in each.members.items()
            },
        )
        for each in file.classes
    }


def test_classes_stand_where_they_stood(vllm: Path) -> None:
    facts = from_json(export(vllm, "1.0").to_json(), "test")
    bundled = read_file(skeletons(facts)[facts.module])
    original = read_file(
        decode_source(vllm / ROOT_MODULE, (vllm / ROOT_MODULE).read_bytes())
    )
    assert described(bundled) == described(original)


def findings(report: Report) -> list[object]:
    assert not report.failures
    return [
        (
            each.code,
            each.symbol,
            each.severity,
            each.message,
            each.fix,
            each.unfixable,
            [(x.place.line, x.place.column, x.message) for x in each.related],
        )
        for each in report.findings
    ]


def test_findings_are_the_same_as_with_the_sources(vllm: Path, tmp_path: Path) -> None:
    project = tmp_path / "plug"
    (project / "plug").mkdir(parents=True)
    (project / "pyproject.toml").write_text("")
    (project / "plug" / "a.py").write_text(textwrap.dedent(PLUGIN))
    settings = config.load(catalogue.names(), start=project)
    found = discovery.discover((project,), settings, project)
    job = Job(found.files, found.named, found.project_files, project, settings)
    beside = replace(job, config=replace(settings, vllm_path=vllm))
    with_sources = findings(Run(beside).report())
    assert {each[0] for each in with_sources} >= {"KV101", "KV102", "KV103", "KV105"}  # type: ignore[index]
    assert findings(Run(job, export(vllm, "1.0")).report()) == with_sources
