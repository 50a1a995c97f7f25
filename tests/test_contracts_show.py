# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The matrix of a release: who answers what, and how it is shown."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from contract_tree import written
from projects import check_project, symbols

from kvlint.contracts import bundle
from kvlint.contracts.export import export
from kvlint.contracts.matrix import Matrix, matrix
from kvlint.output.contracts import html, markdown, text
from kvlint.output.contracts.json import matrix_document
from kvlint.output.view import View

COMPOSITE = "UniformTypeKVCacheSpecs"
ESCAPE = re.compile(r"\x1b\[[\d;]*m")


def shown(release: str, width: int = 100, *, colour: bool = False) -> str:
    view = View(Path(), {}, colour=colour)
    return text.render(matrix(bundle.load(release)), view, width)


def standings(found: Matrix, name: str) -> dict[str, str]:
    row = next(each for each in (*found.members, *found.fields) if each.name == name)
    return {owner: str(cell.standing) for owner, cell in row.cells.items()}


# Of the table in vllm.md: what composites inherit though layers override it.
MISSING = {
    "0.11.0": [],
    "0.19.1": [],
    "0.20.2": ["storage_block_size"],
    "0.25.1": ["storage_block_size"],
    "0.27.1": ["storage_block_size", "max_num_blocks_per_req"],
    "0.28.0": ["storage_block_size"],
    "0.29.0": [],
    "0.30.0": ["has_layer_views"],
    "0.33.0": ["has_layer_views"],
}


@pytest.mark.parametrize("release", MISSING)
def test_what_is_missing(release: str) -> None:
    found = matrix(bundle.load(release)).missing
    assert [(name, row.name) for name, row in found] == [
        (COMPOSITE, member) for member in MISSING[release]
    ]


MEMBERS = {
    "page_size_bytes": {
        "KVCacheSpec": "abstract",
        "AttentionSpec": "own",
        "FullAttentionSpec": "inherited",
        COMPOSITE: "delegated",
    },
    "max_memory_usage_bytes": {"AttentionSpec": "abstract", "MambaSpec": "own"},
    "max_num_blocks_per_req": {
        "KVCacheSpec": "own",
        "MambaSpec": "own",
        "CrossAttentionSpec": "inherited",
        COMPOSITE: "missing",
    },
    # Grouping is no question to a layer, and a copier asks nothing.
    "is_uniform_with_collection": {"MambaSpec": "own", COMPOSITE: "inherited"},
    "merge": {"MLAAttentionSpec": "own", COMPOSITE: "inherited"},
    "copy_with_new_block_size": {COMPOSITE: "inherited"},
    # No layer has it, so nothing is delegated.
    "from_specs": {COMPOSITE: "own"},
    "sliding_window": {"FullAttentionSpec": "own", "SlidingWindowMLASpec": "inherited"},
}


@pytest.mark.parametrize("name", MEMBERS)
def test_standings(name: str) -> None:
    found = standings(matrix(bundle.load("0.27.1")), name)
    expected = MEMBERS[name]
    assert {each: found[each] for each in expected} == expected


def test_a_class_lacks_what_no_base_has() -> None:
    found = matrix(bundle.load("0.27.1"))
    assert "MambaSpec" not in standings(found, "num_kv_heads")
    assert COMPOSITE not in standings(found, "merge_window_sizes")


def test_a_field_that_the_composite_takes_over_is_delegated() -> None:
    found = standings(matrix(bundle.load("0.33.0")), "dcp_sharded")
    assert found[COMPOSITE] == "delegated"
    assert (
        standings(matrix(bundle.load("0.33.0")), "is_draft")[COMPOSITE] == "inherited"
    )


def test_nothing_private_is_shown() -> None:
    found = matrix(bundle.load("0.33.0"))
    assert not [row for row in (*found.members, *found.fields) if row.name[0] == "_"]


RING = """\
from dataclasses import dataclass
from vllm.v1.kv_cache_interface import KVCacheSpec, MambaSpec

@dataclass(frozen=True)
class RingSpecs(KVCacheSpec):
    inner: dict[str, MambaSpec]
"""


def test_it_misses_what_kv101_finds(tmp_path: Path) -> None:
    tree = written(tmp_path, {"vllm/v1/ring_specs.py": RING})
    found = symbols(check_project(tree, "vllm"), "KV101")
    missing = matrix(export(tree)).missing
    assert found
    assert sorted(f"{name}.{row.name}" for name, row in missing) == found


# The terminal.


@pytest.mark.parametrize("release", ["0.11.0", "0.27.1", "0.33.0"])
@pytest.mark.parametrize("width", [80, 100, 140, 200])
def test_the_table_fits(release: str, width: int) -> None:
    assert max(map(len, shown(release, width).splitlines())) <= width


