# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Findings in code for several releases: which release has which."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from projects import check_project, write_project

from kvlint.reports import Report

COMPAT = """\
import vllm
from packaging.version import Version

IS_OLD = Version(vllm.__version__) < Version("0.29.0")


def vllm_version_is(*versions):
    return any(Version(vllm.__version__) == Version(each) for each in versions)
"""
IMPORTS = """\
import vllm
from compat import IS_OLD, vllm_version_is
from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheSpec, MambaSpec
from vllm.v1.kv_cache_interface import SlidingWindowSpec

"""

# A text, and what 0.28.0 and 0.29.0 find in it: code, line behind the imports, symbol.
RULES = ("KV1", "KV401", "KV402", "KV9")
TEXTS = {
    "classes under a condition": (
        """
if vllm_version_is("0.28.0"):
    class Own(KVCacheSpec):
        def page_size_bytes(self): ...
else:
    class Own(KVCacheSpec):
        def storage_block_size(self): ...
        def block_table_token_alignment(self): ...
""",
        ["KV402 4 Own.page_size_bytes"],
        [],
    ),
    "members under a condition": (
        """
class Own(KVCacheSpec):
    if IS_OLD:
        def page_size_bytes(self): ...
    else:
        @property
        def page_size_bytes(self): ...
""",
        ["KV402 4 Own.page_size_bytes"],
        [],
    ),
    "members under a condition that cannot be told": (
        """
class Own(KVCacheSpec):
    if hasattr(vllm, "fast"):
        def page_size_bytes(self): ...
""",
        [],
        [],
    ),
    "members under another condition": (
        """
class Own(KVCacheSpec):
    if fast():
        def page_size_bytes(self): ...
""",
        [],
        [],
    ),
    "the last one that is run counts": (
        """
class Own(KVCacheSpec):
    def page_size_bytes(self): ...

    if IS_OLD:
        page_size_bytes = property(page_size_bytes)
""",
        [],
        ["KV402 3 Own.page_size_bytes"],
    ),
    "the base is the one that is run": (
        """
class Base(KVCacheSpec):
    if IS_OLD:
        def own(self): ...
    else:
        @property
        def own(self): ...

class Own(Base):
    def own(self): ...
""",
        [],
        ["KV402 10 Own.own"],
    ),
    "a class of several is the base": (
        """
if IS_OLD:
    class Base(KVCacheSpec):
        def own(self): ...
else:
    class Base(KVCacheSpec):
        @property
        def own(self): ...

class Own(Base):
    def own(self): ...
""",
        [],
        ["KV402 11 Own.own"],
    ),
    "a name of several is the base": (
        """
class Plain(KVCacheSpec):
    def own(self): ...

class Other(KVCacheSpec):
    @property
    def own(self): ...

Base = Plain if IS_OLD else Other
if not IS_OLD:
    Second = Other
else:
    Second = Plain

class Own(Second):
    def own(self): ...
""",
        [],
        ["KV402 16 Own.own"],
    ),
    "an import of several is the base": (
        """
try:
    from vllm.v1.kv_cache_interface import TQFullAttentionSpec as Base
except ImportError:
    from vllm.v1.kv_cache_interface import FullAttentionSpec as Base

class Own(Base):
    def page_size_bytes(self): ...
""",
        ["KV402 8 Own.page_size_bytes"],
        ["KV402 8 Own.page_size_bytes"],
    ),
    "which base is run cannot be told": (
        """
if hasattr(vllm, "fast"):
    class Base(KVCacheSpec):
        def own(self): ...
else:
    class Base(KVCacheSpec):
        @property
        def own(self): ...

class Own(Base):
    def own(self): ...
""",
        [],
        [],
    ),
    "in try, behind imports that the release has": (
        """
try:
    from vllm.v1.kv_cache_interface import MambaSpec as Base

    class Own(Base):
        def page_size_bytes(self): ...
except ImportError:
    pass
""",
        ["KV402 6 Own.page_size_bytes"],
        ["KV402 6 Own.page_size_bytes"],
    ),
    "in try, behind imports that cannot be told": (
        """
try:
    import elsewhere

    class Own(KVCacheSpec):
        def page_size_bytes(self): ...
except ImportError:
    pass
""",
        [],
        [],
    ),
    "a module that ends early": (
        """
if IS_OLD:
    raise ImportError("0.29.0 or later")

class Own(KVCacheSpec):
    def page_size_bytes(self): ...
""",
        [],
        ["KV402 6 Own.page_size_bytes"],
    ),
    "composites": (
        """
if vllm_version_is("0.27.1", "0.28.0"):
    class Pack(KVCacheSpec):
        layers: dict[str, KVCacheSpec]
""",
        [
            "KV101 3 Pack.max_num_blocks_per_req",
            "KV101 3 Pack.storage_block_size",
            "KV105 3 Pack.copy_with_new_block_size",
        ],
        [],
    ),
    "a class inside a function": (
        """
def make():
    if not IS_OLD:
        return None

    class Own(KVCacheSpec):
        def page_size_bytes(self): ...
    return Own
""",
        ["KV402 7 Own.page_size_bytes"],
        [],
    ),
    "suppressed where it is run": (
        """
if IS_OLD:
    class Own(KVCacheSpec):
        def page_size_bytes(self): ...  # kvlint: ignore[KV402] on purpose
else:
    class Own(KVCacheSpec):
        # kvlint: ignore[KV402] on purpose
        size = 2
""",
        [],
        ["KV901 7 "],
    ),
}


