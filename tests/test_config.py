# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Configuration: what is read, what counts, and every mistake at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kvlint.config import Config, find_pyproject, load
from kvlint.errors import KvlintError
from kvlint.findings import Severity

KNOWN = {
    "KV101": "undelegated-member",
    "KV102": "unchecked-delegation",
    "KV105": "stale-copy",
    "KV201": "something-else",
    "KV900": "unparsable-file",
    "KV901": "unused-suppression",
    "KV902": "malformed-suppression",
}


def written(folder: Path, table: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "pyproject.toml"
    path.write_text(table, encoding="utf-8")
    return path


def kvlint_table(folder: Path, body: str) -> Path:
    return written(folder, f"[tool.kvlint]\n{body}\n")


def mistakes(**arguments: Any) -> list[str]:
    with pytest.raises(KvlintError) as caught:
        load(KNOWN, **arguments)
    return str(caught.value).split("\n")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_defaults_select_everything(tmp_path: Path) -> None:
    config = load(KNOWN, isolated=True)
    assert config == Config(tmp_path)
    assert config.agreement == "assert"
    assert config.fail_on is Severity.ERROR
    assert not config.check_tests
    assert all(config.selects(code, tmp_path / "a.py") for code in KNOWN)


@pytest.mark.parametrize(
    ("body", "attribute", "value"),
    [
        ('select = ["KV101"]', "select", ("KV101",)),
        ('select = ["undelegated-member", "KV101"]', "select", ("KV101",)),
        ('select = ["KV1", "ALL"]', "select", ("KV1", "KV")),
        ("select = []", "select", ()),
        ('ignore = ["stale-copy", "KV9"]', "ignore", ("KV105", "KV9")),
        (
            'per-file-ignores = { "tests/**" = ["KV1"], "!a.py" = ["stale-copy"] }',
            "per_file_ignores",
            (("tests/**", ("KV1",)), ("!a.py", ("KV105",))),
        ),
        ('exclude = ["gen/", "*_pb2.py"]', "exclude", ("gen/", "*_pb2.py")),
        ('wrapped-paths = ["a/**"]', "wrapped_paths", ("a/**",)),
        ('unwrapped-paths = ["a/b.py"]', "unwrapped_paths", ("a/b.py",)),
        ('roots = ["a.b.Spec", "c.D"]', "roots", ("a.b.Spec", "c.D")),
        ('agreement = "raise"', "agreement", "raise"),
        ('agreement = "assert"', "agreement", "assert"),
        ('fail-on = "warning"', "fail_on", Severity.WARNING),
        ('fail-on = "error"', "fail_on", Severity.ERROR),
        ("check-tests = true", "check_tests", True),
        ("", "select", ("KV",)),
    ],
)
def test_keys(tmp_path: Path, body: str, attribute: str, value: object) -> None:
    kvlint_table(tmp_path, body)
    assert getattr(load(KNOWN), attribute) == value


@pytest.mark.parametrize(
    ("body", "options", "counts"),
    [
        ("", {}, []),
        ("", {"select": ["KV2"]}, []),
        ("", {"select": ["ALL"]}, []),
        ("preview = false", {}, []),
        ("preview = true", {}, ["KV201"]),
        ("", {"preview": True}, ["KV201"]),
        ("preview = false", {"preview": True}, ["KV201"]),
        ("", {"select": ["KV201"]}, ["KV201"]),
        ("", {"select": ["something-else"]}, ["KV201"]),
        ('select = ["ALL", "KV201"]', {}, ["KV201"]),
        ("", {"select": ["KV201"], "ignore": ["KV201"]}, []),
        ("preview = true", {"select": ["KV1"]}, []),
        ('per-file-ignores = { "a.py" = ["KV2"] }', {"preview": True}, []),
    ],
)
def test_rules_in_preview_are_off_unless_asked_for(
    tmp_path: Path, body: str, options: dict[str, Any], counts: list[str]
) -> None:
    kvlint_table(tmp_path, body)
    config = load(KNOWN, previews=frozenset({"KV201"}), **options)
    codes = [each for each in KNOWN if config.selects(each, tmp_path / "a.py")]
    assert [each for each in codes if each == "KV201"] == counts


def test_vllm_path_is_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "up" / "vllm").mkdir(parents=True)
    (tmp_path / "up" / "deep").mkdir()
    kvlint_table(tmp_path / "up", 'vllm-path = "vllm"')
    assert load(KNOWN, start=tmp_path / "up" / "deep").vllm_path == (
        tmp_path / "up" / "vllm"
    )


