# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The hooks, as pre-commit installs and runs them: changed files alone are named."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rule_documents import STAND_IN, STAND_IN_PATH

# pre-commit installs kvlint's dependencies from the package index.
pytestmark = pytest.mark.corpus

ROOT = Path(__file__).parents[1]
SHIPPED = [".pre-commit-hooks.yaml", "pyproject.toml", "README.md", "LICENSE"]
SUBCLASS = """\
from dataclasses import dataclass

from vllm.v1.kv_cache_interface import KVCacheSpec


@dataclass(frozen=True)
class RingSpecs(KVCacheSpec):
    kv_cache_specs: dict[str, KVCacheSpec]
"""


def run(folder: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a repository, with no settings of the user's."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    environment |= {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "PRE_COMMIT_COLOR": "never",
        "PRE_COMMIT_HOME": str(folder.parent / "pre-commit"),
    }
    for who in ("AUTHOR", "COMMITTER"):
        environment[f"GIT_{who}_NAME"] = "Somebody"
        environment[f"GIT_{who}_EMAIL"] = "somebody@example.org"
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True
    )


def pre_commit(
    folder: Path, *arguments: str | Path
) -> subprocess.CompletedProcess[str]:
    return run(folder, sys.executable, "-m", "pre_commit", *arguments)


def try_repo(
    folder: Path, kvlint: Path, *hooks: str
) -> subprocess.CompletedProcess[str]:
    """Run hooks of a repository, all if none is named, on what is staged."""
    return pre_commit(folder, "try-repo", kvlint, *hooks)


def git(folder: Path, *arguments: str) -> str:
    ran = run(folder, "git", *arguments)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def repository(folder: Path) -> Path:
    folder.mkdir()
    git(folder, "init", "--quiet")
    return folder


@pytest.fixture
def kvlint(tmp_path: Path) -> Path:
    """A repository of what kvlint ships, committed as it now is."""
    folder = repository(tmp_path / "kvlint")
    for name in filter(lambda each: (ROOT / each).exists(), SHIPPED):
        shutil.copyfile(ROOT / name, folder / name)
    for name in ("kvlint", "rules"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message=kvlint")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Two files: the base is committed, the subclass is staged."""
    folder = repository(tmp_path / "project")
    base = folder / STAND_IN_PATH
    base.parent.mkdir(parents=True)
    base.write_text(STAND_IN)
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message=base")
    (folder / "ring.py").write_text(SUBCLASS)
    git(folder, "add", "ring.py")
    return folder


def test_try_repo_finds_and_mends_what_is_staged(kvlint: Path, project: Path) -> None:
    # Without an id, both hooks run in turn: the second mends what the first finds.
    ran = try_repo(project, kvlint)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    finding, mending = ran.stdout.split("- hook id: kvlint-fix")
    assert "- hook id: kvlint\n- exit code: 1\n" in finding
    assert "ring.py:7:7: KV101 [*] error: `RingSpecs` inherits" in finding
    assert "- files were modified by this hook" in mending
    assert git(project, "status", "--short") == "AM ring.py\n"
    mended = (project / "ring.py").read_text()
    assert "def max_num_blocks_per_req(" in mended
    compile(mended, "ring.py", "exec")

    git(project, "add", "ring.py")
    ran = try_repo(project, kvlint)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.count("Passed") == 2
    assert (project / "ring.py").read_text() == mended


@pytest.mark.parametrize("hook", ["kvlint", "kvlint-fix"])
def test_one_hook_alone(hook: str, kvlint: Path, project: Path) -> None:
    ran = try_repo(project, kvlint, hook)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert f"- hook id: {hook}\n" in ran.stdout
    mends = hook == "kvlint-fix"
    assert ("files were modified by this hook" in ran.stdout) == mends
    assert ((project / "ring.py").read_text() == SUBCLASS) != mends
    assert git(project, "diff", "--name-only") == ("ring.py\n" if mends else "")


def test_hooks_are_as_pre_commit_wants_them() -> None:
    ran = pre_commit(ROOT, "validate-manifest", ".pre-commit-hooks.yaml")
    assert ran.returncode == 0, ran.stdout + ran.stderr


def recipes(kvlint: Path) -> str:
    """The recipes for CI, with a repository of kvlint in the place of theirs."""
    git(kvlint, "tag", "v0.1.0")
    text = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    return text.replace("https://example.com/kvlint", f"file://{kvlint}")


def test_a_hook_of_the_project_s_own(kvlint: Path, project: Path) -> None:
    chapter = recipes(kvlint).partition("## A hook of the project's own")[2]
    settings = chapter.partition("```yaml\n")[2].partition("```")[0]
    (project / ".pre-commit-config.yaml").write_text(settings)
    # By hand, and as vLLM's CI does.
    for stage in ([], ["--hook-stage", "manual"]):
        ran = pre_commit(project, "run", "--all-files", *stage)
        assert ran.returncode == 1, ran.stdout + ran.stderr
        assert "- hook id: kvlint\n- exit code: 1\n" in ran.stdout
        assert "ring.py:7:7: KV101 [*] error: `RingSpecs` inherits" in ran.stdout


def test_recipes_install_from_a_repository(kvlint: Path, tmp_path: Path) -> None:
    lines = re.findall(r"^ *- (pip install .*)$", recipes(kvlint), re.MULTILINE)
    assert len(lines) == 2 and len(set(lines)) == 1
    programs = tmp_path / "venv" / "bin"
    run(tmp_path, sys.executable, "-m", "venv", "venv")
    ran = run(tmp_path, "sh", "-ec", f"PATH={programs}:$PATH\n{lines[0]}\nkvlint rules")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.startswith("KV101  undelegated-member")
