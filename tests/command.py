# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Run ``kvlint check`` as a user does, in a process of its own, and read its JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
_ENVIRONMENTS = ("VIRTUAL_ENV", "CONDA_PREFIX")


@dataclass(frozen=True)
class Ran:
    """What a run of ``kvlint check --output-format json`` said.

    Attributes:
        code: The exit code.
        document: Standard output, decoded.
        stderr: Standard error.
    """

    code: int
    document: dict[str, Any]
    stderr: str

    @property
    def findings(self) -> list[dict[str, Any]]:
        """The findings."""
        found: list[dict[str, Any]] = self.document["findings"]
        return found

    @property
    def errors(self) -> list[dict[str, Any]]:
        """What could not be done."""
        errors: list[dict[str, Any]] = self.document["errors"]
        return errors

    def of(self, code: str) -> list[tuple[str, str]]:
        """Return the symbol and the severity of each finding of a rule, sorted."""
        chosen = [each for each in self.findings if each["code"] == code]
        return sorted((each["symbol"], each["severity"]) for each in chosen)


def check(folder: Path, *arguments: str | Path) -> Ran:
    """Run the check in a folder, with no vLLM but the one that is told.

    Args:
        folder: The working directory.
        arguments: Further options, and paths.
    """
    environment = {
        name: value for name, value in os.environ.items() if name not in _ENVIRONMENTS
    }
    environment["PYTHONPATH"] = str(ROOT)
    ran = subprocess.run(
        [sys.executable, "-m", "kvlint", "check", "--output-format=json", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert ran.stdout.startswith("{"), f"no JSON, exit {ran.returncode}: {ran.stderr}"
    return Ran(ran.returncode, json.loads(ran.stdout), ran.stderr)
