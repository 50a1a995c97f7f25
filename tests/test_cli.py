# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The command line: arguments and files to exit code, output and written files."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from rule_documents import STAND_IN, STAND_IN_PATH

from kvlint import __version__, catalogue, engine, writing
from kvlint.cli import main
from kvlint.errors import KvlintError
from kvlint.output import FORMATS
from kvlint.reports import Job, Report
from kvlint.sources import Source

ROOT = Path(__file__).parents[1]

# An error (KV101, safe fix) and a warning (KV105, unsafe fix).
BAD = """\
from dataclasses import dataclass

from vllm.v1.kv_cache_interface import KVCacheSpec


@dataclass(frozen=True)
class RingSpecs(KVCacheSpec):
    kv_cache_specs: dict[str, KVCacheSpec]
"""
WIDTH = """
    def max_num_blocks_per_req(self, vllm_config: "VllmConfig", max_len: int) -> int:
"""
FINE = "x = 1\n"
BROKEN = "def f(:\n"
PROJECT = {"pyproject.toml": "", STAND_IN_PATH: STAND_IN}
WARNING = "[tool.kvlint]\nignore = ['KV101']\n"
Files = Mapping[str, str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def write(files: Files) -> None:
    for name, text in {**PROJECT, **files}.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def kvlint(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=stdin)


def in_process(
    *arguments: str, stdout: int = subprocess.PIPE, **variables: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "kvlint", *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "", **variables},
        timeout=60,
    )