def test_vllm_path_option_is_relative_to_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / "up" / "vllm").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    kvlint_table(tmp_path / "up", 'vllm-path = "vllm"')
    config = load(KNOWN, start=tmp_path / "up", vllm_path=Path("other"))
    assert config.vllm_path == tmp_path / "other"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('selct = ["KV101"]', 'selct: no such key; did you mean "select"?'),
        (
            "per_file_ignores = {}",
            'per_file_ignores: no such key; did you mean "per-file-ignores"?',
        ),
        (
            "zzz = 1",
            (
                "zzz: no such key; known: select, ignore, per-file-ignores, "
                "exclude, roots, vllm-path, vllm-version, agreement, fail-on, "
                "check-tests, preview"
            ),
        ),
        (
            'vllm-version = "soon"',
            'vllm-version: "soon" is neither a version nor a specifier such as ',
        ),
        (
            "vllm-version = [1]",
            "vllm-version: must be an array of strings, but holds a number",
        ),
        (
            'select = "KV101"',
            "select: must be an array of strings, not a string",
        ),
        (
            'ignore = ["KV101", 3]',
            "ignore: must be an array of strings, but holds a number",
        ),
        (
            'select = ["KV10X"]',
            'select: unknown rule "KV10X"; did you mean "KV10',
        ),
        (
            'select = ["kv102"]',
            'select: unknown rule "kv102"; did you mean "KV102"?',
        ),
        (
            'select = ["undelegated-membr"]',
            (
                'select: unknown rule "undelegated-membr"; '
                'did you mean "undelegated-member"?'
            ),
        ),
        ('select = [""]', 'select: unknown rule ""; known: KV101, '),
        (
            'select = ["KV101,KV102"]',
            'select: unknown rule "KV101,KV102"; did you mean "KV10',
        ),
        (
            'per-file-ignores = ["a.py"]',
            "per-file-ignores: must be a table, not an array",
        ),
        (
            'per-file-ignores = { "a.py" = "KV101" }',
            'per-file-ignores."a.py": must be an array of strings, not a string',
        ),
        (
            'per-file-ignores = { "a.py" = ["KV999"] }',
            'per-file-ignores."a.py": unknown rule "KV999"; did you mean ',
        ),
        (
            'per-file-ignores = { "" = ["KV101"] }',
            'per-file-ignores: "" is no pattern of files',
        ),
        ('exclude = ["!"]', 'exclude: "!" is no pattern of files'),
        ('wrapped-paths = ["!"]', 'wrapped-paths: "!" is no pattern of files'),
        (
            'unwrapped-paths = "a"',
            "unwrapped-paths: must be an array of strings, not a string",
        ),
        ('exclude = ["# x"]', 'exclude: "# x" is no pattern of files'),
        (r"exclude = ['a\']", 'exclude: "a\\" is no pattern of files'),
        (
            "exclude = {}",
            "exclude: must be an array of strings, not a table",
        ),
        (
            'roots = ["Spec"]',
            'roots: "Spec" must be a dotted name: package.module.Class',
        ),
        (
            'roots = ["a.b:Spec"]',
            'roots: "a.b:Spec" must be a dotted name: package.module.Class',
        ),
        ("vllm-path = 1", "vllm-path: must be a string, not a number"),
        ('vllm-path = "nowhere"', "vllm-path: no such folder: "),
        (
            'agreement = "rais"',
            'agreement: must be "assert" or "raise", not "rais"; did you mean "raise"?',
        ),
        ("agreement = true", "agreement: must be a string, not a boolean"),
        (
            'fail-on = "warnings"',
            (
                'fail-on: must be "warning" or "error", not "warnings"; '
                'did you mean "warning"?'
            ),
        ),
        (
            'fail-on = "note"',
            'fail-on: must be "warning" or "error", not "note"',
        ),
        (
            'check-tests = "yes"',
            "check-tests: must be true or false, not a string",
        ),
        (
            "preview = 1",
            "preview: must be true or false, not a number",
        ),
        (
            "check-tests = 1",
            "check-tests: must be true or false, not a number",
        ),
        (
            "fail-on = 2026-01-01",
            "fail-on: must be a string, not a date",
        ),
        ("verify = 3", "verify: must be a table, not a number"),
        (
            "verify = { recipe = {} }",
            'verify.recipe: no such key; did you mean "recipes"?',
        ),
        ("verify.recipes = []", "verify.recipes: must be a table, not an array"),
        (
            'verify.recipes."a.B" = 3',
            'verify.recipes."a.B": must be a table, not a number',
        ),
    ],
)
def test_mistakes(tmp_path: Path, body: str, expected: str) -> None:
    path = kvlint_table(tmp_path, body)
    (line,) = mistakes()
    assert line.startswith(f"{path}: tool.kvlint.{expected}")


