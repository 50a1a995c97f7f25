# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Bringing distributions: which release, from where, and what is kept of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from package_index import LocalIndex, sdist, served, wheel
from packaging.version import Version

from kvlint.auditing import index as indexes
from kvlint.auditing.cache import Cache, Shelf, cache_folder
from kvlint.auditing.distributions import Choice, Distribution, fetch, plan
from kvlint.auditing.index import PYPI, VARIABLES, Index
from kvlint.auditing.wanted import parse
from kvlint.errors import KvlintError

FILES = {"pkg/a.py": "x = 1\n"}
PRE, ALL, OFFLINE = Choice(pre=True), Choice(all_releases=True), Choice(offline=True)
ALL_PRE = Choice(pre=True, all_releases=True)


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*VARIABLES, "KVLINT_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")


@pytest.fixture
def local() -> Iterator[LocalIndex]:
    with served() as index:
        yield index


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "shelf")


def brought(
    text: str, shelf: Shelf, local: LocalIndex, choice: Choice | None = None
) -> list[Distribution]:
    return bring(text, shelf, Index(local.url), choice)


def bring(
    text: str, shelf: Shelf, index: Index, choice: Choice | None = None
) -> list[Distribution]:
    return [fetch(each, index) for each in plan(parse(text), shelf, index, choice)]


def versions(*given: object) -> list[str]:
    return [str(each.version) for each in brought(*given)]  # type: ignore[arg-type]


def names(shelf: Shelf) -> list[str]:
    return sorted(each.name for each in shelf.folder.glob("*"))


# Requirements.


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("vllm==", "is no requirement such as vllm==0.27.1 or vllm-rbln"),
        ("./plugin", "for files and folders there is `kvlint check`"),
        ("a.tar.gz/x", "for files and folders there is `kvlint check`"),
        ("-r x.txt", "is no requirement"),
        ("", "is no requirement"),
        ("vllm @ https://x/y", 'a link does not choose sources; write "vllm"'),
        ("vllm[audio]==1", 'an extra does not choose sources; write "vllm==1"'),
        ("vllm>1; os_name=='x'", 'a condition does not choose sources; write "vllm>1"'),
    ],
)
def test_what_is_no_requirement(text: str, why: str) -> None:
    with pytest.raises(KvlintError) as caught:
        parse(text)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_name_has_a_normal_form() -> None:
    assert parse("vLLM_rbln").name == parse("vllm.rbln").name == "vllm-rbln"


# Which release.


@pytest.mark.parametrize(
    ("text", "choice", "expected"),
    [
        ("pkg", None, ["1.2.0"]),
        ("pkg==1.1", None, ["1.1.0"]),
        ("pkg==1.1.0", None, ["1.1.0"]),
        ("pkg===1.1.0", None, ["1.1.0"]),
        ("pkg==1.*", None, ["1.2.0"]),
        ("pkg<1.2", None, ["1.1.0"]),
        ("pkg", PRE, ["2.0.0rc1"]),
        ("pkg>=2.0.0rc0", None, ["2.0.0rc1"]),
        ("pkg==2.0.0rc1", None, ["2.0.0rc1"]),
        ("pkg>1.2", None, ["2.0.0rc1"]),  # nothing else fits
        ("pkg", ALL, ["1.0.0", "1.1.0", "1.2.0"]),
        ("pkg>=1.1", ALL_PRE, ["1.1.0", "1.2.0", "2.0.0rc1"]),
        ("pkg==1.3.0", None, ["1.3.0"]),  # yanked, but pinned
    ],
)
def test_which_release(
    text: str,
    choice: Choice | None,
    expected: list[str],
    shelf: Shelf,
    local: LocalIndex,
) -> None:
    for version in ("1.0.0", "1.2.0", "1.1.0", "2.0.0rc1"):
        local.release("pkg", version, FILES)
    local.add("pkg-1.3.0.tar.gz", sdist("pkg-1.3.0", FILES), yanked=True)
    local.add("pkg-9.0.0.exe", b"")
    local.add("pkg-no.version.tar.gz", b"")
    assert versions(text, shelf, local, choice) == expected
    assert names(shelf) == [f"pkg-{each}" for each in expected]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("pkg>1", "what fits was yanked; to have it all the same, pin it: pkg==1.3.0"),
        ("pkg==7", "no such release; the index has those from 1.0.0 to 1.3.0"),
        ("eggs", "the index has no sdist or wheel of it"),
        ("nowhere", "nowhere: there is no such distribution on http://127.0.0.1:"),
    ],
)
def test_what_there_is_not(
    text: str, why: str, shelf: Shelf, local: LocalIndex
) -> None:
    local.release("pkg", "1.0.0", FILES)
    local.add("pkg-1.3.0.tar.gz", sdist("pkg-1.3.0", FILES), yanked=True)
    local.add("eggs-1-py3.11.egg", b"")
    with pytest.raises(KvlintError) as caught:
        brought(text, shelf, local)
    assert why in str(caught.value)


