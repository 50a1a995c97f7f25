# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which classes are specs: seen by the composites that KV101 reports."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import check_project, symbols, write_project

BODY = "block_size: int\n    layers: 'dict[str, KVCacheSpec]'"

FOUND = {
    "absolute import": {
        "plug/a.py": """
            from vllm.v1.kv_cache_interface import KVCacheSpec
            class Pack(KVCacheSpec):
                layers: dict[str, KVCacheSpec]
        """,
    },
    "import as": {
        "plug/a.py": """
            from vllm.v1.kv_cache_interface import KVCacheSpec as Base
            class Pack(Base):
                layers: dict[str, Base]
        """,
    },
    "module attribute": {
        "plug/a.py": """
            import vllm.v1.kv_cache_interface
            class Pack(vllm.v1.kv_cache_interface.KVCacheSpec):
                layers: dict[str, vllm.v1.kv_cache_interface.KVCacheSpec]
        """,
    },
    "module import as": {
        "plug/a.py": """
            import vllm.v1.kv_cache_interface as kvi
            class Pack(kvi.KVCacheSpec):
                layers: list[kvi.KVCacheSpec]
        """,
    },
    "module from package": {
        "plug/a.py": """
            from vllm.v1 import kv_cache_interface
            class Pack(kv_cache_interface.KVCacheSpec):
                layers: list[kv_cache_interface.KVCacheSpec]
        """,
    },
    "relative import": {
        "plug/__init__.py": "",
        "plug/base.py": """
            from vllm.v1.kv_cache_interface import KVCacheSpec
            class Ring(KVCacheSpec):
                pass
        """,
        "plug/sub/__init__.py": "",
        "plug/sub/a.py": """
            from ..base import Ring
            class Pack(Ring):
                layers: dict[str, Ring]
                extra: "dict[str, KVCacheSpec]"
        """
        "    from vllm.v1.kv_cache_interface import KVCacheSpec\n",
    },
    "relative module": {
        "plug/__init__.py": "",
        "plug/base.py": "from vllm.v1.kv_cache_interface import KVCacheSpec\n",
        "plug/a.py": """
            from . import base
            class Pack(base.KVCacheSpec):
                layers: dict[str, base.KVCacheSpec]
        """,
    },
    "re-export through __init__": {
        "plug/__init__.py": "from .specs import KVCacheSpec as PlugSpec\n",
        "plug/specs.py": "from vllm.v1.kv_cache_interface import KVCacheSpec\n",
        "other/a.py": """
            from plug import PlugSpec
            class Pack(PlugSpec):
                layers: dict[str, PlugSpec]
        """,
    },
    "star imports through two modules": {
        "plug/__init__.py": "from .specs import *\n",
        "plug/specs.py": "from vllm.v1.kv_cache_interface import *\n",
        "plug/a.py": """
            from plug import *
            class Pack(KVCacheSpec):
                layers: dict[str, KVCacheSpec]
        """,
    },
    "TYPE_CHECKING for the annotation": {
        "plug/a.py": """
            from __future__ import annotations
            from typing import TYPE_CHECKING
            import vllm.v1.kv_cache_interface as kvi
            if TYPE_CHECKING:
                from vllm.v1.kv_cache_interface import KVCacheSpec
            class Pack(kvi.KVCacheSpec):
                layers: dict[str, KVCacheSpec]
        """,
    },
    "try and except": {
        "plug/a.py": """
            try:
                from vllm.v1.kv_cache_interface import KVCacheSpec
            except ImportError:
                KVCacheSpec = object
            class Pack(KVCacheSpec):
                layers: dict[str, KVCacheSpec]
        """,
    },
    "if and else": {
        "plug/a.py": """
            import sys
            if sys.platform == "linux":
                from vllm.v1.kv_cache_interface import KVCacheSpec as Base
            else:
                class Base: ...
            class Pack(Base):
                layers: dict[str, Base]
        """,
    },
    "class in a function with its import": {
        "plug/a.py": """
            def make():
                from vllm.v1.kv_cache_interface import KVCacheSpec
                class Pack(KVCacheSpec):
                    layers: dict[str, KVCacheSpec]
                return Pack
        """,
    },
    "class in if, try, with and match": {
        "plug/a.py": """
            from vllm.v1.kv_cache_interface import KVCacheSpec
            if True:
                try:
                    with open("x"):
                        match 1:
                            case 1:
                                class Pack(KVCacheSpec):
                                    layers: dict[str, KVCacheSpec]
                finally:
                    pass
        """,
    },
    "generic bases and keywords": {
        "plug/a.py": """
            from typing import Generic, TypeVar
            from vllm.v1.kv_cache_interface import KVCacheSpec
            T = TypeVar("T", bound=KVCacheSpec)
            class Pack(KVCacheSpec, Generic[T], metaclass=type):
                layers: dict[str, T]
        """,
    },
    "subscripted base": {
        "plug/a.py": """
            from typing import Generic, TypeVar
            from vllm.v1.kv_cache_interface import KVCacheSpec
            T = TypeVar("T")
            class Mid(KVCacheSpec, Generic[T]): ...
            class Pack(Mid[int]):
                layers: dict[str, KVCacheSpec]
        """,
    },
    "PEP 695": {
        "plug/a.py": """
            from vllm.v1.kv_cache_interface import KVCacheSpec
            type Layers[T] = dict[str, T]
            class Pack[T: KVCacheSpec](KVCacheSpec):
                layers: list[T]
        """,
    },
    "decorators of any kind": {
        "plug/a.py": """
            from dataclasses import dataclass
            from vllm.v1.kv_cache_interface import KVCacheSpec
            @register("x")(lambda c: c)
            @dataclass(frozen=True)
            class Pack(KVCacheSpec):
                layers: dict[str, KVCacheSpec]
        """,
    },
    "name assigned": {
        "plug/a.py": """
            from vllm.v1 import kv_cache_interface as kvi
            Base = kvi.KVCacheSpec
            class Pack(Base):
                layers: dict[str, Base]
        """,
    },
    "conditional expression": {
        "plug/a.py": """
            import vllm.v1.kv_cache_interface as kvi
            Base = kvi.KVCacheSpec if hasattr(kvi, "x") else object
            class Pack(Base):
                layers: dict[str, kvi.KVCacheSpec]
        """,
    },
    "header over several lines with comments": {
        "plug/a.py": """
            from vllm.v1.kv_cache_interface import KVCacheSpec
            class Pack(  # (a bracket: in a comment)
                # another )
                KVCacheSpec,
            ):
                layers: dict[str, KVCacheSpec]
        """,
    },
    "namespace package": {
        "plug/deep/base.py": """
            from vllm.v1.kv_cache_interface import KVCacheSpec
            class Ring(KVCacheSpec): ...
        """,
        "plug/a.py": """
            from plug.deep.base import Ring
            from vllm.v1.kv_cache_interface import KVCacheSpec
            class Pack(Ring):
                layers: dict[str, KVCacheSpec]
        """,
    },
    "src layout": {
        "src/plug/__init__.py": "",
        "src/plug/base.py": """
            from vllm.v1.kv_cache_interface import KVCacheSpec
            class Ring(KVCacheSpec): ...
        """,
        "scripts/a.py": """
            from plug.base import Ring
            from vllm.v1.kv_cache_interface import KVCacheSpec
            class Pack(Ring):
                layers: dict[str, KVCacheSpec]
        """,
    },
}


