# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Comments that silence what there is: ``# kvlint: ignore[KV101] reason``."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import libcst as cst

from kvlint import catalogue, engine
from kvlint.errors import KvlintError
from kvlint.findings import Edit, Failure, Finding
from kvlint.model.syntax import Tree, deep_trees, parse
from kvlint.reports import Change, Job, Report
from kvlint.sources import Source, decode_source
from kvlint.suppressions import MALFORMED, UNUSED, Suppression, find_comments

_MOST_PASSES = 5
_NEVER = frozenset({"KV900", UNUSED, MALFORMED})
"""Rules that no comment silences."""
_FORMATTED: tuple[type[cst.CSTNode], ...] = tuple(
    getattr(cst, name)
    for name in ("FormattedString", "TemplatedString")
    if hasattr(cst, name)
)


def check_reason(reason: str) -> None:
    """Refuse what is no reason.

    Args:
        reason: What the comments shall give as their reason.

    Raises:
        KvlintError: It says nothing, or would not be read back as one reason.
    """
    comment = _comment(["KV101"], reason)
    if reason.isprintable() and reason == reason.strip():
        found = find_comments(decode_source(Path(), f"{comment}\n".encode()))
        if [(x.mistake, x.end) for x in found] == [("", len(comment))]:
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
        if each.code not in _NEVER:
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
    lines = _lines(source)
    codes: dict[int, set[str]] = defaultdict(set)
    for finding in findings:
        line = _line(finding, lines)
        if line is not None and finding.key not in placed:
            codes[line].add(finding.code)
            placed[finding.key] = finding
    edits = [
        edit
        for line, wanted in codes.items()
        for edit in _edits(source, line, lines[line], sorted(wanted), reason)
    ]
    edited = source.edited(edits)
    parse(edited)
    return edited


def _line(finding: Finding, lines: Mapping[int, object]) -> int | None:
    """Return the line for a finding's comment: its first, or else one that does too."""
    others = sorted(finding.suppressible_lines)
    return next((x for x in (finding.place.line, *others) if x in lines), None)


@deep_trees()
def _lines(source: Source) -> dict[int, Suppression | None]:
    """Return the lines that may end with a comment, and what silences there already.

    In a string, and before a line that a backslash continues, there is no comment; in
    the braces of a formatted string, old Pythons allow none. Nothing is known of a file
    that libcst does not give back unchanged.
    """
    tree = Tree(source, parse(source))
    if not tree.is_exact:
        return {}
    ends: set[int] = set()
    closed: set[int] = set()
    for node in _everything(tree.module):
        if isinstance(node, cst.Newline):
            ends.add(_line_of(source, tree.span(node).start))
        elif isinstance(node, _FORMATTED):
            span = tree.span(node)
            first, last = (_line_of(source, x) for x in (span.start, span.end))
            closed.update(range(first, last))
        elif isinstance(node, cst.Comment) and node.value.count("`") % 2:
            closed.add(_line_of(source, tree.span(node).start))
    found: dict[int, Suppression | None] = dict.fromkeys(ends - closed)
    known = {*catalogue.names(), *catalogue.names().values()}
    for each in find_comments(source, tree.module):
        if not each.mistake and all(code.text in known for code in each.codes):
            found[each.line] = each
    return found


def _everything(module: cst.Module) -> Iterator[cst.CSTNode]:
    """Yield every node, white space and comments included."""
    pending: list[cst.CSTNode] = [module]
    while pending:
        node = pending.pop()
        yield node
        pending += node.children


def _line_of(source: Source, offset: int) -> int:
    return bisect_right(source.line_starts, offset)


def _edits(
    source: Source,
    line: int,
    known: Suppression | None,
    codes: Sequence[str],
    reason: str,
) -> list[Edit]:
    """Return what makes a line's comment silence some codes more."""
    if known is not None:
        after = known.codes[-1].end
        edits = [Edit(after, after, "".join(f", {code}" for code in codes))]
        if reason not in source.text[after : known.end]:
            edits.append(Edit(known.end, known.end, f"; {reason}"))
        return edits
    start = source.line_starts[line - 1]
    text = source.line(line)
    end = start + len(text.rstrip())
    return [Edit(end, start + len(text), f"  {_comment(codes, reason)}")]


def _comment(codes: Sequence[str], reason: str) -> str:
    return f"# kvlint: ignore[{', '.join(codes)}] {reason}"


def _unplaced(report: Report, failures: Mapping[Path, Failure]) -> Iterator[str]:
    """Yield why comments silence nothing of what remains."""
    for path, findings in _by_path(report.findings).items():
        for each in findings if path not in failures else ():
            where = f"{path.name}:{each.place.line}"
            yield f"{where}: no comment can be put on this line to silence {each.code}"
