# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Documents: their links hold in a checkout, and on the site that is made of them."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from kvlint import catalogue

ROOT = Path(__file__).parents[1]
TOOL = runpy.run_path(str(ROOT / "tools" / "build_site.py"))
DOCUMENTS = sorted(
    path
    for pattern in ("*.md", "rules/*.md", "docs/*.md")
    for path in ROOT.glob(pattern)
)
slug_of: Callable[[str], str] = TOOL["slug_of"]
PAGES: dict[str, str] = TOOL["pages"]()


def links(text: str) -> Iterator[str]:
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        for each in token.children or []:
            if each.type == "link_open":
                yield str(each.attrs["href"])


def anchors(text: str) -> set[str]:
    tokens = MarkdownIt("commonmark").parse(text)
    return {
        slug_of(title.content)
        for heading, title in zip(tokens, tokens[1:], strict=False)
        if heading.type == "heading_open"
    }


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda each: each.name)
def test_links_hold_in_a_checkout(path: Path) -> None:
    for link in links(path.read_text(encoding="utf-8")):
        if re.match("[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        assert target.exists(), link
        assert not anchor or anchor in anchors(target.read_text("utf-8")), link


def test_links_hold_on_the_site() -> None:
    for page, text in PAGES.items():
        for link in links(text):
            if re.match("[a-z]+:", link):
                continue
            name, _, anchor = link.partition("#")
            target = (
                str((Path("/", page).parent / name).resolve())[1:] if name else page
            )
            assert target in PAGES, f"{page}: {link}"
            assert not anchor or anchor in anchors(PAGES[target]), f"{page}: {link}"


def test_every_word_of_the_readme_is_on_one_page() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    parts = [text for page, text in PAGES.items() if "/" not in page]
    fences = re.findall(r"^```.*?^```$", readme, re.MULTILINE | re.DOTALL)
    prose = re.sub(r"^```.*?^```$", "\n\n", readme, flags=re.MULTILINE | re.DOTALL)
    for each in [*fences, *prose.split("\n\n")]:
        # Links are turned, and headings raised.
        if each.strip() and "](" not in each and not each.lstrip().startswith("#"):
            assert sum(each in part for part in parts) == 1, each


def test_every_rule_has_a_page_and_is_listed() -> None:
    for rule in catalogue.rules().values():
        page = f"rules/{rule.code}-{rule.name}"
        assert PAGES[f"{page}.md"].startswith(f"# {rule.code} `{rule.name}`\n")
        assert f"\n/{page}\n" in PAGES["rules/index.md"]


def test_every_page_is_listed_once() -> None:
    listed = re.findall(r"^/(.+)$", "".join(PAGES.values()), re.MULTILINE)
    assert sorted([*listed, "index"]) == sorted(x.removesuffix(".md") for x in PAGES)


def test_what_is_no_page_is_shown_by_the_forge() -> None:
    assert "on the small plug-in in examples, with" in PAGES["index.md"]
    pages = TOOL["pages"]("https://example.org/kvlint")
    assert "[examples](https://example.org/kvlint/examples)" in pages["index.md"]


@pytest.mark.parametrize(
    "link", ["[a](nowhere.md)", "[a](#nowhere)", "[a](README.md#nowhere)"]
)
def test_a_link_to_nowhere_is_refused(link: str) -> None:
    links: Any = TOOL["_Links"]({}, {"somewhere": "a.md"}, "")
    with pytest.raises(ValueError, match="leads nowhere"):
        links.turned(link, "README.md", "index.md")
    assert links.turned(f"`{link}`", "README.md", "index.md") == f"`{link}`"


def test_dead_links_of_a_built_site(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a id="x" href="#x">1</a><a href="b.html#y">2</a><a href="b.html#z">3</a>'
        '<img src="c.png"><a href="https://example.org">4</a><a href="#no">5</a>'
    )
    (tmp_path / "b.html").write_text('<p id="y"></p><a href="a.html">6</a>')
    assert TOOL["dead_links"](tmp_path) == [
        "a.html: #no",
        "a.html: b.html#z",
        "a.html: c.png",
    ]
