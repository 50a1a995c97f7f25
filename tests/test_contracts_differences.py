# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What changed between two releases."""

from __future__ import annotations

import itertools
import textwrap
from pathlib import Path

import pytest

from kvlint.contracts import bundle
from kvlint.contracts.changes import Area, Change, Difference, Family, Turn
from kvlint.contracts.differences import difference
from kvlint.contracts.export import export
from kvlint.contracts.facts import ContractFacts

HEADER = """\
from __future__ import annotations
from dataclasses import dataclass, field
from functools import cached_property

"""
ROOT = """
@dataclass(frozen=True)
class KVCacheSpec:
    block_size: int
    {root}

@dataclass(frozen=True, kw_only=True)
class AttentionSpec(KVCacheSpec):
    num_kv_heads: int
    {layer}

@dataclass(frozen=True)
class UniformTypeKVCacheSpecs(KVCacheSpec):
    kv_cache_specs: dict[str, KVCacheSpec]
    {composite}

@dataclass
class KVCacheTensor:
    size: int
    {beside}
"""


def module(
    root: str = "", layer: str = "", composite: str = "", beside: str = ""
) -> str:
    """Return a module of specs with something more in its classes."""
    parts = {"root": root, "layer": layer, "composite": composite, "beside": beside}
    bodies = {
        name: textwrap.indent(textwrap.dedent(text), "    ").strip()
        for name, text in parts.items()
    }
    return ROOT.format(**bodies)


def facts(folder: Path, release: str, text: str) -> ContractFacts:
    tree = folder / release
    (tree / "vllm" / "v1").mkdir(parents=True)
    (tree / "vllm" / "__init__.py").touch()
    (tree / "vllm" / "v1" / "__init__.py").touch()
    path = tree / "vllm" / "v1" / "kv_cache_interface.py"
    path.write_text(HEADER + text, encoding="utf-8")
    return export(tree, release)


def compared(folder: Path, before: str, after: str) -> Difference:
    return difference(facts(folder, "1.0", before), facts(folder, "2.0", after))


def told(change: Change) -> str:
    """A change on one line, as short as can be."""
    parts = [str(change.turn), ".".join([*change.owners[:1], change.name])]
    parts += [f"-> {change.new_name}"] if change.new_name else []
    parts += [f"+{len(change.owners) - 1}"] if len(change.owners) > 1 else []
    parts += [
        f"[{each.name}: {each.before} => {each.after}]" for each in change.aspects
    ]
    parts += [f"({each})" for each in change.notes if change.turn is not Turn.RENAMED]
    return " ".join(parts)


PROPERTY = """
@property
def {name}(self) -> {type}:
    {body}
"""


def asked(name: str, body: str = "return self.block_size", type: str = "int") -> str:
    return PROPERTY.format(name=name, body=body, type=type)


def method(signature: str, body: str = "return self.block_size") -> str:
    return f"def {signature}:\n    {body}\n"


