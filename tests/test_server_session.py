# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""After any edits a session says what the command line says of the same texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from projects import write_project

from kvlint import catalogue, config, discovery, engine
from kvlint.cli import main
from kvlint.findings import Finding
from kvlint.looks import StaleError
from kvlint.reports import Job
from kvlint.server.projects import Settings
from kvlint.server.session import Session
from kvlint.sources import decode_source

SPECS = """\
from dataclasses import dataclass, field, replace
from vllm.v1.kv_cache_interface import AttentionSpec, KVCacheSpec, MambaSpec

@dataclass(frozen=True)
class RingSpec(AttentionSpec):
    ring: int = 0

    @classmethod
    def merge(cls, specs):
        assert all(each.block_size == specs[0].block_size for each in specs)
        return cls(
            block_size=specs[0].block_size,
            num_kv_heads=specs[0].num_kv_heads,
            head_size=specs[0].head_size,
        )

@dataclass(frozen=True)
class GroupedSpec(KVCacheSpec):
    layers: dict[str, KVCacheSpec]

    @property
    def page_size_bytes(self):
        return sum(each.page_size_bytes for each in self.layers.values())
"""
WORKER = """\
from plugin.flags import NEW
from plugin.specs import GroupedSpec, KVCacheSpec, RingSpec

def build(heads):
    return RingSpec(block_size=16, num_kv_heads=heads, head_size=64, ring=2)

class GPUModelRunner:
    def allocate(self, kv_cache_config):
        for group in kv_cache_config.kv_cache_groups:
            spec = group.kv_cache_spec
            if isinstance(spec, RingSpec):
                self.ring = spec.ring
            self.width = spec.max_num_blocks_per_req(self.config, 8)

if NEW:
    class LateSpec(KVCacheSpec):
        layers: dict[str, KVCacheSpec]
"""
FILES = {
    "plugin/__init__.py": "",
    "plugin/flags.py": (
        "from vllm.v1.kv_cache_interface import KVCacheSpec\n"
        "NEW = hasattr(KVCacheSpec, 'few')\n"
    ),
    "plugin/specs.py": SPECS,
    "plugin/worker.py": WORKER,
    "plugin/other.py": "class Far:\n    near = None\n",
}
GROUPED = "@dataclass(frozen=True)\nclass GroupedSpec"
POPS = """\
from plugin.specs import New

def width(things):
    widths = {each.width for each in things}
    assert len(widths) == 1
    return widths.pop()

"""
OWN = """\
    def max_num_blocks_per_req(self, vllm_config, max_len):
        return 1

"""
BASE = "vllm/v1/kv_cache_interface.py"
Edits = list[tuple[str, str, str]]