CASES: list[tuple[str, Files, int, list[str], list[str]]] = [
    # arguments, files, exit code, pieces of standard output, of standard error
    ("check", {}, 0, [], ["All checks passed!"]),
    ("check", {"a.py": FINE}, 0, [], ["All checks passed!"]),
    ("check", {"a.py": BAD}, 1, ["a.py:7:7: KV101 [*] error: "], ["Found 2 findings"]),
    ("check a.py", {"a.py": BAD}, 1, ["KV101", "KV105"], ["1 error, 1 warning"]),
    ("check b.py", {"a.py": BAD, "b.py": FINE}, 0, [], ["All checks passed!"]),
    ("check a.py", {"a.py": BAD, "pyproject.toml": WARNING}, 0, ["KV105"], ["1 warn"]),
    (
        "check --fail-on warning",
        {"a.py": BAD, "pyproject.toml": WARNING},
        1,
        ["KV105"],
        [],
    ),
    ("check --fail-on warning", {"a.py": FINE}, 0, [], []),
    ("check --exit-zero", {"a.py": BAD}, 0, ["KV101"], ["Found 2 findings"]),
    ("check --exit-zero", {"a.py": BROKEN}, 2, ["KV900"], []),
    ("check", {"a.py": BROKEN, "b.py": BAD}, 2, ["KV900", "KV101"], []),
    ("check nowhere", {}, 2, [], ["error: nowhere: "]),
    ("check nowhere a.py", {"a.py": BAD}, 2, ["KV101"], ["error: nowhere: "]),
    ("check --exit-zero nowhere", {}, 2, [], ["error: nowhere: "]),
    ("check --select KV105", {"a.py": BAD}, 0, ["KV105"], ["Found 1 finding ("]),
    ("check --select KV101,KV105", {"a.py": BAD}, 1, ["KV101", "KV105"], []),
    ("check --ignore undelegated-member", {"a.py": BAD}, 0, ["KV105"], []),
    ("check --select KV777", {}, 2, [], ['error: --select: unknown rule "KV777"']),
    ("check --quiet", {"a.py": FINE}, 0, [], []),
    ("check --verbose", {"a.py": FINE}, 0, [], ["note: "]),
    ("check --statistics", {"a.py": BAD}, 1, ["1  KV101  undelegated-member"], []),
    ("check --unsafe-fixes", {"a.py": BAD}, 1, ["KV105 [*] warning"], ["[*] 2 fix"]),
    ("check --output-format concise", {"a.py": BAD}, 1, ["a.py:7:7: KV101 error"], []),
    (
        "check --output-format github",
        {"a.py": BAD},
        1,
        ["::error file=a.py,line=7"],
        [],
    ),
    ("check --output-format json", {"a.py": BAD}, 1, ['"code": "KV101"'], ["Found 2"]),
    ("check --output-format json", {"a.py": FINE}, 0, ['"findings": []'], []),
    ("check --diff", {"a.py": BAD}, 1, ["--- a/a.py\n+++ b/a.py\n"], ["1 would be"]),
    ("check --diff", {"a.py": FINE}, 0, [], ["All checks passed!"]),
    ("check --fix", {"a.py": BAD}, 0, ["KV105"], ["1 mended, 1 remaining"]),
    ("check --fix --fail-on warning", {"a.py": BAD}, 1, ["KV105"], []),
    ("check --fix --unsafe-fixes", {"a.py": BAD}, 0, [], ["2 mended, 0 remaining"]),
    ("check --isolated", {"a.py": BAD, "pyproject.toml": WARNING}, 1, ["KV101"], []),
    ("check --config x.toml", {"a.py": BAD, "x.toml": WARNING}, 0, ["KV105"], []),
    ("check --config nowhere", {}, 2, [], ["error: nowhere: "]),
    ("check", {"pyproject.toml": "[tool.kvlint]\nselct = 1\n"}, 2, [], ["selct"]),
    ("check --colour", {}, 2, [], ["No such option"]),
    ("check --output-format xml", {}, 2, [], ["'xml' is not one of"]),
    ("check --fail-on info", {}, 2, [], ["'info' is not one of"]),
    ("check - a.py", {}, 2, [], ["`-` stands alone"]),
    ("check --stdin-filename a.py", {}, 2, [], ["give `-` too"]),
    ("check --diff --output-format json", {}, 2, [], ["--diff prints a patch"]),
    ("check --diff --statistics", {}, 2, [], ["--diff prints a patch"]),
    ("check --quiet --verbose", {}, 2, [], ["cannot both be had"]),
    ("check --config a.toml --isolated", {}, 2, [], ["together with --isolated"]),
    ("rule KV101", {}, 0, ["# KV101 `undelegated-member`\n", "## Why"], []),
    ("rule undelegated-member", {}, 0, ["# KV101 `undelegated-member`\n"], []),
    ("rule KV1011", {}, 2, [], ["error: no rule `KV1011`; did you mean `KV101`?"]),
    ("rule KV9", {}, 0, ["# KV900 `", "\n\n# KV901 `", "# KV902 `"], []),
    ("rule kv9 KV101 KV901", {}, 0, ["# KV902 `", "# KV101 `"], []),
    ("rule KV101 KV1011", {}, 2, [], ["no rule `KV1011`"]),
    ("rule --all", {}, 0, ["# KV101 `", "# KV902 `"], []),
    ("rule KV101 --output-format json", {}, 0, ['"explanation": "# KV101 '], []),
    ("rule", {}, 2, [], ["name a rule, such as KV101, or give --all alone"]),
    ("rule KV101 --all", {}, 2, [], ["give --all alone"]),
    ("rules", {}, 0, ["KV101  undelegated-member", "KV105  stale-copy"], []),
    ("rules --output-format json", {}, 0, ['"code": "KV101"', '"since"'], []),
    ("rulez", {}, 2, [], ["No such command"]),
    ("--version", {}, 0, [f"kvlint {__version__}\n"], []),
    ("--help", {}, 0, ["Commands:"], []),
    (
        "--help",
        {},
        0,
        ["Tell what vLLM asks of specs, and what changes.\n"],
        [],
    ),
    ("check --help", {}, 0, ["Exit codes:"], []),
]


@pytest.mark.parametrize(("arguments", "files", "code", "stdout", "stderr"), CASES)
def test_exit_code_and_output(
    arguments: str, files: Files, code: int, stdout: list[str], stderr: list[str]
) -> None:
    write(files)
    result = kvlint(*arguments.split())
    assert result.exit_code == code, result.output
    for pieces, stream in ((stdout, result.stdout), (stderr, result.stderr)):
        assert pieces or "KV" not in stream
        for piece in pieces:
            assert piece in stream
    if not stdout:
        assert result.stdout == ""


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize(
    ("files", "options", "code"),
    [
        ({"a.py": FINE}, [], 0),
        ({"a.py": BAD}, [], 1),
        ({"a.py": BAD}, ["--exit-zero"], 0),
        ({"a.py": BAD}, ["--fix"], 0),
        ({"a.py": BROKEN}, [], 2),
        ({"a.py": BROKEN}, ["--exit-zero"], 2),
        ({"a.py": FINE}, ["nowhere"], 2),
        ({"pyproject.toml": "[tool.kvlint]\nselect = 1\n"}, [], 2),
        ({"a.py": BAD}, ["--statistics"], 1),
    ],
)
def test_exit_codes_are_the_same_in_every_format(
    format_: str, files: Files, options: list[str], code: int
) -> None:
    write(files)
    result = kvlint("check", "--output-format", format_, *options)
    assert result.exit_code == code
    if format_ == "json":
        document = json.loads(result.stdout)
        assert list(document) == ["version", "findings", "errors", "files_checked"]
        unparsable = any(each["code"] == "KV900" for each in document["findings"])
        assert bool(document["errors"] or unparsable) == (code == 2)
    if format_ == "sarif":
        (run,) = json.loads(result.stdout)["runs"]
        (invocation,) = run["invocations"]
        assert invocation["executionSuccessful"] == (code != 2)
        assert bool(invocation["toolExecutionNotifications"]) == (code == 2)


