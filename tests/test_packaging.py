# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The wheel: what is in it, and that it works where the sources are not."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from rule_documents import STAND_IN, STAND_IN_PATH

# Building and installing need the package index.
pytestmark = pytest.mark.corpus

ROOT = Path(__file__).parents[1]
MEGABYTE = 1_000_000
SUBCLASS = """\
from vllm.v1.kv_cache_interface import KVCacheSpec


class RingSpecs(KVCacheSpec):
    kv_cache_specs: list[KVCacheSpec]
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that is made from the sdist, as a release is."""
    folder = tmp_path_factory.mktemp("dist")
    ready = importlib.util.find_spec("hatchling")
    options = ["--no-isolation"] if ready else []
    ran = subprocess.run(
        [sys.executable, "-m", "build", "--outdir", folder, *options, ROOT],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command, in an environment that holds the wheel and what it requires."""
    folder = tmp_path_factory.mktemp("elsewhere") / "venv"
    venv.create(folder, with_pip=True)
    install = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([folder / "bin" / "python", *install, wheel], check=True)
    return folder / "bin" / "kvlint"


def kvlint(
    command: Path, folder: Path, *arguments: str
) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return subprocess.run(
        [command, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
    )


def test_wheel_holds_the_package_and_the_rules(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = {name for name in opened.namelist() if ".dist-info/" not in name}
    modules = {
        path.relative_to(ROOT).as_posix() for path in (ROOT / "kvlint").rglob("*.py")
    }
    documents = {f"kvlint/rules/{path.name}" for path in ROOT.glob("rules/*.md")}
    data = {
        "kvlint/py.typed",
        "kvlint/contracts/bundle.zip",
        "kvlint/output/contracts/page.css",
        "kvlint/output/contracts/page.js",
    }
    assert names == {*modules, *documents, *data}
    assert wheel.stat().st_size < MEGABYTE


def test_installed_command_prints_rules(installed: Path, tmp_path: Path) -> None:
    (document,) = ROOT.glob("rules/KV101-*.md")
    for name in ("KV101", "undelegated-member"):
        ran = kvlint(installed, tmp_path, "rule", name)
        assert (ran.returncode, ran.stderr) == (0, "")
        assert ran.stdout.strip() == document.read_text(encoding="utf-8").strip()
    assert "KV105" in kvlint(installed, tmp_path, "rules").stdout


def test_installed_command_says_what_an_audit_lacks(
    installed: Path, tmp_path: Path
) -> None:
    ran = kvlint(installed, tmp_path, "audit", "--cache-dir", "cache", "vllm==0.27.1")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == (
        "error: to bring distributions kvlint needs one more package: "
        "`pip install 'kvlint[audit]'`\n"
    )


def test_installed_command_checks_and_mends(installed: Path, tmp_path: Path) -> None:
    base = tmp_path / STAND_IN_PATH
    base.parent.mkdir(parents=True)
    base.write_text(STAND_IN)
    path = tmp_path / "ring.py"
    path.write_text(SUBCLASS)
    ran = kvlint(installed, tmp_path, "check", "--output-format=concise", "ring.py")
    assert ran.returncode == 1, ran.stderr
    assert "ring.py:4:7: KV101 error `RingSpecs` inherits" in ran.stdout
    assert path.read_text() == SUBCLASS

    ran = kvlint(installed, tmp_path, "check", "--fix")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "def max_num_blocks_per_req(" in path.read_text()
