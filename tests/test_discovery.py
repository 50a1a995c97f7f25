# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which files are found, and which are left alone."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from corpus import bring

from kvlint.config import Config
from kvlint.discovery import Found, discover, is_test_file, project_root


def plant(root: Path, files: str | Iterable[str]) -> None:
    """Make empty files, and folders where a name ends in a slash."""
    for name in files.split() if isinstance(files, str) else files:
        path = root / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()


def found(
    root: Path, paths: Iterable[str] = (".",), exclude: Iterable[str] = ()
) -> Found:
    """Return what is found below a root that has a project's marker."""
    (root / "pyproject.toml").touch()
    config = Config(root, exclude=tuple(exclude))
    return discover([root / each for each in paths], config, root)


def names(root: Path, paths: Iterable[Path]) -> list[str]:
    return [os.path.relpath(path, root) for path in paths]


@pytest.mark.parametrize(
    ("planted", "expected"),
    [
        ("a.py b.pyi", ["a.py", "b.pyi"]),
        ("a.py b/c.py b/d/e.py", ["a.py", "b/c.py", "b/d/e.py"]),
        (
            ".hidden/a.py .github/x/b.py .c.py",
            [".c.py", ".github/x/b.py", ".hidden/a.py"],
        ),
        # The order is that of Path objects: part by part.
        ("b/z.py b-/a.py b.py", ["b/z.py", "b-/a.py", "b.py"]),
        ("a.py/b.py", ["a.py/b.py"]),
        ("a.txt b.PY c.pyc d.pyx e.py.bak py", []),
        (".venv/a.py venv/a.py build/a.py dist/a.py node_modules/a.py", []),
        ("__pycache__/a.py .tox/a.py .nox/a.py .eggs/a.py site-packages/a.py", []),
        ("x.egg-info/a.py .mypy_cache/a.py .ruff_cache/a.py .pytest_cache/a.py", []),
        (".git/hooks/a.py .hg/a.py .svn/a.py", []),
        ("deep/er/build/a.py deep/b.py", ["deep/b.py"]),
        ("env/pyvenv.cfg env/lib/a.py b.py", ["b.py"]),
        (
            "pkg/build.py pkg/dist.py builds/a.py",
            ["builds/a.py", "pkg/build.py", "pkg/dist.py"],
        ),
        ("pyvenv.cfg a.py", ["a.py"]),
        ("", []),
    ],
)
def test_walk(tmp_path: Path, planted: str, expected: list[str]) -> None:
    plant(tmp_path, planted)
    everything = found(tmp_path)
    assert names(tmp_path, everything.files) == expected
    assert list(everything.files) == sorted(everything.files)
    assert everything.project_files == everything.files
    assert not everything.named
    assert not everything.failures


@pytest.mark.parametrize(
    ("exclude", "expected"),
    [
        ([], ["a.py", "gen/a.py", "gen/deep/b.py", "pkg/gen/c.py", "pkg/x_pb2.py"]),
        (["gen"], ["a.py", "pkg/x_pb2.py"]),
        (["gen/"], ["a.py", "pkg/x_pb2.py"]),
        (["/gen"], ["a.py", "pkg/gen/c.py", "pkg/x_pb2.py"]),
        (["pkg/gen"], ["a.py", "gen/a.py", "gen/deep/b.py", "pkg/x_pb2.py"]),
        (["gen/**"], ["a.py", "pkg/gen/c.py", "pkg/x_pb2.py"]),
        (["gen/*.py"], ["a.py", "gen/deep/b.py", "pkg/gen/c.py", "pkg/x_pb2.py"]),
        (["**/gen/**"], ["a.py", "pkg/x_pb2.py"]),
        (["*_pb2.py"], ["a.py", "gen/a.py", "gen/deep/b.py", "pkg/gen/c.py"]),
        (["*_pb[0-9].py", "gen"], ["a.py"]),
        (["*", "!a.py"], ["a.py"]),
        (
            ["A.py", "ge", "en/"],
            ["a.py", "gen/a.py", "gen/deep/b.py", "pkg/gen/c.py", "pkg/x_pb2.py"],
        ),
    ],
)
def test_exclude(tmp_path: Path, exclude: list[str], expected: list[str]) -> None:
    plant(tmp_path, "a.py gen/a.py gen/deep/b.py pkg/gen/c.py pkg/x_pb2.py")
    assert names(tmp_path, found(tmp_path, exclude=exclude).files) == expected


