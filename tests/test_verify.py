# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``kvlint verify`` on a small vLLM: what is found, how it is told, what is refused."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from mended_trees import ruff_check, ruff_formats
from projects import check_project
from verify_tree import write_tree

from kvlint import catalogue, config
from kvlint.cli import main
from kvlint.codestyle import CodeStyle
from kvlint.findings import Proof
from kvlint.output import concise, full, verified
from kvlint.output import json as json_format
from kvlint.output.view import View
from kvlint.verifying import requirements
from kvlint.verifying.proofs import marked
from kvlint.verifying.regression import disagreements, module_text
from kvlint.verifying.results import Status, Verified
from kvlint.verifying.searching import Effort
from kvlint.verifying.targets import read_targets
from kvlint.verifying.verifying import Conditions, verify

PYTHON = Path(sys.executable)
COMPOSITE = "vllm.v1.kv_cache_interface:UniformTypeKVCacheSpecs"
LAYER = "vllm.v1.kv_cache_interface:FullAttentionSpec"
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null")
PAIR = "plugin.specs:PairSpec"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verify")
    write_tree(folder)
    return folder


@pytest.fixture(scope="module")
def found(tree: Path) -> Verified:
    settings = config.load(catalogue.names(), isolated=True)
    recipes = {"vllm_config": {"tier_config.blocks": (3, 5)}}
    settings = replace(settings, recipes=recipes)
    wanted = read_targets(["vllm", "plugin"], tree, settings)
    conditions = Conditions(python=PYTHON, effort=Effort(12), with_rows=True)
    return verify(wanted, conditions, settings, tree)


def told(found: Verified, class_name: str) -> dict[str, str]:
    """What is printed of each member of a class, after the number of cases."""
    (result,) = (each for each in found.classes if each.class_name == class_name)
    text = verified.render(replace(found, classes=(result,)), View(Path.cwd(), {}))
    name, *rows = text.strip().splitlines()
    assert name == class_name
    split = [row.split(maxsplit=2) for row in rows]
    return {member: status for member, _, status in split}


def test_composite_is_compared_with_its_layers(found: Verified) -> None:
    assert told(found, COMPOSITE) == {
        "block_size": "agrees",
        "page_size_bytes": "agrees",
        "storage_block_size": "disagrees: FullAttentionSpec(ratio=2): group 16, "
        "layers 8",
        "prefix_cacheable": "agrees",
        "prefix_replay_tokens": "agrees",
        "num_heads": "abstract",
        "max_memory_usage_bytes": "agrees",
        "max_num_blocks_per_req": "disagrees: FullAttentionSpec, DCP 2, length 17: "
        "group 2, layers 1",
        "entry_of": "not-tried: it takes `place`, which nothing here gives",
        "blocks_of_tier": "agrees",
        "copy_with_new_block_size": "disagrees: FullAttentionSpec, new block size 32, "
        "kv_cache_specs['layer.0'].block_size: group 16, layers 32",
        "dataclasses.replace": "agrees",
    }


def test_composite_of_a_plugin_is_made_by_its_fields(found: Verified) -> None:
    rows = told(found, PAIR)
    assert rows["page_size_bytes"] == (
        "disagrees: 2 x FullAttentionSpec: group 16, layers 16 and 16, in all 32"
    )
    assert rows["storage_block_size"] == "agrees"
    assert rows["prefix_cacheable"] == (
        "disagrees: FullAttentionSpec, FullAttentionSpec(cached=False): group True, "
        "layers True and False"
    )
    assert rows["copy_with_new_block_size"] == "agrees"
    assert rows["max_memory_usage_bytes"] == "abstract"


def test_merge_is_compared_with_its_sources(found: Verified) -> None:
    assert told(found, LAYER) == {
        "merge.num_kv_heads": "disagrees: FullAttentionSpec, "
        "FullAttentionSpec(num_kv_heads=2): merged 1, layers 1 and 2",
        "merge.mode": "disagrees: 2 x FullAttentionSpec(mode=Mode.PACKED): "
        "merged Mode.PLAIN, layers Mode.PACKED",
    }


def test_document(found: Verified) -> None:
    document = json.loads(verified.document(found))
    assert document["version"] == 1
    (composite,) = (x for x in document["composites"] if x["class"] == COMPOSITE)
    members: dict[str, Any] = {x["member"]: x for x in composite["members"]}
    width = members["max_num_blocks_per_req"]
    assert width.pop("cases") > 40
    assert width == {
        "member": "max_num_blocks_per_req",
        "status": "disagrees",
        "case": {
            "specs": [
                {"class": LAYER, "fields": {"block_size": 16, "num_kv_heads": 1}}
            ],
            "dcp": 2,
            "length": 17,
        },
        "group": 2,
        "layers": [1],
    }
    assert members["entry_of"] == {
        "member": "entry_of",
        "status": "not-tried",
        "cases": 0,
        "case": None,
        "group": None,
        "layers": [],
    }
    assert {each["status"] for each in members.values()} == {*map(str, Status)}


