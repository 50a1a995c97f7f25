# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Sets whose one value is taken on the word of an assertion: KV210."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import libcst as cst
import pytest
from projects import check_project, write_project

from kvlint.contracts import bundle
from kvlint.model.assertions import asserted_sets
from kvlint.model.workspace import Workspace
from kvlint.uses.probes import find_probed


@pytest.mark.parametrize(
    ("body", "taken", "opposites"),
    [
        ("s = {1}; assert len(s) == 1; s.pop()", ["s"], ["!="]),
        ("s = set(x)\n assert len(s) <= 1\n next(iter(s))", ["s"], [">"]),
        ("s = {1}\n assert len(s) < 2\n tuple(s)[0]", ["s"], [">="]),
        ("a = {1}; b = {2}; assert len(a) == 1 and len(b) == 1; b.pop()", ["b"], None),
        ("s = {1}; assert len(s) == 1 and s; s.pop()", ["s"], []),
        ("s = {1}; assert len(s) == 1 or s; s.pop()", None, None),
        ("s = {1}; assert len(s) == 2; s.pop()", None, None),
        ("s = {1}; assert len(s) >= 1; s.pop()", None, None),
        ("s = [1]; assert len(s) == 1; s.pop()", None, None),
        ("s = {1}; assert len(s) == 1; s.pop(0)", None, None),
        ("s = {1}; s.pop(); assert len(s) == 1", None, None),
        ("s = {1}\n if len(s) == 1:\n  assert len(s) == 1\n  s.pop()", None, None),
        ("assert len(s) == 1; s.pop()", None, None),
    ],
)
def test_what_is_taken(
    body: str, taken: list[str] | None, opposites: list[str] | None
) -> None:
    function = cst.ensure_type(
        cst.parse_statement(f"def f(x):\n {body}\n"), cst.FunctionDef
    )
    found = asserted_sets(function)
    assert [list(each.taken) for each in found] == ([] if taken is None else [taken])
    if opposites is not None:
        assert [each.opposite for each in found[0].bounds] == opposites


def test_probed_methods(tmp_path: Path) -> None:
    path = tmp_path / "planner.py"
    path.write_text(
        "def f(specs):\n"
        "    try:\n"
        "        specs[0].merge(specs)\n"
        "    except (AssertionError, KeyError):\n"
        "        return specs.copy()\n"
        "    try:\n"
        "        specs[0].width()\n"
        "    except AssertionError:\n"
        "        pass\n"
        "    except ValueError:\n"
        "        pass\n"
    )
    wanted = frozenset({"merge", "width", "copy"})
    assert find_probed(Workspace([]), [path], wanted) == {"merge"}


def test_every_release_probes_merge() -> None:
    probed = {release: bundle.load(release).probed for release in bundle.releases()}
    assert set(probed.values()) == {("merge",)}


PAGES = """
    from vllm.v1.kv_cache_interface import KVCacheSpec

    def page_size(specs: list[KVCacheSpec]) -> int:
        sizes = {spec.page_size_bytes for spec in specs}
        assert len(sizes) == 1, (
            "All layers of a group must have pages of the same size, whatever they "
            f"keep in them, but these have pages of {sorted(sizes)}."
        )
        return sizes.pop()
"""

RUN = """
import sys, types
sys.modules["vllm.v1.kv_cache_interface"] = types.SimpleNamespace(KVCacheSpec=object)
from pages import page_size
spec = lambda size: types.SimpleNamespace(page_size_bytes=size)
print(page_size([spec(16), spec(16)]))
try:
    page_size([spec(16), spec(32)])
except ValueError as error:
    print(error)
"""


def test_mended_code_raises_without_assertions(tmp_path: Path) -> None:
    write_project(tmp_path, {"pages.py": PAGES})
    check_project(tmp_path, fix=True, unsafe_fixes=True, select=("KV210",))
    ran = subprocess.run(
        [sys.executable, "-O", "-c", RUN], cwd=tmp_path, capture_output=True, text=True
    )
    assert ran.stdout == (
        "16\n"
        "All layers of a group must have pages of the same size, whatever they keep in "
        "them, but these have pages of [16, 32].\n"
    )


@pytest.mark.parametrize(("agreement", "count"), [("assert", 0), ("raise", 1)])
def test_composites_follow_the_configuration(
    tmp_path: Path, agreement: str, count: int
) -> None:
    composite = """
        from vllm.v1.kv_cache_interface import KVCacheSpec

        class Pair(KVCacheSpec):
            specs: list[KVCacheSpec]

            def max_num_blocks_per_req(self, vllm_config, max_len):
                widths = {each.block_size for each in self.specs}
                assert len(widths) == 1
                return widths.pop()
    """
    configuration = f'[tool.kvlint]\nagreement = "{agreement}"\n'
    write_project(tmp_path, {"pyproject.toml": configuration, "pair.py": composite})
    report = check_project(tmp_path, select=("KV210",))
    assert len(report.findings) == count