SERIES: dict[str, Edits] = {
    "a comment": [("plugin/worker.py", "def build", "# what for\ndef build")],
    "a field goes and comes back": [
        ("plugin/specs.py", "    ring: int = 0\n", ""),
        (
            "plugin/specs.py",
            "(AttentionSpec):\n",
            "(AttentionSpec):\n    ring: int = 0\n",
        ),
    ],
    "a class is renamed, where it is defined and where it is used": [
        ("plugin/specs.py", "class RingSpec", "class LoopSpec"),
        (
            "plugin/worker.py",
            "KVCacheSpec, RingSpec",
            "KVCacheSpec, LoopSpec",
        ),
        ("plugin/worker.py", "RingSpec(block", "LoopSpec(block"),
    ],
    "a name that no file knew, in a file that spoke of nothing": [
        ("plugin/other.py", "class Far:", "from .specs import New\nclass Far(New):"),
        ("plugin/specs.py", GROUPED, f"class New(GroupedSpec): ...\n\n{GROUPED}"),
        ("plugin/specs.py", "class New(GroupedSpec): ...\n\n", ""),
        ("plugin/specs.py", GROUPED, f"class New(RingSpec): ...\n\n{GROUPED}"),
    ],
    "a composite answers, then no more": [
        (
            "plugin/specs.py",
            "    @property\n    def page",
            f"{OWN}    @property\n    def page",
        ),
        ("plugin/specs.py", "return 1\n", "return max(self.widths())\n"),
        ("plugin/specs.py", "return max", "return next"),
    ],
    "a composite is none any more": [
        ("plugin/specs.py", "layers: dict[str, KVCacheSpec]", "layers: dict[str, int]"),
    ],
    "vLLM's own base changes": [
        (BASE, "    def copy_with", "    def few(self): ...\n\n    def copy_with"),
        (BASE, "    num_kv_heads: int\n", "    heads: int\n"),
        (BASE, "class AttentionSpec(", "class Attention("),
    ],
    "a condition on the release changes in another file": [
        ("plugin/flags.py", "= hasattr", "= not hasattr"),
        ("plugin/flags.py", "'few'", "'block_size_of'"),
        ("plugin/flags.py", "= not hasattr", "= hasattr"),
    ],
    "the release changes that a condition asks for": [
        (BASE, "    def copy_with", "    def few(self): ...\n\n    def copy_with"),
    ],
    "a file speaks of a class that goes and comes back": [
        ("plugin/other.py", "class Far:", f"{POPS}class Far:"),
        ("plugin/specs.py", GROUPED, f"class New(RingSpec): ...\n\n{GROUPED}"),
        ("plugin/specs.py", "class New(RingSpec): ...\n\n", ""),
        ("plugin/specs.py", GROUPED, f"class New(RingSpec): ...\n\n{GROUPED}"),
    ],
    "a suppression": [
        (
            "plugin/specs.py",
            "class GroupedSpec(KVCacheSpec):",
            "class GroupedSpec(KVCacheSpec):  # kvlint: ignore[KV101] why not",
        ),
        ("plugin/specs.py", "ignore[KV101]", "ignore[KV102]"),
        ("plugin/specs.py", "  # kvlint: ignore[KV102] why not", ""),
    ],
    "everything goes": [
        ("plugin/specs.py", SPECS, ""),
        ("plugin/worker.py", WORKER, ""),
    ],
    "it does not parse for a while": [
        ("plugin/worker.py", "def build(heads):", "def build(heads:"),
        ("plugin/worker.py", "def build(heads:", "def build(heads):"),
    ],
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_project(tmp_path, FILES)
    return tmp_path


@pytest.mark.parametrize("opened", ["all", "one by one"])
@pytest.mark.parametrize("name", SERIES)
def test_edits(project: Path, name: str, opened: str) -> None:
    session = Session(Settings())
    texts = {
        path: (project / path).read_text(encoding="utf-8") for path in [*FILES, BASE]
    }
    shown = list(texts) if opened == "all" else []
    said: dict[Path, tuple[Finding, ...]] = {}

    def put(path: str, version: int) -> None:
        session.put(project / path, version, texts[path])
        for answer in session.work(lambda: False):
            assert answer.checked is not None
            said[answer.path] = answer.checked.findings

    for path in shown:
        put(path, 1)
    for version, (path, old, new) in enumerate(SERIES[name], 2):
        if path not in shown:
            shown.append(path)
            put(path, 1)
        assert texts[path].count(old) == 1, old
        texts[path] = texts[path].replace(old, new)
        put(path, version)
        buffers = {project / each: texts[each] for each in shown}
        assert said == fresh(project, buffers, path)


def fresh(
    project: Path, buffers: Mapping[Path, str], changed: str
) -> dict[Path, tuple[Finding, ...]]:
    """What the command line finds in some texts."""
    settings = config.load(
        catalogue.names(), start=project, previews=catalogue.previews()
    )
    found = discovery.discover([project], settings, project)
    sources = {
        path: decode_source(path, text.encode()) for path, text in buffers.items()
    }
    paths = tuple(sorted(sources))
    job = Job(paths, frozenset(paths), found.project_files, project, settings, sources)
    report = engine.check(job)
    if any(each.code == "KV900" for each in report.findings):
        # Of the others, a session says what it said: it waits for a text that parses.
        job = replace(
            job,
            buffers={
                path: x for path, x in sources.items() if path != project / changed
            },
        )
        before = engine.check(job).findings
        others = [each for each in before if each.place.path != project / changed]
        broken = [each for each in report.findings if each.code == "KV900"]
        return {
            path: tuple(x for x in [*broken, *others] if x.place.path == path)
            for path in paths
        }
    return {
        path: tuple(x for x in report.findings if x.place.path == path)
        for path in paths
    }


def test_news_stop_it_and_nothing_is_lost(project: Path) -> None:
    session = Session(Settings())
    specs, worker = project / "plugin/specs.py", project / "plugin/worker.py"
    session.put(specs, 1, SPECS)
    session.put(worker, 1, WORKER)
    with pytest.raises(StaleError):
        list(session.work(lambda: True))
    session.put(worker, 2, "\n" + WORKER)
    answers = list(session.work(lambda: False))
    assert [(each.path, each.version) for each in answers][:2] == [
        (specs, 1),
        (worker, 2),
    ]
    assert answers[0].checked is not None and answers[0].checked.findings


def test_what_was_changed_comes_first(project: Path) -> None:
    session = Session(Settings())
    for path in ("plugin/specs.py", "plugin/worker.py", "plugin/flags.py"):
        session.put(project / path, 1, FILES[path])
    list(session.work(lambda: False))
    session.put(project / "plugin/worker.py", 2, "\n" + WORKER)
    names = [each.path.name for each in session.work(lambda: False)]
    assert names == ["worker.py", "specs.py", "flags.py"]
    assert list(session.work(lambda: False)) == []


def test_test_code_and_what_git_ignores_are_left_alone(project: Path) -> None:
    (project / ".gitignore").write_text("made/\n", encoding="utf-8")
    for folder in ("tests", "made"):
        (project / folder).mkdir()
        (project / folder / "specs.py").write_text(SPECS, encoding="utf-8")
    session = Session(Settings())
    for folder in ("tests", "made"):
        session.put(project / folder / "specs.py", 1, SPECS)
    answers = list(session.work(lambda: False))
    assert [each.checked and each.checked.findings for each in answers] == [(), ()]


@pytest.mark.parametrize(
    "text", ["\udc80", "# coding: latin-1\nx = 'é'\n", "\0", "x = (" * 999]
)
def test_odd_texts(project: Path, text: str) -> None:
    session = Session(Settings())
    session.put(project / "plugin/other.py", 1, text)
    (answer,) = session.work(lambda: False)
    assert answer.checked is not None


def test_a_baseline_counts(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = project / "plugin/specs.py"
    monkeypatch.chdir(project)
    ran = CliRunner().invoke(main, ["baseline"])
    assert ran.exit_code == 0, ran.stderr
    configuration = '[tool.kvlint]\nbaseline = "kvlint-baseline.json"\n'
    (project / "pyproject.toml").write_text(configuration, encoding="utf-8")
    session = Session(Settings())
    for version, text in ((1, SPECS), (2, "\n" + SPECS)):
        session.put(path, version, text)
        (answer,) = session.work(lambda: False)
        assert answer.checked is not None and answer.checked.findings == ()
    session.put(path, 3, SPECS.replace("GroupedSpec", "OtherSpec"))
    (answer,) = session.work(lambda: False)
    assert answer.checked is not None
    assert "KV101" in [each.code for each in answer.checked.findings]