CHANGES = {
    "a field that is new": (
        module(),
        module(layer="window: int = 0"),
        ["added AttentionSpec.window"],
    ),
    "a field that is gone": (
        module(layer="window: int = 0"),
        module(),
        ["removed AttentionSpec.window"],
    ),
    "a field's type and default": (
        module(layer="window: int = 0"),
        module(layer="window: int | None = None"),
        ["changed AttentionSpec.window [type: int => int | None] [default: 0 => None]"],
    ),
    "a field that is required now": (
        module(beside="stride: int = 0"),
        module(beside="stride: int"),
        ["changed KVCacheTensor.stride [default: 0 => required]"],
    ),
    "options of a field": (
        module(layer="window: int = field(default=0, compare=False)"),
        module(layer="window: int = field(default=0)"),
        ["changed AttentionSpec.window [compare: False => not given]"],
    ),
    "a new default that layers override and the composite lacks": (
        module(),
        module(
            root=method("width(self, length: int) -> int"),
            layer=method("width(self, length: int) -> int", "return length // 2"),
        ),
        [
            (
                "added KVCacheSpec.width +1 (concrete) (overridden by AttentionSpec) "
                "(missing on the composite UniformTypeKVCacheSpecs)"
            )
        ],
    ),
    "the same where the composite answers": (
        module(),
        module(
            root=asked("wide", "return True", "bool"),
            layer=asked("wide", "return False", "bool"),
            composite=asked(
                "wide", "return all(s.wide for s in self.kv_cache_specs.values())"
            ),
        ),
        [
            (
                "added KVCacheSpec.wide +2 (concrete) (answers True) "
                "(overridden by AttentionSpec) "
                "(answered by the composite UniformTypeKVCacheSpecs)"
            )
        ],
    ),
    "a new abstract member": (
        module(),
        module(root=asked("heads", "raise NotImplementedError")),
        ["added KVCacheSpec.heads (abstract)"],
    ),
    "abstract to concrete": (
        module(root=asked("heads", "raise NotImplementedError")),
        module(root=asked("heads")),
        ["changed KVCacheSpec.heads [body: abstract => concrete]"],
    ),
    "and back": (
        module(root=asked("heads")),
        module(root=asked("heads", "raise NotImplementedError")),
        ["changed KVCacheSpec.heads [body: concrete => abstract]"],
    ),
    "another constant": (
        module(root=asked("shared", "return True")),
        module(root=asked("shared", "return False")),
        ["changed KVCacheSpec.shared [default answer: True => False]"],
    ),
    "another kind": (
        module(root=asked("heads")),
        module(root=method("heads(self) -> int")),
        ["changed KVCacheSpec.heads [kind: property => method]"],
    ),
    "a field that is a property now": (
        module(layer="heads: int = 1"),
        module(layer=asked("heads")),
        ["changed AttentionSpec.heads [kind: field => property]"],
    ),
    "another type of answer": (
        module(root=asked("heads")),
        module(root=asked("heads", type="int | None")),
        ["changed KVCacheSpec.heads [answer: int => int | None]"],
    ),
    "a parameter more": (
        module(root=method("width(self, a: int) -> int")),
        module(root=method("width(self, a: int, b: int = 1) -> int")),
        ["changed KVCacheSpec.width [parameter added:  => b=1]"],
    ),
    "a parameter less": (
        module(root=method("width(self, a: int, *, b: int = 1) -> int")),
        module(root=method("width(self, a: int) -> int")),
        ["changed KVCacheSpec.width [parameter removed: b=1 => ]"],
    ),
    "a parameter in the place of another": (
        module(root=method("width(self, a: int, b: int) -> int")),
        module(root=method("width(self, a: int, c: int) -> int")),
        ["changed KVCacheSpec.width [parameter replaced: b => c]"],
    ),
    "a parameter without its default": (
        module(root=method("width(self, a: int = 1) -> int")),
        module(root=method("width(self, a: int) -> int")),
        ["changed KVCacheSpec.width [parameter changed: a=1 => a]"],
    ),
    "parameters the other way round": (
        module(root=method("width(self, a, b)")),
        module(root=method("width(self, b, a)")),
        ["changed KVCacheSpec.width [order of parameters: a, b => b, a]"],
    ),
    "a layer that overrides more, which makes the composite's silence a fault": (
        module(root=asked("heads")),
        module(root=asked("heads"), layer=asked("heads", "return 2")),
        [
            "changed AttentionSpec.heads [defined by: KVCacheSpec => AttentionSpec]",
            (
                "changed UniformTypeKVCacheSpecs.heads "
                "(now missing: AttentionSpec overrides it)"
            ),
        ],
    ),
    "a composite that answers at last": (
        module(root=asked("heads"), layer=asked("heads", "return 2")),
        module(
            root=asked("heads"),
            layer=asked("heads", "return 2"),
            composite=asked("heads", "return self.first.heads"),
        ),
        [
            (
                "changed UniformTypeKVCacheSpecs.heads "
                "[defined by: KVCacheSpec => UniformTypeKVCacheSpecs] (was missing)"
            )
        ],
    ),
    "a class": (
        module(),
        module() + "\nclass RingSpec(AttentionSpec):\n    ring: int\n",
        ["added RingSpec (below AttentionSpec; adds ring)"],
    ),
    "bases and decorators": (
        module() + "\n@dataclass\nclass RingSpec(AttentionSpec):\n    ring: int\n",
        module()
        + "\n@dataclass(frozen=True)\nclass RingSpec(KVCacheSpec):\n    ring: int\n",
        [
            (
                "changed RingSpec [bases: AttentionSpec => KVCacheSpec] "
                "[decorators: @dataclass => @dataclass(frozen=True)]"
            )
        ],
    ),
}


@pytest.mark.parametrize("case", CHANGES)
def test_changes(case: str, tmp_path: Path) -> None:
    before, after, expected = CHANGES[case]
    assert list(map(told, compared(tmp_path, before, after).changes)) == expected


READER = method("size(self) -> int", "return self.{} * 8")
RENAMES = {
    "the same member reads it": (
        module(root=asked("old") + READER.format("old")),
        module(root=asked("new") + READER.format("new")),
        ["KVCacheSpec.old -> new"],
    ),
    "a field at the same place of the same type": (
        module(beside="shared_by: list[str]"),
        module(beside="layers: list[str]\nstride: int = 0"),
        ["KVCacheTensor.shared_by -> layers"],
    ),
    "a field that an ancestor has now": (
        module(layer="window: int = 1")
        + "class RingSpec(KVCacheSpec):\n    ratio: int = 7\n"
        + textwrap.indent(READER.format("ratio"), "    "),
        module(root="share: int = 7", layer="window: int = 1")
        + "class RingSpec(KVCacheSpec):\n"
        + textwrap.indent(READER.format("share"), "    "),
        ["RingSpec.ratio -> share"],
    ),
    "another type": (
        module(root=asked("old") + READER.format("old")),
        module(root=asked("new", type="bool") + READER.format("new")),
        [],
    ),
    "another kind": (
        module(root=asked("old") + READER.format("old")),
        module(root=method("new(self) -> int") + READER.format("new")),
        [],
    ),
    "other parameters": (
        module(root=method("old(self, a) -> int") + READER.format("old")),
        module(root=method("new(self, a, *, b) -> int") + READER.format("new")),
        [],
    ),
    "abstract now": (
        module(root=asked("old") + READER.format("old")),
        module(root=asked("new", "raise NotImplementedError") + READER.format("new")),
        [],
    ),
    "nothing but the type speaks for it": (
        module(layer="a: int = 0\nold: str = ''\nb: int = 0"),
        module(layer="a: int = 0\nb: int = 0\nc: int = 0\nnew: str = 'x'"),
        [],
    ),
    "two that fit alike": (
        module(root=asked("old") + READER.format("old")),
        module(
            root=method("size(self) -> int", "return self.new * self.newer")
            + asked("new")
            + asked("newer")
        ),
        [],
    ),
    "a class that lost the one had the other before": (
        module(root=asked("old") + READER.format("old"), layer=asked("new")),
        module(root=asked("new") + READER.format("new"), layer=asked("new")),
        [],
    ),
}


