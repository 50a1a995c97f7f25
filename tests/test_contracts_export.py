# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What is read off a vLLM tree: a small one, made up here, with everything in it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import libcst as cst
import pytest
from command import ROOT
from contract_tree import RUNNER, SPECS, written

from kvlint.contracts.describing import one_line
from kvlint.contracts.export import export
from kvlint.contracts.facts import (
    ClassFacts,
    ContractFacts,
    FieldFacts,
    MemberFacts,
)


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> ContractFacts:
    return export(written(tmp_path_factory.mktemp("tree")))


def named(facts: ContractFacts, name: str) -> ClassFacts:
    (found,) = (each for each in facts.classes + facts.managers if each.name == name)
    return found


def field_of(facts: ContractFacts, symbol: str) -> FieldFacts:
    owner, _, name = symbol.partition(".")
    (found,) = (each for each in named(facts, owner).fields if each.name == name)
    return found


def member_of(facts: ContractFacts, symbol: str) -> MemberFacts:
    owner, _, name = symbol.partition(".")
    (found,) = (each for each in named(facts, owner).members if each.name == name)
    return found


def test_classes_and_their_roles(facts: ContractFacts) -> None:
    assert (facts.format, facts.release) == (1, "0.99.1")
    assert facts.module == "vllm.v1.kv_cache_interface"
    assert [(each.name, each.role) for each in facts.classes] == [
        ("KVCacheSpec", "root"),
        ("AttentionSpec", "spec"),
        ("FullAttentionSpec", "spec"),
        ("MambaSpec", "spec"),
        ("KVCacheGroupSpec", "beside"),
        ("UniformTypeKVCacheSpecs", "composite"),
    ]
    assert [(each.name, each.role) for each in facts.managers] == [
        ("SingleTypeKVCacheManager", "manager"),
        ("FullAttentionManager", "manager"),
        ("MambaManager", "manager"),
        ("RingManager", "manager"),
    ]


def test_a_class(facts: ContractFacts) -> None:
    wrapper = named(facts, "UniformTypeKVCacheSpecs")
    assert wrapper.module == "vllm.v1.wrapping"
    assert wrapper.bases == ("KVCacheSpec",)
    (decorator,) = wrapper.decorators
    assert (decorator.name, decorator.options) == ("dataclass", {"frozen": "True"})
    spot = wrapper.spot
    assert (spot.path, spot.line, spot.column) == ("vllm/v1/wrapping.py", 9, 7)
    assert (spot.end_line, spot.end_column) == (9, 7 + len(wrapper.name))
    names = [each.name for each in wrapper.fields]
    assert names == ["kv_cache_specs", "labels", "notes", "total"]
    assert [each.spot.line for each in wrapper.fields] == [10, 11, 15, 16]


FIELDS: dict[str, tuple[str, bool, str | None, dict[str, str]]] = {
    "KVCacheSpec.block_size": ("int", False, None, {}),
    "FullAttentionSpec.sliding_window": ("int | None", True, "None", {}),
    "UniformTypeKVCacheSpecs.kv_cache_specs": (
        "dict[str, KVCacheSpec]",
        False,
        None,
        {},
    ),
    "UniformTypeKVCacheSpecs.labels": (
        "tuple[str, ...]",
        True,
        '("a", "b")',
        {"compare": "False"},
    ),
    "UniformTypeKVCacheSpecs.notes": (
        "list[str]",
        True,
        None,
        {"default_factory": "list", "kw_only": "True"},
    ),
    "UniformTypeKVCacheSpecs.total": ("int", False, None, {"init": "False"}),
}


@pytest.mark.parametrize(("symbol", "expected"), FIELDS.items(), ids=FIELDS)
def test_fields(
    facts: ContractFacts,
    symbol: str,
    expected: tuple[str, bool, str | None, dict[str, str]],
) -> None:
    field = field_of(facts, symbol)
    assert (field.type, field.has_default, field.default, field.options) == expected


