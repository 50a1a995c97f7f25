# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Comments that silence what there is: ``# kvlint: ignore[KV101] reason``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from kvlint import engine
from kvlint.errors import KvlintError
from kvlint.findings import Failure, Finding
from kvlint.model.syntax import parse
from kvlint.reports import Change, Job, Report
from kvlint.silencing import CommentLines, comment
from kvlint.sources import Source, decode_source
from kvlint.suppressions import can_be_silenced, find_comments

_MOST_PASSES = 5


def check_reason(reason: str) -> None:
    """Refuse what is no reason.

    Args:
        reason: What the comments shall give as their reason.

    Raises:
        KvlintError: It says nothing, or would not be read back as one reason.
    """
    written = comment(["KV101"], reason)
    if reason.isprintable() and reason == reason.strip():
        found = find_comments(decode_source(Path(), f"{written}\n".encode()))
        if [(x.mistake, x.end) for x in found] == [("", len(written))]:
            return
    raise KvlintError(
        "--add-ignore: give a reason: words on one line, with no comment in it"
    )


def silence(job: Job, reason: str) -> Report:
    """Return what remains to be told when comments silence all that can be silenced.

    Args:
        job: What to look at.
        reason: The reason that the comments give; ``check_reason`` lets it pass.

    Raises:
        KvlintError: As ``engine.check`` does.
    """
    before: dict[Path, Source] = {}
    after: dict[Path, Source] = {}
    failures: dict[Path, Failure] = {}
    placed: dict[object, Finding] = {}
    report = engine.check(job)
    # A comment may change what is told of its line: once more, until nothing is new.
    for _ in range(_MOST_PASSES):
        fresh: dict[Path, Source] = {}
        for path, findings in _by_path(report.findings).items():
            if path in failures:
                continue
            source = report.sources[path]
            try:
                fresh[path] = _commented(source, findings, reason, placed)
            except KvlintError as error:
                failures[path] = Failure(str(error), path)
        fresh = {p: x for p, x in fresh.items() if x.text != report.sources[p].text}
        if not fresh:
            break
        for path, source in fresh.items():
            before.setdefault(path, report.sources[path])
            after[path] = source
        report = engine.check(replace(job, buffers={**job.buffers, **after}))
    remaining = {each.key for each in report.findings}
    return replace(
        report,
        failures=(*report.failures, *failures.values()),
        changes=tuple(Change(before[path], after[path]) for path in before),
        mended=tuple(x for key, x in placed.items() if key not in remaining),
        done="silenced",
        remarks=(*report.remarks, *_unplaced(report, failures)),
    )


def _by_path(findings: Iterable[Finding]) -> dict[Path, list[Finding]]:
    found = defaultdict(list)
    for each in findings:
        if can_be_silenced(each.code):
            found[each.place.path].append(each)
    return found


def _commented(
    source: Source,
    findings: Sequence[Finding],
    reason: str,
    placed: dict[object, Finding],
) -> Source:
    """Return a file with comments for findings, which are added to ``placed``.

    Raises:
        KvlintError: The file's encoding has no form for the reason.
    """
    lines = CommentLines(source)
    codes: dict[int, set[str]] = defaultdict(set)
    for finding in findings:
        line = lines.line_for(finding)
        if line is not None and finding.key not in placed:
            codes[line].add(finding.code)
            placed[finding.key] = finding
    edits = [
        edit
        for line, wanted in codes.items()
        for edit in lines.edits(line, sorted(wanted), reason, added_reason=reason)
    ]
    edited = source.edited(edits)
    parse(edited)
    return edited


def _unplaced(report: Report, failures: Mapping[Path, Failure]) -> Iterator[str]:
    """Yield why comments silence nothing of what remains."""
    for path, findings in _by_path(report.findings).items():
        for each in findings if path not in failures else ():
            where = f"{path.name}:{each.place.line}"
            yield f"{where}: no comment can be put on this line to silence {each.code}"