def test_json_paths_are_relative_to_the_working_directory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write({"deep/a.py": BAD})
    monkeypatch.chdir("deep")
    result = kvlint("check", "--output-format", "json", "..", "nowhere")
    document = json.loads(result.stdout)
    assert {each["path"] for each in document["findings"]} == {"a.py"}
    related = [each for found in document["findings"] for each in found["related"]]
    assert {each["path"] for each in related} == {f"../{STAND_IN_PATH}"}
    assert [each["path"] for each in document["errors"]] == ["nowhere"]


@pytest.mark.parametrize(
    ("options", "written"),
    [
        ([], []),
        (["--diff"], []),
        (["--fix", "--diff"], []),
        (["--unsafe-fixes"], []),
        (["--fix"], [WIDTH]),
        (["--fix", "--unsafe-fixes"], [WIDTH, "def copy_with_new_block_size("]),
        (["--fix", "--select", "KV105"], []),
    ],
)
def test_what_is_written(options: list[str], written: list[str]) -> None:
    write({"a.py": BAD, "b.py": FINE})
    kvlint("check", *options)
    text = Path("a.py").read_text()
    assert (text != BAD) == bool(written)
    for piece in written:
        assert piece in text
    assert Path("b.py").read_text() == FINE
    assert Path(STAND_IN_PATH).read_text() == STAND_IN


def test_the_diff_is_what_fix_does() -> None:
    write({"a.py": BAD, "pkg/b.py": BAD.replace("Ring", "Bell")})
    subprocess.run(["git", "init", "-q"], check=True)
    patch = kvlint("check", "--diff").stdout_bytes
    kvlint("check", "--fix")
    mended = {path: path.read_bytes() for path in Path().rglob("*.py")}
    write({"a.py": BAD, "pkg/b.py": BAD.replace("Ring", "Bell")})
    subprocess.run(["git", "apply", "-"], input=patch, check=True)
    assert {path: path.read_bytes() for path in Path().rglob("*.py")} == mended


@pytest.mark.parametrize(
    ("options", "stdin", "code", "stdout", "stderr"),
    [
        ([], FINE, 0, "", "All checks passed!"),
        ([], BAD, 1, "<stdin>:7:7: KV101", "Found 2"),
        (["--stdin-filename", "ring.py"], BAD, 1, "ring.py:7:7: KV101", "Found 2"),
        (["--stdin-filename", "new/ring.py"], BAD, 1, "new/ring.py:7:7: KV101", ""),
        (["--stdin-filename", "tests/test_a.py"], BAD, 1, "tests/test_a.py:7:7", ""),
        (["--fix"], FINE, 0, FINE, "All checks passed!"),
        (["--fix"], BAD, 0, WIDTH, "KV105"),
        (["--fix", "--output-format", "json"], BAD, 0, WIDTH, '"code": "KV105"'),
        (["--fix"], BROKEN, 2, BROKEN, "KV900"),
        (["--diff", "--stdin-filename", "a.py"], BAD, 1, "+++ b/a.py\n", "would be"),
        ([], b"\xff", 2, "", "error: <stdin>: "),
    ],
)
def test_standard_input(
    options: list[str], stdin: str | bytes, code: int, stdout: str, stderr: str
) -> None:
    write({})
    before = sorted(Path().rglob("*"))
    result = kvlint("check", "-", *options, stdin=stdin)
    assert result.exit_code == code, result.output
    assert stdout in result.stdout
    assert stderr in result.stderr
    assert bool(result.stdout) == bool(stdout)
    assert sorted(Path().rglob("*")) == before


def test_standard_input_takes_the_place_of_its_file() -> None:
    write({"a.py": BAD})
    result = kvlint("check", "-", "--stdin-filename", "a.py", stdin=FINE)
    assert (result.exit_code, result.stdout) == (0, "")
    assert Path("a.py").read_text() == BAD


