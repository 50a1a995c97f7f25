# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``kvlint config``: what is in force, and where it says that it comes from."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kvlint import catalogue
from kvlint.cli import main
from kvlint.settings import KEYS
from kvlint.toml_lines import line_of

PROJECT = """\
[project]
name = "ring"
dependencies = ["vllm==0.27.1"]

[tool.kvlint]
# select = ["KV9"]
ignore = [
    "KV103",  # ignore
    "stale-copy",
]
fail-on = "warning"

[tool.kvlint.per-file-ignores]
"old/**" = ["ALL"]
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    for name in ("ring/specs.py", "ring/more.py", "tests/test_ring.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    return tmp_path


def shown(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["config", *arguments])


def document(*arguments: str) -> dict[str, Any]:
    ran = shown("--output-format", "json", *arguments)
    assert ran.exit_code == 0, ran.output
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def test_as_text(here: Path) -> None:
    ran = shown("--select", "KV1", "--ignore", "KV104", "--vllm-version", "0.28.0")
    assert ran.exit_code == 0
    above, _, below = ran.stdout.partition("\n\n")
    title, *rows = above.splitlines()
    assert title == "With [tool.kvlint] of pyproject.toml this is in force:"
    assert [each.split()[0] for each in rows] == [*KEYS, "verify.recipes"]
    for row in (
        '  select            --select           ["KV1"]',
        '  ignore            --ignore           ["KV104"]',
        '  per-file-ignores  pyproject.toml:13  { "old/**" = ["ALL"] }',
        "  vllm-path         default",
        '  vllm-version      --vllm-version     ["0.28.0"]',
        '  fail-on           pyproject.toml:11  "warning"',
        "  check-tests       default            false",
    ):
        assert row in rows
    assert below.startswith(
        "vLLM 0.28.0: as vllm-version says (0.28.0)\n"
        f"Files: 2 of the project's 3 in {here}\n"
        "Rules in force: KV101 KV102 KV103 KV105 KV900\n"
        "Rules ignored, by --ignore: KV104\n"
        "Rules in preview: KV203\n"
        "Rules not selected, by --select: KV201 KV202 KV204 "
    )


def test_every_rule_is_told_once() -> None:
    told = shown("--select", "KV1").stdout.partition("Rules in force: ")[2].split()
    assert sorted(each for each in told if each[:2] == "KV") == [*catalogue.names()]


def test_as_json(here: Path) -> None:
    found = document("--ignore", "KV104")
    assert list(found["settings"]) == [*KEYS, "verify.recipes"]
    assert found["path"] == "pyproject.toml"
    assert found["settings"]["ignore"] == {
        "value": ["KV103", "KV105", "KV104"],
        "origins": [
            {"option": None, "path": "pyproject.toml", "line": 7},
            {"option": "--ignore", "path": None, "line": None},
        ],
    }
    assert found["settings"]["select"] == {"value": ["ALL"], "origins": []}
    assert found["vllm"] == {
        "releases": ["0.27.1"],
        "why": "vLLM 0.27.1: as pyproject.toml requires (vllm==0.27.1)",
    }
    assert found["files"] == {"checked": 2, "project": 3}
    off = {each["code"]: each["off_by"] for each in found["rules"] if not each["on"]}
    previews = dict.fromkeys(catalogue.previews(), "preview")
    assert off == {**dict.fromkeys(["KV103", "KV104", "KV105"], "ignore"), **previews}


@pytest.mark.parametrize(
    ("options", "checked"), [(["tests"], 1), (["ring"], 2), (["ring/more.py"], 1)]
)
def test_files_are_those_that_a_check_looks_at(
    options: list[str], checked: int
) -> None:
    assert document(*options)["files"]["checked"] == checked
    ran = CliRunner().invoke(main, ["check", "--verbose", *options])
    assert f"{checked} files checked" in ran.stderr


def test_recipes_are_told_by_their_classes(here: Path) -> None:
    with (here / "pyproject.toml").open("a") as file:
        file.write('\n[tool.kvlint.verify.recipes."ring.Ring"]\nwidth = [1, 2]\n')
    found = document()["settings"]["verify.recipes"]
    assert found["value"] == ["ring.Ring"]
    assert [each["path"] for each in found["origins"]] == ["pyproject.toml"]


def test_previews() -> None:
    preview = document("--preview")["settings"]["preview"]
    assert preview["value"] is True
    assert preview["origins"][0]["option"] == "--preview"
    assert all(
        each["on"]
        for each in document("--preview")["rules"]
        if each["code"] in catalogue.previews()
    )


def test_without_a_file() -> None:
    ran = shown("--isolated")
    assert ran.stdout.startswith("There is no [tool.kvlint]; this is in force:\n")
    assert ".toml:" not in ran.stdout.partition("\n\n")[0]
    assert document("--isolated")["path"] is None


def test_another_file(here: Path) -> None:
    (here / "other.toml").write_text("[tool.kvlint]\nroots = ['a.B']\n")
    assert "roots             other.toml:2  " in shown("--config", "other.toml").stdout


def test_mistakes_are_told_as_everywhere(here: Path) -> None:
    (here / "pyproject.toml").write_text("[tool.kvlint]\nselct = []\nroots = 1\n")
    ran = shown()
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr == CliRunner().invoke(main, ["check"]).stderr
    assert 'tool.kvlint.selct: no such key; did you mean "select"?' in ran.stderr


def test_a_path_that_is_not_there() -> None:
    ran = shown("nowhere")
    assert ran.exit_code == 2
    assert ran.stderr == "error: nowhere: no such file or folder\n"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("[tool.kvlint]\nroots = []\n", 2),
        ("[tool.kvlint]\n\n# roots\nroots = [ # roots\n'roots'\n]\n", 4),
        ("roots = 1\n[tool.kvlint]\n'roots' = []\n", 3),
        ("[tool]\nkvlint = { roots = [] }\n", 2),
        ("tool.kvlint.roots = []", 1),
        ("[tool]\nkvlint.select = ['''\nroots = 1\n''']\nkvlint.roots = []\n", 5),
        ("[tool.other]\nroots = []\n[tool.kvlint]\nroots = []\n", 4),
        ("[tool.kvlint]\nselect = ['roots']\n\n[tool.kvlint.roots]\na = 1\n", 4),
        ("[tool.kvlint.roots]\n", 1),
        ('[tool.kvlint]\n"r\\u006fots" = []\n', None),
        ("[tool.kvlint]\nselect = []\n", None),
    ],
)
def test_lines(content: str, line: int | None) -> None:
    tomllib.loads(content)
    assert line_of(content, ("tool", "kvlint", "roots")) == line
