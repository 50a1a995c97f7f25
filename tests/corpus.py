# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Bring released sources by name and version, for the tests that read real code.

    python tests/corpus.py vllm==0.27.1 vllm-rbln

Prints one folder per requirement. Only Python files and ``pyproject.toml`` are kept,
in ``$KVLINT_CORPUS`` or ``~/.cache/kvlint/corpus``; nothing is built, installed or run.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from packaging.requirements import Requirement
from packaging.version import Version
from pypi_simple import DistributionPackage, PyPISimple

KEPT_SUFFIXES = {".py", ".pyi"}
KEPT_NAMES = {"pyproject.toml"}


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
        LookupError: No release fits.
    """
    wanted = Requirement(requirement)
    pins = [each.version for each in wanted.specifier if each.operator == "=="]
    if pins and (folder := cache_folder() / f"{wanted.name}-{pins[0]}").is_dir():
        return folder
    with PyPISimple() as index:
        package = _best(index, wanted)
        folder = cache_folder() / f"{wanted.name}-{package.version}"
        if not folder.is_dir():
            with _becoming(folder) as unpacked:
                archive = unpacked.with_name(package.filename)
                index.download_package(package, archive)
                _unpack(archive, unpacked)
    return folder


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
        with _becoming(folder) as unpacked:
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


@contextlib.contextmanager
def _becoming(folder: Path) -> Iterator[Path]:
    """Give a place for a folder that is put where it belongs only when complete."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        unpacked = Path(scratch) / "sources"
        yield unpacked
        try:
            unpacked.rename(folder)
        except OSError:
            # Another process was first, and its copy is as good.
            if not folder.is_dir():
                raise


def _best(index: PyPISimple, wanted: Requirement) -> DistributionPackage:
    """The newest fitting release's sdist, or its smallest wheel where it has none."""
    packages = [
        package
        for package in index.get_project_page(wanted.name).packages
        if package.package_type in {"sdist", "wheel"} and package.version
    ]
    versions = {package.version or "" for package in packages}
    # Unlike `contains`, `filter` takes a pre-release only where nothing else fits.
    fitting = set(wanted.specifier.filter(versions))
    if not fitting:
        raise LookupError(f"no sdist or wheel on the index fits {wanted}")
    newest = max(fitting, key=Version)
    return min(
        (package for package in packages if package.version == newest),
        key=lambda each: (each.package_type != "sdist", each.size or 0),
    )


def _members(archive: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    """The kept files of an archive: a path below the project's root, and its bytes."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as opened:
            for name in opened.namelist():
                if _kept(path := PurePosixPath(name)):
                    yield path, opened.read(name)
        return
    with tarfile.open(archive) as opened_tar:
        for member in opened_tar:
            path = PurePosixPath(*PurePosixPath(member.name).parts[1:])
            if member.isfile() and _kept(path):
                content = opened_tar.extractfile(member) or io.BytesIO()
                yield path, content.read()


def _kept(path: PurePosixPath) -> bool:
    inside = not path.is_absolute() and ".." not in path.parts
    return inside and (path.suffix in KEPT_SUFFIXES or path.name in KEPT_NAMES)


def _unpack(archive: Path, folder: Path) -> None:
    folder.mkdir()
    for path, content in _members(archive):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    # A wheel has none, and then the project would be whatever is around the cache.
    (folder / "pyproject.toml").touch()


if __name__ == "__main__":
    for each in sys.argv[1:]:
        print(bring(each))