def test_every_mistake_is_told_at_once(tmp_path: Path) -> None:
    path = kvlint_table(
        tmp_path,
        'selekt = []\nignore = ["KV10"]\nroots = ["X"]\nagreement = "maybe"\n'
        'per-file-ignores = { "a.py" = ["KV777", "nope"] }',
    )
    lines = mistakes(select=["KV1,KV8"], vllm_path=Path("gone"), fail_on="eror")
    assert [line.split(": ")[0 if line[0] == "-" else 1] for line in lines] == [
        "tool.kvlint.selekt",
        "tool.kvlint.roots",
        "tool.kvlint.agreement",
        'tool.kvlint.per-file-ignores."a.py"',
        'tool.kvlint.per-file-ignores."a.py"',
        "--select",
        "--vllm-path",
        "--fail-on",
    ]
    assert all(str(path) in line for line in lines[:5])


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"[tool.kvlint\n", "not valid TOML: Expected ']'"),
        (b'[tool.kvlint]\nselect = ["\xff"]\n', "not valid TOML: 'utf-8' codec"),
        (b"[tool]\nkvlint = 3\n", "tool.kvlint: must be a table, not a number"),
        (b"[[tool.kvlint]]\n", "tool.kvlint: must be a table, not an array"),
    ],
)
def test_broken_files(tmp_path: Path, content: bytes, expected: str) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_bytes(content)
    (line,) = mistakes()
    assert line.startswith(f"{path}: {expected}")


