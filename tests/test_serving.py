# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Managers of a project: with vLLM's sources, from a contract, for several releases."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from projects import check_project, symbols, write_project
from rule_documents import SERVING

from kvlint import catalogue, config, discovery
from kvlint.checking import Run
from kvlint.contracts.export import export
from kvlint.project import Project
from kvlint.reports import Job

COORDINATOR = "vllm/v1/core/kv_cache_coordinator.py"
LACKS = ["FewManager.__init__"]
FEW = """\
from vllm.v1.kv_cache_interface import FullAttentionSpec
from vllm.v1.kv_cache_spec_registry import register_kv_cache_spec
{base}


class FewManager(Base):
    def __init__(self, kv_cache_spec, block_pool, enable_caching, dcp_world_size):
        super().__init__(kv_cache_spec, block_pool, enable_caching, dcp_world_size)


@register_kv_cache_spec(FewManager)
class FewSpec(FullAttentionSpec):
    pass
"""
HOME = "vllm.v1.core.single_type_kv_cache_manager"
BASES = [
    f"from {HOME} import FullAttentionManager as Base",
    "from vllm.v1.core.kv_cache_coordinator import FullAttentionManager as Base",
    "from vllm.v1.core.kv_cache_coordinator import RenamedManager as Base",
    "import vllm.v1.core.kv_cache_coordinator as c\n\nBase = c.FullAttentionManager",
]
RE_EXPORT = """
from vllm.v1.core.single_type_kv_cache_manager import FullAttentionManager
from .single_type_kv_cache_manager import (
    FullAttentionManager as RenamedManager,  # and a comment
    MambaManager,
)
"""


@pytest.fixture
def vllm(tmp_path: Path) -> Path:
    folder = tmp_path / "vllm-sources"
    coordinator = SERVING[COORDINATOR] + RE_EXPORT
    write_project(folder, {**SERVING, COORDINATOR: coordinator})
    return folder


def job(folder: Path, files: Mapping[str, str]) -> Job:
    for path, text in {"pyproject.toml": "", **files}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(textwrap.dedent(text))
    settings = config.load(catalogue.names(), start=folder)
    found = discovery.discover((folder,), settings, folder)
    return Job(found.files, found.named, found.project_files, folder, settings)


def both(vllm: Path, folder: Path, files: Mapping[str, str]) -> list[Project]:
    """The project with vLLM's sources beside it, and with a contract in their stead."""
    bare = job(folder, files)
    beside = replace(bare, config=replace(bare.config, vllm_path=vllm))
    return [Run(beside).project(), Run(bare, export(vllm, "1.0")).project()]


def faults(vllm: Path, folder: Path, files: Mapping[str, str]) -> list[list[str]]:
    bare = job(folder, files)
    beside = replace(bare, config=replace(bare.config, vllm_path=vllm))
    reports = [Run(beside).report(), Run(bare, export(vllm, "1.0")).report()]
    assert not any(each.failures for each in reports)
    return [symbols(each, "KV404") for each in reports]


@pytest.mark.parametrize("base", BASES)
def test_bases_are_found_from_wherever_they_are_imported(
    base: str, vllm: Path, tmp_path: Path
) -> None:
    files = {"plug/few.py": FEW.format(base=base)}
    assert faults(vllm, tmp_path / "plug-in", files) == [LACKS, LACKS]


def test_what_is_known_of_serving(vllm: Path, tmp_path: Path) -> None:
    files = {"plug/few.py": FEW.format(base=BASES[0]), "plug/other.py": "x = 1\n"}
    beside, bundled = both(vllm, tmp_path / "plug-in", files)
    for project in (beside, bundled):
        serving = project.serving
        assert {each.name for each in serving.managers} == {
            "SingleTypeKVCacheManager",
            "FullAttentionManager",
            "MambaManager",
            "FewManager",
        }
        assert [each.name for each in project.managers()] == ["FewManager"]
        assert {(each.spec, each.manager) for each in serving.services} == {
            ("FullAttentionSpec", "FullAttentionManager"),
            ("MambaSpec", "MambaManager"),
            ("FewSpec", "FewManager"),
        }
        (factory,) = serving.factories
        assert factory.always == (
            "block_pool",
            "enable_caching",
            "scheduler_block_size",
            "dcp_world_size",
        )
        assert factory.sometimes == ("cap",)
        assert not factory.is_open