PLAIN: dict[str, Any] = {
    "kind": "method",
    "is_async": False,
    "decorators": (),
    "is_abstract": False,
    "only_raises": False,
    "constant": None,
    "reads": (),
    "lets_self_out": False,
    "supers": (),
    "replaced": None,
    "sets": (),
    "compared": (),
    "gives_one": False,
    "returns": None,
}
MEMBERS: dict[str, dict[str, Any]] = {
    "KVCacheSpec.page_size_bytes": {
        "kind": "property",
        "decorators": ("property",),
        "returns": "int",
        "is_abstract": True,
        "only_raises": True,
    },
    "KVCacheSpec.max_num_blocks_per_req": {"returns": "int", "reads": ("block_size",)},
    "KVCacheSpec.copy_with_new_block_size": {
        "returns": "Self",
        "replaced": ("block_size",),
    },
    "KVCacheSpec.merge": {
        "kind": "classmethod",
        "decorators": ("classmethod",),
        "returns": "Self",
    },
    "UniformTypeKVCacheSpecs.__post_init__": {
        "reads": ("first_spec", "total"),
        "sets": ("total", "ranks"),
        "lets_self_out": True,
    },
    "UniformTypeKVCacheSpecs.first_spec": {
        "kind": "property",
        "decorators": ("property",),
        "reads": ("kv_cache_specs",),
        "gives_one": True,
    },
    "UniformTypeKVCacheSpecs.page_size_bytes": {
        "kind": "property",
        "decorators": ("cached_property",),
        "returns": "int",
        "reads": ("kv_cache_specs",),
    },
    "UniformTypeKVCacheSpecs.from_specs": {
        "kind": "classmethod",
        "decorators": ("classmethod",),
        "compared": ("block_size",),
        "lets_self_out": True,
    },
    "UniformTypeKVCacheSpecs.helper": {
        "kind": "staticmethod",
        "decorators": ("staticmethod",),
        "returns": '"int | None"',
        "lets_self_out": True,
    },
    "UniformTypeKVCacheSpecs.fetch": {
        "is_async": True,
        "lets_self_out": True,
        "sets": ("*",),
    },
    "UniformTypeKVCacheSpecs.max_num_blocks_per_req": {
        "supers": ("max_num_blocks_per_req",)
    },
    "UniformTypeKVCacheSpecs.SIDES": {"kind": "attribute", "constant": "2"},
    "UniformTypeKVCacheSpecs.kinds": {"kind": "attribute", "constant": "2"},
    "SingleTypeKVCacheManager.__init__": {
        "reads": ("kv_cache_spec",),
        "sets": ("kv_cache_spec",),
    },
    "MambaManager.__init__": {"supers": ("__init__",)},
}


@pytest.mark.parametrize(("symbol", "expected"), MEMBERS.items(), ids=MEMBERS)
def test_members(
    facts: ContractFacts, symbol: str, expected: dict[str, object]
) -> None:
    found = asdict(member_of(facts, symbol))
    assert {name: found[name] for name in PLAIN} == PLAIN | expected


PARAMETERS: dict[str, list[tuple[str, str, str | None, str | None]]] = {
    "KVCacheSpec.max_num_blocks_per_req": [
        ("vllm_config", "positional", '"VllmConfig"', None),
        ("max_len", "positional", "int", None),
    ],
    "KVCacheSpec.merge": [("specs", "positional", "list[Self]", None)],
    "UniformTypeKVCacheSpecs.helper": [
        ("size", "positional-only", None, None),
        ("rest", "var-positional", "int", None),
        ("strict", "keyword-only", "bool", "False"),
        ("more", "var-keyword", None, None),
    ],
    "MambaManager.__init__": [
        ("kv_cache_spec", "positional", None, None),
        ("block_pool", "positional", None, None),
        ("enable_caching", "keyword-only", None, "True"),
    ],
    "UniformTypeKVCacheSpecs.fetch": [],
}


@pytest.mark.parametrize(("symbol", "expected"), PARAMETERS.items(), ids=PARAMETERS)
def test_parameters(
    facts: ContractFacts,
    symbol: str,
    expected: list[tuple[str, str, str | None, str | None]],
) -> None:
    assert [
        (each.name, each.kind, each.annotation, each.default)
        for each in member_of(facts, symbol).parameters
    ] == expected


def test_imports_are_those_that_signatures_need(facts: ContractFacts) -> None:
    assert facts.imports == {
        "Self": "typing_extensions.Self",
        "VllmConfig": "?vllm.config.VllmConfig",
        "dataclass": "dataclasses.dataclass",
    }