def found(report: Report) -> list[str]:
    assert not report.failures
    return [
        f"{each.code} {each.place.line - 5} {each.symbol}" for each in report.findings
    ]


def written(folder: Path, text: str) -> Path:
    for name, content in {
        "pyproject.toml": "",
        "compat.py": COMPAT,
        "specs.py": IMPORTS + text,
    }.items():
        (folder / name).write_text(content)
    return folder


@pytest.mark.parametrize(("text", "old", "new"), TEXTS.values(), ids=TEXTS)
def test_each_release(
    text: str, old: list[str], new: list[str], tmp_path: Path
) -> None:
    written(tmp_path, text)
    for release, expected in (("0.28.0", old), ("0.29.0", new)):
        report = check_project(tmp_path, vllm_version=(release,), select=RULES)
        assert found(report) == expected


def test_several_releases_at_once(tmp_path: Path) -> None:
    text = """
if vllm_version_is("0.28.0"):
    class Own(KVCacheSpec):
        def page_size_bytes(self): ...
else:
    class Own(KVCacheSpec):
        @property
        def max_num_blocks_per_req(self): ...
class Both(KVCacheSpec):
    def page_size_bytes(self): ...
"""
    written(tmp_path, text)
    report = check_project(tmp_path, vllm_version=(">=0.27.1,<0.31",))
    told = {
        each.symbol: each.message.partition("(vLLM ")[2].removesuffix(")")
        for each in report.findings
    }
    assert told == {
        "Own.page_size_bytes": "0.28.0",
        "Own.max_num_blocks_per_req": "0.27.1, 0.29.0 and later",
        "Both.page_size_bytes": "0.27.1 and later",
    }


def test_a_fix_is_right_for_all_releases_that_run_the_code(tmp_path: Path) -> None:
    text = """
if IS_OLD:
    class Own(SlidingWindowSpec):
        def max_admission_blocks_per_request(self, tokens, max_model_len): ...
"""
    written(tmp_path, text)
    report = check_project(
        tmp_path, vllm_version=(">=0.28,<0.31",), fix=True, unsafe_fixes=True
    )
    assert report.findings == ()
    text = (tmp_path / "specs.py").read_text()
    assert "(self, max_in_flight_tokens, max_model_len)" in text


@pytest.mark.parametrize("release", ["0.28.0", "0.29.0"])
def test_the_example_of_the_document(release: str, tmp_path: Path) -> None:
    document = Path(__file__).parents[1] / "rules/README.md"
    (text,) = re.findall(r"```py\n(.*?)```", document.read_text(), re.DOTALL)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "specs.py").write_text(text)
    report = check_project(tmp_path, vllm_version=(release,))
    lines = {number: line for number, line in enumerate(text.splitlines(), start=1)}
    announced = [
        (number, line.rpartition(": ")[2])
        for number, line in lines.items()
        if f"# {release}: " in line
    ]
    assert announced
    assert [(each.place.line, each.code) for each in report.findings] == announced


SOURCES = """
import vllm
from vllm.v1.kv_cache_interface import KVCacheSpec
if vllm.__version__ < "0.29":
    class Own(KVCacheSpec):
        def page_size_bytes(self): ...
class More(KVCacheSpec):
    if hasattr(KVCacheSpec, "page_size_bytes"):
        def page_size_bytes(self): ...
"""


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("__version__ = version = '0.28.0+cu129'", ["Own", "More"]),
        ("__version__ = '0.29.0'", ["More"]),
        (None, ["More"]),
    ],
)
def test_the_release_of_sources(
    version: str | None, expected: list[str], tmp_path: Path
) -> None:
    project = tmp_path / "plug"
    project.mkdir()
    # The version of a project that holds vLLM's package is not vLLM's.
    pyproject = '[project]\nname = "plug"\nversion = "0.28.0"\n'
    write_project(project, {"specs.py": SOURCES, "pyproject.toml": pyproject})
    if version is not None:
        (project / "vllm/_version.py").write_text(version)
        (project / "pyproject.toml").write_text('[project]\nname = "vllm"\n')
    report = check_project(project, select=("KV402",))
    assert [each.symbol.partition(".")[0] for each in report.findings] == expected