def test_the_configuration_may_be_at_the_top_of_all(tmp_path: Path) -> None:
    plant(tmp_path, "a.py b.py")
    config = Config(root=Path(tmp_path.anchor), exclude=("b.py",))

    found = discover([tmp_path], config, tmp_path)

    assert found.files == (tmp_path / "a.py",)


def test_exclude_is_relative_to_the_configuration(tmp_path: Path) -> None:
    plant(tmp_path, "conf/pkg/gen/a.py conf/pkg/b.py conf/gen/c.py setup.py")
    config = Config(tmp_path / "conf", exclude=("/pkg/gen",))
    files = discover([tmp_path], config, tmp_path).files
    assert names(tmp_path, files) == ["conf/gen/c.py", "conf/pkg/b.py", "setup.py"]


TREE = """
    a.py keep.py gen.py x1.py x2.pyi #h.py !n.py
    gen/a.py gen/keep.py gen/deep/a.py
    pkg/a.py pkg/keep.py pkg/gen/a.py pkg/gen/keep.py pkg/sub/gen/a.py pkg/sub/x1.py
    lib/a.py pkg/lib/keep.py
"""


@pytest.mark.parametrize(
    "ignored",
    [
        {"": "gen"},
        {"": "gen/"},
        {"": "/gen/"},
        {"": "gen.py\n*.pyi"},
        {"": "*.py[cod]\n*.so\n__pycache__/\n"},
        {"": "x[0-9].py"},
        {"": "x[!2].py*"},
        {"": "x?.py"},
        {"": "gen/*\n!gen/keep.py"},
        {"": "gen/**\n!gen/keep.py"},
        {"": "gen/\n!gen/keep.py"},
        {"": "pkg/*/keep.py"},
        {"": "pkg/**/keep.py"},
        {"": "**/gen/**"},
        {"": "**/sub"},
        {"": "*\n!*/\n!keep.py"},
        {"": "*\n!pkg/\n!pkg/**"},
        {"": "/*\n!/pkg/\n/pkg/*\n!/pkg/a.py"},
        {"": "\\#h.py\n\\!n.py"},
        {"": "#h.py\n!n.py"},
        {"": "*.py\n", "pkg": "!keep.py"},
        {"": "keep.py", "pkg": "!keep.py", "pkg/gen": "keep.py"},
        {"pkg": "/a.py\ngen"},
        {"pkg/sub": "*"},
        {"gen": "*\n!.gitignore"},
        {"": "lib/\n!pkg/lib/"},
        {"": "a.py   \r\nkeep.py\r\n"},
        {"": "\ufeffa.py\n"},
        {"": "[\n!\n\\\na.py"},
        {"": "pkg/gen\npkg/sub/"},
        {".git/info": "keep.py"},
        {".git/info": "keep.py", "pkg": "!keep.py"},
    ],
)
def test_ignores_what_git_ignores(tmp_path: Path, ignored: dict[str, str]) -> None:
    plant(tmp_path, TREE)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for folder, patterns in ignored.items():
        name = "exclude" if folder == ".git/info" else ".gitignore"
        (tmp_path / folder / name).write_text(patterns, encoding="utf-8", newline="")
    git = subprocess.run(
        [
            *("git", "-c", "core.quotePath=false", "-c", "core.excludesFile="),
            *("ls-files", "--others", "--exclude-standard", "-z"),
        ],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    listed = {tmp_path / each for each in git.stdout.decode().split("\0")}
    wanted = sorted(each for each in listed if each.suffix in (".py", ".pyi"))
    assert names(tmp_path, found(tmp_path).files) == names(tmp_path, wanted)


def test_a_gitignore_counts_without_a_repository(tmp_path: Path) -> None:
    plant(tmp_path, "a.py gen/b.py")
    (tmp_path / ".gitignore").write_text("gen/\n", encoding="utf-8")
    assert names(tmp_path, found(tmp_path).files) == ["a.py"]


def test_parents_count_up_to_the_repository(tmp_path: Path) -> None:
    plant(tmp_path, "repo/.git/info/ repo/mid/proj/pkg/a.py repo/mid/proj/gen/b.py")
    plant(tmp_path, "repo/mid/proj/out/c.py repo/mid/proj/tmp/d.py")
    (tmp_path / ".gitignore").write_text("pkg/\n", encoding="utf-8")
    (tmp_path / "repo" / ".gitignore").write_text("gen/\n", encoding="utf-8")
    (tmp_path / "repo" / "mid" / ".gitignore").write_text("/proj/out/\n")
    (tmp_path / "repo" / ".git" / "info" / "exclude").write_text("tmp/\n")
    root = tmp_path / "repo" / "mid" / "proj"
    assert names(root, found(root).files) == ["pkg/a.py"]


def test_a_repository_inside_has_its_own_rules(tmp_path: Path) -> None:
    plant(tmp_path, ".git/ gen/a.py sub/.git/info/ sub/gen/b.py sub/c.py sub/d.py")
    (tmp_path / ".gitignore").write_text("gen/\n", encoding="utf-8")
    (tmp_path / "sub" / ".gitignore").write_text("c.py\n", encoding="utf-8")
    (tmp_path / "sub" / ".git" / "info" / "exclude").write_text("d.py\n")
    assert names(tmp_path, found(tmp_path).files) == ["sub/gen/b.py"]


def test_the_exclude_file_of_a_worktree(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True)

    git("init", "-q", "main")
    git("-C", "main", "commit", "-q", "--allow-empty", "-m", "x")
    git("-C", "main", "worktree", "add", "-q", "../tree")
    (tmp_path / "main" / ".git" / "info" / "exclude").write_text("gen/\n")
    plant(tmp_path / "tree", "a.py gen/b.py")
    assert names(tmp_path / "tree", found(tmp_path / "tree").files) == ["a.py"]


def test_the_project_may_itself_be_ignored(tmp_path: Path) -> None:
    plant(tmp_path, ".git/ build/scratch/a.py build/scratch/gen/b.py")
    (tmp_path / ".gitignore").write_text("build/\nscratch/*\ngen\n", encoding="utf-8")
    root = tmp_path / "build" / "scratch"
    assert names(root, found(root).files) == ["a.py"]


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["pkg"], ["pkg/a.py"]),
        (["pkg/a.py"], ["pkg/a.py"]),
        (["pkg/a.py", "pkg", "."], ["pkg/a.py"]),
        (["script"], ["script"]),
        (["pkg/notes.txt"], ["pkg/notes.txt"]),
        (["gen/a.py"], ["gen/a.py"]),
        (["gen"], ["gen/a.py", "gen/deep/b.py"]),
        (["gen/deep"], ["gen/deep/b.py"]),
        (["venv"], ["venv/a.py", "venv/lib/b.py"]),
        (["venv/lib"], ["venv/lib/b.py"]),
        (["env"], ["env/c.py"]),
        # `out/deep` is excluded by a pattern of its own, too.
        (["out"], ["out/a.py"]),
        (["out/deep"], ["out/deep/b.py"]),
        (["venv/node_modules"], ["venv/node_modules/c.py"]),
        (["pkg/../gen/./a.py"], ["gen/a.py"]),
        (["."], ["pkg/a.py"]),
    ],
)
def test_what_is_named_is_checked(
    tmp_path: Path, paths: list[str], expected: list[str]
) -> None:
    plant(
        tmp_path,
        """
        .git/ pkg/a.py pkg/notes.txt script gen/a.py gen/deep/b.py out/a.py
        out/deep/b.py venv/a.py venv/lib/b.py venv/node_modules/c.py
        env/pyvenv.cfg env/c.py
        """,
    )
    (tmp_path / ".gitignore").write_text("/gen/\n", encoding="utf-8")
    everything = found(tmp_path, paths, exclude=["out/**", "out/deep", "*.txt"])
    assert names(tmp_path, everything.files) == expected
    assert not everything.failures
    # The project is read as a whole, whatever part of it is checked.
    assert {*everything.files} | {tmp_path / "pkg" / "a.py"} == {
        *everything.project_files
    }


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["."], []),
        (["pkg"], []),
        (["pkg/a.py"], ["pkg/a.py"]),
        (["pkg/a.py", "."], ["pkg/a.py"]),
        (["tests/test_a.py"], ["tests/test_a.py"]),
        (["tests"], ["tests/helper.py", "tests/test_a.py"]),
        (["tests", "pkg"], ["tests/helper.py", "tests/test_a.py"]),
        (["pkg/tests/sub"], ["pkg/tests/sub/b.py"]),
    ],
)
def test_named_outright(tmp_path: Path, paths: list[str], expected: list[str]) -> None:
    plant(tmp_path, "pkg/a.py pkg/tests/sub/b.py tests/test_a.py tests/helper.py")
    assert names(tmp_path, sorted(found(tmp_path, paths).named)) == expected


