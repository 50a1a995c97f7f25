# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``--output-file``: what goes into which file, and what is refused."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from junitparser import JUnitXml
from rule_documents import STAND_IN, STAND_IN_PATH

from kvlint import engine
from kvlint.cli import main
from kvlint.output import sarif
from kvlint.reports import Job, Report
from kvlint.writing import write_report

BAD = """\
from dataclasses import dataclass

from vllm.v1.kv_cache_interface import KVCacheSpec


@dataclass(frozen=True)
class RingSpecs(KVCacheSpec):
    kv_cache_specs: dict[str, KVCacheSpec]
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    write({"pyproject.toml": "", STAND_IN_PATH: STAND_IN, "a.py": BAD})
    return folder


def write(files: Mapping[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")


def check(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, ["check", *arguments], input=stdin)


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--output-format", "concise"],
        ["--output-format", "json"],
        ["--output-format", "sarif"],
        ["--output-format", "junit"],
        ["--statistics"],
        ["--statistics", "--output-format", "gitlab"],
        ["--diff"],
        ["--diff", "--unsafe-fixes"],
    ],
)
def test_a_file_takes_what_would_be_printed(options: list[str]) -> None:
    printed = check(*options)
    ran = check(*options, "--output-file", "report")
    assert (ran.exit_code, ran.stdout, ran.stderr) == (1, "", printed.stderr)
    assert Path("report").read_bytes() == printed.stdout_bytes != b""
    assert check(*options, "-o", "report").stdout == ""


def test_several_at_once() -> None:
    ran = check(
        "--output-format=concise",
        "--output-file=sarif=a.sarif",
        "--output-file=json=a.json",
        "-o",
        "full=a.txt",
    )
    assert ran.stdout == check("--output-format=concise").stdout
    for name in ("sarif", "json"):
        assert Path(f"a.{name}").read_text() == check("--output-format", name).stdout
    assert Path("a.txt").read_text() == check().stdout
    ran = check("--output-file", "github=a.txt", "--output-file", "b.txt")
    assert ran.stdout == ""
    assert Path("a.txt").read_text().startswith("::error file=a.py,")
    assert Path("b.txt").read_text() == check().stdout


def test_mended_standard_input_and_its_findings() -> None:
    options = ["--fix", "--stdin-filename", "b.py", "-", "--output-file=report"]
    ran = check(*options, stdin=BAD)
    assert ran.stdout.startswith(BAD.partition("\n")[0])
    assert "def max_num_blocks_per_req" in ran.stdout
    assert "KV105" in Path("report").read_text()
    assert "KV105" not in ran.stderr


def test_counts_beside_a_report() -> None:
    ran = check("--statistics", "--output-file", "sarif=a.sarif")
    assert ran.stdout == check("--statistics").stdout
    assert len(json.loads(Path("a.sarif").read_text())["runs"][0]["results"]) == 2


def test_the_file_that_is_fixed_is_reported_as_it_remains() -> None:
    ran = check("--fix", "--output-file", "json=a.json")
    (left,) = json.loads(Path("a.json").read_text())["findings"]
    assert (left["code"], ran.exit_code) == ("KV105", 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["yaml=a"], '"yaml=a": unknown format "yaml"; known: full, concise, json, '),
        (["gone/a"], '"gone/a": there is no folder gone; make it first'),
        (["sarif=gone/a"], '"sarif=gone/a": there is no folder gone; make it first'),
        (["vllm"], '"vllm": vllm is a folder; name a file in it'),
        (["new/"], '"new/": new is a folder; name a file in it'),
        ([""], '"": it names no file'),
        (["sarif="], '"sarif=": it names no file'),
        (["-"], '"-": it names no file'),
        (["a", "b"], '"b": a second file without a format; write FORMAT=b'),
        (["sarif=a", "json=a"], '"json=a": two reports in the same file'),
        (["sarif=a", "json=./vllm/../a"], "two reports in the same file"),
        (["a.py"], '"a.py": a.py is a Python file, and no report goes over one'),
        (["sarif=a.py"], "a.py is a Python file, and no report goes over one"),
        (["link"], "link is a Python file, and no report goes over one"),
    ],
)
def test_refused(options: list[str], message: str) -> None:
    Path("link").symlink_to("a.py")
    ran = check(*[f"--output-file={each}" for each in options])
    assert (ran.exit_code, ran.stdout) == (2, "")
    (line,) = [each for each in ran.stderr.splitlines() if "Error: " in each]
    assert message in line
    assert {*os.listdir()} == {"a.py", "link", "pyproject.toml", "vllm"}
    assert Path("a.py").read_text() == BAD


def test_no_report_goes_over_what_is_checked() -> None:
    Path("script").write_text("x = 1\n")
    ran = check("script", "--output-file", "./script")
    assert ran.exit_code == 2
    assert "Error: --output-file names a file that is to be checked" in ran.stderr
    assert Path("script").read_text() == "x = 1\n"


def test_a_patch_goes_alone() -> None:
    ran = check("--diff", "--output-file", "sarif=a.sarif")
    assert ran.exit_code == 2
    assert "Error: --diff makes a patch: leave out the FORMAT=" in ran.stderr
    assert not Path("a.sarif").exists()


def test_an_odd_name_is_told_with_its_folder() -> None:
    check("--output-file", "./sarif=a", "--output-file", "json=x=y")
    assert Path("sarif=a").read_text() == check().stdout
    assert Path("x=y").read_text() == check("--output-format=json").stdout


WRONG = "[tool.kvlint]\nselct = []\n"


@pytest.mark.parametrize("where", ["configuration", "crash"])
def test_a_run_that_fails_is_told_where_the_format_can(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(job: Job) -> Report:
        raise ZeroDivisionError

    told = "selct: no such key"
    if where == "configuration":
        write({"pyproject.toml": WRONG})
    else:
        told = "kvlint crashed: ZeroDivisionError"
        monkeypatch.setattr(engine, "check", crash)
    names = ("json", "sarif", "junit", "gitlab", "rdjson", "full")
    ran = check("--output-format=json", *[f"-o{each}=a.{each}" for each in names])
    assert ran.exit_code == 2
    assert told in ran.stderr
    (error,) = json.loads(ran.stdout)["errors"]
    assert told in error["message"]
    assert Path("a.json").read_text() == ran.stdout
    (run,) = json.loads(Path("a.sarif").read_text())["runs"]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    (notification,) = invocation["toolExecutionNotifications"]
    assert notification["message"]["text"] == error["message"]
    ((case,),) = JUnitXml.fromstring(Path("a.junit").read_bytes())
    assert case.result[0].message == error["message"]
    for name in ("gitlab", "rdjson", "full"):
        assert not Path(f"a.{name}").exists()


def test_a_wrong_configuration_is_told_in_place_of_standard_output() -> None:
    write({"pyproject.toml": WRONG})
    ran = check("--output-format=sarif", "--output-file=a")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "selct" in Path("a").read_text()
    ran = check("--output-file=b")
    assert (ran.exit_code, Path("b").exists()) == (2, False)


def test_a_patch_that_is_not_made_leaves_the_file_alone() -> None:
    write({"pyproject.toml": WRONG})
    ran = check("--diff", "--output-file=a.patch")
    assert (ran.exit_code, Path("a.patch").exists()) == (2, False)


def test_a_format_that_crashes_leaves_no_half_reports(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def crash(*arguments: object) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(sarif, "_result", crash)
    ran = check("--output-format=json", "-osarif=a.sarif", "-ojunit=a.xml")
    assert ran.exit_code == 2
    assert "kvlint crashed: ZeroDivisionError" in ran.stderr
    assert json.loads(ran.stdout)["findings"] == []
    assert len(json.loads(ran.stdout)["errors"]) == 1


def test_a_file_that_cannot_be_written_stops_no_other() -> None:
    Path("b.xml").write_text("as it was")
    Path("b.xml").chmod(0o444)
    ran = check("--output-format=json", "-ojunit=b.xml", "-osarif=a.sarif")
    assert ran.exit_code == 2
    assert ran.stderr.startswith("error: b.xml: not written: the file is read-only\n")
    assert Path("b.xml").read_text() == "as it was"
    assert json.loads(ran.stdout)["errors"] == []
    (run,) = json.loads(Path("a.sarif").read_text())["runs"]
    assert len(run["results"]) == 2
    # Nor does one stop the telling of what else goes wrong.
    write({"pyproject.toml": WRONG})
    ran = check("--output-format=json", "-ojunit=b.xml", "-osarif=a.sarif")
    assert ran.exit_code == 2
    assert [line[:6] for line in ran.stderr.splitlines()] == ["error:", "error:"]
    assert "selct" in Path("a.sarif").read_text()


def test_a_report_in_the_place_of_another(tmp_path: Path) -> None:
    path, link = tmp_path / "report", tmp_path / "link"
    path.write_bytes(b"a longer one, of before\n")
    path.chmod(0o640)
    link.symlink_to("report")
    write_report(link, b"new\n")
    assert link.is_symlink()
    assert path.read_bytes() == b"new\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "here",
        "link",
        "report",
    ]


def test_a_new_report_is_as_open_as_other_new_files(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        write_report(tmp_path / "report", b"new\n")
        (tmp_path / "other").touch()
    finally:
        os.umask(mask)
    modes = {(tmp_path / name).stat().st_mode for name in ("report", "other")}
    assert len(modes) == 1


def test_a_device_and_a_pipe_are_written_to_as_they_are(tmp_path: Path) -> None:
    assert check("-o", "sarif=/dev/null", "-o", "json=/dev/null").exit_code == 1
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_report(pipe, b"new\n")
        assert os.read(reader, 100) == b"new\n"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
