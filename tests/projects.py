# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Small projects for tests: files in a folder, and what kvlint says of them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

from rule_documents import STAND_IN, STAND_IN_PATH

from kvlint.reports import Report
from kvlint.running import Options, run

PRELUDE = """\
from dataclasses import dataclass, field, replace
from typing import *
from collections.abc import Mapping, Sequence
from vllm.v1.kv_cache_interface import (
    AttentionSpec, FullAttentionSpec, KVCacheGroupSpec, KVCacheSpec, MambaSpec
)
"""


def write_project(folder: Path, files: Mapping[str, str]) -> None:
    """Write a project with a stand-in of vLLM's module of specs.

    Args:
        folder: An empty folder.
        files: Texts by path, indented as one likes.
    """
    texts = {
        "pyproject.toml": "",
        "vllm/__init__.py": "",
        "vllm/v1/__init__.py": "",
        STAND_IN_PATH: STAND_IN,
        **files,
    }
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(textwrap.dedent(text), encoding="utf-8")


def check_project(folder: Path, *paths: str, **options: object) -> Report:
    """Check a folder, or some paths in it, as the command line would."""
    wanted = tuple(folder / path for path in paths) or (folder,)
    return run(Options(paths=wanted, **options), folder).report  # type: ignore[arg-type]


def symbols(report: Report, code: str) -> list[str]:
    """Return the symbols that a rule reports, sorted."""
    return sorted(each.symbol for each in report.findings if each.code == code)
