# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which order of fields Python refuses: what is told of it is what it does."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import write_project

from kvlint.model.resolution import Resolver
from kvlint.model.workspace import Workspace
from kvlint.specs.constructor_fields import disorder
from kvlint.specs.descendants import find_hierarchy

BASES = """\
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import ClassVar

@dataclass(frozen=True)
class KVCacheSpec:
    block_size: int

    @property
    def page(self): return 1

@dataclass(frozen=True, kw_only=True)
class Named(KVCacheSpec):
    dtype: str
    size: int = 4

@dataclass(frozen=True)
class Valued(KVCacheSpec):
    heads: int = 1
    rows: tuple = field(default_factory=tuple)

class Plain(Valued):
    ring: int

"""

CLASSES = {
    "after a default": ("@dataclass(frozen=True)", "Valued", "ring: int"),
    "by name": ("@dataclass(frozen=True, kw_only=True)", "Valued", "ring: int"),
    "below names": ("@dataclass(frozen=True)", "Named", "ring: int"),
    "names again": ("@dataclass(frozen=True)", "Named", "size: int = 4; ring: int"),
    "redefined": ("@dataclass(frozen=True)", "KVCacheSpec", "block_size: int = 4"),
    "kept default": ("@dataclass(frozen=True)", "Valued", "heads: bool"),
    "lost factory": ("@dataclass(frozen=True)", "Valued", "rows: list"),
    "no default": ("@dataclass(frozen=True)", "Valued", "heads: int = field()"),
    "a property": ("@dataclass(frozen=True)", "Valued", "page: int"),
    "an attribute": ("@dataclass(frozen=True)", "Plain", "ring: int"),
    "sentinel": ("@dataclass(frozen=True)", "Valued", "_: KW_ONLY; ring: int"),
    "sentinel behind": ("@dataclass(frozen=True)", "Valued", "ring: int; _: KW_ONLY"),
    "one by name": (
        "@dataclass(frozen=True)",
        "Valued",
        "ring: int = field(kw_only=True)",
    ),
    "one by position": (
        "@dataclass(frozen=True, kw_only=True)",
        "Valued",
        "ring: int = field(kw_only=False)",
    ),
    "not passed": (
        "@dataclass(frozen=True)",
        "Valued",
        "ring: int = field(init=False)",
    ),
    "of the class": ("@dataclass(frozen=True)", "Valued", "ring: ClassVar[int]"),
    "for the constructor": ("@dataclass(frozen=True)", "Valued", "ring: InitVar[int]"),
    "of two": ("@dataclass(frozen=True)", "Valued, Named", "ring: int = 4"),
}


@pytest.mark.parametrize("title", CLASSES)
def test_python_agrees(title: str, tmp_path: Path) -> None:
    decorator, bases, body = CLASSES[title]
    text = f"{BASES}{decorator}\nclass Own({bases}):\n    {body}\n"
    write_project(tmp_path, {"vllm/v1/kv_cache_interface.py": text})
    workspace = Workspace([tmp_path])
    path = tmp_path / "vllm/v1/kv_cache_interface.py"
    hierarchy = find_hierarchy(workspace, Resolver(workspace), [path])
    own = next(each for each in hierarchy.specs if each.name == "Own")
    try:
        exec(compile(text, "specs", "exec", dont_inherit=True), {"__name__": "specs"})
    except TypeError:
        is_refused = True
    else:
        is_refused = False
    assert (disorder(hierarchy, own) is not None) is is_refused
