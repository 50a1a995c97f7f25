# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The language server, over standard input and output, as editors start it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest
from click.testing import CliRunner
from editor import Editor
from lsprotocol import types
from projects import check_project, write_project

from kvlint.cli import main
from kvlint.server.messages import FIX_ALL

GROUPED = """\
from dataclasses import dataclass

from vllm.v1.kv_cache_interface import KVCacheSpec


@dataclass(frozen=True)
class GroupedSpec(KVCacheSpec):
    layers: dict[str, KVCacheSpec]

    @property
    def page_size_bytes(self) -> int:
        return sum(each.page_size_bytes for each in self.layers.values())

    def max_memory_usage_bytes(self, vllm_config):
        return sum(
            each.max_memory_usage_bytes(vllm_config) for each in self.layers.values()
        )

    def copy_with_new_block_size(self, block_size):
        layers = {
            name: each.copy_with_new_block_size(block_size)
            for name, each in self.layers.items()
        }
        return type(self)(block_size, layers)
"""
CLASS_LINE = 6
OWN_WIDTH = """
    def max_num_blocks_per_req(self, vllm_config, max_len):
        return max_len // self.block_size
"""


@pytest.fixture(scope="module")
def editor() -> Iterator[Editor]:
    editor = Editor()
    yield editor
    assert editor.stop() == 0


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_project(tmp_path, {"plugin/__init__.py": "", "plugin/grouped.py": GROUPED})
    return tmp_path


@pytest.fixture
def grouped(editor: Editor, project: Path) -> Iterator[Path]:
    path = project / "plugin/grouped.py"
    assert editor.open(path) == ["KV101"]
    yield path
    editor.close(path)


def test_says_what_the_command_line_says(
    editor: Editor, grouped: Path, project: Path
) -> None:
    (finding,) = check_project(project, "plugin/grouped.py").findings
    (shown,) = editor.shown[grouped.as_uri()][1]
    assert (shown.message, shown.code) == (finding.message, "KV101")
    assert shown.severity is types.DiagnosticSeverity[finding.severity.title()]
    assert shown.range.start == types.Position(CLASS_LINE, 6)
    told = shown.related_information or ()
    related = [(each.location, each.message) for each in told]
    assert [message for _, message in related] == [x.message for x in finding.related]
    names = {location.uri.rpartition("/")[2] for location, _ in related}
    assert names == {"kv_cache_interface.py"}
    (first, *_) = finding.related
    assert related[0][0].range.start.line == first.place.line - 1


def test_a_quick_fix_and_back(editor: Editor, grouped: Path) -> None:
    (title, action), *_ = editor.actions(grouped).items()
    assert title == "Insert `GroupedSpec.max_num_blocks_per_req`"
    assert (action.is_preferred, action.kind) == (True, "quickfix")
    assert editor.apply(grouped, action) == []
    assert editor.actions(grouped) == {}
    assert editor.change(grouped, GROUPED) == ["KV101"]


def test_all_safe_fixes_at_once(editor: Editor, grouped: Path, project: Path) -> None:
    twice = GROUPED + GROUPED[GROUPED.index("\n\n@data") :].replace("Grouped", "Other")
    assert editor.change(grouped, twice) == ["KV101", "KV101"]
    (action,) = editor.actions(grouped, only="source.fixAll").values()
    assert action.kind == FIX_ALL
    assert editor.apply(grouped, action) == []
    grouped.write_text(twice, encoding="utf-8")
    check_project(project, "plugin/grouped.py", fix=True)
    assert editor.texts[grouped.as_uri()] == grouped.read_text(encoding="utf-8")


def test_an_unsafe_fix_is_called_so_and_never_among_all(
    editor: Editor, grouped: Path
) -> None:
    assert editor.change(grouped, GROUPED + OWN_WIDTH) == ["KV103"]
    actions = editor.actions(grouped)
    (title,) = (each for each in actions if each.endswith("(unsafe)"))
    assert not actions[title].is_preferred
    assert editor.actions(grouped, only=FIX_ALL) == {}
    assert editor.apply(grouped, actions[title]) == []


def test_a_comment_silences_a_line(editor: Editor, grouped: Path) -> None:
    action = editor.actions(grouped)["Disable KV101 for this line"]
    assert editor.apply(grouped, action) == []
    comment = "class GroupedSpec(KVCacheSpec):  # kvlint: ignore[KV101] TODO: say why"
    assert comment in editor.texts[grouped.as_uri()]
    editor.replace(grouped, "ignore[KV101]", "ignore[KV104]")
    shown = editor.shown[grouped.as_uri()][1]
    (unused,) = (each for each in shown if each.code == "KV901")
    assert list(unused.tags or ()) == [types.DiagnosticTag.Unnecessary]
    again = editor.actions(grouped)["Disable KV101 for this line"]
    assert editor.apply(grouped, again) == ["KV901"]
    assert "ignore[KV104, KV101] TODO" in editor.texts[grouped.as_uri()]


