# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where the work is done, and on what: the interpreter, the sources, the classes."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kvlint import discovery
from kvlint.checking import Run, folders_of_roots
from kvlint.config import Config
from kvlint.errors import KvlintError
from kvlint.model.classes import SpecClass
from kvlint.model.module_places import package_root
from kvlint.model.workspace import Workspace
from kvlint.project import Project
from kvlint.reports import Job
from kvlint.specs.hierarchy import VLLM_ROOT
from kvlint.verifying.process import Interpreter, Raised

VLLM_MODULE = VLLM_ROOT.rpartition(".")[0]
_CLASS = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


@dataclass(frozen=True)
class Wanted:
    """What the command line names.

    Attributes:
        classes: Modules and names of classes.
        job: The files, if paths are named.
    """

    classes: tuple[tuple[str, str], ...]
    job: Job | None

    @property
    def paths(self) -> list[Path]:
        """Folders that imports shall find first: those of a vLLM that is named."""
        return folders_of_roots(self.job) if self.job else []


def read_targets(targets: Sequence[str], folder: Path, config: Config) -> Wanted:
    """Return what is named: classes as ``module:Class``, and files and folders.

    Args:
        targets: As the command line has them; none stands for the working directory.
        folder: The working directory.
        config: What is in force.

    Raises:
        KvlintError: There is no such path.
    """
    classes = [
        each for each in targets if _CLASS.fullmatch(each) and not Path(each).exists()
    ]
    named = [folder / each for each in targets if each not in classes]
    split = [each.partition(":") for each in classes]
    pairs = tuple((module, name) for module, _, name in split)
    if classes and not named:
        return Wanted(pairs, None)
    paths = tuple(named) or (folder,)
    root = discovery.project_root(paths)
    found = discovery.discover(paths, config, root)
    if found.failures:
        raise KvlintError("\n".join(each.message for each in found.failures))
    job = Job(found.files, found.named, found.project_files, root, config)
    return Wanted(pairs, job)


def find_python(named: Path | None, folder: Path) -> Path:
    """Return the interpreter: the one named, of an environment, or kvlint's own.

    Raises:
        KvlintError: There is none where somebody said it is.
    """
    if named is not None:
        if named.is_dir():
            named = named / "bin" / "python"
        found = shutil.which(named)
        if found is None:
            raise KvlintError(f"--python {named}: there is no such interpreter")
        return Path(os.path.abspath(found))
    active = [os.environ.get(name) for name in ("VIRTUAL_ENV", "CONDA_PREFIX")]
    prefixes = [Path(each) for each in active if each]
    for prefix in (*prefixes, folder / ".venv", folder / "venv"):
        if (prefix / "bin" / "python").is_file():
            return prefix / "bin" / "python"
    return Path(sys.executable)


def import_module(interpreter: Interpreter, module: str) -> Path:
    """Import a module, and return its file.

    Raises:
        KvlintError: It cannot be imported; the message says what is missing.
    """
    try:
        told = interpreter.call(f"importing {module}", "import", module=module)
    except Raised as error:
        raise KvlintError(_why(interpreter.python, module, error)) from error
    file = told["file"]
    if file is None:
        raise KvlintError(f"{module} is no module with a file of its own")
    return Path(file)


def _why(python: Path, module: str, error: Raised) -> str:
    missing = str(error.error.get("missing", ""))
    package = missing.partition(".")[0]
    if not package:
        return str(error)
    if missing == module or module.startswith(missing + ".") and package != "vllm":
        return f"{python} finds no module {missing}; is the path right?"
    install = f"{python} -m pip install {package}"
    if package == "vllm":
        if python == Path(sys.executable):
            install = "pip install 'kvlint[vllm]'"
        ways = "name its sources by --vllm-path or an interpreter that has it by"
        return f"{python} has no vLLM: {install}, or {ways} --python"
    told = f"{python} has no `{package}`, which {module} imports: {install}"
    if package == "torch":
        return f"{told}, or name an interpreter that has it by --python"
    return f"{told}, or let kvlint stand in for it: --stand-in {package}"


def find_classes(
    interpreter: Interpreter, wanted: Wanted, vllm: Path, folder: Path, config: Config
) -> tuple[Project, list[SpecClass]]:
    """Return the project, with vLLM as it was imported, and the classes that are meant.

    Args:
        interpreter: Where modules are imported.
        wanted: What is named.
        vllm: The file of vLLM's module of specs.
        folder: The working directory.
        config: What is in force.

    Raises:
        KvlintError: A class that is named is no spec.
    """
    sources = replace(config, vllm_path=package_root(vllm))
    chosen: list[SpecClass] = []
    project: Project | None = None
    if wanted.job is not None:
        # A vLLM within the project is read with the project.
        inside = vllm in wanted.job.project_files
        job = wanted.job if inside else replace(wanted.job, config=sources)
        project = Run(job).project()
        chosen += project.specs()
    for module, name in wanted.classes:
        path = import_module(interpreter, module)
        project = Run(_job_of(path, sources)).project()
        found = [each for each in project.specs() if each.name == name]
        if not found:
            raise KvlintError(f"{path}: {name} is no spec class")
        chosen += found
    assert project is not None
    return project, chosen


def _job_of(path: Path, config: Config) -> Job:
    """The job of one file of a package that may well be installed."""
    root = discovery.project_root([path])
    files = tuple(Workspace([]).package_files(path))
    return Job((path,), frozenset({path}), files, root, config)