def test_no_path_stands_for_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, "pyproject.toml pkg/a.py")
    monkeypatch.chdir(tmp_path / "pkg")
    assert project_root([]) == tmp_path
    everything = discover([], Config(tmp_path), tmp_path)
    assert everything.files == (tmp_path / "pkg" / "a.py",)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("gone.py", "gone.py: no such file or folder"),
        ("gone/", "gone: no such file or folder"),
        ("a.py/b.py", "a.py/b.py: no such file or folder"),
        ("broken.py", "broken.py: a symlink to nowhere.py, which does not lead to"),
        ("loop.py", "loop.py: a symlink to loop.py, which does not lead to a file"),
    ],
)
def test_missing_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    plant(tmp_path, "a.py")
    (tmp_path / "broken.py").symlink_to("nowhere.py")
    (tmp_path / "loop.py").symlink_to("loop.py")
    everything = found(tmp_path, [path, "a.py"])
    (failure,) = everything.failures
    assert failure.message.startswith(message)
    assert failure.path == tmp_path / path
    assert everything.files == (tmp_path / "a.py",)


def test_broken_symlinks_on_the_way(tmp_path: Path) -> None:
    plant(tmp_path, "pkg/a.py other/b.py gen/")
    for link in ("pkg/link.py", "pkg/.#a.py", "pkg/data", "gen/link.py"):
        (tmp_path / link).symlink_to("nowhere")
    (tmp_path / ".gitignore").write_text("gen/\n", encoding="utf-8")
    everything = found(tmp_path)
    assert [each.path for each in everything.failures] == [tmp_path / "pkg/link.py"]
    assert names(tmp_path, everything.files) == ["other/b.py", "pkg/a.py"]
    # Elsewhere in the project it does not matter.
    assert not found(tmp_path, ["other"]).failures
    assert not found(tmp_path, ["pkg/a.py"]).failures


