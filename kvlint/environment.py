# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where vLLM is, if the linted tree is not vLLM itself. Nothing is imported."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from kvlint.errors import KvlintError

_VLLM = "vllm"


def vllm_folders(named: Path | None, project: Path) -> list[Path]:
    """Return the folders that vLLM's package may stand in, best first.

    Args:
        named: What the configuration or the command line says: vLLM's package, or the
            folder around it.
        project: The project's folder, whose ``.venv`` counts as an environment.

    Raises:
        KvlintError: There is no vLLM where somebody said it is.
    """
    if named is None:
        return _installed(project)
    for folder in (named, named.parent):
        package = folder / _VLLM
        is_meant = package == named or folder == named
        if is_meant and (package / "v1").is_dir():
            return [folder]
    raise KvlintError(
        f"vllm-path {named}: holds no vLLM sources; name the folder that contains "
        "`vllm/v1`"
    )


def _installed(project: Path) -> list[Path]:
    """Site-packages of the active environment, then the project's, then kvlint's."""
    active = [os.environ.get(name) for name in ("VIRTUAL_ENV", "CONDA_PREFIX")]
    prefixes = [Path(each) for each in active if each]
    prefixes += [project / ".venv", project / "venv", Path(sys.prefix)]
    found: dict[Path, None] = {}
    for prefix in prefixes:
        patterns = ("lib/python3*/site-packages", "Lib/site-packages")
        for pattern in patterns:
            for folder in sorted(prefix.glob(pattern), reverse=True):
                found[folder] = None
                found.update(dict.fromkeys(_editable(folder)))
    return list(found)


def _editable(site_packages: Path) -> list[Path]:
    """Folders that ``.pth`` files add, such as editable installs."""
    folders = []
    for path in sorted(site_packages.glob("*.pth")):
        try:
            lines = path.read_text(errors="replace").splitlines()
        except OSError:
            continue
        plain = [line.strip() for line in lines if line.startswith(("/", "."))]
        folders += [site_packages / line for line in plain]
    return [folder for folder in folders if folder.is_dir()]
