# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The fixes that reports offer make of files what ``--fix`` makes of them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from report_fixes import Replacement, apply, of_rdjson, of_sarif
from rule_documents import STAND_IN, STAND_IN_PATH

from kvlint.cli import main

# An inherited width (KV101, safe), an inherited copier (KV105, unsafe), and a comment
# that silences nothing (KV901, safe) at the very end.
TEXT = """\
from dataclasses import dataclass

from vllm.v1.kv_cache_interface import KVCacheSpec


@dataclass(frozen=True)
class RingSpecs(KVCacheSpec):
    kv_cache_specs: dict[str, KVCacheSpec]


class LastSpecs(RingSpecs):
    é𐐀 = "é𐐀"; layers: list[KVCacheSpec]  # kvlint: ignore[KV104] é𐐀 of no use
"""
ASCII = TEXT.replace("é𐐀", "e")
LATIN = "# coding: latin-1\n" + TEXT.replace("𐐀", "")


def check(*arguments: str) -> str:
    ran = CliRunner().invoke(main, ["check", *arguments, "."])
    assert ran.exit_code in (0, 1), ran.output
    return ran.stdout


def from_sarif(options: list[str]) -> list[list[Replacement]]:
    (run,) = json.loads(check("--output-format=sarif", *options))["runs"]
    return of_sarif(run)


def from_rdjson(options: list[str]) -> list[list[Replacement]]:
    document: dict[str, Any] = json.loads(check("--output-format=rdjson", *options))
    return of_rdjson(document, Path.cwd())


READERS: dict[str, Callable[[list[str]], list[list[Replacement]]]] = {
    "utf-16-le": from_sarif,
    "utf-8": from_rdjson,
}


@pytest.mark.parametrize("units", READERS)
@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("a.py", TEXT.encode(), []),
        ("a.py", TEXT.rstrip("\n").encode(), ["--unsafe-fixes"]),
        ("a.py", TEXT.replace("\n", "\r\n").encode(), ["--unsafe-fixes"]),
        ("a.py", ASCII.replace("\n", "\r").encode(), []),
        ("a.py", ("\ufeff" + TEXT).encode(), ["--unsafe-fixes"]),
        ("a.py", ("\ufeff" + TEXT.partition("\n\n")[2]).encode(), []),
        ("a.py", LATIN.encode("latin-1"), []),
        ("größe 50%/𐐀#.py", TEXT.encode(), []),
    ],
)
def test_what_a_report_offers_is_what_fix_does(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    content: bytes,
    options: list[str],
    units: str,
) -> None:
    results = []
    for kind in ("mended", "applied"):
        folder = tmp_path / kind
        for path, data in ((STAND_IN_PATH, STAND_IN.encode()), (name, content)):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        (folder / "pyproject.toml").touch()
        monkeypatch.chdir(folder)
        if kind == "mended":
            check("--fix", *options)
        else:
            while fixes := READERS[units](options):
                assert apply(fixes, units)
        results.append((folder / name).read_bytes())
    mended, applied = results
    assert mended == applied != content


def test_a_path_that_is_no_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SARIF can name it; what reviewdog reads cannot."""
    folder = tmp_path / os.fsdecode(b"\xff")
    (folder / STAND_IN_PATH).parent.mkdir(parents=True)
    (folder / STAND_IN_PATH).write_text(STAND_IN)
    path = folder / os.fsdecode(b"b\xfe.py")
    path.write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    assert apply(from_sarif([]), "utf-16-le") > 0
    assert "def max_num_blocks_per_req" in path.read_text()