def test_unreadable_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, "a.py locked/b.py pkg/c.py")
    real = os.scandir

    def scandir(path: str) -> object:
        if path.endswith("locked"):  # the superuser can read whatever the mode
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    monkeypatch.chdir(tmp_path)
    everything = found(tmp_path)
    (failure,) = everything.failures
    assert failure.message == "locked: cannot read the folder: Permission denied"
    assert failure.path == tmp_path / "locked"
    assert names(tmp_path, everything.files) == ["a.py", "pkg/c.py"]
    assert not found(tmp_path, ["pkg"]).failures
    assert len(found(tmp_path, ["locked"]).failures) == 1


def test_symlinks(tmp_path: Path) -> None:
    plant(tmp_path, "p/pkg/a.py p/z.py out/o.py out/one.py")
    root = tmp_path / "p"
    (root / "loop").symlink_to(root)
    (root / "pkg" / "loop").symlink_to("..")
    (root / "outside").symlink_to(tmp_path / "out")
    (root / "outside.py").symlink_to(tmp_path / "out" / "o.py")
    (root / "twin.py").symlink_to("z.py")
    everything = found(root)
    # A file that has two names is checked by one.
    assert names(root, everything.files) == ["outside.py", "pkg/a.py", "z.py"]
    assert names(root, everything.project_files) == [
        *("outside.py", "pkg/a.py", "twin.py", "z.py")
    ]
    assert names(root, found(root, ["twin.py"]).files) == ["twin.py"]
    assert names(root, found(root, ["twin.py", "z.py"]).files) == ["z.py"]
    assert names(root, found(root, ["outside"]).files) == [
        *("outside/o.py", "outside/one.py")
    ]
    assert names(root, found(root, ["outside", "outside.py"]).files) == [
        *("outside/o.py", "outside/one.py")
    ]
    assert names(root, found(root, ["loop/pkg", "pkg"]).files) == ["pkg/a.py"]
    assert not everything.failures


def test_paths_outside_the_root(tmp_path: Path) -> None:
    plant(tmp_path, "p/a.py q/b.py q/gen/c.py r/d.py")
    everything = found(tmp_path / "p", ["../q", "../r/d.py"], exclude=["gen"])
    assert names(tmp_path, everything.files) == ["q/b.py", "r/d.py"]
    assert names(tmp_path, everything.project_files) == ["p/a.py", "q/b.py", "r/d.py"]


