# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Baselines: files that hold the findings of a day, so that only later ones are told.

An entry is known by its fingerprint, which stays when lines move. What else it holds is
for people. Each has a line of its own, in the order of paths, so that git merges them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from kvlint.errors import KvlintError
from kvlint.findings import Finding
from kvlint.fingerprints import fingerprints
from kvlint.reports import Job, Report
from kvlint.writing import write_report

NAME = "kvlint-baseline.json"
_VERSION = 1
_UNPARSABLE = "KV900"


@dataclass(frozen=True)
class Entry:
    """A finding of the day.

    Attributes:
        rule: The rule's code.
        path: The file, from the baseline's own folder, with slashes.
        symbol: The class or function.
        fingerprint: What it is known by.
        message: What was said of it.
    """

    rule: str
    path: str
    symbol: str
    fingerprint: str
    message: str

    @property
    def key(self) -> tuple[str, ...]:
        """The order in which entries are written."""
        return self.path, self.rule, self.symbol, self.fingerprint


_NAMES = tuple(each.name for each in fields(Entry))


class Baseline:
    """The entries of a file, and which of a job's findings they account for.

    Args:
        path: The file, absolute.
        entries: What it holds.
        job: What is looked at.
    """

    def __init__(self, path: Path, entries: Iterable[Entry], job: Job) -> None:
        """Look at nothing yet."""
        self.path, self.entries = path, tuple(entries)
        self._job = job
        self._files = frozenset(job.files)

    def __call__(self, report: Report) -> Report:
        """Return a report without what the baseline has.

        Entries that account for nothing any more are told in a remark.
        """
        known = {each.fingerprint for each in self.entries}
        prints = self._fingerprints(report)
        found = zip(report.findings, prints, strict=True)
        gone = self.gone(report)
        remarks = list(report.remarks)
        if gone:
            name = os.path.relpath(self.path)
            number = "1 entry" if len(gone) == 1 else f"{len(gone)} entries"
            remarks.append(
                f"{name}: {number} found no more; `kvlint baseline` writes it anew"
            )
            remarks += [f"found no more: {_told(each)}" for each in gone]
        return replace(
            report,
            findings=tuple(each for each, print_ in found if print_ not in known),
            remarks=tuple(remarks),
        )

    def gone(self, report: Report) -> list[Entry]:
        """Return the entries for which nothing is found where it was looked for."""
        found = {*self._fingerprints(report)}
        unread = {each.path for each in report.failures}
        crashed = {each.code for each in report.failures if each.path is None}
        return [
            each
            for each in self.entries
            if each.fingerprint not in found
            and each.rule not in crashed
            and (path := self._file(each)) not in unread
            and (path in self._files or not path.exists())
            and self._job.config.selects(each.rule, path)
        ]

    def renewed(self, report: Report) -> Baseline:
        """Return the baseline of a later day.

        What was not looked for, as in files that nobody named, is still in it.

        Args:
            report: What is found, all of it.
        """
        prints = self._fingerprints(report)
        found = [
            self._entry(each, print_)
            for each, print_ in zip(report.findings, prints, strict=True)
            if each.code != _UNPARSABLE  # nothing else is known of such a file
        ]
        there = {each.fingerprint for each in found} | {
            each.fingerprint for each in self.gone(report)
        }
        kept = [each for each in self.entries if each.fingerprint not in there]
        entries = sorted([*found, *kept], key=lambda each: each.key)
        return Baseline(self.path, entries, self._job)

    def write(self) -> None:
        """Write the file.

        Raises:
            KvlintError: It cannot be written.
        """
        lines = ",\n".join(f"    {json.dumps(asdict(x))}" for x in self.entries)
        listed = f"[\n{lines}\n  ]" if lines else "[]"
        text = f'{{\n  "version": {_VERSION},\n  "findings": {listed}\n}}\n'
        write_report(self.path, text.encode())

    def _entry(self, finding: Finding, fingerprint: str) -> Entry:
        path = self._told(finding.place.path)
        return Entry(finding.code, path, finding.symbol, fingerprint, finding.message)

    def _fingerprints(self, report: Report) -> list[str]:
        return fingerprints(report.findings, report.sources, self._told)

    def _told(self, path: Path) -> str:
        return Path(os.path.relpath(path, self.path.parent)).as_posix()

    def _file(self, entry: Entry) -> Path:
        return Path(os.path.normpath(self.path.parent / entry.path))


def read(path: Path, job: Job, *, required: bool = True) -> Baseline:
    """Read a baseline.

    Args:
        path: The file, absolute.
        job: What is looked at.
        required: Whether it must be there; if not, it may be empty.

    Raises:
        KvlintError: It cannot be read, or is nothing that ``kvlint baseline`` wrote.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        if not required:
            return Baseline(path, (), job)
        told = f"{path}: there is no such baseline; `kvlint baseline` writes one"
        raise KvlintError(told) from error
    except OSError as error:
        raise KvlintError(f"{path}: cannot read: {error.strerror}") from error
    return Baseline(path, _entries(path, content), job)


def _entries(path: Path, content: bytes) -> list[Entry]:
    try:
        document: Any = json.loads(content)
    except json.JSONDecodeError as error:
        where = f"{path}:{error.lineno}:{error.colno}"
        raise KvlintError(f"{where}: not valid JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise KvlintError(f"{path}: not valid JSON") from error
    is_table = isinstance(document, dict)
    version = document.get("version") if is_table else None
    if version != _VERSION:
        later = isinstance(version, int) and version > _VERSION
        what = (
            f"written by a later kvlint (version {version})"
            if later
            else "no baseline of kvlint"
        )
        raise KvlintError(f"{path}: {what}; write another with `kvlint baseline`")
    found = document.get("findings")
    for number, each in enumerate(found if isinstance(found, list) else [None], 1):
        if not isinstance(each, dict) or any(
            not isinstance(each.get(name), str) for name in _NAMES
        ):
            told = f"finding {number} must have the strings {', '.join(_NAMES)}"
            raise KvlintError(f"{path}: {told}")
    return [Entry(*map(each.get, _NAMES)) for each in found]


def _told(entry: Entry) -> str:
    return " ".join(filter(None, (entry.path, entry.rule, entry.symbol)))
