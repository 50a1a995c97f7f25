# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What fixes did to a copy of released sources, and what the formatter says of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def changed(before: Path, after: Path) -> list[str]:
    """The files of a copy that are not as they were, or new."""
    return [
        path.relative_to(after).as_posix()
        for path in after.rglob("*")
        if path.is_file()
        and path.read_bytes() != (before / path.relative_to(after)).read_bytes()
    ]


def ruff_formats(path: Path) -> bool:
    """Whether the formatter leaves a file or a folder alone, as configured there."""
    return ruff("format", "--no-cache", "--check", path) == ""


def ruff_check(path: Path, *options: str) -> str:
    """What ruff's linter says, as configured there."""
    return ruff("check", "--no-cache", "--quiet", *options, path)


def ruff(*arguments: str | Path) -> str:
    """What ruff says if it is not content, else nothing."""
    ran = subprocess.run(
        [sys.executable, "-m", "ruff", *arguments], capture_output=True, text=True
    )
    return ran.stdout + ran.stderr if ran.returncode else ""
