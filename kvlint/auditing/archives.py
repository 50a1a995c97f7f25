# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Archives of strangers: what is kept of them, and what is refused.

Nothing is written but the kept files, each below the folder that was asked for. Links
are never followed and never written.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, Any, cast

from kvlint.errors import KvlintError

_MEGABYTE = 1_000_000
# vLLM 0.33.0 has 9,629 members, 137 MB in all, of which 75 MB are kept.
MOST_MEMBERS = 200_000
MOST_UNPACKED = 4_000 * _MEGABYTE
MOST_KEPT = 1_000 * _MEGABYTE
MOST_OF_ONE = 32 * _MEGABYTE

_SUFFIXES = frozenset({".py", ".pyi"})
# What may say which vLLM it is for; setup.py is kept as it is Python.
_NAMES = frozenset({"pyproject.toml", "setup.cfg", "PKG-INFO", "METADATA"})
# Where a wheel keeps what goes beside its packages all the same.
_BESIDE = (".data/purelib/", ".data/platlib/")
_OPENERS: Mapping[str, Callable[[Path], Any]] = {
    ".tar.gz": gzip.open,
    ".tgz": gzip.open,
    ".tar.bz2": bz2.open,
    ".tar.xz": lzma.open,
}
_WHEEL = ".whl"
_ZIP = ".zip"
_UNREADABLE = (
    EOFError,
    KeyError,
    NotImplementedError,  # a compression that Python does not know
    OSError,
    RuntimeError,  # an encrypted member
    ValueError,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
)


def suffix_of(filename: str) -> str:
    """Return by which of the known suffixes a file is an archive; empty if by none."""
    known = (*_OPENERS, _ZIP, _WHEEL)
    return next((each for each in known if filename.endswith(each)), "")


def unpack(archive: Path, folder: Path, called: str) -> None:
    """Write an archive's Python files, and what says which vLLM it is for.

    Args:
        archive: An sdist or a wheel, as its suffix says.
        folder: Where to; it is not there yet. An sdist's own top folder becomes it.
        called: What to call the archive in messages.

    Raises:
        KvlintError: The archive is broken, or holds what no honest one does.
    """
    folder.mkdir()
    kept = 0
    for path, content in _kept_files(archive, called):
        kept += len(content)
        if kept > MOST_KEPT:
            raise _refused(called, f"its Python files have over {_told(MOST_KEPT)}")
        target = folder / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise KvlintError(f"{called}: cannot write {path}: {reason}") from error
    # A wheel has none, and then the project would be whatever is around the folder.
    (folder / "pyproject.toml").touch()


@dataclass(frozen=True)
class _Member:
    """An entry of an archive.

    Attributes:
        name: As the archive has it.
        size: In bytes, as the archive says.
        is_file: Whether it is an ordinary file.
        link: What it leads to, if it is a link.
        from_top: Whether that is said from the archive's top, as hard links do.
        is_odd: Whether it is a device or the like.
        read: Gives its bytes.
    """

    name: str
    size: int
    is_file: bool
    link: str | None
    from_top: bool
    is_odd: bool
    read: Callable[[], bytes]


def _kept_files(archive: Path, called: str) -> Iterator[tuple[PurePosixPath, bytes]]:
    suffix = suffix_of(archive.name)
    tops = 0 if suffix == _WHEEL else 1
    count = size = 0
    members = _zip_members if suffix in (_ZIP, _WHEEL) else _tar_members
    try:
        for member in members(archive):
            count, size = count + 1, size + member.size
            if count > MOST_MEMBERS:
                raise _refused(called, f"it has over {MOST_MEMBERS:,} members")
            if size > MOST_UNPACKED:
                raise _refused(called, f"it unpacks to over {_told(MOST_UNPACKED)}")
            path = _place(member.name, tops)
            _refuse_unsafe(member, path, called)
            if member.is_file and _is_kept(path):
                if member.size > MOST_OF_ONE:
                    what = f"{member.name} has over {_told(MOST_OF_ONE)}"
                    raise _refused(called, what)
                yield path, member.read()
    except _TooLargeError as error:
        raise _refused(called, str(error)) from error
    except _UNREADABLE as error:
        raise KvlintError(
            f"{called}: cannot be unpacked: {error or type(error).__name__}"
        ) from error