def test_a_project_without_managers_asks_nothing(vllm: Path, tmp_path: Path) -> None:
    text = "from vllm.v1.kv_cache_interface import KVCacheSpec as S\nclass A(S): ..."
    for project in both(vllm, tmp_path / "plug-in", {"plug/a.py": text}):
        assert project.serving.managers == []
        assert project.serving.factories == []


CALLERS = {
    "as vLLM": ("enable_caching=1, scheduler_block_size=1, dcp_world_size=1", LACKS),
    "less": ("enable_caching=1, dcp_world_size=1", []),
    "unknown": ("**more", []),
    "a mapping": ("**{'enable_caching': 1, 'scheduler_block_size': 1}", LACKS),
}


@pytest.mark.parametrize(("passed", "expected"), CALLERS.values(), ids=CALLERS)
def test_callers_of_the_project_count_as_well(
    passed: str, expected: list[str], vllm: Path, tmp_path: Path
) -> None:
    files = {
        "plug/few.py": FEW.format(base=BASES[0]).replace(
            "dcp_world_size):", "dcp_world_size=1):"
        ),
        "plug/coordinator.py": f"""\
        from vllm.v1.kv_cache_interface import KVCacheSpec

        def managers(groups, pool, **more):
            return [
                get_manager_for_kv_cache_spec(
                    each.kv_cache_spec, 1, block_pool=pool, {passed}
                )
                for each in groups
            ]
        """,
    }
    assert faults(vllm, tmp_path / "plug-in", files) == [expected, expected]


def test_releases_that_pass_other_keywords(tmp_path: Path) -> None:
    text = """\
    from vllm.v1.core.single_type_kv_cache_manager import FullAttentionManager
    from vllm.v1.kv_cache_interface import FullAttentionSpec
    from vllm.v1.kv_cache_spec_registry import KVCacheSpecRegistry


    class RingManager(FullAttentionManager):
        def __init__(
            self,
            kv_cache_spec,
            block_pool,
            enable_caching,
            kv_cache_group_id,
            scheduler_block_size,
            dcp_world_size=1,
            pcp_world_size=1,
        ):
            super().__init__(
                kv_cache_spec,
                block_pool,
                enable_caching,
                kv_cache_group_id,
                scheduler_block_size,
                dcp_world_size,
                pcp_world_size,
            )


    class RingSpec(FullAttentionSpec):
        pass


    KVCacheSpecRegistry.register(RingSpec, RingManager)
    """
    job(tmp_path, {"plug/ring.py": text})
    report = check_project(tmp_path, vllm_version=(">=0.24",), select=("KV404",))
    (found,) = report.findings
    assert found.message.endswith("take it too (vLLM 0.26.0 and later)")
    assert found.unfixable == "not all of the releases want the same"
    newer = check_project(
        tmp_path,
        vllm_version=(">=0.26",),
        select=("KV404",),
        fix=True,
        unsafe_fixes=True,
    )
    assert newer.findings == ()
    mended = (tmp_path / "plug" / "ring.py").read_text()
    assert "needs_kv_cache_zeroing: bool = False,\n    ):" in mended
    assert "needs_kv_cache_zeroing=needs_kv_cache_zeroing,\n        )" in mended
    older = check_project(tmp_path, vllm_version=("0.22.1",), select=("KV404",))
    (found,) = older.findings
    assert "requires `scheduler_block_size`, which" in found.message
