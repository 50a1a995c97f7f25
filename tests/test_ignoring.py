# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``check --add-ignore``: comments that silence what there is, and nothing else."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from repositories import commit, git, repository, write
from rule_documents import STAND_IN, STAND_IN_PATH

from kvlint.cli import main

IMPORTS = """\
from dataclasses import dataclass

from vllm.v1.kv_cache_interface import KVCacheSpec


"""
HEADER = "class RingSpecs(KVCacheSpec):"
BODY = "    kv_cache_specs: dict[str, KVCacheSpec]\n"
RING = f"{IMPORTS}@dataclass(frozen=True)\n{HEADER}\n{BODY}"
BOTH = "# kvlint: ignore[KV101, KV105] so be it"
POP = """
def common_size(specs: list[KVCacheSpec]) -> int:
    sizes = {spec.block_size for spec in specs}
    assert len(sizes) == 1
    return sizes.pop()
"""

# How the lines of a class begin, and what they begin with afterwards.
CLASSES: dict[str, tuple[str, str]] = {
    "plain": (HEADER, f"{HEADER}  {BOTH}"),
    "blanks at the end": (f"{HEADER} \t", f"{HEADER}  {BOTH}"),
    "a comment": (f"{HEADER}  # a ring", f"{HEADER}  # a ring  {BOTH}"),
    "comments for others": (
        f"{HEADER}  # type: ignore[misc]  # noqa: E501",
        f"{HEADER}  # type: ignore[misc]  # noqa: E501  {BOTH}",
    ),
    "a comment of ours": (
        f"{HEADER}  # noqa  # kvlint: ignore[KV101] why not",
        f"{HEADER}  # noqa  # kvlint: ignore[KV101, KV105] why not; so be it",
    ),
    "a comment of ours by name and for the same reason": (
        f"{HEADER}  # kvlint: ignore[ undelegated-member ] so be it",
        f"{HEADER}  # kvlint: ignore[ undelegated-member, KV105 ] so be it",
    ),
    "two of ours": (
        f"{HEADER}  # kvlint: ignore[KV101] a  # kvlint: ignore[KV301] x",
        (
            f"{HEADER}  # kvlint: ignore[KV101, KV105] a; so be it"
            "  # kvlint: ignore[KV301] x"
        ),
    ),
    "ours, and one for others behind it": (
        f"{HEADER}  # kvlint: ignore[KV101] a  # noqa: E501",
        f"{HEADER}  # kvlint: ignore[KV101, KV105] a; so be it  # noqa: E501",
    ),
    "over several lines": (
        "class RingSpecs(\n    KVCacheSpec\n):",
        f"class RingSpecs(  {BOTH}\n    KVCacheSpec\n):",
    ),
    "with a backslash": (
        "class RingSpecs \\\n        (KVCacheSpec):",
        "class RingSpecs \\\n        (KVCacheSpec):",
    ),
    "with what it holds": (
        f"{HEADER} kv_cache_specs: dict[str, KVCacheSpec]",
        f"{HEADER} kv_cache_specs: dict[str, KVCacheSpec]  {BOTH}",
    ),
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    write(folder, {"pyproject.toml": "", STAND_IN_PATH: STAND_IN})
    monkeypatch.chdir(folder)
    return folder


def kvlint(*arguments: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=stdin)


def silenced(content: str | bytes, *arguments: str) -> bytes:
    """Return what becomes of a file; `test_diff.py` has that a patch does the same."""
    write(Path(), {"a.py": content})
    kvlint("check", "--add-ignore=so be it", *arguments)
    return Path("a.py").read_bytes()


@pytest.mark.parametrize("name", CLASSES)
def test_classes(name: str) -> None:
    before, after = CLASSES[name]
    start = f"{IMPORTS}@dataclass(frozen=True)\n"
    body = "" if "with what" in name else BODY
    found = silenced(f"{start}{before}\n{body}").decode()
    if "backslash" in name:  # the decorator's line does as well
        start = f"{IMPORTS}@dataclass(frozen=True)  {BOTH}\n"
    assert found == f"{start}{after}\n{body}"
    trees = [ast.dump(ast.parse(each)) for each in (found, f"{start}{before}\n{body}")]
    assert "backslash" in name or trees[0] == trees[1]
    ran = kvlint("check", "--fail-on=warning")
    unused = "KV301" in before
    assert (ran.exit_code == 0) != unused, ran.output


def test_inside_brackets() -> None:
    text = f"{IMPORTS}{POP}".replace(
        "len(sizes) == 1", "(\n        len(sizes) == 1\n    )"
    )
    found = silenced(text).decode()
    assert "    assert (  # kvlint: ignore[KV210] so be it\n        len" in found
    assert kvlint("check", "--fail-on=warning").exit_code == 0


@pytest.mark.parametrize(
    "assertion",
    [
        "assert len(sizes) == 1, '''{\n    }'''",
        "assert len(sizes) == 1, f'''{\n    sizes}'''",
        "assert \\\n        len(sizes) == 1",
        "assert len(sizes) == 1  # an odd ` of them",
    ],
)
def test_where_no_comment_can_stand(assertion: str) -> None:
    text = f"{IMPORTS}{POP}".replace("assert len(sizes) == 1", assertion)
    assert silenced(text).decode() == text
    ran = kvlint("check", "--add-ignore=so be it")
    assert "a.py:9:5: KV210" in ran.stdout
    assert (
        "note: a.py:9: no comment can be put on this line to silence KV210"
        in ran.stderr
    )
    assert "silenced" not in ran.stderr


def test_what_can_be_silenced_is_though_something_else_cannot() -> None:
    text = f"{RING}\n{POP}".replace(
        "assert len(sizes)", "assert \\\n        len(sizes)"
    )
    found = silenced(text).decode()
    assert found == text.replace(HEADER, f"{HEADER}  {BOTH}")
    assert kvlint("check", "--add-ignore=so be it", "--fail-on=warning").exit_code == 1
    assert Path("a.py").read_text() == found


@pytest.mark.parametrize(
    ("encode", "suffix"),
    [
        (lambda text: text.replace("\n", "\r\n").encode(), b"\r\n"),
        (lambda text: b"\xef\xbb\xbf" + text.encode(), b"\n"),
        (lambda text: f"# coding: latin-1\n# \xe4\n{text}".encode("latin-1"), b"\n"),
        (lambda text: text.replace("    ", "\t").encode(), b"\n"),
        (lambda text: text.replace(BODY, BODY.rstrip("\n")).encode(), b"\n"),
        (lambda text: text.replace("@data", "# \x0c\n@data").encode(), b"\n"),
    ],
)
def test_every_other_byte_stays(encode, suffix) -> None:  # type: ignore[no-untyped-def]
    before = encode(RING)
    comment = f"  {BOTH}".encode()
    after = silenced(before)
    assert after.count(comment) == 1
    assert after.replace(comment, b"") == before
    assert HEADER.encode() + comment + suffix in after


def test_a_reason_that_the_encoding_lacks() -> None:
    content = f"# coding: latin-1\n{RING}"
    write(Path(), {"a.py": content, "b.py": RING})
    ran = kvlint("check", "--add-ignore=weil 漢字")
    assert ran.exit_code == 2
    assert "error: a.py: cannot write the fix in the file's encoding (iso" in ran.stderr
    assert Path("a.py").read_text() == content
    assert "漢字" in Path("b.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("reason", "is_one"),
    [
        ("so be it", True),
        ("see #1234: `a` may be", True),
        ("größer", True),
        ("", False),
        (" ", False),
        ("...", False),
        (" so be it", False),
        ("one\ntwo", False),
        ("one\rtwo", False),
        ("one\x0ctwo", False),
        ("fine # noqa", False),
        ("fine # kvlint: ignore[KV101] x", False),
    ],
)
def test_reasons(reason: str, is_one: bool) -> None:
    write(Path(), {"a.py": RING})
    ran = kvlint("check", "--add-ignore", reason)
    assert ran.exit_code == (0 if is_one else 2), ran.output
    assert (Path("a.py").read_text() == RING) != is_one
    if not is_one:
        assert ran.stderr.startswith("error: --add-ignore: give a reason: words on one")
        assert ran.stderr.count("\n") == 1
    else:
        assert kvlint("check", "--fail-on=warning").exit_code == 0


def test_what_was_asked_for_and_no_more(tmp_path: Path) -> None:
    write(Path(), {"a.py": RING, "b.py": RING, "c.py": RING})
    ran = kvlint("check", "--add-ignore=x", "--select=KV101", "a.py")
    assert ran.stderr == "Found 1 finding (1 error): 1 silenced, 0 remaining.\n"
    assert f"{HEADER}  # kvlint: ignore[KV101] x\n" in Path("a.py").read_text()
    assert Path("b.py").read_text() == RING
    kvlint("baseline", "b.py")
    ran = kvlint("check", "--add-ignore=y", "--baseline=kvlint-baseline.json")
    assert "ignore[KV101, KV105] x; y" in Path("a.py").read_text()
    assert Path("b.py").read_text() == RING
    assert "ignore[KV101, KV105] y" in Path("c.py").read_text()


def test_only_what_a_change_brought(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = {"pyproject.toml": "", STAND_IN_PATH: STAND_IN, "a.py": RING}
    folder = repository(tmp_path / "there", shared)
    monkeypatch.chdir(folder)
    git(folder, "switch", "--quiet", "--create", "change")
    commit(folder, {"b.py": RING.replace("Ring", "Bell"), "c.py": "x = 1\n"})
    assert kvlint("check", "--add-ignore=x", "--since=main").exit_code == 0
    assert git(folder, "status", "--short") == " M b.py\n"
    assert kvlint("check", "--since=main", "--fail-on=warning").exit_code == 0


def test_files_without_findings_and_files_that_do_not_parse_stay() -> None:
    write(Path(), {"a.py": "x = 1  # kvlint: ignore[KV101] x\n", "b.py": "def f(:\n"})
    ran = kvlint("check", "--add-ignore=so be it")
    assert ran.exit_code == 2
    assert "KV900" in ran.stdout
    assert "KV901" in ran.stdout
    assert "no comment can be put" not in ran.stderr
    assert Path("a.py").read_text() == "x = 1  # kvlint: ignore[KV101] x\n"
    assert Path("b.py").read_text() == "def f(:\n"


def test_standard_input() -> None:
    ran = kvlint("check", "-", "--add-ignore=so be it", stdin=RING.encode())
    assert ran.stdout == RING.replace(HEADER, f"{HEADER}  {BOTH}")
    assert ran.exit_code == 0


@pytest.mark.parametrize("option", ["--fix", "--unsafe-fixes"])
def test_contradictions(option: str) -> None:
    ran = kvlint("check", "--add-ignore=x", option)
    assert ran.exit_code == 2
    assert "--add-ignore silences what --fix mends" in ran.stderr
