# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Writing: what stays as it was, and when nothing is written."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kvlint.errors import KvlintError
from kvlint.findings import Edit
from kvlint.sources import Source, read_source
from kvlint.writing import write

OLD = b"x = 1\ny = 2\n"
NEW = b"x = 3\ny = 2\n"


def edited(before: Source) -> Source:
    """Return the file with ``3`` for its first ``1``."""
    at = before.text.index("1")
    return before.edited([Edit(at, at + 1, "3")])


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / "spec.py"
    path.write_bytes(OLD)
    yield path
    folder.chmod(0o755)  # so that pytest can remove it
    # Whatever happened, nothing is left behind.
    assert not [each for each in folder.iterdir() if each.name.startswith(".kvlint")]


@pytest.mark.parametrize(
    ("old", "insertion", "new"),
    [
        (b"x = 1\n", "\n# é\n", b"x = 1\n# \xc3\xa9\n\n"),
        (b"x = 1", "\ny = 2", b"x = 1\ny = 2"),
        (b"x = 1\r\nz\r\n", "\ny = 2", b"x = 1\r\ny = 2\r\nz\r\n"),
        (b"x = 1\rz", "\ny = 2", b"x = 1\ry = 2\rz"),
        (b"\xef\xbb\xbfx = 1\n", "\ny", b"\xef\xbb\xbfx = 1\ny\n"),
        (b"\xef\xbb\xbfx = 1", "\r\ny", b"\xef\xbb\xbfx = 1\ny"),
        (
            b"# coding: latin-1\n# \xe9\nx = 1\n",
            " # \xe9".encode("latin-1").decode("latin-1"),
            b"# coding: latin-1\n# \xe9\nx = 1 # \xe9\n",
        ),
        (
            b"# -*- coding: utf-8 -*-\nx = 1\n\n\n",
            "",
            b"# -*- coding: utf-8 -*-\nx = 1\n\n\n",
        ),
        (
            "# coding: gbk\nx = 1 # 缓存".encode("gbk"),
            "",
            "# coding: gbk\nx = 1 # 缓存".encode("gbk"),
        ),
        (b"x = 1\n\x0c\ty = '''\r'''\n", "\nz", b"x = 1\nz\n\x0c\ty = '''\r'''\n"),
    ],
)
def test_every_other_byte_stays(
    file: Path, old: bytes, insertion: str, new: bytes
) -> None:
    file.write_bytes(old)
    before = read_source(file)
    at = before.text.index("1", before.text.index("x = ")) + 1
    after = before.edited([Edit(at, at, insertion)])
    write(before, after)
    assert file.read_bytes() == new == after.content
    # What was written can be read and edited again.
    write(after, read_source(file))


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o755, 0o664, 0o4755, 0o666])
def test_mode_stays(file: Path, mode: int) -> None:
    before = read_source(file)
    file.chmod(mode)
    write(before, edited(before))
    assert stat.S_IMODE(file.stat().st_mode) == mode
    file.chmod(0o644)
    assert file.read_bytes() == NEW


def test_owner_stays_where_that_is_allowed(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owners: list[tuple[int, int]] = []

    def fchown(handle: int, user: int, group: int) -> None:
        owners.append((user, group))
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", fchown)
    before = read_source(file)
    write(before, edited(before))
    assert owners == [(file.stat().st_uid, file.stat().st_gid)]
    assert file.read_bytes() == NEW


def test_a_symlink_stays_one(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.py"
    other = tmp_path / "other.py"
    other.symlink_to(file)
    link.symlink_to("other.py")
    before = read_source(link)
    write(before, edited(before))
    assert link.is_symlink()
    assert other.is_symlink()
    assert not file.is_symlink()
    assert file.read_bytes() == link.read_bytes() == NEW


def changed(path: Path) -> None:
    path.write_bytes(OLD + b"# somebody's work\n")


def read_only_folder(path: Path) -> None:
    path.parent.chmod(0o555)


def replaced_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def replaced_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


@pytest.mark.parametrize(
    ("happens", "why"),
    [
        (changed, "not written: it changed since it was read; run kvlint again"),
        (Path.unlink, "not written: the file is gone"),
        (lambda path: path.chmod(0o444), "not written: the file is read-only"),
        (read_only_folder, "not written: its folder is read-only"),
        (replaced_by_folder, "not written: it is not an ordinary file"),
        (replaced_by_pipe, "not written: it is not an ordinary file"),
        (endless, "not written: Too many levels of symbolic links"),
    ],
)
def test_refused(file: Path, happens: Callable[[Path], object], why: str) -> None:
    before = read_source(file)
    happens(file)
    content = file.read_bytes() if file.is_file() else None
    with pytest.raises(KvlintError) as caught:
        write(before, edited(before))
    assert str(caught.value) == f"{file}: {why}"
    assert (file.read_bytes() if file.is_file() else None) == content
    file.parent.chmod(0o755)
    assert len(list(file.parent.iterdir())) == (0 if happens is Path.unlink else 1)


def test_a_symlink_to_nowhere_is_gone(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.py"
    link.symlink_to(file)
    before = read_source(link)
    file.unlink()
    with pytest.raises(KvlintError, match=r"link\.py: not written: the file is gone"):
        write(before, edited(before))
    assert link.is_symlink()


@pytest.mark.parametrize("call", ["fsync", "replace", "chmod"])
def test_a_failure_leaves_the_old_file(
    file: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    before = read_source(file)
    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        with pytest.raises(KvlintError) as caught:
            write(before, edited(before))
    assert str(caught.value) == f"{file}: not written: No space left on device"
    assert file.read_bytes() == OLD


def test_an_interruption_leaves_the_old_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    before = read_source(file)
    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(before, edited(before))
    assert file.read_bytes() == OLD
