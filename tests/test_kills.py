# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Whatever happens to a run that writes, each file is the old one or the new one."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import ROOT
from projects import check_project, write_project

SPECS = """\
from vllm.v1.kv_cache_interface import KVCacheSpec


class Pack{0}(KVCacheSpec):
    layers: dict[str, KVCacheSpec]  # {0}
"""
FIX = ("check", "--fix", "--select", "KV101", "--output-format=concise")
LIMIT = 120


class Project:
    """Many files that want a fix.

    Args:
        folder: An empty folder.
        count: How many.
    """

    def __init__(self, folder: Path, count: int) -> None:
        self.folder = folder
        self.old = {f"plug/f{n}.py": SPECS.format(n) for n in range(count)}
        write_project(folder, self.old)
        report = check_project(folder, fix=True, diff=True, select=("KV101",))
        self.new = {
            change.before.path.relative_to(folder).as_posix(): change.after.text
            for change in report.changes
        }
        assert self.new.keys() == self.old.keys()

    def restore(self) -> None:
        for name, text in self.old.items():
            (self.folder / name).write_text(text)

    def start(self, **options: object) -> subprocess.Popen[str]:
        return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
            [sys.executable, "-m", "kvlint", *FIX, "."],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def is_begun(self) -> bool:
        """Whether something has been written, which begins with the first file."""
        first = min(self.old, key=Path)
        return (self.folder / first).read_text() != self.old[first]

    def mended(self) -> int:
        """Return how many files are new; each is that or old, to the letter."""
        found = {name: (self.folder / name).read_text() for name in self.old}
        for name, text in found.items():
            assert text in (self.old[name], self.new[name]), name
        return sum(found[name] == self.new[name] for name in found)

    def left_behind(self) -> list[Path]:
        return [*self.folder.rglob(".kvlint-*")]


@pytest.fixture(
    params=[(30, 1), pytest.param((500, 5), marks=pytest.mark.corpus)],
    ids=["few", "many"],
)
def kills(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[Project, int]]:
    count, times = request.param
    yield Project(tmp_path, count), times


def test_a_killed_run_leaves_old_files_and_new_ones(
    kills: tuple[Project, int],
) -> None:
    project, times = kills
    chance = random.Random(times)
    caught_in_the_act = 0
    for _ in range(10 * times):
        project.restore()
        process = project.start()
        ends = time.monotonic() + LIMIT
        while process.poll() is None and not project.is_begun():
            assert time.monotonic() < ends
            time.sleep(0.0005)
        time.sleep(chance.random() * chance.choice([0, 0.01, 0.2]))
        process.kill()
        process.communicate()
        caught_in_the_act += 0 < project.mended() < len(project.old)
        if caught_in_the_act == times:
            break
    assert caught_in_the_act > 0
    # The next run mends the rest, and sweeps what the others left behind.
    for path in project.left_behind():
        os.utime(path, (0, 0))
    assert project.start().communicate() and project.mended() == len(project.old)
    assert project.left_behind() == []


def test_what_another_run_may_be_writing_stays(tmp_path: Path) -> None:
    project = Project(tmp_path, 1)
    fresh = tmp_path / "plug" / ".kvlint-abc.tmp"
    fresh.write_text("half a fi")
    link = tmp_path / "plug" / ".kvlint-link.tmp"
    link.symlink_to(tmp_path / "pyproject.toml")
    project.start().communicate()
    assert project.mended() == 1
    assert sorted(project.left_behind()) == [fresh, link]


def test_two_runs_at_once(tmp_path: Path) -> None:
    project = Project(tmp_path, 40)
    runs = [project.start(), project.start()]
    told = [each.communicate(timeout=LIMIT) for each in runs]
    assert project.mended() == len(project.old)
    assert project.left_behind() == []
    for run, (_, stderr) in zip(runs, told, strict=True):
        assert run.returncode in (0, 1, 2)
        assert "Traceback" not in stderr
        for line in stderr.splitlines():
            if "not written" in line:
                assert line.endswith("it changed since it was read; run kvlint again")


@pytest.mark.parametrize("room", [0, 100])
def test_no_room_for_the_new_file(room: int, tmp_path: Path) -> None:
    project = Project(tmp_path, 2)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    process = project.start(preexec_fn=limit)
    _, stderr = process.communicate()
    assert process.returncode == 2
    assert stderr.count("not written: File too large") == 2
    assert "Traceback" not in stderr
    assert project.mended() == 0
    assert project.left_behind() == []


def test_a_hard_link_keeps_the_old_text(tmp_path: Path) -> None:
    project = Project(tmp_path, 1)
    other = tmp_path / "other.txt"
    os.link(tmp_path / "plug" / "f0.py", other)
    project.start().communicate()
    assert project.mended() == 1
    assert other.read_text() == project.old["plug/f0.py"]


def test_a_symlink_out_of_the_project_is_followed_only_if_it_is_named(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "project"
    project = Project(folder, 1)
    outside = tmp_path / "outside.py"
    outside.write_text(SPECS.format("Out"))
    link = folder / "plug" / "link.py"
    link.symlink_to(outside)
    report = check_project(folder, fix=True, select=("KV101",))
    assert outside.read_text() == SPECS.format("Out")
    (failure,) = report.failures
    assert failure.message == (
        f"{link}: not written: it is a symlink to {outside}, outside of the project; "
        "name it to have it mended"
    )
    assert [each.symbol for each in report.findings] == [
        "PackOut.max_num_blocks_per_req"
    ]
    assert project.mended() == 1
    report = check_project(folder, "plug/link.py", fix=True, select=("KV101",))
    assert not report.failures
    assert link.is_symlink()
    assert outside.read_text() != SPECS.format("Out")


def test_a_file_outside_of_the_project_is_mended_if_it_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    Project(folder, 1)
    outside = tmp_path / "outside.py"
    outside.write_text(SPECS.format("Out"))
    process = subprocess.run(
        [sys.executable, "-m", "kvlint", *FIX, "../outside.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert process.returncode == 0
    assert "def max_num_blocks_per_req" in outside.read_text()
    assert (folder / "plug" / "f0.py").read_text() == SPECS.format(0)