@pytest.mark.parametrize("files", FOUND.values(), ids=FOUND)
def test_a_descendant_is_found(files: dict[str, str], tmp_path: Path) -> None:
    write_project(tmp_path, files)
    report = check_project(tmp_path)
    assert symbols(report, "KV101") == ["Pack.max_num_blocks_per_req"]
    assert not report.failures


@pytest.mark.parametrize("files", FOUND.values(), ids=FOUND)
def test_it_is_found_when_its_file_alone_is_named(
    files: dict[str, str], tmp_path: Path
) -> None:
    write_project(tmp_path, files)
    last = list(files)[-1]
    assert symbols(check_project(tmp_path, last), "KV101") == [
        "Pack.max_num_blocks_per_req"
    ]


NOT_FOUND = {
    "unrelated class of the same name": """
        class KVCacheSpec:
            def max_num_blocks_per_req(self): return 1
        class Wide(KVCacheSpec):
            def max_num_blocks_per_req(self): return 2
        class Pack(KVCacheSpec):
            layers: dict[str, KVCacheSpec]
    """,
    "same name from elsewhere": """
        from somewhere.kv_cache_interface import KVCacheSpec
        class Pack(KVCacheSpec):
            layers: dict[str, KVCacheSpec]
    """,
    "shadowed import": """
        from vllm.v1.kv_cache_interface import KVCacheSpec
        def make(KVCacheSpec):
            class Pack(KVCacheSpec):
                layers: dict[str, KVCacheSpec]
            return Pack
    """,
    "per-layer spec": """
        from vllm.v1.kv_cache_interface import FullAttentionSpec
        class Ring(FullAttentionSpec):
            ring: int
    """,
    "group class that is no spec": """
        from vllm.v1.kv_cache_interface import KVCacheSpec
        class Group:
            specs: dict[str, KVCacheSpec]
    """,
    "text that only speaks of it": '''
        """class Pack(KVCacheSpec): layers: dict[str, KVCacheSpec]"""
        text = "class Pack(KVCacheSpec):\\n    layers: dict[str, KVCacheSpec]\\n"
    ''',
    "class attribute of the enclosing class": """
        from vllm.v1.kv_cache_interface import KVCacheSpec
        class Outer:
            Base = KVCacheSpec
            def make(self):
                class Pack(Base):
                    layers: dict[str, KVCacheSpec]
    """,
    "base that only calls make": """
        from vllm.v1.kv_cache_interface import KVCacheSpec
        class Pack(make(KVCacheSpec)):
            layers: dict[str, KVCacheSpec]
    """,
    "its own ancestor": """
        class Pack(Pack):
            layers: dict[str, Pack]
    """,
}