def run(tree: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Result:
    monkeypatch.chdir(tree)
    options = ["--python", str(PYTHON), "--cases", "12"]
    return CliRunner().invoke(main, ["verify", *options, *arguments])


def test_command_says_that_it_runs_code_and_what_it_found(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = run(
        tree,
        monkeypatch,
        "plugin.specs:PluginSpec",
        "--cases=40",
        "--seed=7",
        "--write-test=test_groups.py",
    )
    assert ran.exit_code == 1, ran.output
    assert ran.stderr.splitlines() == [
        f"note: this imports and runs the code, with {PYTHON}",
        "11 members of 2 classes tried, 4 disagreements.",
        f"note: wrote a test of 1 disagreement to {tree / 'test_groups.py'}",
    ]
    assert "PluginSpec-dcp2" in (tree / "test_groups.py").read_text()
    assert f"{COMPOSITE}\n" in ran.stdout
    assert "group 2, layers 1\n" in ran.stdout
    assert "disagrees: PluginSpec: group 16, layers 7\n" in ran.stdout
    assert "a composite is made" not in ran.output
    assert not (tree / ".hypothesis").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["plugin.specs:Nothing"], "Nothing is no spec class"),
        (["plugin.nothing:X"], "finds no module plugin.nothing; is the path right?"),
        (["nowhere"], "nowhere: no such file or folder"),
        (["needing:X"], "has no `rebel`, which needing imports: "),
        (["needing:X"], "-m pip install rebel, or let kvlint stand in for it: "),
        (["plugin", "--python", "/nowhere/python"], "there is no such interpreter"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    tree: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], told: str
) -> None:
    (tree / "needing.py").write_text("import rebel.tensors")
    ran = run(tree, monkeypatch, *arguments)
    assert ran.exit_code == 2
    (line,) = (x for x in ran.stderr.splitlines() if not x.startswith("note: "))
    assert line.startswith("error: ")
    assert told in line
    assert ran.stdout == ""


@pytest.mark.parametrize(
    ("package", "told"),
    [
        ("torch", "has no `torch`, which vllm.v1.kv_cache_interface imports: "),
        ("torch", "-m pip install torch, or name an interpreter that has it by "),
        ("vllm", "has no vLLM: pip install 'kvlint[vllm]', or name its sources by "),
    ],
)
def test_missing_vllm_or_torch_is_told_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, told: str
) -> None:
    (tmp_path / "plugin.py").write_text("")
    if package == "torch":
        (tmp_path / "vllm" / "v1").mkdir(parents=True)
        specs = tmp_path / "vllm" / "v1" / "kv_cache_interface.py"
        specs.write_text("import torch.nosuch\nclass KVCacheSpec: pass\n")
    ran = run(tmp_path, monkeypatch, "plugin:X", "--isolated")
    assert ran.exit_code == 2
    assert told in ran.stderr


def test_written_test_fails_until_the_group_answers_as_its_layers(
    found: Verified, tmp_path: Path
) -> None:
    write_tree(tmp_path)
    written = tmp_path / "test_groups.py"
    composite = [each for each in found.classes if each.class_name == COMPOSITE]
    results = disagreements(replace(found, classes=tuple(composite)))
    written.write_text(module_text(results, "", CodeStyle()))
    header = "def test_max_num_blocks_per_req(layers, dcp, max_len, expected):"
    assert header in written.read_text()
    assert ruff_formats(written)
    assert ruff_check(written, "--isolated", "--select=E,F,UP,B") == ""
    assert outcome(tmp_path, written) == (1, "2 failed, 1 passed")
    check_project(tmp_path, "vllm", isolated=True, select=("KV101",), fix=True)
    assert outcome(tmp_path, written) == (0, "3 passed")


def test_written_test_of_what_does_no_harm(found: Verified, tmp_path: Path) -> None:
    write_tree(tmp_path)
    harmless = [
        replace(each, members=tuple(replace(x, harms=False) for x in each.members))
        for each in found.classes
    ]
    results = disagreements(replace(found, classes=tuple(harmless)))
    assert len(results) > len(disagreements(found)) == 2
    written = tmp_path / "test_all.py"
    written.write_text(module_text(results, "# a licence\n", CodeStyle()))
    assert written.read_text().startswith('# a licence\n"""Groups answer as')
    assert ruff_formats(written)
    assert ruff_check(written, "--isolated", "--select=E,F,UP,B") == ""
    code, told = outcome(tmp_path, written)
    assert code == 1
    assert re.fullmatch(r"\d+ failed, \d passed", told)


def test_no_file_of_somebody_else_is_overwritten(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "mine.py").write_text("mine = True\n")
    ran = run(tree, monkeypatch, "plugin.specs:PluginSpec", "--write-test", "mine.py")
    assert ran.exit_code == 2
    assert "mine.py: is there already, and not written by kvlint" in ran.stderr
    assert (tree / "mine.py").read_text() == "mine = True\n"


