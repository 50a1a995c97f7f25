# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""How a project lays out its code: the nearest configuration of ruff or black."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kvlint.codestyle import CodeStyle, code_style

SINGLE = "a = 'x'\nb = 'y'\nc = \"z\"\n"
DOUBLE = 'a = \'x\'\nb = "y"\nc = "z"\n'


def written(root: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


@pytest.mark.parametrize(
    ("files", "style"),
    [
        ({}, (88, '"')),
        ({"pyproject.toml": "[project]\nname = 'x'\n"}, (88, '"')),
        ({"pyproject.toml": "[tool.ruff]\nline-length = 100\n"}, (100, '"')),
        ({"pyproject.toml": "[tool.black]\nline-length = 120\n"}, (120, '"')),
        ({"pyproject.toml": "[tool.ruff.lint]\nselect = ['E']\n"}, (88, '"')),
        ({"pyproject.toml": "[tool.ruff.format]\nquote-style='single'\n"}, (88, "'")),
        ({"pyproject.toml": "[tool.ruff.format]\nquote-style='double'\n"}, (88, '"')),
        ({"pyproject.toml": "[tool.ruff.format]\nquote-style='preserve'\n"}, (88, "'")),
        (
            {"pyproject.toml": "[tool.black]\nskip-string-normalization = true\n"},
            (88, "'"),
        ),
        (
            {"pyproject.toml": "[tool.black]\nskip-string-normalization = false\n"},
            (88, '"'),
        ),
        (
            {
                "pyproject.toml": "[tool.ruff]\nline-length = 100\n"
                "[tool.black]\nline-length = 120\nskip-string-normalization = true\n"
            },
            (100, "'"),
        ),
        (
            {
                "pyproject.toml": "[tool.ruff.lint]\nselect = []\n"
                "[tool.black]\nline-length = 120\n"
            },
            (120, '"'),
        ),
        (
            {
                "pyproject.toml": "[tool.ruff.format]\nquote-style = 'double'\n"
                "[tool.black]\nskip-string-normalization = true\n"
            },
            (88, '"'),
        ),
        ({"ruff.toml": "line-length = 90\n"}, (90, '"')),
        ({".ruff.toml": "line-length = 90\n[format]\nquote-style='single'"}, (90, "'")),
        (
            {"ruff.toml": "line-length = 90\n", ".ruff.toml": "line-length = 91\n"},
            (91, '"'),
        ),
        (
            {
                "ruff.toml": "line-length = 90\n",
                "pyproject.toml": "[tool.ruff]\nline-length = 100\n",
            },
            (90, '"'),
        ),
        (
            {
                "ruff.toml": "[lint]\nselect = []\n",
                "pyproject.toml": "[tool.black]\nline-length = 100\n",
            },
            (100, '"'),
        ),
        # The nearest counts, and only that.
        (
            {
                "pyproject.toml": "[tool.ruff]\nline-length = 100\n",
                "pkg/pyproject.toml": "[tool.ruff.format]\nquote-style = 'single'\n",
            },
            (88, "'"),
        ),
        (
            {
                "pyproject.toml": "[tool.ruff]\nline-length = 100\n",
                "pkg/pyproject.toml": "[tool.mypy]\nstrict = true\n",
            },
            (100, '"'),
        ),
        (
            {
                "pyproject.toml": "[tool.ruff]\nline-length = 100\n",
                "pkg/sub/ruff.toml": "",
            },
            (88, '"'),
        ),
        (
            {"pkg/other/ruff.toml": "line-length = 60\n"},
            (88, '"'),
        ),
        # What is extended is below what extends.
        (
            {
                "pyproject.toml": "[tool.ruff]\nline-length = 100\n"
                "[tool.ruff.format]\nquote-style = 'single'\n",
                "pkg/ruff.toml": "extend = '../pyproject.toml'\nline-length = 70\n",
            },
            (70, "'"),
        ),
        (
            {
                "shared/base.toml": "extend = 'deeper/base.toml'\n",
                "shared/deeper/base.toml": "line-length = 77\n",
                "pyproject.toml": "[tool.ruff]\nextend = 'shared/base.toml'\n",
            },
            (77, '"'),
        ),
        (
            {
                "a.toml": "extend = 'ruff.toml'\nline-length = 66\n",
                "ruff.toml": "extend = 'a.toml'\n",
            },
            (66, '"'),
        ),
        ({"ruff.toml": "extend = 'gone.toml'\nline-length = 66\n"}, (66, '"')),
        ({"ruff.toml": "extend = 3\nline-length = 66\n"}, (66, '"')),
        # What is broken counts for nothing.
        ({"pyproject.toml": "[tool.ruff\n"}, (88, '"')),
        ({"ruff.toml": "line-length = \n"}, (88, '"')),
        ({"ruff.toml": "line-length = '100'\n"}, (88, '"')),
        ({"ruff.toml": "line-length = true\n"}, (88, '"')),
        ({"ruff.toml": "line-length = -5\n"}, (88, '"')),
        ({"ruff.toml": "[format]\nquote-style = ['single']\n"}, (88, '"')),
        ({"ruff.toml": "[format]\nquote-style = 'curly'\n"}, (88, '"')),
        ({"ruff.toml": "format = 'single'\n"}, (88, '"')),
        ({"pyproject.toml": "tool = 1\n"}, (88, '"')),
        ({"pyproject.toml": "[tool]\nruff = 1\nblack = 2\n"}, (88, '"')),
        (
            {"pkg/pyproject.toml": "[tool.ruff\n", "ruff.toml": "line-length = 99\n"},
            (99, '"'),
        ),
    ],
)
def test_configurations(
    tmp_path: Path, files: dict[str, str], style: tuple[int, str]
) -> None:
    written(tmp_path, {".ruff.toml": "", **{f"p/{k}": v for k, v in files.items()}})
    path = tmp_path / "p" / "pkg" / "sub" / "spec.py"
    found = code_style(path, SINGLE)
    assert (found.line_length, found.quote) == style


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        (SINGLE, "'"),
        (DOUBLE, '"'),
        ("", '"'),
        ("x = 1\n", '"'),
        ("a = 'x'\nb = \"y\"\n", '"'),
        ('"""Doc."""\na = \'x\'\n', "'"),
        ("'''Doc.'''\na = \"x\"\n", '"'),
        ("a = b'x'\nb = rb'y'\nc = \"z\"\n", "'"),
        ("a = f'{x}'\nb = f'{y}'\nc = \"it's\"\n", "'"),
        ("# it's isn't don't\na = \"x\"\n", '"'),
        ("a = 'x'\nb = (\n", "'"),
        ("a = 'x'\n  b = 1\n c = 2\n", "'"),
        ("a = 'x'\nb = 'y\n", "'"),
    ],
)
def test_preserve_takes_the_habit_of_the_file(
    tmp_path: Path, text: str, quote: str
) -> None:
    written(tmp_path, {"ruff.toml": "[format]\nquote-style = 'preserve'\n"})
    assert code_style(tmp_path / "spec.py", text) == CodeStyle(88, quote)  # type: ignore[arg-type]