def test_mended_standard_input_keeps_its_bytes() -> None:
    write({})
    content = b"\xef\xbb\xbf" + BAD.replace("\n", "\r\n").encode()
    result = kvlint("check", "-", "--fix", stdin=content)
    assert result.stdout_bytes.startswith(content[: content.index(b"class")])
    assert result.stdout_bytes.count(b"\n") == result.stdout_bytes.count(b"\r\n")


def test_a_file_that_cannot_be_written_is_an_error_and_the_rest_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write({"a.py": BAD, "b.py": BAD})
    really_write = writing.write

    def refuse(before: Source, after: Source) -> None:
        if before.path.name == "a.py":
            raise KvlintError(f"{before.path}: cannot write: read-only")
        really_write(before, after)

    monkeypatch.setattr(writing, "write", refuse)
    options = ["--fix", "--select", "KV101", "--output-format", "concise"]
    result = kvlint("check", *options)
    assert result.exit_code == 2
    assert result.stdout.startswith("a.py:7:7: KV101 error ")
    assert result.stdout.count("\n") == 1
    assert "error: a.py: cannot write: read-only\n" in result.stderr
    assert "1 mended, 1 remaining" in result.stderr
    assert Path("a.py").read_text() == BAD
    assert WIDTH in Path("b.py").read_text()


@pytest.mark.parametrize(
    ("error", "options", "code", "stderr"),
    [
        (KvlintError("a: b\nc: d"), [], 2, ["error: a: b\nerror: c: d\n"]),
        (RuntimeError("a\nb"), [], 2, ["RuntimeError: a b; ", "please report"]),
        (RuntimeError("a\nb"), ["--verbose"], 2, ["Traceback", "please report"]),
        (RecursionError(), [], 2, ["RecursionError", "please report"]),
        (KeyboardInterrupt(), [], 130, ["interrupted\n"]),
        (BrokenPipeError(), [], 2, ["please report"]),
    ],
)
@pytest.mark.parametrize("format_", ["full", "json"])
def test_errors_become_lines_and_exit_codes(
    error: BaseException,
    options: list[str],
    code: int,
    stderr: list[str],
    format_: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(job: Job) -> Report:
        raise error

    write({})
    monkeypatch.setattr(engine, "check", fail)
    result = kvlint("check", "--output-format", format_, *options)
    assert result.exit_code == code
    for piece in stderr:
        assert piece in result.stderr
    assert ("Traceback" in result.stderr) == ("--verbose" in options)
    if format_ == "json" and code == 2:
        assert json.loads(result.stdout)["errors"]
    else:
        assert result.stdout == ""


def test_a_reader_that_stops_early_is_no_error() -> None:
    write({f"m{number}.py": BAD for number in range(20)})
    reading, writing_end = os.pipe()
    os.close(reading)
    result = in_process("check", stdout=writing_end)
    os.close(writing_end)
    assert result.returncode == 1
    assert result.stderr.startswith(b"Found 40 findings")


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
)
def test_colour_on_a_terminal(variables: dict[str, str], coloured: bool) -> None:
    write({"a.py": BAD})
    main_end, terminal = pty.openpty()
    options = ["--output-format", "concise"]
    variables = {"TERM": "xterm", **variables}
    result = in_process("check", *options, stdout=terminal, **variables)
    printed = os.read(main_end, 100_000).decode()
    os.close(terminal)
    os.close(main_end)
    assert (click.unstyle(printed) != printed) == coloured
    assert b"\x1b" not in result.stderr


def test_a_narrow_encoding_stops_nothing() -> None:
    write({"größe.py": BAD, "b.py": BAD.replace("\n", "  # 漢字\n", 7)})
    result = in_process("check", PYTHONIOENCODING="latin-1")
    assert result.returncode == 1
    assert "größe.py:7:7: KV101".encode("latin-1") in result.stdout
    assert rb"# \u6f22\u5b57" in result.stdout


@pytest.mark.parametrize(
    "arguments", [["--help"], ["check", "--help"], ["rule", "KV101"], ["rules"]]
)
def test_what_needs_no_tree_imports_no_libcst(arguments: list[str]) -> None:
    program = (
        "import sys, kvlint.cli\n"
        f"kvlint.cli.main({arguments!r}, standalone_mode=False)\n"
        "assert not {'libcst', 'kvlint.engine'} & {*sys.modules}\n"
    )
    subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True
    )


def test_rules_as_json_are_the_catalogue() -> None:
    listed = json.loads(kvlint("rules", "--output-format", "json").stdout)
    assert [each["code"] for each in listed] == list(catalogue.names())
    assert list(listed[0]) == [
        "code",
        "name",
        "fix",
        "summary",
        "since",
        "vllm",
        "stage",
    ]
