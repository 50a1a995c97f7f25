# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``check --since``: what a change brought is told, and nothing that was there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from repositories import Files, commit, git, repository, write
from rule_documents import STAND_IN, STAND_IN_PATH

from kvlint.cli import main

SHARED = {"pyproject.toml": "", STAND_IN_PATH: STAND_IN}
RING = """\
from dataclasses import dataclass

from vllm.v1.kv_cache_interface import KVCacheSpec


@dataclass(frozen=True)
class RingSpecs(KVCacheSpec):
    kv_cache_specs: dict[str, KVCacheSpec]

    def copy_with_new_block_size(self, block_size):
        raise NotImplementedError
"""
WIDTH = """
    def max_num_blocks_per_req(self, vllm_config, max_len):
        (width,) = {
            each.max_num_blocks_per_req(vllm_config, max_len)
            for each in self.kv_cache_specs.values()
        }
        return width
"""
MENDED = RING + WIDTH
BELL = RING.replace("RingSpecs", "BellSpecs")
HEADER = "class RingSpecs(KVCacheSpec):"
POP = """\
from vllm.v1.kv_cache_interface import KVCacheSpec


def common_size(specs: list[KVCacheSpec]) -> int:
    sizes = {spec.block_size for spec in specs}
    assert len(sizes) == 1
    return sizes.pop()
"""
POP_FUNCTION = POP.partition("\n\n\n")[2].replace("common", "shared")
WIDE = """
    @property
    def shards(self) -> int:
        return 1
"""
WIDE_BASE = STAND_IN.replace(
    "    def copy_with", WIDE.removeprefix("\n") + "\n    def copy_with"
)
WIDE_BOTH = WIDE_BASE.replace(
    "    state_bytes: int\n", "    state_bytes: int\n" + WIDE.replace("1", "2")
)
IN_CLASS = (
    POP.partition("def ")[0]
    + "class Runner:\n"
    + (textwrap.indent("def " + POP.partition("def ")[2], "    "))
)
BROKEN = "def f(:\n"