@pytest.mark.parametrize("case", RENAMES)
def test_likely_renames(case: str, tmp_path: Path) -> None:
    before, after, expected = RENAMES[case]
    found = [
        f"{each.owners[0]}.{each.name} -> {each.new_name}"
        for each in compared(tmp_path, before, after).changes
        if each.turn is Turn.RENAMED
    ]
    assert found == expected


def test_the_same_release_has_not_changed(tmp_path: Path) -> None:
    assert not compared(tmp_path, module(), module()).changes


# On the releases that come with kvlint.


def between(before: str, after: str) -> dict[str, Change]:
    found = difference(bundle.load(before), bundle.load(after))
    return {
        ".".join([*each.owners[:1], each.name]): each
        for each in reversed(found.changes)
    }


def test_the_renames_of_0_29_0() -> None:
    changes = between("0.28.0", "0.29.0")
    renamed = {
        name: each.new_name
        for name, each in changes.items()
        if each.turn is Turn.RENAMED and each.family is not Family.MANAGER
    }
    assert renamed == {
        "KVCacheSpec.storage_block_size": "num_states",
        "MLAAttentionSpec.compress_ratio": "tokens_per_state",
        "KVCacheTensor.shared_by": "layers",
        # Its body is the same to the letter.
        "UniformTypeKVCacheSpecs.get_num_layer_tuples": "get_max_layers_per_page_size",
    }
    gone = {name for name, each in changes.items() if each.turn is Turn.REMOVED}
    assert gone == {
        "AttentionSpec.indexes_kv_by_block_stride",
        "UniformTypeKVCacheSpecs.get_page_sizes",
    }
    ratio = changes["MLAAttentionSpec.compress_ratio"]
    assert ratio.owners == ("MLAAttentionSpec", "SlidingWindowMLASpec")


def test_the_seed_fault_shows_in_0_26_0() -> None:
    change = between("0.25.1", "0.26.0")["KVCacheSpec.max_num_blocks_per_req"]
    assert change.turn is Turn.ADDED
    assert change.notes == (
        "concrete",
        "overridden by AttentionSpec and MambaSpec",
        "missing on the composite UniformTypeKVCacheSpecs",
    )


def test_its_repair_shows_in_0_28_0() -> None:
    changes = between("0.27.1", "0.28.0")
    change = changes["UniformTypeKVCacheSpecs.max_num_blocks_per_req"]
    assert change.notes == ("was missing",)


@pytest.mark.parametrize(
    ("before", "after", "keyword"),
    [
        ("0.22.1", "0.23.0", "scheduler_block_size"),
        ("0.25.1", "0.26.0", "needs_kv_cache_zeroing"),
    ],
)
def test_what_factories_pass(before: str, after: str, keyword: str) -> None:
    found = difference(bundle.load(before), bundle.load(after))
    passed = [each.name for each in found.of(Area.FACTORY, Turn.ADDED)]
    assert passed == [keyword]


def test_registrations_come_and_go() -> None:
    changes = difference(bundle.load("0.31.0"), bundle.load("0.32.0"))
    assert "KpoolTailSpec" in {
        each.name for each in changes.of(Area.REGISTRATION, Turn.REMOVED)
    }


def test_likely_renames_stay_few() -> None:
    """Every rename between releases that follow each other has been read."""
    read = bundle.releases()[: bundle.releases().index("0.33.0") + 1]
    renamed = [
        f"{after} {each.name} -> {each.new_name}"
        for before, after in itertools.pairwise(read)
        for each in difference(bundle.load(before), bundle.load(after)).changes
        if each.turn is Turn.RENAMED
    ]
    assert renamed == [
        "0.24.0 allocate_new_computed_blocks -> add_local_computed_blocks",
        "0.29.0 storage_block_size -> num_states",
        "0.29.0 compress_ratio -> tokens_per_state",
        "0.29.0 get_num_layer_tuples -> get_max_layers_per_page_size",
        "0.29.0 shared_by -> layers",
        (
            "0.29.0 take_pending_partial_tail_offloads -> "
            "take_pending_boundary_state_offloads"
        ),
    ]