def test_the_user_folder_and_the_environment_in_extend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SHARED", str(tmp_path / "shared"))
    written(
        tmp_path,
        {
            "home/base.toml": "line-length = 71\n",
            "shared/base.toml": "line-length = 72\n",
            "a/ruff.toml": "extend = '~/base.toml'\n",
            "b/ruff.toml": "extend = '${SHARED}/base.toml'\n",
        },
    )
    assert code_style(tmp_path / "a" / "x.py", "").line_length == 71
    assert code_style(tmp_path / "b" / "x.py", "").line_length == 72


@pytest.mark.parametrize(
    "files",
    [
        {"pyproject.toml": "[tool.ruff]\nline-length = 60\n"},
        {"pyproject.toml": "[tool.ruff]\nline-length = 60\n", "pkg/ruff.toml": ""},
        {"ruff.toml": "line-length = 60\n[format]\nquote-style = 'single'\n"},
        {
            "pyproject.toml": "[tool.ruff]\nline-length = 60\n",
            "pkg/.ruff.toml": "extend = '../pyproject.toml'\n",
        },
    ],
)
def test_ruff_itself_agrees(tmp_path: Path, files: dict[str, str]) -> None:
    """A line of exactly the length that is found stays one line under ruff."""
    written(tmp_path, {"ruff.toml": "", **{f"p/{k}": v for k, v in files.items()}})
    path = tmp_path / "p" / "pkg" / "spec.py"
    path.parent.mkdir(exist_ok=True)
    style = code_style(path, "")
    start = f"x = f({style.quote}a{style.quote}, "
    fitting = f"{start}{'b' * (style.line_length - len(start) - 1)})\n"
    for text, stays in ((fitting, True), (fitting.replace("(", "(c", 1), False)):
        path.write_text(text, encoding="utf-8")
        run = subprocess.run(
            [sys.executable, "-m", "ruff", "format", "--check", "--no-cache", path],
            capture_output=True,
        )
        assert (run.returncode == 0) is stays
