# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Modules that nobody wrote: fixes do right by them, and nothing crashes.

``tests/fuzzing.py`` tries more of them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesmith
import pytest
from command import ROOT
from fuzzing import Fuzz
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from projects import check_project
from spec_modules import SpecModule, spec_modules

from kvlint.sources import decode_source

QUIET = {"deadline": None, "suppress_health_check": list(HealthCheck)}
FEW = settings(max_examples=8, derandomize=True, database=None, **QUIET)  # type: ignore[arg-type]
MANY = settings(max_examples=40, derandomize=True, database=None, **QUIET)  # type: ignore[arg-type]
CODE = hypothesmith.from_node(auto_target=False)
PACK = """\
from vllm.v1.kv_cache_interface import KVCacheSpec
class Pack(KVCacheSpec):
    layers: dict[str, KVCacheSpec]
"""


@pytest.fixture(scope="module")
def fuzz(tmp_path_factory: pytest.TempPathFactory) -> Fuzz:
    return Fuzz(tmp_path_factory.mktemp("fuzz"))


@FEW
@given(module=spec_modules())
def test_a_fix_does_right_by_any_module(module: SpecModule, fuzz: Fuzz) -> None:
    fuzz.examine(module)


def around(fuzz: Fuzz, before: str, after: str) -> None:
    """A composite between other code, all of which stays."""
    text = f"{before}\n{PACK}\n\n{after}"
    source = decode_source(fuzz.path, text.encode("utf-8", "replace"))
    fuzz.check(source)
    mended = fuzz.mend(source, unsafe=True)
    assert mended is source or fuzz.mend(mended, unsafe=True) is mended


@FEW
@given(before=hypothesmith.from_grammar(auto_target=False), after=CODE)
def test_any_code_around_it_is_borne(before: str, after: str, fuzz: Fuzz) -> None:
    around(fuzz, before, after)


@pytest.mark.corpus
@MANY
@given(before=CODE, after=CODE)
def test_much_code_around_it_is_borne(before: str, after: str, fuzz: Fuzz) -> None:
    around(fuzz, before, after)


@FEW
@given(content=st.binary(max_size=60))
def test_any_bytes_are_borne(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    (folder / "a.py").write_bytes(content + b"\n" + PACK.encode())
    report = check_project(folder, vllm_version=("0.33.0",))
    assert not [each for each in report.failures if "report" in each.message]


def check(folder: Path) -> tuple[int, str]:
    """Return the exit code and what is said, in a process that may die of it."""
    ran = subprocess.run(
        [sys.executable, "-m", "kvlint", "check", "--vllm-version=0.33.0", "a.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert ran.returncode in (0, 1, 2), ran.stderr[-500:]
    assert "Traceback" not in ran.stderr
    assert "please report" not in ran.stderr
    if ran.returncode == 2:
        assert "a.py" in ran.stderr
    return ran.returncode, ran.stdout + ran.stderr


def nested() -> Iterator[tuple[str, str]]:
    for name, before, after in (
        ("brackets", "[", "]"),
        ("calls", "f(", ")"),
        ("operators", "not ", ""),
        ("minus", "-", ""),
        ("lambdas", "lambda: ", ""),
        ("conditions", "1 if 1 else ", ""),
        ("awaits", "(yield ", ")"),
    ):
        yield name, f"def f():\n    x = {before * 3000}1{after * 3000}\n"
    yield "additions", "x = " + " + ".join(["1"] * 20_000) + "\n"
    yield "attributes", "x = a" + ".b" * 20_000 + "\n"
    yield "subscripts", "x = a" + "[0]" * 20_000 + "\n"
    yield "chained calls", "x = a" + "()" * 3_000 + "\n"
    for terms in (2_000, 5_000):
        for name, line in (
            ("sum", " + b"),
            ("condition", "or b"),
            ("choice", "if b else a"),
            ("calls", ".b()"),
            ("subscripts", "[0]"),
            ("texts", "'b'"),
            ("a sum with comments", "+ b  # (["),
        ):
            body = f"        {line}\n" * terms
            code = f"def f(a, b):\n    return (\n        a\n{body}    )\n"
            if name == "texts":
                code = code.replace("        a\n", "")
            yield f"{terms} lines of {name}", code
    yield "continued lines", "x = a" + " \\\n  + a" * 5_000 + "\n"
    yield "blocks", "".join(f"{' ' * n}if x:\n" for n in range(95)) + " " * 95 + "1\n"
    yield "else ifs", "if x: 1\n" + "elif x: 1\n" * 1_000
    yield "classes", "".join(f"class C{n}(C{n - 1}): pass\n" for n in range(400))
    yield (
        "specs",
        PACK
        + "".join(
            f"class S{n}({f'S{n - 1}' if n else 'KVCacheSpec'}): pass\n"
            for n in range(120)
        ),
    )
    yield (
        "dataclasses",
        "from dataclasses import dataclass\n"
        + PACK
        + "".join(
            f"@dataclass(frozen=True)\nclass S{n}({f'S{n - 1}' if n else 'Pack'}):\n"
            f"    field_{n}: int = 0\n"
            for n in range(120)
        ),
    )
    yield "a long line", "x = [" + "1, " * 300_000 + "]\n"
    yield "a long text", "x = '''" + "a\n" * 500_000 + "'''\n"
    yield "many lines", "x = 1\n" * 100_000


NESTED = dict(nested())
ALWAYS = {
    "brackets",
    "operators",
    "additions",
    "attributes",
    "blocks",
    "specs",
    "dataclasses",
    "2000 lines of sum",
    "5000 lines of sum",
    "5000 lines of a sum with comments",
}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            text, id=name, marks=[] if name in ALWAYS else [pytest.mark.corpus]
        )
        for name, text in NESTED.items()
    ],
)
def test_large_files_and_deep_nesting_end_clearly(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PACK + text)
    code, said = check(tmp_path)
    assert code == 2 or "KV101" in said, said[-300:]