# What is committed first, what then changes, and what is told of it.
CASES: dict[str, tuple[Files, Files, list[str]]] = {
    "nothing changes": ({"a.py": RING}, {}, []),
    "another file changes": ({"a.py": RING}, {"b.py": "x = 1\n"}, []),
    "a fault is new": ({}, {"a.py": RING}, ["a.py KV101 RingSpecs"]),
    "a second fault is new": ({"a.py": RING}, {"b.py": BELL}, ["b.py KV101 BellSpecs"]),
    "a fault is gone": ({"a.py": RING}, {"a.py": MENDED}, []),
    "an override is taken away": (
        {"a.py": MENDED},
        {"a.py": RING},
        ["a.py KV101 RingSpecs"],
    ),
    "a base class of another file asks more": (
        {"a.py": MENDED},
        {STAND_IN_PATH: WIDE_BOTH},
        ["a.py KV101 RingSpecs"],
    ),
    "a base class asks more of a class with an old fault": (
        {"a.py": RING},
        {STAND_IN_PATH: WIDE_BOTH},
        ["a.py KV101 RingSpecs"],
    ),
    "a third class overrides what a composite has not": (
        {"a.py": RING},
        {
            STAND_IN_PATH: STAND_IN
            + "\n\nclass RowSpec(KVCacheSpec):\n"
            + "    def max_num_blocks_per_req(self, vllm_config, max_len):\n"
            + "        return 7\n"
        },
        ["a.py KV101 RingSpecs"],
    ),
    "one class less overrides it": (
        {
            "a.py": RING,
            "row.py": "from vllm.v1.kv_cache_interface import KVCacheSpec\n\n\n"
            "class RowSpec(KVCacheSpec):\n"
            "    def max_num_blocks_per_req(self, vllm_config, max_len):\n"
            "        return 7\n",
        },
        {"row.py": None},
        [],
    ),
    "its line changes": (
        {"a.py": RING},
        {"a.py": RING.replace(HEADER, HEADER + "  # rings")},
        ["a.py KV101 RingSpecs"],
    ),
    "its decorator changes": (
        {"a.py": RING},
        {"a.py": RING.replace("(frozen=True)", "(frozen=True, eq=True)")},
        ["a.py KV101 RingSpecs"],
    ),
    "a line of the class changes, not the first": (
        {"a.py": RING},
        {"a.py": RING.replace("raise NotImplementedError", "raise TypeError")},
        [],
    ),
    "lines move": ({"a.py": RING}, {"a.py": "import os\n\n\n" + RING}, []),
    "lines are wrapped": (
        {"a.py": RING},
        {"a.py": RING.replace("(KVCacheSpec):", "(\n    KVCacheSpec\n):")},
        ["a.py KV101 RingSpecs"],
    ),
    "blanks change": (
        {"a.py": RING},
        {"a.py": RING.replace("(KVCacheSpec):", "( KVCacheSpec ):")},
        [],
    ),
    "ends of lines change": ({"a.py": RING}, {"a.py": RING.replace("\n", "\r\n")}, []),
    "a file is renamed": ({"a.py": RING}, {"a.py": None, "b.py": RING}, []),
    "a package is renamed": (
        {"old/__init__.py": "", "old/a.py": RING, "old/b.py": "from old.a import *\n"},
        {
            "old/__init__.py": None,
            "old/a.py": None,
            "old/b.py": None,
            "new/__init__.py": "",
            "new/a.py": RING,
            "new/b.py": "from new.a import *\n",
        },
        [],
    ),
    "a class moves to another file": (
        {"a.py": RING, "b.py": MENDED.replace("Ring", "Bell")},
        {"a.py": "x = 1\n", "b.py": MENDED.replace("Ring", "Bell") + RING},
        [],
    ),
    "a class is copied": (
        {"a.py": RING},
        {"0.py": RING},
        ["0.py KV101 RingSpecs"],
    ),
    "a function is renamed": (
        {"a.py": POP},
        {"a.py": POP.replace("common", "shared")},
        [],
    ),
    "a class around a finding is renamed": (
        {"a.py": IN_CLASS},
        {"a.py": IN_CLASS.replace("Runner", "Worker")},
        [],
    ),
    "a function is copied in its file": (
        {"a.py": POP},
        {"a.py": POP + "\n\n" + POP_FUNCTION},
        ["a.py KV210 shared_size"],
    ),
    "one is mended, and another says the same": (
        {"a.py": POP},
        {"a.py": POP.replace("assert len(sizes) == 1", "pass") + "\n\n" + POP_FUNCTION},
        ["a.py KV210 shared_size"],
    ),
    "a suppression goes": (
        {"a.py": RING.replace(HEADER, HEADER + "  # kvlint: ignore[KV101] why not")},
        {"a.py": RING},
        ["a.py KV101 RingSpecs"],
    ),
    "a suppression comes": (
        {"a.py": RING},
        {"a.py": RING.replace(HEADER, HEADER + "  # kvlint: ignore[KV101] why not")},
        [],
    ),
    "a suppression is no more of use": (
        {
            "a.py": RING.replace(HEADER, HEADER + "  # kvlint: ignore[KV101] why not"),
            "b.py": "x = 1  # kvlint: ignore[KV101] never was\n",
        },
        {"a.py": MENDED.replace(HEADER, HEADER + "  # kvlint: ignore[KV101] why not")},
        ["a.py KV901 "],
    ),
    "what stands for vLLM is deleted with what it broke": (
        {"a.py": RING},
        {"a.py": None},
        [],
    ),
    "an ignored file": ({".gitignore": "gen/\n"}, {"gen/a.py": RING}, []),
    "a rule is turned on": (
        {"a.py": RING, "pyproject.toml": "[tool.kvlint]\nignore = ['KV101']\n"},
        {"pyproject.toml": ""},
        [],
    ),
    "a folder is let in": (
        {"old/a.py": RING, "pyproject.toml": "[tool.kvlint]\nexclude = ['old']\n"},
        {"pyproject.toml": ""},
        [],
    ),
    "a file takes a folder's place": (
        {"m/a.py": RING, "m/b.py": BELL},
        {"m/a.py": None, "m/b.py": None, "m.py": RING},
        [],
    ),
    "a folder named as a file": (
        {"m.py": RING},
        {"m.py": None, "m.py/a.py": RING},
        [],
    ),
}


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings of the user's git."""
    for name in ("GLOBAL", "SYSTEM"):
        monkeypatch.setenv(f"GIT_CONFIG_{name}", os.devnull)


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One repository in which every case is a project of its own."""
    top = repository(tmp_path_factory.mktemp("cases"), {})
    for name, (before, _, _) in CASES.items():
        write(top / name, {**SHARED, **before})
    commit(top, {})
    return top


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = repository(tmp_path / "here", SHARED)
    monkeypatch.chdir(made)
    return made


def kvlint(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=stdin)


def told(*arguments: str) -> list[str]:
    """Return the path, code and class or function of each finding."""
    ran = kvlint("check", "--since=main", "--output-format=json", *arguments)
    document = json.loads(ran.stdout)
    assert not document["errors"], document["errors"]
    return [
        "{path} {code} {symbol}".format(**each)
        .removesuffix(".max_num_blocks_per_req" if "KV101" in each["code"] else "\0")
        .removesuffix(".shards")
        for each in document["findings"]
    ]


def unstaged(folder: Path) -> None:
    """Leave everything in the working tree."""


def staged(folder: Path) -> None:
    git(folder, "add", "--all")


def committed(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "change")


@pytest.mark.parametrize("name", CASES)
def test_what_is_told(name: str, cases: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, change, expected = CASES[name]
    write(cases / name, change)
    monkeypatch.chdir(cases / name)
    try:
        assert told() == expected
    finally:
        git(cases, "reset", "--quiet", "--hard")
        git(cases, "clean", "--quiet", "-dffx")


@pytest.mark.parametrize("how", [unstaged, staged, committed])
def test_the_working_tree_belongs_to_the_change(
    how: Callable[[Path], None], folder: Path
) -> None:
    commit(folder, {"a.py": RING, "b.py": MENDED.replace("Ring", "Bell")})
    git(folder, "switch", "--quiet", "--create", "change")
    write(folder, {"b.py": BELL, "c.py": RING.replace("Ring", "Gong")})
    how(folder)
    assert told() == ["b.py KV101 BellSpecs", "c.py KV101 GongSpecs"]


def changed(folder: Path, before: Files, change: Files) -> None:
    """Commit files on main, and change them in the working tree of a branch."""
    commit(folder, before)
    git(folder, "switch", "--quiet", "--create", "change")
    write(folder, change)


@pytest.mark.parametrize("name", ["main", "v1", "@{-1}", "HEAD", "tagged^{}"])
def test_revisions(name: str, folder: Path) -> None:
    changed(folder, {"a.py": RING}, {"b.py": BELL})
    git(folder, "tag", "v1", "main")
    git(folder, "tag", "--annotate", "--message", "x", "tagged", "main")
    ran = kvlint("check", "--since", name, "--output-format=concise")
    assert ran.stdout.startswith("b.py:7:7: KV101 error"), ran.output
    assert ran.stdout.count("\n") == 1


def test_the_change_begins_at_the_merge_base(folder: Path) -> None:
    changed(folder, {}, {"b.py": BELL})
    git(folder, "switch", "--quiet", "main")
    commit(folder, {"a.py": RING, STAND_IN_PATH: WIDE_BOTH})
    git(folder, "switch", "--quiet", "change")
    commit(folder, {"b.py": BELL})
    assert told() == ["b.py KV101 BellSpecs"]


def test_paths_folders_and_projects_below(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = {f"deep/{path}": text for path, text in SHARED.items()}
    old = {"deep/old/a.py": RING, "deep/new/c.py": MENDED.replace("Ring", "Gong")}
    changed(
        folder,
        {"pyproject.toml": "", STAND_IN_PATH: None, **below, **old},
        {"deep/new/b.py": BELL, "deep/new/c.py": RING.replace("Ring", "Gong")},
    )
    assert told("deep/old") == []
    assert told("deep/new/b.py") == ["deep/new/b.py KV101 BellSpecs"]
    monkeypatch.chdir(folder / "deep" / "old")
    assert told() == []
    both = ["../new/b.py KV101 BellSpecs", "../new/c.py KV101 GongSpecs"]
    assert told("..") == both
    link = folder.parent / "link"
    link.symlink_to(folder / "deep")
    ran = kvlint("check", "--since=main", str(link))
    assert ran.exit_code == 2
    assert f"error: --since: a symlink leads to {link} in {folder};" in ran.stderr


def test_a_worktree_and_a_link_to_the_repository(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(folder, {"a.py": RING})
    git(folder, "worktree", "add", "--quiet", "-b", "change", "../tree")
    write(folder.parent / "tree", {"b.py": BELL})
    (folder.parent / "link").symlink_to(folder.parent / "tree")
    for name in ("tree", "link"):
        monkeypatch.chdir(folder.parent / name)
        assert told() == ["b.py KV101 BellSpecs"]


def test_only_what_is_told_is_mended(folder: Path) -> None:
    changed(folder, {"a.py": RING, "b.py": "x = 1\n"}, {"b.py": BELL})
    ran = kvlint("check", "--since=main", "--fix")
    assert (ran.exit_code, ran.stdout) == (0, "")
    assert "1 mended, 0 remaining" in ran.stderr
    assert "def max_num_blocks_per_req" in Path("b.py").read_text()
    assert git(folder, "status", "--short") == " M b.py\n"


def test_what_a_fix_shifts_stays_old(folder: Path) -> None:
    changed(folder, {"a.py": MENDED + BELL}, {"a.py": RING + BELL})
    patch = kvlint("check", "--since=main", "--diff").stdout
    assert patch.count("+    def max_num_blocks_per_req(") == 1
    assert kvlint("check", "--since=main", "--fix").exit_code == 0
    assert kvlint("check").stdout.count("KV101") == 1


def test_standard_input_is_a_change(folder: Path) -> None:
    commit(folder, {"a.py": MENDED, "b.py": BELL})
    for name, text, expected in [
        ("a.py", RING, 1),
        ("a.py", MENDED, 0),
        ("b.py", "\n" + BELL, 0),
        ("new.py", RING, 1),
        ("moved/b.py", BELL, 1),
    ]:
        ran = kvlint("check", "--since=main", "-", "--stdin-filename", name, stdin=text)
        assert ran.exit_code == expected, (name, ran.output)


def test_a_file_that_does_not_parse(folder: Path) -> None:
    changed(folder, {"a.py": BROKEN}, {"b.py": "x = 1\n"})
    assert told() == []
    write(folder, {"a.py": BROKEN + "\n"})
    ran = kvlint("check", "--since=main")
    assert ran.exit_code == 2
    assert "KV900" in ran.stdout


@pytest.mark.parametrize(
    ("before", "change"),
    [
        (
            {"pyproject.toml": "[tool.kvlint]\nvllm-version = '0.25.1'\n"},
            {"pyproject.toml": "[tool.kvlint]\nvllm-version = '0.26.0'\n"},
        ),
        (
            {"pyproject.toml": "[project]\ndependencies = ['vllm==0.25.1']\n"},
            {"pyproject.toml": "", "requirements/a.txt": "vllm==0.26.0\n"},
        ),
        (
            {"requirements.txt": "vllm==0.25.1\n", "pyproject.toml": None},
            {"pyproject.toml": "[tool.kvlint]\nvllm-version = '0.26.0'\n"},
        ),
    ],
)
def test_a_bump_of_vllm_is_a_change(
    before: Files, change: Files, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    changed(folder, {STAND_IN_PATH: None, "a.py": RING, **before}, change)
    assert told("--select=KV101") == ["a.py KV101 RingSpecs"]
    assert told("--select=KV101", "--vllm-version=0.26.0") == []


def test_a_base_for_a_vllm_that_nobody_knows(folder: Path) -> None:
    old = {"pyproject.toml": "[project]\ndependencies = ['vllm==0.1']\n"}
    changed(folder, {STAND_IN_PATH: None, "a.py": RING, **old}, {"pyproject.toml": ""})
    ran = kvlint("check", "--since=main")
    assert ran.exit_code == 2
    assert "error: --since: the base " in ran.stderr
    assert "cannot be checked: pyproject.toml: ==0.1 admits none of the" in ran.stderr


def test_submodules_are_left_alone(folder: Path) -> None:
    other = repository(folder.parent / "other", {"a.py": RING})
    allowed = ("-c", "protocol.file.allow=always")
    git(folder, *allowed, "submodule", "--quiet", "add", str(other), "sub")
    changed(folder, {}, {"b.py": BELL, "sub/a.py": RING + "\n\n", "sub/c.py": RING})
    assert told() == ["b.py KV101 BellSpecs"]


@pytest.mark.parametrize(
    ("arguments", "stderr"),
    [
        (["--since=nowhere"], 'there is no commit "nowhere"; name a branch, tag or'),
        (["--since="], 'there is no commit ""'),
        (["--since=--all"], 'there is no commit "--all"'),
        (["--since=-x"], 'there is no commit "-x"'),
        (["--since", "--output=/x"], 'there is no commit "--output=/x"'),
        (["--since=main..HEAD"], 'there is no commit "main..HEAD"'),
        (["--since=main\nHEAD"], 'there is no commit "main HEAD"'),
        (["--since=main:a.py"], 'there is no commit "main:a.py"'),
        (["--since=lonely"], 'HEAD and "lonely" have no commit in common'),
    ],
)
def test_bad_revisions(arguments: list[str], stderr: str, folder: Path) -> None:
    commit(folder, {"a.py": RING})
    git(folder, "switch", "--quiet", "--orphan", "lonely")
    commit(folder, {"a.py": RING})
    git(folder, "switch", "--quiet", "main")
    ran = kvlint("check", *arguments)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert " ".join(ran.stderr.split()).startswith(f"error: --since: {stderr}")


def test_a_branch_on_which_nothing_is_committed(folder: Path) -> None:
    git(folder, "switch", "--quiet", "--orphan", "fresh")
    ran = kvlint("check", "--since=main")
    assert ran.stderr == "error: --since: nothing is committed here yet\n"


def test_no_repository_no_commit_no_working_tree_no_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    (tmp_path / "plain").mkdir()
    monkeypatch.chdir(tmp_path / "plain")
    assert "error: --since: not a git repository" in kvlint("check", "--since=x").stderr
    git(Path.cwd(), "init", "--quiet", "--initial-branch=main")
    assert 'no commit "main"' in kvlint("check", "--since=main").stderr
    git(tmp_path, "init", "--quiet", "--bare", "bare")
    monkeypatch.chdir(tmp_path / "bare")
    assert "run in a work tree" in kvlint("check", "--since=main").stderr
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    ran = kvlint("check", "--since=main")
    assert ran.exit_code == 2
    assert ran.stderr.startswith("error: --since: git cannot be run: No such file")


def test_a_clone_without_the_base(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed(folder, {"a.py": RING}, {"b.py": BELL})
    committed(folder)
    origin = folder.as_uri()
    for name, options in [
        ("shallow", ["--depth=1", "--no-single-branch"]),
        ("single", ["--depth=1"]),
    ]:
        git(tmp_path, "clone", "--quiet", *options, "-b", "change", origin, name)
        monkeypatch.chdir(tmp_path / name)
        ran = kvlint("check", "--since=origin/main")
        assert (ran.exit_code, ran.stdout) == (2, "")
        assert "this clone is shallow: fetch it: `git fetch --unshallow`" in ran.stderr
        assert ran.stderr.count("\n") == 1
    git(Path.cwd(), "remote", "set-branches", "origin", "*")
    git(Path.cwd(), "fetch", "--quiet", "--unshallow")
    ran = kvlint("check", "--since=origin/main", "--output-format=concise")
    assert ran.stdout.startswith("b.py:7:7: KV101 error")
    git(folder, "config", "uploadpack.allowFilter", "true")
    partial = ["--filter=blob:none", "--no-checkout"]
    git(tmp_path, "clone", "--quiet", *partial, "-b", "change", origin, "partial")
    monkeypatch.chdir(tmp_path / "partial")
    git(Path.cwd(), "checkout", "--quiet", "change")
    write(Path.cwd(), {"a.py": BELL})
    git(Path.cwd(), "gc", "--quiet")
    shutil.rmtree(".git/objects")
    shutil.copytree(folder / ".git" / "objects", ".git/objects")
    blob = git(folder, "rev-parse", "main:a.py").strip()
    Path(".git/objects", blob[:2], blob[2:]).unlink()
    ran = kvlint("check", "--since=origin/main")
    assert ran.exit_code == 2
    assert "this clone is partial and lacks files of the base" in ran.stderr


def test_nothing_that_a_repository_names_is_run(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(folder, {"a.py": RING, ".gitattributes": "*.py filter=f diff=d\n"})
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\necho \"$0 $*\" >>'{tmp_path}/sprung'\ncat\n")
    trap.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "diff.external",
        "diff.d.textconv",
        "diff.d.command",
        "filter.f.clean",
        "filter.f.process",
        "filter.f.smudge",
        "filter.g.h.clean",
        "uploadpack.packObjectsHook",
    ):
        git(folder, "config", key, str(trap))
    git(folder, "config", "core.hooksPath", str(tmp_path / "hooks"))
    git(folder, "config", "filter.f.required", "true")
    git(folder, "config", "alias.diff-index", f"!{trap}")
    for hook in ("post-index-change", "fsmonitor-watchman", "reference-transaction"):
        (tmp_path / "hooks").mkdir(exist_ok=True)
        shutil.copy(trap, tmp_path / "hooks" / hook)
    write(folder, {"a.py": RING, "b.py": BELL, "c.py": RING})
    for name in ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_SSH_COMMAND"):
        monkeypatch.setenv(name, str(trap))
    # What would be committed now, and not long ago: git has to look inside to compare.
    os.utime("a.py", ns=(Path(".git/index").stat().st_mtime_ns,) * 2)
    assert told("a.py", "b.py") == ["b.py KV101 BellSpecs"]
    assert not (tmp_path / "sprung").exists()
    subprocess.run(["git", "diff"], capture_output=True, check=False)
    assert (tmp_path / "sprung").exists()


def test_a_filter_that_cannot_be_turned_off(folder: Path) -> None:
    git(folder, "config", "filter.a=b.clean", "cat")
    ran = kvlint("check", "--since=main")
    assert ran.exit_code == 2
    assert "cannot be turned off" in ran.stderr


def test_variables_that_git_sets_for_its_hooks(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repository(tmp_path / "other", {"z.py": "z = 1\n"})
    changed(folder, {"a.py": RING}, {"b.py": BELL})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    assert told() == ["b.py KV101 BellSpecs"]


def test_nothing_is_left_behind(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    changed(folder, {"a.py": MENDED}, {STAND_IN_PATH: WIDE_BOTH})
    before = sorted(Path().rglob("*"))
    assert told() == ["a.py KV101 RingSpecs"]
    assert sorted(Path().rglob("*")) == before
    assert not any((tmp_path / "scratch").iterdir())


def test_it_tells_what_it_compares_with(folder: Path) -> None:
    base = commit(folder, {"a.py": RING})
    ran = kvlint("check", "--since=main", "--verbose")
    note = f"note: --since main: left out 1 that {base[:12]} has too, where the change"
    assert note in ran.stderr
    assert ran.stderr.endswith("All checks passed!\n")
