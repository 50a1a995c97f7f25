# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Rules for people: their documents and their list on a terminal."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from terminal import KVLINT, environment, terminal

from kvlint import catalogue
from kvlint.output import rule_pages, rules

RULE = catalogue.find("KV202")
TOY = """\
# KV999 `toy-rule`

A `toy`, as [KV101](KV101-x.md) and [vLLM](https://example.org) say.

*safe fix*

```py
x = 1  # `x` [y](z)
```

```diff
-x = 1
+x = 2
 y = 3
```
"""


def shown(folder: Path, *arguments: str, **more: Any) -> str:
    """What a command draws on a terminal of 30 lines."""
    with terminal([*KVLINT, *arguments], folder, size=(30, 90), **more) as screen:
        assert screen.finish() == 0
    return screen.seen.decode().replace("\r\n", "\n")


def plain(text: str) -> str:
    return re.sub(r"[ \n]+", " ", click.unstyle(text))


@pytest.fixture(params=["rich", "click"])
def drawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "click":
        monkeypatch.setitem(sys.modules, "rich.console", None)
    return rule_pages.for_terminal(TOY, 80)


def test_a_document_on_a_terminal(drawn: str) -> None:
    assert drawn.startswith("\x1b[1m")
    text = plain(drawn)
    assert text.startswith("KV999 toy-rule A toy, as KV101 and ")
    assert "https://example.org" in text
    assert " safe fix x = 1 # `x` [y](z) -x = 1 +x = 2 y = 3 " in text
    assert "```" not in text
    for line in ("+x = 2", "-x = 1"):
        assert re.search(rf"\x1b\[[0-9;]+m{re.escape(line)}\x1b\[0m", drawn)
    hues = [
        re.search(r"\x1b\[(\d+)m.x = ", x) for x in drawn.splitlines() if "x = " in x
    ]
    assert len({each[1] for each in hues[-2:] if each}) == 2


@pytest.mark.parametrize("code", catalogue.names())
def test_every_document_has_its_data_in_words(code: str) -> None:
    rule = catalogue.rules()[code]
    head = rule_pages.in_words(rule).partition("## ")[0]
    assert head.startswith(f"# {code} `{rule.name}`\n\n{rule.summary}.\n\n*")
    assert "```" not in head


def test_in_words() -> None:
    head = rule_pages.in_words(RULE).partition("## ")[0]
    assert head.endswith("\n\n*unsafe fix · since kvlint 0.1 · vLLM >=0.11*\n\n")
    preview = rule_pages.in_words(catalogue.find("KV203"))
    assert " · in preview: off unless asked for*\n" in preview


def test_a_document_that_does_not_fit_goes_to_the_pager(tmp_path: Path) -> None:
    pager = "sh -c 'cat >paged'"
    assert shown(tmp_path, "rule", "KV202", PAGER=pager) == ""
    assert (tmp_path / "paged").read_text().startswith("KV202 merge-takes-first\n")


@pytest.mark.parametrize("pager", ["", "cat"])
def test_no_pager(pager: str, tmp_path: Path) -> None:
    drawn = shown(tmp_path, "rule", "KV202", "KV103", PAGER=pager)
    assert drawn.startswith("\x1b[1mKV202 ")
    assert "\x1b[1mKV103 " in drawn


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_without_colour(variables: dict[str, str], tmp_path: Path) -> None:
    drawn = shown(tmp_path, "rule", "KV202", **variables)
    assert drawn == RULE.text
    listed = shown(tmp_path, "rules", **variables)
    assert listed == rules.table([*catalogue.rules().values()])


@pytest.mark.parametrize("options", [[], ["--output-format", "markdown"]])
def test_elsewhere_a_document_is_what_it_is(options: list[str]) -> None:
    command = [*KVLINT, "rule", "KV202", *options]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment())
    assert ran.stdout == RULE.text


@pytest.mark.parametrize("columns", [80, 109, 110, 200])
def test_the_list_on_a_terminal(columns: int) -> None:
    drawn = rules.for_terminal([*catalogue.rules().values()], columns)
    lines = click.unstyle(drawn).splitlines()
    assert max(map(len, lines)) < columns
    assert lines == [each.rstrip() for each in lines]
    for each in catalogue.rules().values():
        assert each.summary.replace("`", "") in plain(drawn)
    assert [each[:3] for each in drawn.replace("\x1b[1m", "").split("\n\n")] == [
        "KV1",
        "KV2",
        "KV3",
        "KV4",
        "KV9",
    ]
