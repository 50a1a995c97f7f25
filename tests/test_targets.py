# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Against what a project is checked, and how findings name several releases."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import check_project, write_project

from kvlint.contracts import bundle
from kvlint.errors import KvlintError
from kvlint.reports import Report

PLUGIN = """\
from vllm.v1.kv_cache_interface import KVCacheSpec, UniformTypeKVCacheSpecs


class Pack(KVCacheSpec):
    layers: dict[str, KVCacheSpec]


class Wide(UniformTypeKVCacheSpecs):
    more: int = 0
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    project = tmp_path / "plug"
    project.mkdir()
    (project / "pyproject.toml").write_text("")
    (project / "specs.py").write_text(PLUGIN)
    return project


def told(report: Report, code: str = "KV101") -> dict[str, str]:
    """What is said of each symbol behind the message: the releases."""
    assert not report.failures
    return {
        each.symbol: each.message.partition("(vLLM ")[2].removesuffix(")")
        for each in report.findings
        if each.code == code
    }


def test_a_release_without_sources(plugin: Path) -> None:
    report = check_project(plugin, vllm_version=("0.27.1",), select=("KV101",))
    assert told(report) == {
        "Pack.max_num_blocks_per_req": "",
        "Pack.storage_block_size": "",
        "Wide.max_num_blocks_per_req": "",
        "Wide.storage_block_size": "",
    }
    assert report.notes[0] == "vLLM 0.27.1: as vllm-version says (0.27.1)"
    places = {str(x.place.path) for each in report.findings for x in each.related}
    assert "vllm 0.27.1/vllm/v1/kv_cache_interface.py" in places


def test_several_releases_are_named_once(plugin: Path) -> None:
    report = check_project(plugin, vllm_version=(">=0.19",), select=("KV101",))
    found = told(report)
    assert found["Wide.max_num_blocks_per_req"] == "0.26.0 to 0.27.1"
    assert found["Wide.storage_block_size"] == "0.20.0 to 0.28.0"
    assert found["Wide.has_layer_views"] == "0.30.0 and later"
    assert found["Pack.max_num_blocks_per_req"] == "0.26.0 and later"
    assert len(found) == len([x for x in report.findings if x.code == "KV101"])


def test_a_fix_may_stand_for_several_releases(plugin: Path) -> None:
    report = check_project(
        plugin, vllm_version=(">=0.26,<0.28",), select=("KV101",), fix=True
    )
    assert report.findings == ()
    assert (plugin / "specs.py").read_text().count("def max_num_blocks_per_req") == 2


RENAMED = """\
from vllm.v1.kv_cache_interface import {0}


class Own({0}):
    def {1}(self, {2}):
        return 1
"""
WINDOW = ("SlidingWindowSpec", "max_admission_blocks_per_request")
COPIER = ("KVCacheSpec", "copy_with_new_block_size")


@pytest.mark.parametrize(
    ("asked", "spec", "member", "parameters", "after"),
    [
        # vLLM 0.26.0 renamed `max_num_batched_tokens` to `max_in_flight_tokens`.
        (">=0.25,<0.27", *WINDOW, "max_in_flight_tokens, max_model_len", None),
        (">=0.25,<0.27", *WINDOW, "tokens, max_model_len", None),
        (">=0.25,<0.27", *COPIER, "size", "block_size"),
        ("0.26.0", *WINDOW, "tokens, max_model_len", "max_in_flight_tokens"),
        (">=0.26,<0.28", *WINDOW, "tokens, max_model_len", "max_in_flight_tokens"),
    ],
)
def test_what_one_release_has_is_no_fix_for_another(
    asked: str,
    spec: str,
    member: str,
    parameters: str,
    after: str | None,
    plugin: Path,
) -> None:
    before = RENAMED.format(spec, member, parameters)
    (plugin / "specs.py").write_text(before)
    report = check_project(
        plugin,
        vllm_version=(asked,),
        select=("KV401",),
        fix=True,
        unsafe_fixes=True,
    )
    text = (plugin / "specs.py").read_text()
    assert not report.failures
    if after is None:
        (finding,) = report.findings
        assert finding.unfixable == "not all of the releases want the same"
        assert text == before
    else:
        assert report.findings == ()
        assert f"(self, {after}" in text


@pytest.mark.parametrize(
    ("pyproject", "note", "assumed"),
    [
        (
            "",
            f"vLLM {bundle.newest()}: the newest that kvlint knows",
            bundle.newest(),
        ),
        (
            '[project]\nname = "p"\ndependencies = ["vllm==0.28.0"]\n',
            "vLLM 0.28.0: as pyproject.toml requires (vllm==0.28.0)",
            "",
        ),
        (
            '[tool.kvlint]\nvllm-version = ["0.20.2", "0.28.0"]\n',
            "vLLM 0.20.2, 0.28.0: as vllm-version says (0.20.2, 0.28.0)",
            "",
        ),
    ],
)
def test_which_release_is_meant(
    pyproject: str, note: str, assumed: str, plugin: Path
) -> None:
    (plugin / "pyproject.toml").write_text(pyproject)
    report = check_project(plugin)
    assert (report.notes[0], report.assumed) == (note, assumed)


def test_sources_that_somebody_names_come_first(plugin: Path, tmp_path: Path) -> None:
    vllm = tmp_path / "sources"
    write_project(vllm, {})
    named = check_project(plugin, vllm_path=vllm, vllm_version=("0.27.1",))
    assert named.notes[0] == f"vLLM: the sources in {vllm}"
    (plugin / ".venv/lib/python3.11").mkdir(parents=True)
    vllm.rename(plugin / ".venv/lib/python3.11/site-packages")
    installed = check_project(plugin)
    assert installed.notes[0].startswith("vLLM: the sources in ")
    asked = check_project(plugin, vllm_version=("0.27.1",))
    assert asked.notes[0].startswith("vLLM 0.27.1: ")


def test_a_tree_of_vllm_is_its_own_contract(tmp_path: Path) -> None:
    write_project(tmp_path, {})
    report = check_project(tmp_path, vllm_version=("0.27.1",))
    assert report.notes[0] == "vLLM: the tree that is checked"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("0.10.0", "the oldest that kvlint knows is 0.11.0"),
        ("soon", "neither a version nor a specifier"),
    ],
)
def test_a_release_that_cannot_be_had(asked: str, message: str, plugin: Path) -> None:
    with pytest.raises(KvlintError, match=message):
        check_project(plugin, vllm_version=(asked,))