# Which archive.


def test_an_sdist_comes_before_a_wheel(shelf: Shelf, local: LocalIndex) -> None:
    local.add("pkg-1.0-py3-none-any.whl", wheel({"pkg/of_wheel.py": ""}))
    local.release("pkg", "1.0", {"pkg/of_sdist.py": "x = 1\n" * 100})
    (found,) = brought("pkg", shelf, local)
    assert (found.folder / "pkg" / "of_sdist.py").is_file()
    assert str(found) == "pkg 1.0"


def test_the_smallest_wheel_is_taken(shelf: Shelf, local: LocalIndex) -> None:
    local.add("pkg-1.0-cp311-cp311-win_amd64.whl", wheel({"pkg/large.py": ""}), size=9)
    local.add("pkg-1.0-cp312-cp312-win_amd64.whl", wheel({"pkg/small.py": ""}), size=8)
    (found,) = brought("pkg", shelf, local)
    assert (found.folder / "pkg" / "small.py").is_file()


def test_what_is_not_yanked_comes_first(shelf: Shelf, local: LocalIndex) -> None:
    local.add("pkg-1.0.tar.gz", sdist("pkg-1.0", {"bad.py": ""}), yanked=True)
    local.add("pkg-1.0-py3-none-any.whl", wheel({"pkg/good.py": ""}))
    (found,) = brought("pkg==1.0", shelf, local)
    assert (found.folder / "pkg" / "good.py").is_file()


# Downloads that go wrong leave nothing behind.


@pytest.mark.parametrize(
    ("hashes", "why"),
    [
        ({}, "pkg-1.tar.gz: not brought: the index gives no SHA-2 hash of it"),
        ({"md5": "0" * 32}, "not brought: the index gives no SHA-2 hash of it"),
        ({"sha256": "0" * 64}, "not used: it is not what the index says (sha256 "),
    ],
)
def test_hashes(
    hashes: dict[str, str], why: str, shelf: Shelf, local: LocalIndex
) -> None:
    local.add("pkg-1.tar.gz", sdist("pkg-1", FILES), hashes=hashes)
    with pytest.raises(KvlintError) as caught:
        brought("pkg", shelf, local)
    assert why in str(caught.value)
    assert names(shelf) == []


def test_half_a_download(shelf: Shelf, local: LocalIndex) -> None:
    local.release("pkg", "1", FILES)
    local.torn = True
    with pytest.raises(KvlintError):
        brought("pkg", shelf, local)
    assert names(shelf) == []
    local.torn = False
    assert versions("pkg", shelf, local) == ["1"]