ROOT_MODULE = """\
import torch
import numpy.random as random
from dataclasses import dataclass, field
from enum import Enum
from ..types import Width as Entries
from . import spelling
try:
    from typing import Self
except ImportError:
    from typing_extensions import Self

class Mode(Enum):
    NONE = 0

@dataclass
class KVCacheSpec:
    block_size: "Entries"
    mode: Mode = Mode.NONE
    dtypes: list[torch.dtype] = field(default_factory=list)
    def copy(self, source: random.Generator = spelling.DEFAULT) -> list["Self"]:
        return unused(self)
"""


def test_imports_of_all_sorts(tmp_path: Path) -> None:
    facts = export(written(tmp_path, {SPECS: ROOT_MODULE}))
    assert facts.imports == {
        "Entries": "vllm.types.Width",
        "Mode": "vllm.v1.kv_cache_interface.Mode",
        "Self": "typing.Self",
        "dataclass": "dataclasses.dataclass",
        "field": "dataclasses.field",
        "random": "numpy.random",
        "spelling": "vllm.v1.spelling",
        "torch": "torch",
    }


def test_reads_are_off_group_specs_and_public(facts: ContractFacts) -> None:
    found = [
        (each.member, each.sees_composites, each.spot.path, each.spot.line)
        for each in facts.reads
    ]
    assert found == [
        ("block_size", False, "vllm/v1/core/sched/scheduler.py", 3),
        ("max_num_blocks_per_req", True, "vllm/v1/worker/runner.py", 5),
    ]
    assert facts.reads[1].spot.column == 19


def test_producers_give_a_value_that_is_not_the_default(facts: ContractFacts) -> None:
    found = [(each.owner, each.field, each.spot.line) for each in facts.producers]
    assert found == [("FullAttentionSpec", "sliding_window", 8)]


def test_classes_that_are_only_made_for_groups(facts: ContractFacts) -> None:
    assert facts.made_for_groups == ("MambaSpec",)


def test_constructor_calls_and_what_they_pass(tmp_path: Path) -> None:
    imports = "from vllm.v1.kv_cache_interface import *\n"
    runner = {"vllm/v1/worker/runner.py": imports + RUNNER}
    facts = export(written(tmp_path, runner))
    found = [(each.spec, each.spot.line, dict(each.values)) for each in facts.built]
    assert found == [
        ("FullAttentionSpec", 9, {"block_size": "16", "sliding_window": "128"}),
        ("FullAttentionSpec", 12, {"block_size": "16", "sliding_window": "None"}),
        ("MambaSpec", 15, {"state_bytes": "1", "block_size": "16"}),
    ]
    assert all(each.is_complete and not each.copies for each in facts.built)


def test_copies_into_other_classes(tmp_path: Path) -> None:
    helper = """
from dataclasses import fields


def retyped(spec: AttentionSpec, target, drop=()):
    return target(
        **{f.name: getattr(spec, f.name) for f in fields(spec) if f.name not in drop}
    )


def promoted(spec: AttentionSpec):
    return retyped(spec, FullAttentionSpec, drop=("size",))
"""
    folder = written(tmp_path)
    module = next(folder.rglob("kv_cache_interface.py"))
    module.write_text(module.read_text() + helper)
    (found,) = export(folder).retyped
    assert (found.targets, found.below) == (
        {"AttentionSpec": "FullAttentionSpec"},
        False,
    )
    assert (found.function, found.what) == ("promoted", "retyped")
    assert found.dropped == ("size",)


def test_no_source_text_is_in_it(facts: ContractFacts) -> None:
    text = facts.to_json()
    assert "comment" not in text
    assert "return " not in text and "assert " not in text


def test_the_same_tree_gives_the_same_bytes(tmp_path: Path) -> None:
    written(tmp_path)
    program = (
        "import sys; from pathlib import Path; from kvlint.contracts.export import "
        "export; sys.stdout.write(export(Path(sys.argv[1])).to_json())"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", program, tmp_path],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert texts == {export(tmp_path).to_json().encode()}


def test_paths_do_not_depend_on_where_the_tree_is(
    facts: ContractFacts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path)
    monkeypatch.chdir(tmp_path.parent)
    assert export(Path(tmp_path.name)) == facts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int", "int"),
        ('"VllmConfig | None"', '"VllmConfig | None"'),
        ("dict[str,  int]", "dict[str,  int]"),
        ("dict[\n    str,  # name\n    int,\n]", "dict[str, int]"),
        ("(\n    int  # one\n    | None\n)", "int | None"),
    ],
)
def test_one_line(text: str, expected: str) -> None:
    assert one_line(cst.parse_expression(text)) == expected