def _refuse_unsafe(member: _Member, place: PurePosixPath, called: str) -> None:
    """Refuse what would be written outside, or leads there."""
    if member.is_odd:
        raise _refused(called, f"{member.name} is neither a file nor a folder")
    if _leads_out(member.name) or _leads_out(str(place)):
        raise _refused(called, f"{member.name} would be outside of it")
    if member.link is not None:
        target = PureWindowsPath(member.link)
        around = "" if member.from_top else PureWindowsPath(member.name).parent
        if target.anchor or _climbs(around / target):
            what = f"{member.name} is a link to {member.link}, outside of it"
            raise _refused(called, what)


def _leads_out(path: str) -> bool:
    # Windows knows every way out that others know.
    parsed = PureWindowsPath(path)
    return bool(parsed.anchor) or ".." in parsed.parts


def _climbs(path: PureWindowsPath) -> bool:
    """Whether a path leads above where it begins."""
    depth = 0
    for part in path.parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return True
    return False


def _place(name: str, tops: int) -> PurePosixPath:
    """Where a member goes below the project's root."""
    for beside in _BESIDE:
        head, found, rest = name.partition(beside)
        if found and "/" not in head:
            return PurePosixPath(rest)
    return PurePosixPath(*PurePosixPath(name).parts[tops:])


def _is_kept(path: PurePosixPath) -> bool:
    if path.suffix in _SUFFIXES or path.name in _NAMES:
        return True
    is_listed = path.name.startswith("requirements") or path.parts[:-1] == (
        "requirements",
    )
    return path.suffix == ".txt" and is_listed


def _zip_members(archive: Path) -> Iterator[_Member]:
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            mode = stat.S_IFMT(info.external_attr >> 16)
            is_link = mode == stat.S_IFLNK
            if is_link and info.file_size > MOST_OF_ONE:
                raise _TooLargeError(f"{info.filename} is a link of that many bytes")
            target = opened.read(info).decode("utf-8", "replace") if is_link else None
            is_file = not info.is_dir() and mode in (0, stat.S_IFREG)
            is_odd = mode not in (0, stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK)

            def read(info: zipfile.ZipInfo = info) -> bytes:
                return opened.read(info)

            name, size = info.filename, info.file_size
            yield _Member(name, size, is_file, target, False, is_odd, read)


def _tar_members(archive: Path) -> Iterator[_Member]:
    opener = _OPENERS[suffix_of(archive.name)]
    with opener(archive) as stream:
        bounded = cast(IO[bytes], _Bounded(stream))
        with tarfile.open(fileobj=bounded, mode="r:") as opened:
            for info in opened:
                is_hard, is_file = info.islnk(), info.isfile()
                link = info.linkname if is_hard or info.issym() else None

                def read(info: tarfile.TarInfo = info) -> bytes:
                    content = opened.extractfile(info) or io.BytesIO()
                    return content.read()

                is_odd = not (is_file or info.isdir() or link is not None)
                name, size = info.name, info.size
                yield _Member(name, size, is_file, link, is_hard, is_odd, read)


class _TooLargeError(Exception):
    """An archive says that it has far more than any honest one."""


class _Bounded(io.RawIOBase):
    """A stream of which nobody gets more than there may be.

    The headers of a tar file may ask the reader for any number of bytes at once.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def tell(self) -> int:
        return self._stream.tell()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if offset > MOST_UNPACKED:
            raise _TooLargeError(f"it unpacks to over {_told(MOST_UNPACKED)}")
        return self._stream.seek(offset, whence)

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= MOST_OF_ONE:
            raise _TooLargeError(f"a header has over {_told(MOST_OF_ONE)}")
        return self._stream.read(size)


def _refused(called: str, why: str) -> KvlintError:
    return KvlintError(f"{called}: refused: {why}")


def _told(size: int) -> str:
    return f"{size // _MEGABYTE:,} MB"