@pytest.mark.parametrize(
    ("planted", "paths", "root"),
    [
        ("p/pyproject.toml p/pkg/a.py", ["p/pkg/a.py"], "p"),
        ("p/setup.py p/pkg/a.py", ["p/pkg"], "p"),
        ("p/setup.cfg p/pkg/a.py", ["p"], "p"),
        ("p/.git/ p/pkg/sub/a.py", ["p/pkg/sub/a.py"], "p"),
        ("p/.git p/a.py", ["p/a.py"], "p"),
        ("p/pyproject.toml p/q/setup.py p/q/a.py", ["p/q/a.py"], "p/q"),
        ("p/pyproject.toml p/q/setup.py p/q/a.py p/b.py", ["p/q/a.py", "p/b.py"], "p"),
        ("p/pyproject.toml p/q/r/a.py p/q/s/b.py", ["p/q/r/a.py", "p/q/s"], "p"),
        ("p/q/a.py", ["p/q/a.py"], "p/q"),
        ("p/q/a.py", ["p/q"], "p/q"),
        ("p/q/a.py p/r/b.py", ["p/q/a.py", "p/r/b.py"], "p"),
        ("p/q/__init__.py p/q/a.py", ["p/q/a.py"], "p/q"),
        ("p/q/__init__.py p/q/r/__init__.py p/q/r/a.py", ["p/q/r/a.py"], "p/q"),
        ("p/q/r/__init__.py p/q/r/a.py", ["p/q/r/a.py"], "p/q/r"),
        ("p/setup.py p/a.py", ["p/gone/too/b.py"], "p"),
    ],
)
def test_project_root(
    tmp_path: Path, planted: str, paths: list[str], root: str
) -> None:
    plant(tmp_path, planted)
    assert project_root([tmp_path / each for each in paths]) == tmp_path / root


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["lone/a.py"], ["lone/a.py", "lone/b.py"]),
        (["lone/sub/c.py"], ["lone/sub/c.py"]),
        (["lone/a.py", "lone/sub/c.py"], ["lone/a.py", "lone/b.py", "lone/sub/c.py"]),
        (["pkg/x.py"], ["pkg/__init__.py", "pkg/sub/y.py", "pkg/x.py"]),
        (["pkg/sub/y.py"], ["pkg/sub/y.py"]),
        (["lone"], ["lone/a.py", "lone/b.py", "lone/sub/c.py"]),
        (["lone/sub"], ["lone/sub/c.py"]),
        (
            ["lone/sub", "pkg/x.py"],
            ["lone/sub/c.py", "pkg/__init__.py", "pkg/sub/y.py", "pkg/x.py"],
        ),
    ],
)
def test_project_files_without_a_marker(
    tmp_path: Path, paths: list[str], expected: list[str]
) -> None:
    """For one file in a home folder, the home folder is not read."""
    plant(tmp_path, "pkg/__init__.py pkg/x.py pkg/sub/y.py huge/d.py")
    plant(tmp_path, "lone/a.py lone/b.py lone/sub/c.py lone/venv/d.py")
    named = [tmp_path / each for each in paths]
    root = project_root(named)
    project = discover(named, Config(root), root).project_files
    assert names(tmp_path, project) == expected


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("tests/a.py", True),
        ("test/a.py", True),
        ("pkg/tests/deep/a.py", True),
        ("pkg/test_a.py", True),
        ("pkg/a_test.py", True),
        ("test_a.pyi", True),
        ("conftest.py", True),
        ("pkg/conftest.py", True),
        ("pkg/a.py", False),
        ("pkg/testing/a.py", False),
        ("pkg/testsuite/a.py", False),
        ("pkg/attest_a.py", False),
        ("pkg/latest.py", False),
        ("pkg/tests.py", False),
        ("pkg/test.py", False),
        ("pkg/my_conftest.py", False),
        ("pkg/test_data.txt", False),
        # Where the project itself lies does not matter.
        ("../tests/a.py", True),
        ("../other/a.py", False),
    ],
)
def test_is_test_file(tmp_path: Path, path: str, is_test: bool) -> None:
    root = tmp_path / "tests" / "project"
    assert is_test_file(Path(os.path.abspath(root / path)), root) is (is_test)


def test_no_folder_is_read_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, "a/b/c.py a/d.py e/f.py")
    read: list[str] = []
    real = os.scandir

    def scandir(path: str) -> object:
        read.append(path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found(tmp_path, ["a", "a/b", ".", "e/f.py"])
    assert sorted(read) == sorted({*read})


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("exclude", "limit"),
    [([], 0.06), (["lib/", "*.py[cod]", "docs/examples/*", "*_pb2.py"], 0.1)],
)
def test_speed(exclude: list[str], limit: float) -> None:
    """Finding the files is no bottleneck: CPU time, with room for a busy machine."""
    root = bring("vllm==0.33.0")
    config = Config(root, exclude=tuple(exclude))
    times = []
    for _ in range(5):
        start = time.process_time()
        everything = discover([root], config, root)
        times.append(time.process_time() - start)
    assert len(everything.files) > 5_000
    assert min(times) < limit
