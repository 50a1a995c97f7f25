# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``kvlint baseline`` and ``check --baseline``: what is known is not told again."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from repositories import commit, git, repository, write
from rule_documents import STAND_IN, STAND_IN_PATH

from kvlint.cli import main

RING = """\
from dataclasses import dataclass

from vllm.v1.kv_cache_interface import KVCacheSpec


@dataclass(frozen=True)
class RingSpecs(KVCacheSpec):
    kv_cache_specs: dict[str, KVCacheSpec]
"""
BELL = RING.replace("Ring", "Bell")
POP = """\
from vllm.v1.kv_cache_interface import KVCacheSpec


def common_size(specs: list[KVCacheSpec]) -> int:
    sizes = {spec.block_size for spec in specs}
    assert len(sizes) == 1
    sizes.pop()
    sizes = {spec.page_size_bytes for spec in specs}
    assert len(sizes) == 1
    return sizes.pop()
"""
FILE = "kvlint-baseline.json"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    write(folder, {"pyproject.toml": "", STAND_IN_PATH: STAND_IN, "a.py": RING})
    monkeypatch.chdir(folder)
    return folder


def kvlint(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def told(*arguments: str) -> list[str]:
    """Return the path and code of each finding."""
    ran = kvlint("check", "--output-format=json", *arguments)
    return ["{path} {code}".format(**x) for x in json.loads(ran.stdout)["findings"]]


def entries(path: str = FILE) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(Path(path).read_text())["findings"]
    return found


def test_it_is_written_for_people_and_for_git() -> None:
    write(Path(), {"b/b.py": BELL})
    ran = kvlint("baseline")
    assert (ran.exit_code, ran.stdout) == (0, "")
    assert ran.stderr == f"Wrote 4 findings to {FILE}: 4 new, 0 gone.\n"
    text = Path(FILE).read_text()
    lines = text.splitlines()
    assert lines[:3] == ["{", '  "version": 1,', '  "findings": [']
    assert lines[-2:] == ["  ]", "}"]
    one = json.loads(lines[3].removesuffix(","))
    assert list(one) == ["rule", "path", "symbol", "fingerprint", "message"]
    assert one["symbol"] == "RingSpecs.max_num_blocks_per_req"
    assert one["message"].startswith("`RingSpecs` inherits")
    assert [(each["path"], each["rule"]) for each in entries()] == [
        ("a.py", "KV101"),
        ("a.py", "KV105"),
        ("b/b.py", "KV101"),
        ("b/b.py", "KV105"),
    ]
    kvlint("baseline")
    assert Path(FILE).read_text() == text


def test_what_it_has_is_not_told() -> None:
    kvlint("baseline")
    ran = kvlint("check", f"--baseline={FILE}")
    assert (ran.exit_code, ran.output) == (0, "All checks passed!\n")
    write(Path(), {"a.py": "import os\n\n\n" + RING.replace("(frozen=True)", "")})
    assert "a.py KV101" not in told(f"--baseline={FILE}")
    write(Path(), {"b.py": BELL})
    assert told(f"--baseline={FILE}", "--select=KV101") == ["b.py KV101"]
    patch = kvlint("check", f"--baseline={FILE}", "--select=KV101", "--diff").stdout
    assert "+++ b/b.py" in patch
    assert "a.py" not in patch
    kvlint("check", f"--baseline={FILE}", "--select=KV101", "--fix")
    assert "def max_num" in Path("b.py").read_text()
    assert "def max_num" not in Path("a.py").read_text()


def test_what_is_alike_is_counted() -> None:
    write(Path(), {"a.py": POP})
    kvlint("baseline", "--select=KV210")
    assert [each["fingerprint"][-2:] for each in entries()] == [":1", ":2"]
    again = POP + POP.partition("return")[0].partition("int:\n")[2]
    write(Path(), {"a.py": again})
    assert told(f"--baseline={FILE}", "--select=KV210") == ["a.py KV210"]
    write(Path(), {"a.py": POP.replace("assert", "if 1: assert", 1)})
    ran = kvlint("check", f"--baseline={FILE}", "--select=KV210")
    assert "1 entry found no more" in ran.stderr


def test_what_has_gone_is_told() -> None:
    write(Path(), {"b.py": BELL, "c.py": BELL.replace("Bell", "Gong")})
    kvlint("baseline", "--select=KV101")
    write(Path(), {"b.py": None, "c.py": "x = 1\n"})
    for options in (["--output-format=json"], ["--select=KV101"], []):
        ran = kvlint("check", f"--baseline={FILE}", "--ignore=KV105", *options)
        assert ran.exit_code == 0
        assert ran.stderr.startswith(
            f"note: {FILE}: 2 entries found no more; `kvlint baseline` writes it anew\n"
            "note: found no more: b.py KV101 BellSpecs.max_num_blocks_per_req\n"
            "note: found no more: c.py KV101 GongSpecs.max_num_blocks_per_req\n"
        )
    assert "no more" not in kvlint("check", f"--baseline={FILE}", "--quiet").stderr
    ran = kvlint("baseline", "--select=KV101")
    assert ran.stderr == f"Wrote 1 finding to {FILE}: 0 new, 2 gone.\n"
    assert [each["path"] for each in entries()] == ["a.py"]


@pytest.mark.parametrize(
    "arguments",
    [["b.py"], ["--select=KV105"], ["--ignore=KV101"], ["--config=other.toml"]],
)
def test_what_is_not_looked_for_is_not_gone(arguments: list[str]) -> None:
    config = "[tool.kvlint.per-file-ignores]\n'a.py' = ['KV101']\n"
    write(Path(), {"b.py": "x = 1\n", "other.toml": config})
    kvlint("baseline")
    before = entries()
    write(Path(), {"a.py": RING.replace(": dict", ":  dict")})
    assert "no more" not in kvlint("check", f"--baseline={FILE}", *arguments).stderr
    write(Path(), {"a.py": "x = 1\n"})
    ran = kvlint("check", f"--baseline={FILE}", *arguments)
    assert "a.py KV101" not in ran.stderr
    kvlint("baseline", *arguments)
    assert [x for x in entries() if x["rule"] == "KV101"] == before[:1]


def test_a_file_that_does_not_parse_hides_nothing_and_loses_nothing() -> None:
    kvlint("baseline")
    before = Path(FILE).read_text()
    write(Path(), {"a.py": "def f(:\n"})
    ran = kvlint("check", f"--baseline={FILE}")
    assert ran.exit_code == 2
    assert "KV900" in ran.stdout
    assert "no more" not in ran.stderr
    ran = kvlint("baseline")
    assert ran.exit_code == 2
    assert "error: a.py: cannot be parsed" in ran.stderr
    assert Path(FILE).read_text() == before


def test_it_is_in_force_wherever_one_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    config = "[tool.kvlint]\nbaseline = 'known/all.json'\n"
    write(Path(), {"pyproject.toml": config, "known/x": "", "deep/b.py": BELL})
    assert kvlint("check").exit_code == 2
    assert kvlint("baseline").exit_code == 0
    assert {each["path"] for each in entries("known/all.json")} == {
        "../a.py",
        "../deep/b.py",
    }
    assert told() == []
    monkeypatch.chdir("deep")
    assert told() == told("..") == told("../deep/b.py") == []
    assert told("--no-baseline") == ["b.py KV101", "b.py KV105"]
    assert len(told("--isolated")) == 2
    write(Path(), {"b.py": RING})
    ran = kvlint("check")
    assert "note: found no more: ../deep/b.py KV101 BellSpecs" in ran.stderr
    kvlint("baseline", "-o", "mine.json")
    assert {each["path"] for each in entries("mine.json")} == {"b.py"}
    assert told("--baseline=mine.json") == []


@pytest.mark.parametrize(
    ("content", "stderr"),
    [
        (None, ": there is no such baseline; `kvlint baseline` writes one"),
        ("", ":1:1: not valid JSON: Expecting value"),
        ("<<<<<<< ours\n", ":1:1: not valid JSON: Expecting value"),
        ("\xff", ": not valid JSON"),
        ("[" * 100_000, ": not valid JSON"),
        ("[]", ": no baseline of kvlint; write another with `kvlint baseline`"),
        ("7", ": no baseline of kvlint"),
        ('{"version": "1"}', ": no baseline of kvlint"),
        ('{"version": 2}', ": written by a later kvlint (version 2)"),
        ('{"version": 1}', ": finding 1 must have the strings rule, path, symbol"),
        ('{"version": 1, "findings": {}}', ": finding 1 must have the strings"),
        ('{"version": 1, "findings": [{"rule": 1}]}', ": finding 1 must have"),
    ],
)
def test_a_broken_baseline_is_one_clear_line(content: str | None, stderr: str) -> None:
    if content is not None:
        Path(FILE).write_bytes(content.encode("latin-1"))
    commands: list[tuple[str, ...]] = [("check", "--baseline", FILE)]
    commands += [("baseline",)] if content is not None else []
    for command in commands:
        ran = kvlint(*command)
        assert (ran.exit_code, ran.stdout) == (2, "")
        assert f"{FILE}{stderr}" in ran.stderr
        assert ran.stderr.count("\n") == 1


def test_what_cannot_be_written_and_what_cannot_be_had() -> None:
    ran = kvlint("baseline", "--output", "nowhere/x.json")
    assert ran.exit_code == 2
    assert "nowhere/x.json: not written: No such file" in ran.stderr
    assert kvlint("baseline", "-").exit_code == 2
    assert kvlint("baseline", "nowhere").exit_code == 2
    ran = kvlint("check", "--baseline=x", "--no-baseline")
    assert "--baseline and --no-baseline cannot both be had" in ran.stderr


def test_odd_names_survive() -> None:
    names = ["a b.py", 'q"u.py', "größe.py", os.fsdecode(b"\xff.py")]
    write(Path(), {name: RING.replace("Ring", f"R{i}") for i, name in enumerate(names)})
    kvlint("baseline")
    assert Path(FILE).read_bytes().isascii()
    assert told(f"--baseline={FILE}") == []


def test_both_a_baseline_and_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = {"pyproject.toml": "", STAND_IN_PATH: STAND_IN}
    folder = repository(tmp_path / "there", shared)
    monkeypatch.chdir(folder)
    commit(folder, {"a.py": RING})
    git(folder, "switch", "--quiet", "--create", "change")
    write(folder, {"b.py": BELL})
    kvlint("baseline")
    write(folder, {"c.py": BELL.replace("Bell", "Gong")})
    assert told("--since=main") == ["b.py KV101", "b.py KV105", "c.py KV101"] + [
        "c.py KV105"
    ]
    both = told("--since=main", f"--baseline={FILE}")
    assert both == ["c.py KV101", "c.py KV105"]
