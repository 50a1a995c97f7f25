# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``kvlint audit``: what it prints and writes, and its exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from command import ROOT
from package_index import LocalIndex, sdist, served, wheel
from rule_documents import STAND_IN, STAND_IN_PATH

from kvlint.auditing.index import VARIABLES
from kvlint.cli import main

# It inherits `max_num_blocks_per_req` (KV101, new in 0.26.0) and a copier (KV105).
RING = """\
from dataclasses import dataclass

from vllm.v1.kv_cache_interface import KVCacheSpec


@dataclass(frozen=True)
class RingSpecs(KVCacheSpec):
    kv_cache_specs: dict[str, KVCacheSpec]
"""
SILENT = RING.replace("class RingSpecs", "class OtherSpecs").replace(
    "(KVCacheSpec):", "(KVCacheSpec):  # kvlint: ignore[KV] never sizes a table"
)
FINE = {"fine/a.py": "x = 1\n"}


def ring(requires: str = "vllm==0.27.1", **more: str) -> dict[str, str]:
    """A plug-in with a composite, and what it asks for."""
    project = f'[project]\nname = "ring"\ndependencies = ["{requires}"]\n'
    return {"pyproject.toml": project, "ring/specs.py": RING, **more}


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[LocalIndex]:
    """An index, a cache and a working directory of the test's own."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("KVLINT_CACHE_DIR", str(tmp_path / "cache"))
    with served() as index:
        monkeypatch.setenv("PIP_INDEX_URL", index.url)
        yield index


def audit(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["audit", *arguments])


def document(*arguments: str) -> dict[str, Any]:
    ran = audit("--output-format", "json", *arguments)
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def test_a_plug_in_is_checked_against_what_it_asks_for(local: LocalIndex) -> None:
    local.release("ring", "1.2", ring())
    ran = audit("ring")
    assert ran.exit_code == 1
    assert ran.stdout.startswith(
        "ring 1.2\n========\n"
        "1 file against vLLM 0.27.1, as pyproject.toml requires (vllm==0.27.1)\n\n"
        "ring-1.2/ring/specs.py:7:7: KV101 error: `RingSpecs` inherits "
        "`max_num_blocks_per_req`"
    )
    assert "note: vllm 0.27.1/vllm/v1/kv_cache_interface.py:" in ran.stdout
    assert "[*]" not in ran.stdout and "--fix" not in ran.stdout
    assert ran.stderr == "Found 3 findings (1 error, 2 warnings).\n"


ASKED: dict[str, tuple[Mapping[str, str], str]] = {
    "pyproject.toml": (ring(), "vLLM 0.27.1, as pyproject.toml requires"),
    "an sdist's metadata": (
        {"PKG-INFO": "Name: ring\nRequires-Dist: vllm>=0.27,<0.28\n\nRequires-Dist: x"},
        "vLLM 0.27.0, 0.27.1, as PKG-INFO requires (vllm<0.28,>=0.27)",
    ),
    "requirements": (
        {"requirements/gpu.txt": "vllm==0.28.0\n"},
        "vLLM 0.28.0, as requirements/gpu.txt requires",
    ),
    "setup.py": (
        {"setup.py": "raise SystemExit\nsetup(install_requires=['vllm==0.29.0'])\n"},
        "vLLM 0.29.0, as setup.py requires",
    ),
    "setup.cfg": (
        {"setup.cfg": "[options]\ninstall_requires =\n  torch\n  vllm==0.30.0\n"},
        "vLLM 0.30.0, as setup.cfg requires",
    ),
    "nothing": ({"a.py": ""}, ", the newest that kvlint knows"),
    "vLLM itself": ({STAND_IN_PATH: STAND_IN}, "vLLM, the tree that is checked"),
    "many releases": (
        {"requirements.txt": "vllm>=0.20,<0.29\n"},
        "vLLM 0.20.0 to 0.28.0 (",
    ),
}


@pytest.mark.parametrize("name", ASKED)
def test_which_vllm(name: str, local: LocalIndex) -> None:
    files, told = ASKED[name]
    local.release("pkg", "1", files)
    assert told in audit("pkg").stdout


def test_which_vllm_for_a_wheel(local: LocalIndex) -> None:
    metadata = "Name: pkg\nRequires-Dist: vllm (==0.27.1)\n"
    files = {"pkg/specs.py": RING, "pkg-1.dist-info/METADATA": metadata}
    local.add("pkg-1-py3-none-any.whl", wheel(files))
    ran = audit("pkg")
    assert "as pkg-1.dist-info/METADATA requires (vllm==0.27.1)" in ran.stdout
    assert "pkg-1/pkg/specs.py:7:7: KV101" in ran.stdout


def test_vllm_version_takes_the_place_of_what_is_asked_for(local: LocalIndex) -> None:
    local.release("ring", "1", ring())
    ran = audit("ring", "--vllm-version", "0.25.1", "--output-format", "concise")
    assert "vLLM 0.25.1, as vllm-version says (0.25.1)" in ran.stdout
    assert "max_num_blocks_per_req" not in ran.stdout  # that release has none


def test_a_vllm_that_is_installed_does_not_count(
    local: LocalIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "env/lib/python3.11/site-packages" / STAND_IN_PATH
    installed.parent.mkdir(parents=True)
    installed.write_text(STAND_IN)
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "env"))
    local.release("pkg", "1", FINE)
    assert "the newest that kvlint knows" in audit("pkg").stdout


def test_too_old_a_vllm_is_told_and_the_rest_goes_on(local: LocalIndex) -> None:
    local.release("old", "1", ring("vllm==0.8.5"))
    local.release("fine", "1", FINE)
    ran = audit("old", "fine", "--output-format", "concise")
    assert ran.exit_code == 2
    assert "error: old-1: pyproject.toml: ==0.8.5 admits none of" in ran.stderr
    assert "old 1\n=====\nnot checked\n" in ran.stdout
    assert "No findings.\n" in ran.stdout


def test_configuration_does_not_count_and_comments_do(local: LocalIndex) -> None:
    project = ring()["pyproject.toml"] + '[tool.kvlint]\nignore = ["ALL"]\n'
    Path("pyproject.toml").write_text('[tool.kvlint]\nignore = ["ALL"]\n')
    silent = SILENT.replace("[KV]", "[KV101, KV104, KV105]")
    files = ring(**{"pyproject.toml": project, "ring/silent.py": silent})
    local.release("ring", "1", files)
    ran = audit("ring", "--select", "KV101", "--output-format", "concise")
    assert "ring-1/ring/specs.py:7:7: KV101 error" in ran.stdout
    assert "silent.py" not in ran.stdout


def test_every_folder_counts_whatever_it_is_called(
    local: LocalIndex, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("*\n*.py\n")
    local.release("ring", "1", ring(**{"ring/build/specs.py": RING, ".gitignore": "*"}))
    assert "ring-1/ring/build/specs.py:7:7" in audit("ring").stdout


def test_test_code_gives_no_findings(local: LocalIndex) -> None:
    local.release("pkg", "1", {"tests/test_a.py": RING})
    ran = audit("pkg")
    assert ran.exit_code == 0
    assert "No findings." in ran.stdout


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), 1),
        (("--exit-zero",), 0),
        (("--select", "KV105"), 0),
        (("--select", "KV105", "--fail-on", "warning"), 1),
        (("--ignore", "KV1"), 0),
        (("--select", "KV777"), 2),
        (("nowhere",), 2),
        (("nowhere", "--exit-zero"), 2),
        (("--quiet", "--verbose"), 2),
        (("--statistics", "--output-format", "json"), 2),
        (("not a requirement",), 2),
    ],
)
def test_exit_codes(options: tuple[str, ...], code: int, local: LocalIndex) -> None:
    local.release("ring", "1", ring())
    assert audit("ring", *options).exit_code == code


def test_all_mistakes_are_told_before_anything_is_brought(local: LocalIndex) -> None:
    local.release("ring", "1", ring())
    ran = audit("ring", "./ring", "ring[x]")
    assert ran.exit_code == 2
    assert ran.stderr.count("error: ") == 2
    assert local.asked == []


def test_nothing_to_do(local: LocalIndex) -> None:
    ran = audit()
    assert ran.exit_code == 2
    assert "name a distribution, such as vllm==0.27.1" in ran.stderr


def test_one_that_cannot_be_had_does_not_stop_the_others(local: LocalIndex) -> None:
    local.release("ring", "1", ring())
    ran = audit("nowhere", "ring", "ring==1", "--output-format", "concise")
    assert ran.exit_code == 2
    assert ran.stderr.count("error: nowhere: there is no such distribution") == 1
    assert ran.stdout.count("ring 1\n======\n") == 1


def test_all_releases(local: LocalIndex) -> None:
    local.release("ring", "0.9", FINE)
    local.release("ring", "1.0", ring())
    local.release("ring", "1.1", ring())
    local.release("ring", "1.2", ring("vllm==0.25.1"))
    local.release("ring", "2.0rc1", FINE)
    options = ["--all-releases", "--select", "KV101", "--statistics"]
    ran = audit("ring<1.3", *options)
    assert ran.stdout == (
        "          KV101\n"
        "ring 0.9      .\n"
        "ring 1.0      2\n"
        "ring 1.1      2\n"
        "ring 1.2      1\n"
        "\n"
        "KV101  RingSpecs.max_num_blocks_per_req  1.0 to 1.1\n"
        "KV101  RingSpecs.storage_block_size      1.0 to 1.2\n"
    )
    told = "Found 5 findings (2 errors, 3 warnings) in 3 of 4 distributions.\n"
    assert ran.stderr.endswith(told)

    whole = audit("ring<1.3", *options[:-1], "--output-format", "concise").stdout
    assert whole.endswith("\n\n" + ran.stdout)
    assert "ring-1.0/ring/specs.py:7:7: KV101" in whole
    assert "ring-1.1/ring/specs.py:7:7: KV101" in whole
    assert "ring 0.9\n========\n1 file against" in whole


def test_one_release_that_cannot_be_had_does_not_stop_the_others(
    local: LocalIndex,
) -> None:
    local.release("ring", "1.0", ring())
    local.add("ring-1.1.tar.gz", sdist("", {"../evil.py": ""}))
    local.release("ring", "1.2", ring())
    ran = audit("ring", "--all-releases", "--select", "KV105", "--statistics")
    assert ran.exit_code == 2
    assert "error: ring-1.1.tar.gz: refused: ../evil.py would be outside" in ran.stderr
    assert "ring 1.0      1\nring 1.2      1\n" in ran.stdout


def test_releases_are_told_in_their_order(local: LocalIndex) -> None:
    for version in ("9.0", "10.0", "11.0"):
        local.release("ring", version, ring())
    asked = ["ring==10.0", "ring==9.0", "ring==11.0"]
    ran = audit(*asked, "--select", "KV105", "--statistics")
    assert ran.stdout.endswith("RingSpecs.copy_with_new_block_size  9.0 to 11.0\n")


def test_what_the_index_says_is_printable(local: LocalIndex) -> None:
    local.add("ring-1.tar.gz", sdist("", {"../\x1b[31mevil.py": ""}))
    told = audit("ring").stderr
    assert r"../\x1b[31mevil.py would be outside" in told
    assert "\x1b" not in told


def test_several_distributions_have_a_table(local: LocalIndex) -> None:
    local.release("ring", "1", ring())
    local.release("fine", "2", FINE)
    ran = audit("ring", "fine", "--select", "KV101,KV105")
    assert ran.stdout.endswith(
        "\n\n        KV101  KV105\nring 1      2      1\nfine 2      .      .\n"
    )
    clean = audit("fine", "fine==2", "--statistics")
    assert clean.stdout == "fine 2: No findings.\n"


def test_json(local: LocalIndex) -> None:
    local.release("ring", "1", ring())
    local.release("fine", "2", FINE)
    found = document("ring", "fine", "nowhere", "--select", "KV105")
    assert found["version"] == 1
    assert found["files_checked"] == 2
    (finding,) = found["findings"]
    assert finding["path"] == "ring-1/ring/specs.py"
    (error,) = found["errors"]
    assert error["message"].startswith("nowhere: there is no such distribution")
    assert found["distributions"][0] == {
        "name": "ring",
        "version": "1",
        "path": "ring-1",
        "against": "vLLM 0.27.1: as pyproject.toml requires (vllm==0.27.1)",
        "files_checked": 1,
        "counts": {"KV105": 1},
    }
    assert document("not a requirement")["findings"] == []


def test_github(local: LocalIndex) -> None:
    local.release("ring", "1", ring())
    ran = audit("ring", "--output-format", "github", "--select", "KV105")
    assert ran.stdout.startswith("::warning file=ring-1/ring/specs.py,line=7,")
    assert ran.stdout.count("\n") == 1


def test_formats_for_services(local: LocalIndex) -> None:
    """All distributions are in one report; nobody can mend what is in the cache."""
    local.release("ring", "1", ring())
    local.release("bow", "2", {**ring(), "bow/specs.py": RING})
    names = ("sarif", "gitlab", "junit", "rdjson")
    files = [f"--output-file={each}=a.{each}" for each in names]
    ran = audit("ring", "bow", "gone", "--select", "KV105", *files)
    assert (ran.exit_code, ran.stdout.count("KV105 warning")) == (2, 3)
    (run,) = json.loads(Path("a.sarif").read_text())["runs"]
    places = [x["locations"][0]["physicalLocation"] for x in run["results"]]
    assert [each["artifactLocation"]["uri"] for each in places] == [
        "ring-1/ring/specs.py",
        "bow-2/bow/specs.py",
        "bow-2/ring/specs.py",
    ]
    (told,) = run["invocations"][0]["toolExecutionNotifications"]
    assert "gone" in told["message"]["text"]
    assert all(each["fixes"] for each in run["results"])
    assert len(json.loads(Path("a.gitlab").read_text())) == 3
    assert len(json.loads(Path("a.rdjson").read_text())["diagnostics"]) == 3
    assert 'tests="4" failures="3" errors="1"' in Path("a.junit").read_text()


def test_a_run_that_fails_is_told_in_a_document(local: LocalIndex) -> None:
    ran = audit("ring", "--select", "KV7", "--output-format=sarif", "-ojson=a.json")
    assert ran.exit_code == 2
    (run,) = json.loads(ran.stdout)["runs"]
    (told,) = run["invocations"][0]["toolExecutionNotifications"]
    (error,) = json.loads(Path("a.json").read_text())["errors"]
    assert 'unknown rule "KV7"' in told["message"]["text"] == error["message"]


def test_a_report_in_a_file(local: LocalIndex, tmp_path: Path) -> None:
    local.release("ring", "1", ring())
    printed = audit("ring")
    ran = audit("ring", "--output-file", "report.txt")
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert Path("report.txt").read_text() == printed.stdout
    assert "Found " in ran.stderr

    ran = audit("ring", "-o", "nowhere/report.txt")
    assert ran.exit_code == 2
    assert "there is no folder nowhere; make it first" in ran.stderr


def test_a_quiet_run(local: LocalIndex) -> None:
    local.release("fine", "2", FINE)
    assert audit("fine", "--quiet").stderr == ""


def test_a_verbose_run(local: LocalIndex, tmp_path: Path) -> None:
    local.release("ring", "1", ring())
    told = audit("ring", "--verbose").stderr
    assert f"note: the sources are in {tmp_path / 'cache' / 'audit-1'}" in told
    assert "note: ring 1: vLLM 0.27.1: as pyproject.toml requires" in told


def test_the_cache(local: LocalIndex, tmp_path: Path) -> None:
    local.release("fine", "2", FINE)
    other = ["--cache-dir", str(tmp_path / "other")]
    assert audit("--cache-info", *other).stdout == (
        f"{tmp_path / 'other' / 'audit-1'}\n0 distributions, 0.0 MB\n"
    )
    audit("fine", *other)
    assert "fine-2\n1 distribution, 0.0 MB\n" in audit("--cache-info", *other).stdout
    local.asked.clear()
    assert "Removed 0.0 MB from " in audit("fine==2", "--clear-cache", *other).stderr
    ran = audit("--clear-cache", *other)
    assert (ran.exit_code, ran.stdout) == (0, "")
    assert ran.stderr.startswith("Removed 0.0 MB from ")
    assert [*(tmp_path / "other").iterdir()] == []


def test_without_the_extra(local: LocalIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypi_simple", None)
    ran = audit("ring", "fine")
    assert ran.exit_code == 2
    assert ran.stderr == (
        "error: to bring distributions kvlint needs one more package: "
        "`pip install 'kvlint[audit]'`\n"
    )


def test_nothing_of_it_is_run(local: LocalIndex, tmp_path: Path) -> None:
    trap = f"open({str(tmp_path / 'sprung')!r}, 'w')\n"
    names = ["setup.py", "conftest.py", "sitecustomize.py", "pkg/__init__.py"]
    files = {**dict.fromkeys(names, trap), "pkg/specs.py": trap + RING}
    local.add("pkg-1.tar.gz", sdist("pkg-1", files))
    assert "KV101" in audit("pkg").stdout
    assert not (tmp_path / "sprung").exists()


@pytest.mark.corpus
def test_released_distributions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_INDEX_URL")
    ran = audit("vllm==0.27.1", "vllm-rbln==0.12.0", "--select", "KV101")
    assert ran.exit_code == 1
    assert "vllm-0.27.1/vllm/v1/kv_cache_interface.py:837:7: KV101 error" in ran.stdout
    metadata = "vllm_rbln-0.12.0.dist-info/METADATA"
    assert f"vLLM 0.30.0, as {metadata} requires (vllm==0.30.0+cpu)" in ran.stdout
    table = ran.stdout.rpartition("\n\n")[2].splitlines()
    assert [line.split() for line in table] == [
        ["KV101"],
        ["vllm", "0.27.1", "2"],
        ["vllm-rbln", "0.12.0", "."],
    ]
    newest = audit("vllm-rbln")
    assert newest.exit_code != 2
    assert newest.stdout.startswith("vllm-rbln 0.")


def test_a_check_imports_none_of_it(tmp_path: Path) -> None:
    (tmp_path / "specs.py").write_text(RING)
    program = (
        "import sys, kvlint.cli\n"
        "kvlint.cli.main(['check', '--exit-zero', '.'], standalone_mode=False)\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "assert not {'pypi_simple', 'requests', 'tarfile', 'ssl'} & loaded\n"
        "assert not [name for name in sys.modules if 'audit' in name]\n"
    )
    subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
    )
