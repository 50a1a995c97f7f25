# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Rule, document, check and index agree; and how the catalogue is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kvlint import catalogue, registry
from kvlint.errors import KvlintError
from kvlint.findings import Finding

ROOT = Path(__file__).parents[1]
CODES = list(catalogue.names())
# These are found by the engine and by the reader of suppressions, not by a check.
WITHOUT_CHECK = {"KV900", "KV901", "KV902"}
HEADINGS = ["What it checks", "Why", "Example", "Not flagged"]

GOOD = """\
# KV999 `toy-rule`

```toml
summary = "A toy"
fix = "none"
since = "0.1"
vllm = ">=0.11"
```
"""


def index() -> list[str]:
    lines = (ROOT / "rules" / "README.md").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith("| [KV")]


def test_every_document_is_in_the_catalogue() -> None:
    files = {each.name for each in (ROOT / "rules").iterdir()} - {"README.md"}
    assert files == {f"{code}-{name}.md" for code, name in catalogue.names().items()}
    assert list(catalogue.rules()) == CODES == sorted(CODES)


def test_a_name_belongs_to_one_rule() -> None:
    assert len(set(catalogue.names().values())) == len(CODES)


def test_every_rule_with_a_check_has_one_and_no_other_check_exists() -> None:
    assert list(registry.checks()) == [each for each in CODES if each < "KV900"]
    assert {each for each in CODES if each >= "KV900"} == WITHOUT_CHECK


@pytest.mark.parametrize("code", [each for each in CODES if each < "KV900"])
def test_a_check_is_called_as_its_rule(code: str) -> None:
    function = registry.checks()[code]
    name = catalogue.names()[code].replace("-", "_")
    assert function.__name__ == name
    assert function.__module__ == f"kvlint.checks.{code.lower()}_{name}"


def test_the_index_lists_every_rule() -> None:
    assert index() == [
        f"| [{each.code}]({each.code}-{each.name}.md) | `{each.name}` | {each.fix} "
        f"| {each.summary}{' (preview)' if each.stage == 'preview' else ''} |"
        for each in catalogue.rules().values()
    ]


@pytest.mark.parametrize("code", CODES)
def test_a_document_has_its_headings(code: str) -> None:
    rule = catalogue.rules()[code]
    headings = re.findall(r"^## (.+)$", rule.text, re.MULTILINE)
    required = HEADINGS + ["Fix safety"] * (rule.fix == "unsafe")
    assert [each for each in headings if each in required] == required


@pytest.mark.parametrize("code", CODES)
def test_metadata_is_what_it_should_be(code: str) -> None:
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    rule = catalogue.rules()[code]
    assert SpecifierSet(rule.vllm) or rule.vllm == ""
    assert Version(rule.since)
    assert rule.summary
    assert not rule.summary.endswith(".")


@pytest.mark.parametrize(
    ("spelled", "code"),
    [
        ("KV101", "KV101"),
        ("kv101", "KV101"),
        ("undelegated-member", "KV101"),
        (" Undelegated-Member ", "KV101"),
    ],
)
def test_find(spelled: str, code: str) -> None:
    assert catalogue.find(spelled).code == code


@pytest.mark.parametrize(
    ("spelled", "hint"),
    [
        ("KV1010", "did you mean `KV101`?"),
        ("undelegated-membre", "did you mean `undelegated-member`?"),
        ("undelegated", "did you mean `undelegated-member`?"),
        ("", "`kvlint rules` lists them"),
        ("ruff", "`kvlint rules` lists them"),
    ],
)
def test_find_proposes_the_nearest(spelled: str, hint: str) -> None:
    with pytest.raises(KvlintError) as error:
        catalogue.find(spelled)
    assert str(error.value) == f"no rule `{spelled}`; {hint}"


def test_parse() -> None:
    assert catalogue.parse("KV999-toy-rule.md", GOOD) == catalogue.Rule(
        "KV999", "toy-rule", "A toy", "none", "0.1", ">=0.11", GOOD
    )


def test_a_document_may_put_its_rule_in_preview() -> None:
    text = GOOD.replace("vllm =", 'stage = "preview"\nvllm =')
    assert catalogue.parse("KV999-toy-rule.md", text).stage == "preview"


def test_previews_are_what_the_documents_say() -> None:
    assert catalogue.previews() == {
        each.code for each in catalogue.rules().values() if each.stage == "preview"
    }


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("KV999", "KV998", "the first line"),
        ("toy-rule", "toy_rule", "the first line"),
        ("# KV999 `toy-rule`", "KV999 toy-rule", "the first line"),
        ("```toml", "```json", "must give the strings"),
        ('summary = "A toy"', "", "must give the strings"),
        ('summary = "A toy"', "summary = 1", "must give the strings"),
        ("since", "sinse", "it gives summary, fix, sinse, vllm"),
        ('"none"', '"maybe"', "must be one of safe, unsafe, none, not 'maybe'"),
        ('"A toy"', '"A toy', "metadata: "),
        ("vllm =", 'stage = "stable"\nvllm =', 'stage must be "preview" or left out'),
    ],
)
def test_a_malformed_document_is_named(old: str, new: str, message: str) -> None:
    with pytest.raises(KvlintError) as error:
        catalogue.parse("KV999-toy-rule.md", GOOD.replace(old, new, 1))
    assert str(error.value).startswith("rules/KV999-toy-rule.md: ")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(catalogue, "root", lambda: tmp_path / "rules")
    catalogue.names.cache_clear()
    yield tmp_path / "rules"
    catalogue.names.cache_clear()


@pytest.mark.parametrize("files", [None, [], ["README.md", "KV1-short.md", "notes.md"]])
def test_an_installation_without_documents_is_refused(
    folder: Path, files: list[str] | None
) -> None:
    if files is not None:
        folder.mkdir()
        for each in files:
            (folder / each).touch()
    with pytest.raises(KvlintError, match="no rule documents"):
        catalogue.names()


def test_names_do_not_read_the_documents(folder: Path) -> None:
    folder.mkdir()
    (folder / "KV102-b.md").touch()
    (folder / "KV101-a.md").touch()
    (folder / "README.md").touch()
    assert dict(catalogue.names()) == {"KV101": "a", "KV102": "b"}


def test_two_documents_for_a_code_are_refused(folder: Path) -> None:
    folder.mkdir()
    (folder / "KV101-a.md").touch()
    (folder / "KV101-b.md").touch()
    with pytest.raises(KvlintError, match="two documents for KV101"):
        catalogue.names()


def toy(context: object) -> Iterator[Finding]:
    yield from ()


def other(context: object) -> Iterator[Finding]:
    yield from ()


def test_a_code_registered_twice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    assert registry.check("KV999")(toy) is toy
    assert registry.check("KV999")(toy) is toy
    with pytest.raises(ValueError, match="KV999 is registered twice"):
        registry.check("KV999")(other)
