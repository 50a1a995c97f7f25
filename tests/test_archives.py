# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Archives of strangers: what is kept of them, and what is refused."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest
from package_index import sdist, wheel

from kvlint.auditing import archives
from kvlint.auditing.archives import suffix_of, unpack
from kvlint.errors import KvlintError

HONEST = {
    "pkg/a.py": "x = 1\n",
    "pkg/b.pyi": "x: int\n",
    "pkg/native.so": "no",
    "pkg/data.txt": "no",
    "README.md": "no",
    "pyproject.toml": "[project]\n",
    "setup.py": "",
    "setup.cfg": "",
    "PKG-INFO": "Name: pkg\n",
    "requirements-dev.txt": "",
    "requirements/cuda.txt": "",
    "docs/requirements/cuda.txt": "no",
}
KEPT = sorted(path for path, text in HONEST.items() if text != "no")


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


def zip_link(name: str, target: str) -> tuple[zipfile.ZipInfo, str]:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = 0o120777 << 16
    return info, target


def device(name: str) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type = tarfile.CHRTYPE
    return member


def unpacked(folder: Path, filename: str, content: bytes) -> list[str]:
    """The files that an archive became; nothing else may be in the folder."""
    archive = folder / filename
    archive.write_bytes(content)
    before = {*folder.rglob("*")}
    try:
        unpack(archive, folder / "in" / "tree", filename)
    finally:
        within = [folder / "in", folder / "in" / "tree"]
        strays = [
            path
            for path in folder.rglob("*")
            if path not in before and within[1] not in path.parents
        ]
        assert {*strays} <= {*within}
    tree = folder / "in" / "tree"
    assert not [path for path in tree.rglob("*") if path.is_symlink()]
    return sorted(
        path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file()
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return tmp_path


def test_an_sdist(folder: Path) -> None:
    assert unpacked(folder, "pkg-1.tar.gz", sdist("pkg-1", HONEST)) == KEPT
    assert (folder / "in/tree/pkg/a.py").read_text() == "x = 1\n"


def test_an_sdist_that_is_a_zip_file(folder: Path) -> None:
    content = wheel({f"pkg-1/{path}": text for path, text in HONEST.items()})
    assert unpacked(folder, "pkg-1.zip", content) == KEPT


@pytest.mark.parametrize("suffix", ["bz2", "xz"])
def test_an_sdist_in_another_compression(folder: Path, suffix: str) -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=f"w:{suffix}") as archive:  # type: ignore[call-overload]
        archive.addfile(tarfile.TarInfo("pkg-1/a.py"))
    content = made.getvalue()
    found = unpacked(folder, f"pkg-1.tar.{suffix}", content)
    assert found == ["a.py", "pyproject.toml"]


def test_a_wheel(folder: Path) -> None:
    files = {
        "pkg/a.py": "",
        "pkg-1.dist-info/METADATA": "Name: pkg\n",
        "pkg-1.dist-info/RECORD": "",
        "pkg-1.data/purelib/pkg/b.py": "",
        "pkg-1.data/platlib/pkg/c.py": "",
        "pkg-1.data/scripts/run": "",
    }
    assert unpacked(folder, "pkg-1-py3-none-any.whl", wheel(files)) == [
        "pkg-1.dist-info/METADATA",
        "pkg/a.py",
        "pkg/b.py",
        "pkg/c.py",
        "pyproject.toml",
    ]


def test_a_link_within_is_left_out(folder: Path) -> None:
    content = sdist(
        "pkg-1",
        {"pkg/a.py": "x = 1\n"},
        link("pkg-1/pkg/b.py", "a.py"),
        link("pkg-1/pkg/sub/c.py", "../../pkg/a.py"),
        link("pkg-1/pkg/d.py", "pkg-1/pkg/a.py", tarfile.LNKTYPE),
        link("pkg-1/other", "pkg"),
    )
    assert unpacked(folder, "pkg-1.tar.gz", content) == ["pkg/a.py", "pyproject.toml"]


def test_a_link_within_a_zip_file_is_left_out(folder: Path) -> None:
    content = wheel({"pkg/a.py": ""}, zip_link("pkg/b.py", "a.py"))
    assert unpacked(folder, "pkg-1.whl", content) == ["pkg/a.py", "pyproject.toml"]


