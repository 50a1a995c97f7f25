# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which fields an answer comes from, through all that it asks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from projects import PRELUDE, write_project

from kvlint import catalogue, config, discovery
from kvlint.checking import Run
from kvlint.faults.member_reads import are_derived, fields_read, known_reads
from kvlint.model.syntax import deep_trees
from kvlint.project import Project
from kvlint.reports import Job

SPECS = """
@dataclass(frozen=True, kw_only=True)
class Ring(AttentionSpec):
    rows: int = 1
    spare: int = 0

    def __post_init__(self):
        object.__setattr__(self, "spare", self.rows)

    @property
    def direct(self): return self.rows

    @property
    def through(self): return self.direct + self.block_size

    @property
    def around(self): return self.around + self.rows

    @property
    def handed_on(self): return measure(self)

    @property
    def unknown(self): return self.nowhere

    @property
    def abstract(self): raise NotImplementedError

    if FLAG:
        @property
        def conditional(self): return self.rows

@dataclass(frozen=True, kw_only=True)
class Below(Ring):
    @property
    def direct(self): return super().direct + self.head_size

@dataclass(frozen=True, kw_only=True)
class Unseen(Elsewhere, Ring):
    pass
"""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    write_project(tmp_path, {"specs.py": PRELUDE + SPECS})
    settings = config.load(catalogue.names(), start=tmp_path)
    found = discovery.discover((tmp_path,), settings, tmp_path)
    job = Job(found.files, found.named, found.project_files, tmp_path, settings)
    with deep_trees():
        yield Run(job).project()


@pytest.mark.parametrize(
    ("spec", "member", "expected"),
    [
        ("Ring", "rows", {"rows"}),
        ("Ring", "direct", {"rows"}),
        ("Ring", "through", {"rows", "block_size"}),
        ("Ring", "around", {"rows"}),
        ("Ring", "page_size_bytes", {"block_size", "num_kv_heads", "head_size"}),
        ("Below", "direct", {"rows", "head_size"}),
        ("Below", "through", {"rows", "head_size", "block_size"}),
        ("Ring", "handed_on", None),
        ("Ring", "unknown", None),
        ("Ring", "abstract", None),
        ("Ring", "conditional", None),
        ("Ring", "nowhere", None),
        ("Unseen", "direct", None),
    ],
)
def test_fields_read(
    project: Project, spec: str, member: str, expected: set[str] | None
) -> None:
    owner = next(x for x in project.contract.hierarchy.specs if x.name == spec)
    assert fields_read(project, owner, member) == expected


@pytest.mark.parametrize(
    ("spec", "member", "expected"),
    [
        ("Below", "through", {"block_size"}),
        ("Below", "direct", {"rows", "head_size"}),
        ("Ring", "handed_on", set()),
        ("Ring", "unknown", set()),
        ("Ring", "nowhere", set()),
    ],
)
def test_known_reads_leave_out_what_they_are_told_to(
    project: Project, spec: str, member: str, expected: set[str]
) -> None:
    owner = next(x for x in project.contract.hierarchy.specs if x.name == spec)
    without = re.compile("^direct$")
    assert known_reads(project, owner, member, without) == expected


def test_are_derived(project: Project) -> None:
    ring = next(x for x in project.contract.hierarchy.specs if x.name == "Ring")
    assert are_derived(project, ring, frozenset({"spare", "rows"}))
    assert not are_derived(project, ring, frozenset({"rows"}))
