# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The README shows what the tool prints."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from command import check
from corpus import bring

from kvlint.output import FORMATS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FENCES = re.findall(r"```(\w+)\n(.*?)```", README, re.DOTALL)


def printed(*arguments: str) -> str:
    command = [sys.executable, "-m", "kvlint", "check", *arguments]
    ran = subprocess.run(
        command, cwd=bring("vllm==0.27.1"), capture_output=True, text=True, check=False
    )
    return ran.stdout


def test_the_example_has_one_fault() -> None:
    ran = check(ROOT / "examples")
    assert [each["code"] for each in ran.findings] == ["KV101"]


@pytest.mark.corpus
def test_the_finding_is_real() -> None:
    shown = next(text for kind, text in FENCES if kind == "text")
    assert printed("--select", "KV101", "vllm").startswith(shown)


@pytest.mark.corpus
def test_the_diff_is_real() -> None:
    shown = next(text for kind, text in FENCES if kind == "diff")
    assert printed("--select", "KV101", "--diff", "vllm") == shown


def test_the_layout_names_modules_that_there_are() -> None:
    names = re.findall(r"^    (\S+(?:, \S+)*) {2,}", README, re.MULTILINE)
    assert names
    for name in ", ".join(names).split(", "):
        assert (ROOT / "kvlint" / name).exists(), name


def test_every_output_format_is_told() -> None:
    section = README.partition("### Output formats\n")[2].partition("\n### ")[0]
    rows = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
    assert re.findall(r"`(\w+)`", " ".join(rows)) == list(FORMATS)