@pytest.mark.parametrize("text", NOT_FOUND.values(), ids=NOT_FOUND)
def test_other_classes_are_left_alone(text: str, tmp_path: Path) -> None:
    write_project(tmp_path, {"plug/a.py": text})
    report = check_project(tmp_path, select=("KV1",))
    assert [each.message for each in report.findings] == []
    assert not report.failures


def test_import_cycles_end(tmp_path: Path) -> None:
    write_project(
        tmp_path,
        {
            "plug/__init__.py": "from .a import *\nfrom .b import *\n",
            "plug/a.py": "from .b import *\nfrom plug import Thing\nX = Thing\n",
            "plug/b.py": """
                from .a import *
                from vllm.v1.kv_cache_interface import KVCacheSpec
                Alias = Other
                Other = Alias
                class Pack(Thing, KVCacheSpec):
                    layers: dict[str, KVCacheSpec]
                class Round(Alias):
                    layers: dict[str, KVCacheSpec]
            """,
        },
    )
    report = check_project(tmp_path)
    assert not report.failures
    # `Thing` leads nowhere, so what it defines is unknown: nothing is claimed.
    assert symbols(report, "KV101") == []
    assert len([each for each in report.notes if "`Thing`" in each]) == 1


def test_a_checkout_of_vllm_may_lie_within_the_project(tmp_path: Path) -> None:
    write_project(tmp_path / "third_party" / "vllm", {})
    (tmp_path / "third_party" / "vllm" / "pyproject.toml").unlink()
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "plug.py").write_text(
        "from vllm.v1.kv_cache_interface import KVCacheSpec\n"
        "class Pack(KVCacheSpec):\n    layers: dict[str, KVCacheSpec]\n"
    )
    assert symbols(check_project(tmp_path), "KV101") == ["Pack.max_num_blocks_per_req"]


CYCLES = {
    "two classes": {
        "plug/a.py": """
            from vllm.v1.kv_cache_interface import KVCacheSpec
            class One(Two): ...
            class Two(One, KVCacheSpec):
                layers: dict[str, KVCacheSpec]
        """,
    },
    "two files": {
        "plug/a.py": """
            from plug.b import *
            from vllm.v1.kv_cache_interface import KVCacheSpec
            class One(Two, KVCacheSpec):
                layers: dict[str, KVCacheSpec]
        """,
        "plug/b.py": """
            from plug.a import *
            class Two(One): ...
        """,
    },
}


@pytest.mark.parametrize("files", CYCLES.values(), ids=CYCLES)
def test_classes_that_are_their_own_ancestors_are_no_crash(
    files: dict[str, str], tmp_path: Path
) -> None:
    write_project(tmp_path, files)
    assert not check_project(tmp_path).failures


def test_a_class_may_take_the_name_of_its_base(tmp_path: Path) -> None:
    write_project(
        tmp_path,
        {
            "plug/a.py": """
                from vllm.v1.kv_cache_interface import KVCacheSpec
                class KVCacheSpec(KVCacheSpec):
                    layers: "list[KVCacheSpec]"
            """
        },
    )
    report = check_project(tmp_path)
    assert symbols(report, "KV101") == ["KVCacheSpec.max_num_blocks_per_req"]
    assert not report.failures


def test_further_roots_are_named_in_the_configuration(tmp_path: Path) -> None:
    write_project(
        tmp_path,
        {
            "pyproject.toml": '[tool.kvlint]\nroots = ["own.base.Storage"]\n',
            "own/__init__.py": "",
            "own/base.py": """
                class Storage:
                    def width(self, length): return length
            """,
            "own/kinds.py": """
                from own.base import Storage
                class Half(Storage):
                    def width(self, length): return length // 2
                class Pack(Storage):
                    parts: list[Storage]
            """,
        },
    )
    assert symbols(check_project(tmp_path), "KV101") == ["Pack.width"]