def test_the_mouse_brings_the_rule(editor: Editor, grouped: Path) -> None:
    text = editor.hover(grouped, CLASS_LINE, 10)
    assert text is not None and text.startswith("# KV101 `undelegated-member`")
    assert "## What it checks" in text and 'fix = "safe"' not in text
    assert editor.hover(grouped, 0, 0) is None
    header = "(KVCacheSpec):"
    editor.replace(grouped, header, f"{header}  # kvlint: ignore[KV101] x")
    line = editor.texts[grouped.as_uri()].splitlines()[CLASS_LINE]
    silenced = editor.hover(grouped, CLASS_LINE, line.index("KV101") + 2)
    assert silenced is not None and silenced.startswith("# KV101")


def test_a_base_changed_in_another_text(
    editor: Editor, grouped: Path, project: Path
) -> None:
    base = project / "vllm/v1/kv_cache_interface.py"
    editor.open(base)
    saved = editor.texts[base.as_uri()]
    renamed = saved.replace("max_num_blocks_per_req", "blocks_needed")
    editor.change(base, renamed)
    editor.until(lambda: "`blocks_needed`" in editor.message(grouped))
    editor.change(base, saved.replace("        ranks =", "        ranks = = "))
    assert editor.codes(base) == ["KV900"]
    # What does not parse says nothing of other files: they are as they were.
    assert "`blocks_needed`" in editor.message(grouped)
    editor.close(base)
    editor.until(lambda: "max_num" in editor.message(grouped))


def test_a_text_that_does_not_parse(editor: Editor, grouped: Path) -> None:
    assert editor.replace(grouped, "layers: dict", "layers: = dict") == ["KV900"]
    (shown,) = editor.shown[grouped.as_uri()][1]
    assert shown.range.start.line == CLASS_LINE + 1
    assert editor.change(grouped, GROUPED) == ["KV101"]


def test_a_file_that_was_never_saved(editor: Editor, project: Path) -> None:
    path = project / "plugin/new.py"
    assert editor.open(path, GROUPED) == ["KV101"]
    below = project / "plugin/below.py"
    text = "from plugin.grouped import GroupedSpec\n\nclass Below(GroupedSpec): ...\n"
    assert editor.open(below, text) == []  # the fault is told once, above
    editor.close(path)
    editor.close(below)
    assert not path.exists()