def test_a_broken_file_that_is_not_ours_is_no_mistake(tmp_path: Path) -> None:
    written(tmp_path, "[tool.black\n")
    assert load(KNOWN) == Config(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("gone.toml", None, "cannot read: No such file or directory"),
        ("empty.toml", "", "has no [tool.kvlint] table"),
        ("other.toml", "[tool.ruff]\n", "has no [tool.kvlint] table"),
        ("odd.toml", "tool = 3\n", "has no [tool.kvlint] table"),
        ("broken.toml", "[", "not valid TOML: "),
    ],
)
def test_config_option_mistakes(
    tmp_path: Path, name: str, content: str | None, expected: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_text(content, encoding="utf-8")
    (line,) = mistakes(path=path)
    assert line.startswith(f"{path}: {expected}")


def test_a_folder_as_config_option(tmp_path: Path) -> None:
    assert mistakes(path=tmp_path) == [f"{tmp_path}: cannot read: Is a directory"]


def test_config_and_isolated_exclude_each_other(tmp_path: Path) -> None:
    path = kvlint_table(tmp_path, "")
    assert mistakes(path=path, isolated=True) == [
        "--config: cannot be given together with --isolated"
    ]


def test_config_option_takes_the_place_of_the_nearest(tmp_path: Path) -> None:
    kvlint_table(tmp_path, 'select = ["KV101"]')
    other = tmp_path / "sub" / "my.toml"
    other.parent.mkdir()
    other.write_text('[tool.kvlint]\nselect = ["KV2"]\n', encoding="utf-8")
    config = load(KNOWN, path=Path("sub/my.toml"))
    assert (config.select, config.root) == (("KV2",), tmp_path / "sub")


def test_isolated_reads_nothing(tmp_path: Path) -> None:
    kvlint_table(tmp_path, "broken")
    assert load(KNOWN, isolated=True) == Config(tmp_path)


def test_nearest_with_the_table_is_found(tmp_path: Path) -> None:
    outer = kvlint_table(tmp_path / "a", 'select = ["KV1"]')
    written(tmp_path / "a" / "b", "[tool.black]\n# kvlint is elsewhere\n")
    inner = kvlint_table(tmp_path / "a" / "b" / "c", "")
    (tmp_path / "a" / "b" / "c" / "d").mkdir()
    (tmp_path / "a" / "x" / "pyproject.toml").mkdir(parents=True)
    assert find_pyproject(tmp_path / "a" / "b" / "c" / "d") == inner
    assert find_pyproject(tmp_path / "a" / "b") == outer
    assert find_pyproject(tmp_path / "a" / "x") == outer
    assert find_pyproject(tmp_path) is None
    config = load(KNOWN, start=tmp_path / "a" / "b")
    assert (config.root, config.select) == (tmp_path / "a", ("KV1",))


@pytest.mark.parametrize(
    ("body", "options", "select", "ignore"),
    [
        ("", {"select": ["KV1"]}, ("KV1",), ()),
        ("", {"select": ["KV101,stale-copy", "KV2"]}, ("KV101", "KV105", "KV2"), ()),
        ('select = ["KV2"]', {"select": ["KV1"]}, ("KV1",), ()),
        ('select = ["KV2"]', {"select": []}, ("KV2",), ()),
        # Who asks for a rule on the command line gets it.
        ('ignore = ["KV101"]', {"select": ["KV1"]}, ("KV1",), ()),
        ('ignore = ["KV101"]', {"ignore": ["KV105"]}, ("KV",), ("KV101", "KV105")),
        ("", {"select": ["KV1"], "ignore": ["KV101"]}, ("KV1",), ("KV101",)),
    ],
)
def test_command_line(
    tmp_path: Path,
    body: str,
    options: dict[str, list[str]],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
) -> None:
    kvlint_table(tmp_path, body)
    config = load(KNOWN, **options)  # type: ignore[arg-type]
    assert (config.select, config.ignore) == (select, ignore)


@pytest.mark.parametrize(
    ("select", "ignore", "code", "counts"),
    [
        (["KV"], [], "KV101", True),
        (["KV1"], [], "KV101", True),
        (["KV101"], [], "KV101", True),
        (["KV1"], [], "KV201", False),
        ([], [], "KV101", False),
        (["KV"], ["KV1"], "KV101", False),
        (["KV"], ["KV1"], "KV201", True),
        (["KV101"], ["KV1"], "KV101", True),
        (["KV101"], ["KV1"], "KV102", False),
        (["KV1"], ["KV101"], "KV101", False),
        (["KV1"], ["KV101"], "KV102", True),
        (["KV101"], ["KV101"], "KV101", False),
        (["KV", "KV101"], ["KV10"], "KV101", True),
        (["KV"], ["KV901"], "KV901", False),
        (["KV101"], [], "KV901", False),
        # A file that does not parse is never lost by accident.
        (["KV101"], [], "KV900", True),
        (["KV"], ["KV9"], "KV900", True),
        (["KV"], ["KV"], "KV900", True),
        ([], [], "KV900", True),
        (["KV"], ["KV900"], "KV900", False),
        (["KV900"], ["KV900"], "KV900", False),
    ],
)
def test_longest_beginning_wins(
    tmp_path: Path, select: list[str], ignore: list[str], code: str, counts: bool
) -> None:
    config = Config(tmp_path, select=tuple(select), ignore=tuple(ignore))
    assert config.selects(code, tmp_path / "a.py") is counts


@pytest.mark.parametrize(
    ("pattern", "codes", "code", "path", "counts"),
    [
        ("tests/**", ["KV1"], "KV101", "tests/a.py", False),
        ("tests/**", ["KV1"], "KV101", "tests/deep/er/a.py", False),
        ("tests/", ["KV1"], "KV101", "tests/deep/er/a.py", False),
        ("tests", ["KV1"], "KV101", "pkg/tests/a.py", False),
        ("/tests", ["KV1"], "KV101", "pkg/tests/a.py", True),
        ("tests/**", ["KV1"], "KV101", "pkg/tests/a.py", True),
        ("tests/**", ["KV1"], "KV201", "tests/a.py", True),
        ("*.py", ["KV101"], "KV101", "deep/a.py", False),
        ("*.py", ["KV101"], "KV101", "deep/a.pyi", True),
        ("test_*.py", ["KV101"], "KV101", "my_test_a.py", True),
        ("test_[ab].py", ["KV101"], "KV101", "test_b.py", False),
        ("test_[ab].py", ["KV101"], "KV101", "test_c.py", True),
        ("!vllm/", ["KV101"], "KV101", "plugin/a.py", False),
        ("!vllm/", ["KV101"], "KV101", "vllm/a.py", True),
        ("a.py", ["KV101"], "KV101", "../outside/a.py", False),
        ("*", ["KV9"], "KV900", "a.py", True),
        ("*", ["KV900"], "KV900", "a.py", False),
    ],
)
def test_per_file_ignores(
    tmp_path: Path, pattern: str, codes: list[str], code: str, path: str, counts: bool
) -> None:
    root = tmp_path / "root"
    # What a file ignores, no selection brings back.
    config = Config(
        root, select=("KV", code), per_file_ignores=((pattern, tuple(codes)),)
    )
    assert config.selects(code, root / path) is counts


def test_relative_paths_are_those_of_the_working_directory(tmp_path: Path) -> None:
    config = Config(tmp_path, per_file_ignores=(("sub/a.py", ("KV1",)),))
    assert not config.selects("KV101", Path("sub/a.py"))
    assert config.selects("KV101", Path("a.py"))


def test_importing_is_cheap() -> None:
    heavy = ["tomllib", "pathspec", "difflib", "libcst", "tempfile"]
    code = (
        "import sys, kvlint.config, kvlint.discovery, kvlint.suppressions, "
        f"kvlint.codestyle; print([m for m in {heavy} if m in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    assert run.stdout == "[]\n"


def test_which_code_is_handed_composites(tmp_path: Path) -> None:
    config = Config(
        tmp_path, wrapped_paths=("plugin/**",), unwrapped_paths=("plugin/front.py",)
    )
    assert config.sees_composites(tmp_path / "plugin/core/a.py") is True
    assert config.sees_composites(tmp_path / "plugin/front.py") is False
    assert config.sees_composites(tmp_path / "other.py") is None
