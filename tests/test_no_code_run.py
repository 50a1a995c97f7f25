# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Nothing of a project is imported or run, and its configuration can do little.

``kvlint audit`` has a test of its own, in test_audit.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import ROOT
from rule_documents import STAND_IN, STAND_IN_PATH

MARK = "open({0!r}, 'a').write(__file__ + '\\n')\n"
SPECS = """\
from vllm.v1.kv_cache_interface import KVCacheSpec
class Pack(KVCacheSpec):
    layers: dict[str, KVCacheSpec]
"""
# What Python imports by itself, or kvlint would if it looked here first.
ALWAYS = [
    *("sitecustomize", "usercustomize", "conftest", "setup", "__main__"),
    *("click", "libcst", "packaging", "pathspec", "tomllib", "json", "typing"),
]
COMMANDS = {
    "check": ["check", "--exit-zero", "."],
    "check, a release": ["check", "--exit-zero", "--vllm-version", "0.33.0", "."],
    "check, sources": ["check", "--exit-zero", "--vllm-path", "vllm", "."],
    "fix": ["check", "--exit-zero", "--fix", "--unsafe-fixes", "."],
    "one file": ["check", "--exit-zero", "conftest.py", "plugin/specs.py"],
    "contract": ["contract", "show", "."],
    "export": ["contract", "export", "."],
    "upgrade": ["contract", "upgrade", "--from", "0.28.0", "--to", "0.29.0"],
}


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A project each of whose modules leaves a mark if it is run."""
    folder, mark = tmp_path / "project", MARK.format(str(tmp_path / "mark"))
    site = ".venv/lib/python3.11/site-packages"
    files = {
        **{f"{name}.py": mark for name in ALWAYS},
        "plugin/__init__.py": mark,
        "plugin/specs.py": mark + SPECS,
        "vllm/__init__.py": mark + "__version__ = '0.33.0'\n",
        "vllm/v1/__init__.py": mark,
        STAND_IN_PATH: mark + STAND_IN,
        ".venv/pyvenv.cfg": "home = /nowhere\n",
        ".venv/bin/python": "#!/bin/sh\ntouch ../mark\n",
        f"{site}/vllm/__init__.py": mark,
        f"{site}/sitecustomize.py": mark,
        f"{site}/evil.pth": f"import os; {mark}",
        "pyproject.toml": "[build-system]\n"
        'requires = []\nbuild-backend = "setup"\nbackend-path = ["."]\n'
        '[project]\nname = "x"\nversion = "1"\ndependencies = ["vllm==0.33.0"]\n',
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / ".venv/bin/python").chmod(0o755)
    return folder


def run(
    folder: Path, *arguments: str, **options: str
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **options}
    return subprocess.run(
        [sys.executable, "-m", "kvlint", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_nothing_of_a_project_is_run(arguments: list[str], hostile: Path) -> None:
    active = str(hostile / ".venv")
    ran = run(hostile, *arguments, VIRTUAL_ENV=active)
    assert "Traceback" not in ran.stderr
    assert ran.returncode in (0, 1), ran.stderr
    assert ran.stdout or ran.stderr
    mark = hostile.parent / "mark"
    assert not mark.exists(), mark.read_text()


def test_the_marks_would_be_left(hostile: Path) -> None:
    subprocess.run([sys.executable, "plugin/specs.py"], cwd=hostile, check=False)
    assert (hostile.parent / "mark").exists()


MISTAKES = {
    "odd types": "select = 1\nignore = [1.5]\nexclude = {}\nroots = [[]]\n"
    "vllm-path = 1979-05-27\nagreement = true\nper-file-ignores = [{}]\n",
    "odd values": 'select = ["KV1011", "os.system"]\nroots = ["a b", ""]\n'
    'agreement = "exec"\nfail-on = "never"\nvllm-version = "import os"\n',
    "a path that is not there": 'vllm-path = "/nowhere/../nowhere"\n',
    "nesting": "select = " + "[" * 5000 + "]" * 5000 + "\n",
    "no TOML": "select = [\x00\n",
    "keys without end": "".join(f"key{n} = 1\n" for n in range(20_000)),
    "a plug-in": 'plugins = ["os"]\nrequire = "x"\nload-plugins = ["x"]\n',
}


@pytest.mark.parametrize("text", MISTAKES.values(), ids=MISTAKES)
def test_a_configuration_that_makes_no_sense_is_refused(
    text: str, hostile: Path
) -> None:
    (hostile / "pyproject.toml").write_text(f"[tool.kvlint]\n{text}")
    ran = run(hostile, "check", ".")
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert "Traceback" not in ran.stderr
    assert str(hostile / "pyproject.toml") in ran.stderr
    assert not (hostile.parent / "mark").exists()


def test_a_configuration_chooses_rules_and_paths_and_nothing_else(
    hostile: Path,
) -> None:
    outside = hostile.parent / "outside"
    outside.mkdir()
    (outside / "specs.py").write_text(SPECS)
    (outside / "vllm" / "v1").mkdir(parents=True)
    (hostile / "pyproject.toml").write_text(
        f"""\
[tool.kvlint]
select = ["ALL"]
exclude = ["!../outside/**", "/../outside/", "{outside}/*.py", "~", "$HOME", "`id`"]
per-file-ignores = {{ "../outside/**" = ["ALL"], "{outside}/**" = ["ALL"] }}
wrapped-paths = ["../**", "{"a*" * 50}b"]
roots = ["os.system", "builtins.exec", "plugin.specs.Pack"]
vllm-path = "../outside"
check-tests = true
"""
    )
    ran = run(hostile, "check", "--fix", "--unsafe-fixes", "--exit-zero", ".")
    assert "Traceback" not in ran.stderr
    assert ran.returncode == 0, ran.stderr
    assert (outside / "specs.py").read_text() == SPECS
    assert not (hostile.parent / "mark").exists()


def test_a_large_configuration(hostile: Path) -> None:
    names = ", ".join(f'"{n}.py"' for n in range(50_000))
    (hostile / "pyproject.toml").write_text(f"[tool.kvlint]\nexclude = [{names}]\n")
    assert run(hostile, "check", "--exit-zero", ".").returncode == 0
