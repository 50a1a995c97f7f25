# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A session of the language server on vLLM 0.27.1, driven over stdio."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from command import check
from corpus import bring
from editor import Editor

pytestmark = pytest.mark.corpus

SPECS = "vllm/v1/kv_cache_interface.py"
UTILS = "vllm/v1/core/kv_cache_utils.py"
FIX = "Insert `UniformTypeKVCacheSpecs.max_num_blocks_per_req`"


@pytest.fixture
def tree() -> Path:
    return bring("vllm==0.27.1")


@pytest.fixture
def editor(tree: Path) -> Iterator[Editor]:
    editor = Editor(tree)
    yield editor
    assert editor.stop() == 0
    assert editor.messages == []


def shown(editor: Editor, path: Path) -> list[tuple[str, int, int, str]]:
    return [
        (
            str(each.code),
            each.range.start.line + 1,
            each.range.start.character + 1,
            each.message,
        )
        for each in editor.shown[path.as_uri()][1]
    ]


def told(tree: Path, path: str) -> list[tuple[str, int, int, str]]:
    ran = check(tree, path)
    return [(x["code"], x["line"], x["column"], x["message"]) for x in ran.findings]


def test_find_fix_undo(editor: Editor, tree: Path) -> None:
    path = tree / SPECS
    saved = path.read_bytes()
    text = saved.decode()
    editor.open(path)
    first = shown(editor, path)
    assert first == told(tree, SPECS)
    widths = [
        x for x in first if x[0] == "KV101" and "`max_num_blocks_per_req`" in x[3]
    ]
    assert len(widths) == 1
    (finding,) = (
        x for x in editor.shown[path.as_uri()][1] if x.message == widths[0][3]
    )
    names = {
        x.location.uri.rpartition("/")[2] for x in finding.related_information or ()
    }
    assert names == {"kv_cache_interface.py", "gpu_model_runner.py"}

    editor.apply(path, editor.actions(path)[FIX])
    assert (
        "def max_num_blocks_per_req"
        in editor.texts[path.as_uri()].split("class Uniform")[1]
    )
    without = [x for x in first if x not in widths]
    assert [(code, text) for code, _, _, text in shown(editor, path)] == [
        (code, text) for code, _, _, text in without
    ]
    assert FIX not in editor.actions(path)

    editor.change(path, text)
    assert shown(editor, path) == first
    assert path.read_bytes() == saved


def test_another_open_file_follows(editor: Editor, tree: Path) -> None:
    specs, utils = tree / SPECS, tree / UTILS
    editor.open(utils)
    before = shown(editor, utils)
    assert before == told(tree, UTILS)
    editor.open(specs)
    text = editor.texts[specs.as_uri()]
    # A composite by no name that its users know: what they do with it is no fault then.
    editor.change(specs, text.replace("UniformTypeKVCacheSpecs", "Unheard"))
    editor.until(lambda: shown(editor, utils) != before)
    editor.change(
        specs, text.replace("class MambaSpec(KVCacheSpec):", "class MambaSpec(KV")
    )
    assert editor.codes(specs) == ["KV900"]
    editor.close(specs)
    editor.until(lambda: shown(editor, utils) == before)