def outcome(tree: Path, written: Path) -> tuple[int, str]:
    """Run a written test as the project would: the exit code, and what it counts."""
    ran = subprocess.run(
        [PYTHON, *PYTEST, "--rootdir", tree, written],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
    )
    return ran.returncode, ran.stdout.splitlines()[-1].partition(" in ")[0]


def test_findings_are_confirmed_or_not_reproduced(found: Verified, tree: Path) -> None:
    report = check_project(tree, "vllm", isolated=True, select=("KV1", "KV2"))
    known = marked(report, found.classes)
    document = json.loads(json_format.render(known, View(tree, {})))
    shown = {(x["code"], x["symbol"]): x["proof"] for x in document["findings"]}
    width = shown["KV101", "UniformTypeKVCacheSpecs.max_num_blocks_per_req"]
    assert width["status"] == "confirmed"
    assert width["message"] == "FullAttentionSpec, DCP 2, length 17: group 2, layers 1"
    assert (width["case"]["dcp"], width["case"]["length"]) == (2, 17)
    lost = shown["KV201", "FullAttentionSpec.merge"]
    assert lost["message"] == (
        "2 x FullAttentionSpec(mode=Mode.PACKED): merged Mode.PLAIN, layers Mode.PACKED"
    )
    first = shown["KV202", "FullAttentionSpec.merge"]
    assert first["message"].endswith(": merged 1, layers 1 and 2")
    assert shown["KV105", "UniformTypeKVCacheSpecs.copy_with_new_block_size"][
        "message"
    ].endswith("kv_cache_specs['layer.0'].block_size: group 16, layers 32")
    tell = View(tree, {})
    (line,) = (x for x in concise.render(known, tell).splitlines() if "_per_req" in x)
    assert "(confirmed: FullAttentionSpec, DCP 2, length 17: group 2, layers 1)" in line
    assert (
        "= proof: confirmed: FullAttentionSpec, DCP 2, length 17: group 2, layers 1\n"
    ) in full.render(known, tell)
    nothing = marked(report, ()).findings
    assert {each.proof for each in nothing} == {
        Proof(False, "not reproduced: no such spec could be made")
    }


def test_recipes_and_modules_stood_in_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(tmp_path)
    needing = """
    from dataclasses import dataclass
    from rebel.tensors import Layout, compiled
    from vllm.v1.kv_cache_interface import FullAttentionSpec

    @compiled
    @dataclass(frozen=True)
    class NeedySpec(FullAttentionSpec):
        layout: Layout = None
        stride: complex = 0j

        def __post_init__(self):
            assert self.stride == 3j

        @property
        def storage_block_size(self) -> int:
            return int(self.stride.imag)
    """
    (tmp_path / "plugin" / "needing.py").write_text(textwrap.dedent(needing))
    settings = '[tool.kvlint.verify.recipes."plugin.needing.NeedySpec"]\n'
    (tmp_path / "pyproject.toml").write_text(f'{settings}stride = "1j + 2j"\n')
    target = "plugin.needing:NeedySpec"
    ran = run(tmp_path, monkeypatch, target)
    assert ran.exit_code == 2
    ran = run(tmp_path, monkeypatch, target, "--stand-in", "rebel")
    assert "note: kvlint stood in for the module rebel\n" in ran.stderr
    assert ran.exit_code == 1, ran.output
    assert "group 16, layers 3\n" in ran.stdout


def test_hypothesis_is_asked_for(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirements, "find_spec", lambda name: None)
    ran = run(tree, monkeypatch, COMPOSITE)
    assert ran.exit_code == 2
    assert ran.stderr == (
        "error: verify needs Hypothesis: pip install 'kvlint[verify]'\n"
    )
    ran = CliRunner().invoke(main, ["check", "--verify", "vllm"])
    assert ran.exit_code == 2
    assert "pip install 'kvlint[verify]'" in ran.stderr


def test_code_that_ends_the_interpreter_is_one_line(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "ending.py").write_text("import os; os._exit(3)")
    ran = run(tree, monkeypatch, "ending:X", "--timeout", "20")
    assert ran.exit_code == 2
    assert ran.stderr.splitlines()[1:] == [
        "error: importing ending ended the interpreter with exit code 3"
    ]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("os._exit(3)", "asking ending.Ending ended the interpreter with exit code 3"),
        ("sys.exit(3)", "asking ending.Ending raised SystemExit: 3 ("),
    ],
)
def test_members_that_end_the_interpreter_are_one_line(
    tree: Path, monkeypatch: pytest.MonkeyPatch, body: str, told: str
) -> None:
    text = f"""
    import os, sys
    from dataclasses import dataclass
    from vllm.v1.kv_cache_interface import UniformTypeKVCacheSpecs

    @dataclass(frozen=True)
    class Ending(UniformTypeKVCacheSpecs):
        @property
        def storage_block_size(self) -> int:
            {body}
    """
    (tree / "ending.py").write_text(textwrap.dedent(text))
    ran = run(tree, monkeypatch, "ending:Ending")
    assert ran.exit_code == 2
    (line,) = ran.stderr.splitlines()[1:]
    assert line.startswith(f"error: {told}")
