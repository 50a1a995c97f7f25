# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Every command of the README does its work, as written, in a plug-in's repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping
from pathlib import Path

import pytest
from corpus import bring
from repositories import commit, environment, git, repository, write
from vllm_environment import interpreter

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
USE = README.partition("\n## ")[2]  # what is above sets up and tests kvlint itself
FENCES = re.findall(r"^```sh\n(.*?)^```$", USE, re.DOTALL | re.MULTILINE)
PROVING = [each for each in FENCES if "kvlint verify" in each]
CHECKING = [each for each in FENCES if each not in PROVING]
WRITTEN = re.compile(r"(?:>|-o |--output-file |--write-test )(?:\w+=)?([\w./-]+)")
PROJECT = """\
[project]
name = "ring"
dependencies = ["vllm>=0.28,<0.34"]
"""


OF_VLLM = """\
from dataclasses import dataclass

from vllm.v1.kv_cache_interface import FullAttentionSpec


@dataclass(frozen=True, kw_only=True)
class RingSpec(FullAttentionSpec):
    width: int = 4
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A plug-in with a branch that brings a composite with a fault."""
    example = ROOT / "examples" / "ring_plugin"
    parts = [(example / name).read_text() for name in ("specs.py", "groups.py")]
    specs = "".join(parts).replace("from ring_plugin.specs import RingSpec\n", "")
    base = "from vllm.v1.kv_cache_interface import KVCacheSpec\n"
    specs = base + specs.replace("class RingSpec:", "class RingSpec(KVCacheSpec):")
    files = {"pyproject.toml": PROJECT, "plugin/__init__.py": "", "tests/test_a.py": ""}
    folder = repository(tmp_path / "ring", files)
    git(folder, "update-ref", "refs/remotes/origin/main", "HEAD")
    commit(folder, {"plugin/specs.py": specs, "specs.py": specs})
    (folder / "path" / "to").mkdir(parents=True)
    (folder / "path" / "to" / "vllm").symlink_to(bring("vllm==0.27.1") / "vllm")
    return folder


@pytest.mark.corpus
@pytest.mark.parametrize("fence", CHECKING, ids=lambda each: each.split("\n")[0])
def test_commands(fence: str, project: Path) -> None:
    run(fence, project, environment())


@pytest.mark.vllm
@pytest.mark.parametrize("fence", PROVING, ids=lambda each: each.split("\n")[0])
def test_commands_that_run_code(fence: str, project: Path) -> None:
    tree = bring("vllm==0.27.1")
    write(project, {"plugin/specs.py": OF_VLLM})
    (project / "vllm-0.27.1").symlink_to(tree)
    (project / "vllm").symlink_to(tree / "vllm")
    home = project.parent / "home"
    home.mkdir()
    (home / "vllm").symlink_to(interpreter().parents[1])
    there = {"HOME": str(home), "VIRTUAL_ENV": str(home / "vllm")}
    run(fence, project, {**environment(), **there, "PYTHONPATH": str(tree)})


def run(fence: str, project: Path, variables: Mapping[str, str]) -> None:
    scripts = sysconfig.get_path("scripts")
    assert shutil.which("kvlint", path=scripts), "pip install -e '.[dev]' first"
    for command in filter(str.strip, fence.splitlines()):
        ran = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=project,
            env={**variables, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode in (0, 1), (command, ran.stderr)
        written = WRITTEN.findall(command)
        assert written or ran.stdout or ran.stderr, command
        for name in written:
            assert (project / name).read_text(encoding="utf-8"), (command, name)
