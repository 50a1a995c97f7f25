# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Every command of the README does its work, as written, in a plug-in's repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest
from corpus import bring
from repositories import commit, environment, git, repository

pytestmark = pytest.mark.corpus

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
USE = README.partition("\n## ")[2]  # what is above sets up and tests kvlint itself
FENCES = re.findall(r"^```sh\n(.*?)^```$", USE, re.DOTALL | re.MULTILINE)
WRITTEN = re.compile(r"(?:>|-o |--output-file )(?:\w+=)?([\w.-]+)")
PROJECT = """\
[project]
name = "ring"
dependencies = ["vllm>=0.28,<0.34"]
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


@pytest.mark.parametrize("fence", FENCES, ids=lambda each: each.split("\n")[0])
def test_commands(fence: str, project: Path) -> None:
    scripts = sysconfig.get_path("scripts")
    assert shutil.which("kvlint", path=scripts), "pip install -e '.[dev]' first"
    for command in filter(str.strip, fence.splitlines()):
        ran = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=project,
            env={**environment(), "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"},
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