FINE = {"pkg/a.py": "x = 1\n"}
HOSTILE = {
    "above": (sdist("", {"../evil.py": ""}), "../evil.py would be outside"),
    "above the top folder": (
        sdist("", {"pkg-1/../evil.py": ""}),
        "pkg-1/../evil.py would be outside",
    ),
    "further in": (
        sdist("", {"pkg-1/a/../../../evil.py": ""}),
        "evil.py would be outside",
    ),
    "absolute": (sdist("", {"/tmp/evil.py": ""}), "/tmp/evil.py would be outside"),
    "a drive": (sdist("", {"C:/evil.py": ""}), "C:/evil.py would be outside"),
    "a drive below the top folder": (
        sdist("", {"pkg-1/C:/evil.py": ""}),
        "pkg-1/C:/evil.py would be outside",
    ),
    "backslashes": (
        sdist("", {"pkg-1\\..\\..\\evil.py": ""}),
        "evil.py would be outside",
    ),
    "not kept, but above": (sdist("", {"../evil": ""}), "../evil would be outside"),
    "a link to an absolute place": (
        sdist("pkg-1", FINE, link("pkg-1/pkg/b", "/etc")),
        "pkg-1/pkg/b is a link to /etc, outside of it",
    ),
    "a link above": (
        sdist("pkg-1", FINE, link("pkg-1/pkg/b", "../../../etc")),
        "is a link to ../../../etc, outside of it",
    ),
    "a hard link above": (
        sdist("pkg-1", FINE, link("pkg-1/b.py", "../etc/c", tarfile.LNKTYPE)),
        "pkg-1/b.py is a link to ../etc/c, outside of it",
    ),
    "an absolute hard link": (
        sdist("pkg-1", FINE, link("pkg-1/b.py", "/etc/c", tarfile.LNKTYPE)),
        "pkg-1/b.py is a link to /etc/c, outside of it",
    ),
    "a device": (
        sdist("pkg-1", FINE, device("pkg-1/null.py")),
        "pkg-1/null.py is neither a file nor a folder",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_refused(folder: Path, name: str) -> None:
    content, why = HOSTILE[name]
    with pytest.raises(KvlintError) as caught:
        unpacked(folder, "pkg-1.tar.gz", content)
    assert str(caught.value).startswith("pkg-1.tar.gz: refused: ")
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (wheel({"../evil.py": ""}), "../evil.py would be outside"),
        (wheel({"/evil.py": ""}), "/evil.py would be outside"),
        (wheel(FINE, zip_link("pkg/b", "/etc")), "is a link to /etc, outside of it"),
        (wheel({"pkg-1.data/purelib/../../../evil.py": ""}), "would be outside"),
        (wheel({"pkg-1.data/purelib//tmp/evil.py": ""}), "would be outside"),
        (wheel({"pkg-1.data/platlib/C:/evil.py": ""}), "would be outside"),
    ],
)
def test_what_is_refused_in_a_wheel(folder: Path, content: bytes, why: str) -> None:
    with pytest.raises(KvlintError, match="refused") as caught:
        unpacked(folder, "pkg-1.whl", content)
    assert why in str(caught.value)


def nested_header(size: int) -> bytes:
    """A tar file whose first header asks for many bytes, as compressed zeros."""
    member = tarfile.TarInfo("x")
    member.type, member.size = tarfile.XHDTYPE, size
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        archive.addfile(member, io.BytesIO(bytes(size)))
    return made.getvalue()


def test_limits(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    big = {"pkg/a.py": "#" * 3000, "pkg/b.so": "#" * 100_000}
    for number, (limit, most, content, why) in enumerate(
        [
            ("MOST_OF_ONE", 2000, sdist("p", big), "p/pkg/a.py has over"),
            ("MOST_OF_ONE", 2000, wheel(big), "pkg/a.py has over"),
            ("MOST_OF_ONE", 20_000, nested_header(50_000), "a header has over"),
            ("MOST_UNPACKED", 50_000, sdist("p", big), "it unpacks to over"),
            ("MOST_UNPACKED", 50_000, wheel(big), "it unpacks to over"),
            ("MOST_KEPT", 2000, sdist("p", big), "its Python files have over"),
            ("MOST_MEMBERS", 1, sdist("p", big), "it has over 1 members"),
            ("MOST_MEMBERS", 1, wheel(big), "it has over 1 members"),
        ]
    ):
        place = folder / str(number)
        (place / "in").mkdir(parents=True)
        with monkeypatch.context() as patched:
            patched.setattr(archives, limit, most)
            filename = "p.whl" if content.startswith(b"PK") else "p.tar.gz"
            with pytest.raises(KvlintError, match="refused") as caught:
                unpacked(place, filename, content)
        assert why in str(caught.value)


GOOD = sdist("pkg-1", {"a.py": "x = 1\n" * 1000})


@pytest.mark.parametrize(
    ("filename", "content"),
    [
        ("pkg-1.tar.gz", b"no archive"),
        ("pkg-1.tar.gz", b""),
        # The time is in it: an id for the same test in every process.
        pytest.param("pkg-1.tar.gz", GOOD[: len(GOOD) // 2], id="half"),
        ("pkg-1.tar.xz", b"no archive"),
        ("pkg-1.tar.bz2", b"no archive"),
        ("pkg-1.zip", b"no archive"),
        ("pkg-1.whl", b"PK\x03\x04 and then nothing"),
    ],
)
def test_what_is_broken(folder: Path, filename: str, content: bytes) -> None:
    with pytest.raises(KvlintError) as caught:
        unpacked(folder, filename, content)
    assert str(caught.value).startswith(f"{filename}: cannot be unpacked: ")
    assert "\n" not in str(caught.value)


def test_two_members_in_one_place(folder: Path) -> None:
    content = sdist("pkg-1", {"a.py": "", "a.py/b.py": ""})
    with pytest.raises(KvlintError, match=r"pkg-1.tar.gz: cannot write a.py/b.py: "):
        unpacked(folder, "pkg-1.tar.gz", content)


@pytest.mark.parametrize(
    ("filename", "suffix"),
    [
        ("a-1.tar.gz", ".tar.gz"),
        ("a-1.zip", ".zip"),
        ("a-1-py3-none-any.whl", ".whl"),
        ("a-1.tar.Z", ""),
        ("a-1.exe", ""),
    ],
)
def test_suffixes(filename: str, suffix: str) -> None:
    assert suffix_of(filename) == suffix
