# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Small git repositories for tests, untouched by what the user's own git is set to."""

from __future__ import annotations

import os
import shutil
import subprocess
import textwrap
from collections.abc import Mapping
from pathlib import Path

Files = Mapping[str, str | bytes | None]
"""Contents by path, indented as one likes; None for a file that is taken away."""


def environment() -> dict[str, str]:
    """Return the environment with nothing of the user's git in it."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    people = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "Somebody"), ("EMAIL", "somebody@example.org"))
    }
    nowhere = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    return {**kept, **people, **nowhere}


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> str:
    """Run git in a folder and return what it prints; it must succeed."""
    ran = subprocess.run(
        ["git", "-c", "core.compression=0", "-c", "gc.auto=0", *arguments],
        cwd=folder,
        env=environment(),
        input=stdin,
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr.decode()
    return ran.stdout.decode()


def write(folder: Path, files: Files) -> None:
    """Write files into a folder, or take them away."""
    for name, content in files.items():
        path = folder / name
        if content is None:
            path.unlink()
            if not any(path.parent.iterdir()):
                path.parent.rmdir()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            content = textwrap.dedent(content).encode()
        path.write_bytes(content)


def commit(folder: Path, files: Files) -> str:
    """Write files, commit all that is there, and return the commit's hash."""
    write(folder, files)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "a commit")
    return git(folder, "rev-parse", "HEAD").strip()


def repository(folder: Path, files: Files) -> Path:
    """Return a new repository, with files in its first commit, on branch main."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", "--initial-branch", "main")
    commit(folder, files)
    return folder


def turn_into(folder: Path, tree: Path) -> None:
    """Make the working tree of a repository that of another folder, and commit it."""
    for each in folder.iterdir():
        if each.name != ".git":
            shutil.rmtree(each) if each.is_dir() else each.unlink()
    shutil.copytree(tree, folder, dirs_exist_ok=True, symlinks=True)
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--message", tree.name)
