# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What goes into a run and what comes out of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kvlint.config import Config
from kvlint.findings import Failure, Finding
from kvlint.sources import Source


@dataclass(frozen=True)
class Job:
    """What to look at.

    Attributes:
        files: The files whose findings are wanted.
        named: Those of them that the user named outright: also test code is checked.
        project_files: Every Python file of the project, for the hierarchy.
        root: The project's folder.
        config: What is in force.
        buffers: Texts that stand in for files, such as standard input.
        installed: Whether a vLLM counts that is installed hereabouts.
        sifts: What takes findings out of a report that nobody wants to hear of, in
            this order.
    """

    files: tuple[Path, ...]
    named: frozenset[Path]
    project_files: tuple[Path, ...]
    root: Path
    config: Config
    buffers: Mapping[Path, Source] = field(default_factory=dict)
    installed: bool = True
    sifts: tuple[Callable[[Report], Report], ...] = ()


@dataclass(frozen=True)
class Change:
    """A file before and after its fixes; nothing is written yet."""

    before: Source
    after: Source


@dataclass(frozen=True)
class Report:
    """What came of a job.

    Attributes:
        findings: What remains, sorted by place.
        failures: What could not be done.
        notes: What ``--verbose`` tells, such as bases that could not be resolved.
        files_checked: How many files were looked at.
        unknown_bases: How many base classes of specs could not be found.
        changes: Files with fixes or comments put in.
        mended: The findings that those fixes removed.
        done: What was done to these, in a word.
        sources: The text of each file that a finding or a related place names.
        against: Which vLLM the job was checked against, and why that one.
        assumed: The release, where nothing says which one the project is for.
        remarks: What people are told besides, unless they want to be told nothing.
    """

    findings: tuple[Finding, ...]
    failures: tuple[Failure, ...]
    notes: tuple[str, ...]
    files_checked: int
    unknown_bases: int = 0
    changes: tuple[Change, ...] = ()
    mended: tuple[Finding, ...] = ()
    sources: Mapping[Path, Source] = field(default_factory=dict)
    against: str = ""
    assumed: str = ""
    remarks: tuple[str, ...] = ()
    done: str = "mended"
