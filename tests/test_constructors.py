# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What constructors take: the same as ``dataclasses`` makes of the same classes."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from pathlib import Path

import pytest
from projects import write_project
from rule_documents import STAND_IN, STAND_IN_PATH

from kvlint.contracts import bundle
from kvlint.contracts.skeleton import skeletons
from kvlint.model.resolution import Resolver
from kvlint.model.workspace import Workspace
from kvlint.specs.constructors import Constructor, constructor
from kvlint.specs.descendants import find_hierarchy
from kvlint.specs.hierarchy import Hierarchy

CLASSES = """
@dataclass
class Plain(KVCacheSpec):
    first: int
    second: int = 1
    third: "list[int]" = field(default_factory=list)


@dataclass(kw_only=True)
class ByKeyword(KVCacheSpec):
    first: int
    second: int = field(kw_only=False)
    block_size: int = 16


@dataclass
class Marked(KVCacheSpec):
    first: int
    _: KW_ONLY
    second: int
    third: int = field(default=1, kw_only=False)


@dataclass
class Derived(KVCacheSpec):
    first: int = field(init=False)
    second: InitVar[int] = 1
    third: ClassVar[int] = 2
    fourth = 3


@dataclass
class Again(Plain):
    second: str = field(default="", kw_only=True)
    first: int = 0


@dataclass
class Two(Marked, Plain):
    last: int = 0


class Untouched(Marked):
    extra: int


@dataclass
class Below(Untouched):
    more: int = 0


@dataclass(init=False)
class Uninitialised(Plain):
    more: int


class Written(Plain):
    def __init__(self, name, /, *rest, size, depth=1, **more):
        pass


@dataclass
class Kept(Plain):
    kept: int = 0

    def __init__(self, name):
        pass


@dataclass
class Generic(Plain, ABC):
    more: int = 0
"""
IMPORTS = """
from abc import ABC
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import ClassVar

"""
NAMES = [
    line.partition("(")[0].removeprefix("class ")
    for line in CLASSES.splitlines()
    if line.startswith("class ")
]


def hierarchy_of(folder: Path) -> Hierarchy:
    workspace = Workspace([folder])
    files = sorted(folder.rglob("*.py"))
    return find_hierarchy(workspace, Resolver(workspace), files)


def made(folder: Path, name: str) -> Constructor | None:
    found = hierarchy_of(folder)
    spec = next(each for each in found.specs if each.name == name)
    return constructor(found, spec)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("classes")
    (found / STAND_IN_PATH).parent.mkdir(parents=True)
    (found / STAND_IN_PATH).write_text(f"{STAND_IN}\n{IMPORTS}{CLASSES}")
    return found


@pytest.fixture(scope="module")
def real() -> dict[str, typing.Any]:
    base = "@dataclass\nclass KVCacheSpec:\n    block_size: int\n"
    names: dict[str, typing.Any] = {}
    # This file's own annotations are lazy; those must not be.
    text = f"{IMPORTS}{base}{CLASSES}"
    exec(compile(text, "classes", "exec", dont_inherit=True), names)
    return names


@pytest.mark.parametrize("name", NAMES)
def test_as_python_does(name: str, folder: Path, real: dict[str, typing.Any]) -> None:
    parameters = inspect.signature(real[name]).parameters.values()
    stars = {each.kind for each in parameters}
    named = [
        each
        for each in parameters
        if each.kind not in {each.VAR_POSITIONAL, each.VAR_KEYWORD}
    ]

    found = made(folder, name)

    assert found is not None
    assert {*found.arguments} == {each.name for each in named}
    assert found.positionals == [x.name for x in named if x.kind != x.KEYWORD_ONLY]
    assert {*found.required} == {x.name for x in named if x.default is x.empty}
    assert found.takes_more is (inspect.Parameter.VAR_POSITIONAL in stars)
    assert found.takes_keywords is (inspect.Parameter.VAR_KEYWORD in stars)
    if dataclasses.is_dataclass(real[name]) and "__init__" not in vars(real[name]):
        derived = {x.name for x in dataclasses.fields(real[name]) if not x.init}
        assert found.derived == derived


@pytest.mark.parametrize(
    "text",
    [
        "@dataclass\nclass Odd(KVCacheSpec, Unknown):\n    x: int",
        "@dataclass\nclass Odd(KVCacheSpec, dict):\n    x: int",
        "@odd\n@dataclass\nclass Odd(KVCacheSpec):\n    x: int",
        "@dataclass\nclass Odd(KVCacheSpec, metaclass=Meta):\n    x: int",
        "@dataclass(**options)\nclass Odd(KVCacheSpec):\n    x: int",
        "@dataclass\nclass Odd(KVCacheSpec):\n    x: int = field(**options)",
        "@dataclass\nclass Odd(KVCacheSpec):\n    if options:\n        x: int",
        "class Odd(KVCacheSpec):\n    def __new__(cls): ...",
        "class Odd(KVCacheSpec):\n    @odd\n    def __init__(self): ...",
        "class Odd(KVCacheSpec):\n    __init__ = odd",
    ],
)
def test_what_cannot_be_told(text: str, tmp_path: Path) -> None:
    head = "from vllm.v1.kv_cache_interface import KVCacheSpec\n"
    write_project(tmp_path, {"plugin.py": f"{head}{IMPORTS}{text}\n"})

    assert made(tmp_path, "Odd") is None


@pytest.mark.parametrize("release", [*bundle.releases()[::8], bundle.newest()])
def test_every_class_of_vllm_can_be_told(release: str) -> None:
    facts = bundle.load(release)
    source = skeletons(facts)[facts.module]
    workspace = Workspace([], bundled={facts.module: source})
    found = find_hierarchy(workspace, Resolver(workspace), [source.path])

    classes = [*found.specs, *found.beside()]
    assert len(classes) > 10
    assert all(constructor(found, each) is not None for each in classes)