def test_a_download_without_end(
    shelf: Shelf, local: LocalIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    local.release("pkg", "1", FILES)
    monkeypatch.setattr(indexes, "MOST_BYTES", 50)
    with pytest.raises(KvlintError, match="pkg-1.tar.gz: refused: it has over"):
        brought("pkg", shelf, local)
    assert names(shelf) == []


def test_a_hostile_archive(shelf: Shelf, local: LocalIndex) -> None:
    local.add("pkg-1.tar.gz", sdist("", {"../../evil.py": ""}))
    with pytest.raises(KvlintError, match=r"pkg-1.tar.gz: refused: ../../evil.py"):
        brought("pkg", shelf, local)
    assert names(shelf) == []
    assert [*shelf.folder.parent.rglob("evil.py")] == []


def test_the_indexs_name_for_a_file_is_no_path(shelf: Shelf, local: LocalIndex) -> None:
    local.add("pkg-1.tar.gz", sdist("pkg-1", FILES))
    local.pages["pkg"][0]["filename"] = "../../pkg-1.tar.gz"
    with pytest.raises(KvlintError):
        brought("pkg", shelf, local)
    assert {path.name for path in shelf.folder.parent.rglob("*")} <= {"shelf"}


def test_an_index_that_fails(shelf: Shelf, local: LocalIndex) -> None:
    local.fault = 503
    with pytest.raises(KvlintError, match=r"pkg: http://\S+ answers with HTTP 503"):
        brought("pkg", shelf, local)


def test_an_index_that_is_not_there(shelf: Shelf) -> None:
    with pytest.raises(KvlintError, match=r"pkg: cannot reach http://127.0.0.1:9/"):
        bring("pkg", shelf, Index("http://127.0.0.1:9/simple"))


def test_an_index_that_is_none(shelf: Shelf, local: LocalIndex) -> None:
    url = local.url.replace("/simple/", "/files/")
    local.files["pkg"] = b"hello"
    with pytest.raises(KvlintError, match="pkg: cannot be brought: ") as caught:
        bring("pkg", shelf, Index(url))
    assert "\n" not in str(caught.value)


def test_a_shelf_that_cannot_be_written(tmp_path: Path, local: LocalIndex) -> None:
    local.release("pkg", "1", FILES)
    (tmp_path / "file").touch()
    with pytest.raises(KvlintError, match="cannot write there: .*--cache-dir"):
        brought("pkg", Shelf(tmp_path / "file"), local)


def test_without_the_extra(
    shelf: Shelf, local: LocalIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pypi_simple", None)
    with pytest.raises(KvlintError, match=r"`pip install 'kvlint\[audit\]'`"):
        brought("pkg", shelf, local)


# What is at hand.


def test_a_pinned_release_at_hand_needs_no_network(
    shelf: Shelf, local: LocalIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    local.release("pkg", "1.0.0", FILES)
    local.release("pkg", "2.0.0", FILES)
    brought("pkg==1.0.0", shelf, local)
    local.asked.clear()
    monkeypatch.setitem(sys.modules, "pypi_simple", None)
    assert versions("pkg==1.0.0", shelf, local) == ["1.0.0"]
    assert versions("pkg==1", shelf, local) == ["1.0.0"]
    assert versions("pkg", shelf, local, OFFLINE) == ["1.0.0"]
    assert local.asked == []


def test_without_a_pin_the_index_knows_what_is_newest(
    shelf: Shelf, local: LocalIndex
) -> None:
    local.release("pkg", "1.0.0", FILES)
    assert versions("pkg", shelf, local) == ["1.0.0"]
    local.asked.clear()
    assert versions("pkg", shelf, local) == ["1.0.0"]
    assert local.asked == ["/simple/pkg/"]
    local.release("pkg", "1.1.0", FILES)
    assert versions("pkg", shelf, local) == ["1.1.0"]
    assert versions("pkg", shelf, local, Choice(all_releases=True, offline=True)) == [
        "1.0.0",
        "1.1.0",
    ]


def test_offline_with_nothing_at_hand(shelf: Shelf, local: LocalIndex) -> None:
    local.release("pkg", "1.0.0", FILES)
    with pytest.raises(KvlintError, match="no fitting release was brought before"):
        brought("pkg", shelf, local, OFFLINE)
    assert local.asked == []


def test_one_version_in_two_spellings(shelf: Shelf, local: LocalIndex) -> None:
    local.release("pkg", "1.0", FILES)
    brought("pkg", shelf, local)
    local.pages.clear()
    local.release("pkg", "1.0.0", FILES)
    (found,) = brought("pkg", shelf, local)
    assert found.folder.is_dir()
    assert names(shelf) == ["pkg-1.0"]


def test_a_pin_that_contradicts_itself(shelf: Shelf, local: LocalIndex) -> None:
    local.release("pkg", "1.0", FILES)
    brought("pkg", shelf, local)
    with pytest.raises(KvlintError, match="no such release"):
        brought("pkg==1.0,!=1.0", shelf, local)


def test_names_that_begin_alike(shelf: Shelf, local: LocalIndex) -> None:
    local.release("pkg", "1.0.0", FILES)
    local.release("pkg-more", "2.0.0", FILES)
    brought("pkg", shelf, local)
    brought("pkg-more", shelf, local)
    assert shelf.versions("pkg") == [Version("1.0.0")]
    assert shelf.versions("pkg-more") == [Version("2.0.0")]


def test_many_at_once(shelf: Shelf, local: LocalIndex) -> None:
    local.release("pkg", "1.0.0", FILES)
    with ThreadPoolExecutor(8) as pool:
        runs = [pool.submit(brought, "pkg", shelf, local) for _ in range(8)]
    assert {each.result()[0].folder for each in runs} == {shelf.folder / "pkg-1.0.0"}
    assert names(shelf) == ["pkg-1.0.0"]
    assert (shelf.folder / "pkg-1.0.0" / "pkg" / "a.py").is_file()


# Which index.


@pytest.mark.parametrize(
    ("option", "variables", "expected"),
    [
        (None, {}, PYPI),
        ("https://a/simple", {"PIP_INDEX_URL": "https://b/"}, "https://a/simple/"),
        (None, {"PIP_INDEX_URL": "https://b/simple/"}, "https://b/simple/"),
        (None, {"UV_INDEX_URL": "https://c", "PIP_INDEX_URL": "b"}, "https://c/"),
        (None, {"UV_DEFAULT_INDEX": "own=https://d/x=y/"}, "https://d/x=y/"),
        (None, {"PIP_INDEX_URL": "", "UV_INDEX_URL": ""}, PYPI),
        ("https://me:secret@a:8/s/", {}, "https://a:8/s/"),
    ],
)
def test_which_index(
    option: str | None,
    variables: dict[str, str],
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert Index(option).url == expected


@pytest.mark.parametrize("url", ["nowhere", "file:///opt/simple", "/opt/simple"])
def test_what_is_no_index(url: str) -> None:
    with pytest.raises(KvlintError, match="no package index"):
        Index(url)


def test_every_index_has_a_shelf_of_its_own() -> None:
    urls = ["https://a/x", "https://a/y", "https://me:pw@b:80/x", PYPI]
    keys = [Index(each).key for each in urls]
    assert len({*keys}) == len(keys)
    assert keys[-1] == Index(PYPI.rstrip("/")).key == "pypi"
    assert keys[2] == Index("https://b:80/x/").key
    assert all("/" not in key and ":" not in key for key in keys)


def test_a_login_is_for_the_index_alone(shelf: Shelf, local: LocalIndex) -> None:
    with_login = local.url.replace("http://", "http://me:a%20secret@")
    local.release("pkg", "1", FILES)
    bring("pkg", shelf, Index(with_login))
    assert local.logins == ["Basic bWU6YSBzZWNyZXQ="] * 2

    local.logins.clear()
    local.anywhere = local.url.replace("127.0.0.1", "localhost").partition("/simple")[0]
    local.release("other", "1", FILES)
    bring("other", shelf, Index(with_login))
    assert local.logins == ["Basic bWU6YSBzZWNyZXQ=", None]


def test_a_login_is_not_told(shelf: Shelf, local: LocalIndex) -> None:
    local.fault = 401
    with pytest.raises(KvlintError, match="HTTP 401") as caught:
        bring("pkg", shelf, Index(local.url.replace("//", "//me:secret@")))
    assert "secret" not in str(caught.value)


# The cache.


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "kvlint"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folder() == tmp_path / "Library" / "Caches" / "kvlint"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "kvlint"
    monkeypatch.setenv("KVLINT_CACHE_DIR", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"
    assert cache_folder(Path("here")) == Path.cwd() / "here"


def test_clearing(tmp_path: Path, local: LocalIndex) -> None:
    local.release("pkg", "1", FILES)
    cache = Cache(tmp_path)
    cache.clear()
    cache.prepare()
    brought("pkg", cache.shelf("pypi"), local)
    (tmp_path / "mine").touch()
    (cache.folder / "pypi" / ".new-left").mkdir()  # by a process that was killed
    assert [each.name for each in cache.releases()] == ["pkg-1"]
    assert cache.size() > 0
    cache.clear()
    assert [each.name for each in tmp_path.iterdir()] == ["mine"]
    assert (cache.releases(), cache.size()) == ([], 0)


def test_a_folder_that_is_not_kvlints_is_not_cleared(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    (cache.folder / "precious").mkdir(parents=True)
    with pytest.raises(KvlintError, match="not cleared, for kvlint did not make"):
        cache.clear()
    assert os.listdir(cache.folder) == ["precious"]