def test_two_projects_and_no_project(
    editor: Editor, grouped: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    ignoring = '[tool.kvlint]\nignore = ["KV1"]\n'
    write_project(other, {"own.py": GROUPED, "pyproject.toml": ignoring})
    assert editor.open(other / "own.py") == []
    assert editor.codes(grouped) == ["KV101"]
    lone = tmp_path_factory.mktemp("lone") / "lone.py"
    lone.write_text(GROUPED, encoding="utf-8")
    assert "KV101" in editor.open(lone)  # as of the newest vLLM that kvlint knows
    editor.close(other / "own.py")
    editor.close(lone)


def test_configuration(editor: Editor, grouped: Path, project: Path) -> None:
    pyproject = project / "pyproject.toml"
    pyproject.write_text('[tool.kvlint]\nselect = ["KV9999"]\n', encoding="utf-8")
    editor.tell(pyproject, types.FileChangeType.Changed)
    editor.until(lambda: any("KV9999" in each for each in editor.messages))
    editor.until(lambda: editor.shown.get(pyproject.as_uri()))
    (mistake,) = editor.shown[pyproject.as_uri()][1]
    assert mistake.range.start.line == 1
    assert editor.codes(grouped) == ["KV101"]  # what was in force before
    pyproject.write_text('[tool.kvlint]\nselect = ["KV2"]\n', encoding="utf-8")
    editor.tell(pyproject, types.FileChangeType.Changed)
    editor.until(lambda: editor.codes(grouped) == [])
    editor.until(lambda: editor.shown[pyproject.as_uri()][1] == [])
    editor.configure({"select": "KV1", "unheard": 1})
    editor.until(lambda: editor.codes(grouped) == ["KV101"])
    editor.until(lambda: any("kvlint.unheard" in each for each in editor.messages))
    editor.configure({"select": []})
    editor.until(lambda: editor.codes(grouped) == [])


def test_files_that_others_change(editor: Editor, grouped: Path, project: Path) -> None:
    base = project / "vllm/v1/kv_cache_interface.py"
    text = base.read_text(encoding="utf-8")
    base.write_text(text.replace("max_num_blocks_per_req", "few"), encoding="utf-8")
    editor.tell(base, types.FileChangeType.Changed)
    editor.until(lambda: "`few`" in editor.message(grouped))
    middle = project / "plugin/middle.py"
    middle.write_text("from vllm.v1.kv_cache_interface import *\n", encoding="utf-8")
    editor.replace(grouped, "vllm.v1.kv_cache_interface", "plugin.middle")
    editor.tell(middle, types.FileChangeType.Created)
    editor.until(lambda: editor.codes(grouped) == ["KV101"])
    middle.unlink()
    editor.tell(middle, types.FileChangeType.Deleted)
    editor.until(lambda: editor.codes(grouped) == [])


def test_other_line_ends_and_characters_beyond_the_plane(
    editor: Editor, grouped: Path
) -> None:
    text = GROUPED.replace("GroupedSpec(KV", "GroupedSpec(  # 😀\n    KV")
    windows = text.replace("\n", "\r\n")
    assert editor.change(grouped, windows) == ["KV101"]
    (title, action), *_ = editor.actions(grouped).items()
    assert title.startswith("Insert")
    assert editor.apply(grouped, action) == []
    assert "\n" not in editor.texts[grouped.as_uri()].replace("\r\n", "")
    line = 'A = "😀"; from vllm.v1.kv_cache_interface import KVCacheSpec as K; '
    odd = line + "x = K(1).gone_and_lost\n"
    editor.change(grouped, odd)
    for shown in editor.shown[grouped.as_uri()][1]:
        assert shown.range.start.character == odd.index("gone") - 0 + 1


def frame(method: str, number: int | None = None, **params: Any) -> bytes:
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        message["id"] = number
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


UTF_8 = {"general": {"positionEncodings": ["utf-8"]}}


def read(stream: IO[bytes]) -> dict[str, Any]:
    length = 0
    while line := stream.readline().strip():
        name, _, value = line.partition(b": ")
        length = int(value) if name == b"Content-Length" else length
    message: dict[str, Any] = json.loads(stream.read(length))
    return message


def start() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "kvlint", "server"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)


def test_garbage_does_not_stop_it(project: Path) -> None:
    uri = (project / "plugin/grouped.py").as_uri()
    text = GROUPED.replace("(KVCacheSpec):", "(KVCacheSpec):  # é😀")
    document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
    place = {"line": CLASS_LINE, "character": 0}
    with start() as server:
        assert server.stdin is not None and server.stdout is not None
        for each in [
            b"what is this\r\n\r\n",
            b"Content-Length: 7\r\n\r\n{nojson",
            frame("initialize", 1, capabilities=UTF_8, processId=None, rootUri=None),
            frame("initialized"),
            frame("textDocument/didOpen", textDocument=document),
            frame("textDocument/didChange", nonsense=True),
            frame("kvlint/unheard", 2),
            frame(
                "textDocument/codeAction",
                3,
                textDocument={"uri": uri},
                context={"diagnostics": []},
                range={"start": place, "end": place},
            ),
        ]:
            server.stdin.write(each)
        server.stdin.flush()
        said: dict[int | None, dict[str, Any]] = {}
        while 3 not in said:
            message = read(server.stdout)
            said[message.get("id")] = message
        server.stdin.write(frame("shutdown", 4) + frame("exit"))
        server.stdin.close()
        assert server.wait(60) == 0
    assert said[1]["result"]["capabilities"]["positionEncoding"] == "utf-8"
    assert "error" in said[2]
    actions = said[3]["result"]
    assert actions[0]["title"].startswith("Insert")
    (disable,) = (each for each in actions if each["title"].startswith("Disable"))
    (edit,) = disable["edit"]["changes"][uri]
    # Columns are bytes here, also behind a text of two and four of them.
    line = text.splitlines()[CLASS_LINE]
    assert edit["range"]["start"]["character"] == len(line.encode())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_an_interrupt_ends_it() -> None:
    with start() as server:
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(frame("initialize", 1, capabilities={}, processId=None))
        server.stdin.flush()
        server.stdout.readline()
        os.kill(server.pid, signal.SIGINT)
        assert server.wait(60) == 130
        assert server.stderr is not None and server.stderr.read() == b"interrupted\n"


def test_it_ends_with_its_editor() -> None:
    with start() as server:
        out, errors = server.communicate(b"", timeout=60)
    assert (server.returncode, out, errors) == (0, b"", b"")


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygls", None)
    ran = CliRunner().invoke(main, ["server"])
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr == (
        "error: the language server needs one more package: "
        "`pip install 'kvlint[lsp]'`\n"
    )
