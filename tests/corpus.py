# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Bring released sources by name and version, for the tests that read real code.

    python tests/corpus.py vllm==0.27.1 vllm-rbln

Prints one folder per requirement, in ``$KVLINT_CORPUS`` or ``~/.cache/kvlint/corpus``.
It is what ``kvlint audit`` does before it checks; nothing is built, installed or run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from kvlint.auditing.cache import Shelf, becoming
from kvlint.auditing.distributions import fetch, plan
from kvlint.auditing.index import Index
from kvlint.auditing.wanted import parse


def cache_folder() -> Path:
    """Return the folder that holds one sub-folder per release."""
    named = os.environ.get("KVLINT_CORPUS")
    folder = Path(named) if named else Path.home() / ".cache" / "kvlint" / "corpus"
    return folder.absolute()


def bring(requirement: str) -> Path:
    """Return the folder of a release's sources, downloading it if it is not there.

    Args:
        requirement: A name with or without a version, such as ``vllm==0.27.1``. Of
            several releases that fit, the newest is taken.

    Returns:
        The folder that the archive's own top-level folder became.

    Raises:
        KvlintError: No release fits, or it cannot be had.
    """
    index = Index()
    (found,) = plan(parse(requirement), Shelf(cache_folder()), index)
    return fetch(found, index).folder


def standard_library_tests() -> Path:
    """Return the folder of CPython's own test suite.

    It is this interpreter's own, or, where that came without, the one of Debian's
    package for this version of Python.

    Raises:
        LookupError: Neither is to be had.
    """
    version = "python{}.{}".format(*sys.version_info)
    own = Path(sysconfig.get_path("stdlib")) / "test"
    if _is_suite(own):
        return own
    folder = cache_folder() / f"lib{version}-testsuite"
    suite = folder / "usr" / "lib" / version / "test"
    if not _is_suite(suite):
        with becoming(folder) as unpacked:
            _debian_package(folder.name, unpacked)
    return suite


def _is_suite(folder: Path) -> bool:
    """Whether a folder holds the suite; some distributions keep a stub of it."""
    return (folder / "test_ast.py").is_file() or (folder / "test_ast").is_dir()


def _debian_package(name: str, folder: Path) -> None:
    """Unpack a Debian package without installing it."""
    try:
        subprocess.run(["apt-get", "download", name], cwd=folder.parent, check=True)
        (archive,) = folder.parent.glob(f"{name}_*.deb")
        subprocess.run(["dpkg-deb", "-x", archive, folder], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise LookupError(
            f"this Python has no test suite, and Debian's {name} cannot be had: {error}"
        ) from error


if __name__ == "__main__":
    for each in sys.argv[1:]:
        print(bring(each))