@pytest.mark.parametrize(("given", "width"), [(20, 80), (1000, 200)])
def test_the_table_has_bounds(given: int, width: int) -> None:
    assert shown("0.27.1", given) == shown("0.27.1", width)


def test_a_class_heads_its_column() -> None:
    lines = shown("0.27.1").splitlines()
    heads = {
        line.index("┐"): line.strip("─┼┐│├└ ").split()[0]
        for line in lines
        if "┐" in line
    }
    row = next(line for line in lines if line.startswith("  storage_block_size"))
    found = {heads[index]: sign for index, sign in enumerate(row) if sign in "●✗"}
    assert found == {
        "KVCacheSpec": "●",
        "MLAAttentionSpec": "●",
        "SlidingWindowMLASpec": "●",
        COMPOSITE: "✗",
    }


def test_colour_adds_nothing_but_colour() -> None:
    coloured = shown("0.27.1", colour=True)
    assert "\x1b[" in coloured
    assert ESCAPE.sub("", coloured).split() == shown("0.27.1").split()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", None, "no-such-codec"])
def test_signs_that_an_encoding_lacks(encoding: str | None) -> None:
    signs = text.glyphs(encoding)
    view = View(Path(), {})
    found = text.render(matrix(bundle.load("0.27.1")), view, 100, signs)
    assert found.isascii()
    assert text.glyphs("utf-8") is text.DRAWN


def test_the_text_says_what_is_missing_and_why() -> None:
    flat = " ".join(shown("0.27.1").split())
    assert (
        f"✗ {COMPOSITE}.max_num_blocks_per_req() inherits the default of KVCacheSpec, "
        "which AttentionSpec and MambaSpec override"
    ) in flat


def test_more_room_shows_managers_and_signatures() -> None:
    assert "FullAttentionManager" not in shown("0.27.1", 80)
    wide = shown("0.27.1", 140)
    assert "FullAttentionManager" in wide
    assert "(vllm_config, max_len) -> int" in wide


# The other formats.


def test_json_holds_the_same() -> None:
    found = matrix(bundle.load("0.27.1"))
    document = json.loads(matrix_document(found))
    assert document["version"] == 1
    assert document["release"] == "0.27.1"
    assert [each["name"] for each in document["classes"]] == list(found.names)
    assert document["missing"][1] == {
        "composite": COMPOSITE,
        "member": "max_num_blocks_per_req",
        "inherited_from": "KVCacheSpec",
        "overridden_by": ["AttentionSpec", "MambaSpec"],
    }
    row = next(each for each in document["members"] if each["name"] == "merge")
    assert row["kind"] == "classmethod"
    assert row["classes"]["RSWASpec"]["standing"] == "own"
    assert row["classes"]["RSWASpec"]["place"]["path"].endswith(".py")


def test_markdown_tables_have_as_many_cells_as_heads() -> None:
    found = matrix(bundle.load("0.33.0"))
    lines = markdown.render(found).splitlines()
    tables = [line for line in lines if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in tables} == {
        len(found.names) + 2
    }
    assert len(tables) == len(found.members) + len(found.fields) + 4


class Page(HTMLParser):
    """Reads a page: whether tags are closed, cells of rows, links outside."""

    VOID = frozenset({"meta", "input"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[int] = []
        self.outside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append(0)
        elif tag in {"td", "th"}:
            self.rows[-1] += 1
        self.outside += [
            f"{tag} {name}" for name, _ in attrs if name in {"src", "href"}
        ]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"{tag} at {self.getpos()}"


@pytest.mark.parametrize("release", ["0.11.0", "0.27.1", "0.33.0"])
def test_the_page_is_whole_and_alone(release: str) -> None:
    found = matrix(bundle.load(release))
    page = html.render(found)
    read = Page(page)
    assert not read.open
    assert not read.outside
    assert "http" not in page
    assert "@import" not in page
    assert "url(" not in page
    assert set(read.rows) == {len(found.names) + 3}
    assert len(read.rows) == len(found.members) + len(found.fields) + 2


def test_the_page_knows_light_and_dark_and_sorts() -> None:
    page = html.render(matrix(bundle.load("0.27.1")))
    assert "prefers-color-scheme: dark" in page
    assert page.count('aria-sort="none"') == 2 * (15 + 3)
    assert 'class="sign missing" data-order="0"' in page


def test_the_page_escapes(tmp_path: Path) -> None:
    ring = RING.replace("inner: dict", 'note: "a<b>&c" = 1\n    inner: dict')
    tree = written(tmp_path, {"vllm/v1/ring_specs.py": ring})
    page = html.render(matrix(export(tree)))
    assert "a<b>" not in page
