# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``check --diff``: one patch, which git takes and which does what ``--fix`` does."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from repositories import git, repository, write
from rule_documents import STAND_IN, STAND_IN_PATH

from kvlint.cli import main

RING = """\
from dataclasses import dataclass

from vllm.v1.kv_cache_interface import KVCacheSpec


@dataclass(frozen=True)
class RingSpecs(KVCacheSpec):
    kv_cache_specs: dict[str, KVCacheSpec]
"""
CODING = f"# coding: latin-1\n# \xe4\xf6\xfc\n{RING}"
FILES = {
    "plain.py": RING.encode(),
    "crlf.py": RING.replace("\n", "\r\n").encode(),
    "mixed.py": RING.replace("\n", "\r\n", 3).encode(),
    "last.py": RING.rstrip("\n").encode(),
    "last_crlf.py": RING.rstrip("\n").replace("\n", "\r\n").encode(),
    "bom.py": b"\xef\xbb\xbf" + RING.encode(),
    "latin.py": CODING.encode("latin-1"),
    "latin_crlf.py": CODING.replace("\n", "\r\n").encode("latin-1"),
    "tabs.py": RING.replace("    ", "\t").encode(),
    "blanks.py": RING.replace("\n", " \n").encode(),
    "separators.py": RING.replace("@", "# \x0c \x1c \u2028\n@").encode(),
    "deep/er/a.py": RING.encode(),
    "a b/c d.py": RING.encode(),
    " lead.py": RING.encode(),
    'quo"te.py': RING.encode(),
    "back\\slash.py": RING.encode(),
    "tab\tand\nline.py": RING.encode(),
    "größe 漢字.py": RING.encode(),
    "-dash.py": RING.encode(),
    "a\x7fb.py": RING.encode(),
    os.fsdecode(b"\xff\xfe.py"): RING.encode(),
}
SHARED = {"pyproject.toml": "", STAND_IN_PATH: STAND_IN}


def kvlint(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def contents(folder: Path) -> dict[Path, bytes]:
    return {each: each.read_bytes() for each in folder.rglob("*.py")}


@pytest.mark.parametrize(
    ("options", "names", "attributes"),
    [
        (["--fix"], [*FILES], ""),
        (["--fix", "--unsafe-fixes"], ["plain.py", "mixed.py"], ""),
        (["--add-ignore=so be it"], ["plain.py", "crlf.py", "last.py", "bom.py"], ""),
        (["--fix"], ["plain.py", "crlf.py", "mixed.py"], "*.py text eol=crlf\n"),
        (["--fix"], ["plain.py", "crlf.py", "mixed.py"], "*.py text=auto\n"),
    ],
)
def test_git_takes_all_of_it(
    options: list[str],
    names: list[str],
    attributes: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = repository(tmp_path / "here", SHARED)
    files = {name: FILES[name] for name in names}
    write(folder, {**files, ".gitattributes": attributes})
    before = contents(folder)
    monkeypatch.chdir(folder)
    patch = kvlint("check", "--diff", *options).stdout_bytes
    assert contents(folder) == before
    kvlint("check", *options)
    mended = contents(folder)
    assert {each for each in before if before[each] != mended[each]} == {
        folder / name for name in files
    }
    write(folder, files)
    git(folder, "apply", "--check", "-", stdin=patch)
    git(folder, "apply", "-", stdin=patch)
    applied = contents(folder)
    if "crlf" in attributes:  # then git ends the lines of what it writes
        mended, applied = map(with_line_feeds, (mended, applied))
    assert applied == mended


def with_line_feeds(files: dict[Path, bytes]) -> dict[Path, bytes]:
    return {path: text.replace(b"\r\n", b"\n") for path, text in files.items()}


def test_git_takes_it_in_the_folder_where_kvlint_ran(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = repository(tmp_path / "here", SHARED)
    names = ["ring/a.py", "ring/deep/b.py", "c.py"]
    write(folder, dict.fromkeys(names, RING))
    monkeypatch.chdir(folder / "ring")
    patch = kvlint("check", "--diff").stdout_bytes
    git(folder / "ring", "apply", "-", stdin=patch)
    changed = [x for x in names if "def max_num" in (folder / x).read_text()]
    assert changed == ["ring/a.py", "ring/deep/b.py"]


def test_a_folder_in_one_of_the_same_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = repository(tmp_path / "here", SHARED)
    write(folder, {"ring/ring/a.py": RING})
    monkeypatch.chdir(folder / "ring")
    patch = kvlint("check", "--diff").stdout_bytes
    git(folder / "ring", "apply", "-p1", "-", stdin=patch)
    assert "def max_num" in Path("ring/a.py").read_text()


def test_it_needs_no_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {**SHARED, "a.py": RING})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    patch = kvlint("check", "--diff").stdout_bytes
    subprocess.run(["git", "apply", "-"], input=patch, check=True)
    assert "def max_num" in Path("a.py").read_text()


def test_nothing_to_mend_is_no_patch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = repository(tmp_path, {**SHARED, "a.py": "x = 1\n"})
    monkeypatch.chdir(folder)
    patch = kvlint("check", "--diff").stdout_bytes
    assert patch == b""
    git(folder, "apply", "--allow-empty", "-", stdin=patch)
