# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Completion: what is offered, and whether shells take it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from terminal import environment, terminal

from kvlint import catalogue
from kvlint.cli import main
from kvlint.contracts import bundle
from kvlint.output import FORMATS

SHELLS = {
    "bash": (
        ["bash", "--norc", "--noprofile", "-i"],
        'eval "$(kvlint completion bash)"',
    ),
    "zsh": (
        ["zsh", "-f", "-i"],
        'autoload -Uz compinit; compinit -u -D; eval "$(kvlint completion zsh)"',
    ),
    "fish": (["fish", "--no-config"], "kvlint completion fish | source"),
}


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A search path on which kvlint is a command."""
    script = tmp_path / "bin" / "kvlint"
    script.parent.mkdir()
    script.write_text(f"#!{sys.executable}\nfrom kvlint.cli import main\nmain()\n")
    script.chmod(0o755)
    return f"{script.parent}{os.pathsep}{os.environ['PATH']}"


def offered(*words: str) -> list[tuple[str, str]]:
    """What is offered for the last of the words: of which kind, and what."""
    variables = {
        "_KVLINT_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["kvlint", *words]),
        "COMP_CWORD": str(len(words)),
    }
    ran = CliRunner().invoke(main, prog_name="kvlint", env=variables)
    pairs = (line.partition(",") for line in ran.stdout.split())
    return [(kind, value) for kind, _, value in pairs]


def plain(*values: str) -> list[tuple[str, str]]:
    return [("plain", each) for each in values]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["rul"], plain("rule", "rules")),
        (["rule", "KV90"], plain("KV900", "KV901", "KV902")),
        (["rule", "kv10"], plain("KV101", "KV102", "KV103", "KV104", "KV105")),
        (["rule", "KV101", "KV901"], plain("KV901")),
        (["rule", "stale"], plain("stale-copy", "stale-group-copy")),
        (["rule", "ruff"], []),
        (["rule", ""], plain(*catalogue.names())),
        (["check", "--select", "KV902"], plain("KV902")),
        (["check", "--select=KV902"], plain("--select=KV902")),
        (["check", "--select", "=", "KV902"], plain("KV902")),
        (["check", "--select", "=", "KV902", "--output-fo"], plain("--output-format")),
        (["check", "--output-format", "="], plain(*FORMATS)),
        (["check", "--config", "=", "py"], [("file", "py")]),
        (
            ["check", "--select", "a"],
            plain("assert-then-pop", "aliased-enum-member", "ALL"),
        ),
        (
            ["check", "--ignore", "KV900,KV101,KV90"],
            plain("KV900,KV101,KV901", "KV900,KV101,KV902"),
        ),
        (["audit", "vllm", "--select", "KV902"], plain("KV902")),
        (["check", "--vllm-version", "0.27."], plain("0.27.1", "0.27.0")),
        (["audit", "vllm", "--vllm-version", ""], plain(*reversed(bundle.releases()))),
        (
            ["contract", "show", "0.27."],
            [("file", "0.27."), *plain("0.27.1", "0.27.0")],
        ),
        (["contract", "diff", "0.27.0", "ne"], [("file", "ne")]),
        (
            ["contract", "upgrade", "--from", "0.26"],
            [("file", "0.26"), *plain("0.26.0")],
        ),
        (["check", "--output-format", "c"], plain("concise")),
        (["check", "--config", "py"], [("file", "py")]),
        (["config", "--select", "KV902"], plain("KV902")),
        (["completion", ""], plain("bash", "zsh", "fish")),
    ],
)
def test_what_is_offered(words: list[str], expected: list[tuple[str, str]]) -> None:
    assert offered(*words) == expected


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_click_s_own(shell: str) -> None:
    ran = CliRunner().invoke(main, ["completion", shell])
    assert ran.exit_code == 0
    assert f"_KVLINT_COMPLETE={shell}_complete" in ran.stdout


@pytest.mark.shells
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("typed", "drawn"),
    [
        ("comple\t", "completion"),
        ("rule undel\t", "undelegated-member"),
        ("check --select KV101,undel\t", "KV101,undelegated-member"),
        ("check --select KV90\t\t", "KV902"),
        ("check --select=undel\t", "--select=undelegated-member"),
        ("check --output-format=conc\t", "--output-format=concise"),
        ("check --config=a_f\t", "--config=a_folder"),
        ("check --vllm-version 0.26\t", "0.26.0"),
        ("contract show 0.26\t", "0.26.0"),
        ("contract show a_f\t", "a_folder"),
        ("check --output-format conc\t", "concise"),
        ("check a_f\t", "a_folder"),
    ],
)
def test_a_shell_takes_it(
    shell: str, typed: str, drawn: str, path: str, tmp_path: Path
) -> None:
    (tmp_path / "a_folder").mkdir()
    command, setup = SHELLS[shell]
    home = str(tmp_path)
    with terminal(command, tmp_path, PATH=path, HOME=home, PS1="$ ") as screen:
        screen.press(f"{setup}; echo rea''dy\r")
        screen.wait_for("ready")
        screen.press(f"kvlint {typed}")
        screen.wait_for(drawn)


@pytest.mark.shells
@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_has_no_mistakes(shell: str, path: str, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(CliRunner().invoke(main, ["completion", shell]).stdout)
    ran = subprocess.run(
        [shell, "-n", str(script)], capture_output=True, text=True, env=environment()
    )
    assert (ran.returncode, ran.stderr) == (0, "")
