# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What kvlint says of damaged sources, none of which is written to a disk."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from damage.mutants import Mutant
from damage.restoring import is_restored
from kvlint import catalogue, checking, config, discovery
from kvlint.checking import Run
from kvlint.findings import Edit, Finding
from kvlint.reports import Job, Report
from kvlint.sources import decode_source
from kvlint.targets import find_targets

_judge: Judge


@dataclass(frozen=True)
class Outcome:
    """What came of a damage.

    Attributes:
        is_caught: It is found.
        is_mended: There is a fix, of a kind that has to give back what was there.
        is_restored: It does.
    """

    is_caught: bool
    is_mended: bool = False
    is_restored: bool = False


class Judge:
    """Checks a tree again and again, each time with other texts in it.

    Args:
        tree: The folder.
        vllm: The release of vLLM that a plug-in is checked against.
    """

    def __init__(self, tree: Path, vllm: str = "") -> None:
        """Find out once which files matter."""
        self._tree, self._vllm = tree, vllm
        settings = _settings(tree, ("ALL",), vllm)
        found = discovery.discover((tree,), settings, tree)
        job = Job(found.files, found.named, found.project_files, tree, settings)
        run = _run_of(job)
        run.report()
        # From here on there are as many processes as processors.
        setattr(checking, "helpers_at_hand", lambda: 0)  # noqa: B010
        kept = run.workspace.kept
        self._job = replace(
            job,
            files=tuple(sorted(set(kept) & set(job.files))),
            project_files=tuple(sorted(set(kept) & set(job.project_files))),
        )

    @staticmethod
    def begin(judge: Judge) -> None:
        """Let a judge be this process's own, which it shares its work with nobody."""
        global _judge
        _judge = judge
        gc.freeze()

    @staticmethod
    def in_this_process(batch: Sequence[Mutant]) -> list[Outcome]:
        """Return what the judge of this process says; see ``caught``."""
        return _judge.caught(batch)

    @cache  # noqa: B019 - as long as the process
    def _run(self, rules: tuple[str, ...]) -> tuple[Run, Counter[tuple[str, ...]]]:
        """A run of some rules, and what they say of the tree as it is."""
        run = _run_of(
            replace(self._job, config=_settings(self._tree, rules, self._vllm))
        )
        return run, Counter(map(_said, run.report().findings))

    def caught(self, batch: Sequence[Mutant]) -> list[Outcome]:
        """Return what comes of each damage where all of them are done."""
        run, before = self._run(batch[0].rules)
        contents = {each.path: each.path.read_bytes() for each in batch}
        for path, content in contents.items():
            damaged = content
            edits = [edit for each in batch if each.path == path for edit in each.edits]
            for start, end, text in sorted(edits, reverse=True):
                damaged = damaged[:start] + text.encode() + damaged[end:]
            run.workspace.replace(decode_source(path, damaged))
        report = run.report()
        if broken := [each for each in contents if each in run.workspace.failures]:
            raise ValueError(f"a damage to {broken} leaves no Python: {batch}")
        new = _new(report, before)
        mended = {path: _mended(run, path, new) for path in contents}
        for path, content in contents.items():
            run.workspace.replace(decode_source(path, content))
        return [self._outcome(each, batch, new, contents, mended) for each in batch]

    def _outcome(
        self,
        mutant: Mutant,
        batch: Sequence[Mutant],
        new: Sequence[Finding],
        contents: dict[Path, bytes],
        mended: dict[Path, bytes],
    ) -> Outcome:
        mine = [each for each in new if _concerns(mutant, batch, each, contents)]
        if not mutant.fixed or all(each.fix is None for each in mine):
            return Outcome(bool(mine))
        content = contents[mutant.path]
        return Outcome(True, True, is_restored(mutant, content, mended[mutant.path]))


def _run_of(job: Job) -> Run:
    """A run beside the vLLM that is in the tree, or the one that is named."""
    targets = find_targets(job)
    return Run(job, targets.contracts[0], targets.releases)


def _settings(tree: Path, rules: tuple[str, ...], vllm: str) -> config.Config:
    return config.load(
        catalogue.names(),
        start=tree,
        isolated=True,
        select=rules,
        vllm_version=(vllm,) if vllm else (),
        previews=catalogue.previews(),
    )


def _said(finding: Finding) -> tuple[str, ...]:
    return finding.code, str(finding.place.path), finding.symbol, finding.message


def _new(report: Report, before: Counter[tuple[str, ...]]) -> list[Finding]:
    left, new = Counter(before), []
    for finding in report.findings:
        if left[_said(finding)]:
            left[_said(finding)] -= 1
        else:
            new.append(finding)
    return new


def _mended(run: Run, path: Path, new: Sequence[Finding]) -> bytes:
    """The text of a damaged file with the fixes of its new findings."""
    edits: list[Edit] = []
    for finding in new:
        fix = finding.fix
        if fix is None or finding.place.path != path:
            continue
        fresh = [each for each in fix.edits if each not in edits]
        if not any(_meet(one, other) for one in fresh for other in edits):
            edits += fresh
    return run.workspace.source(path).edited(edits).content


def _meet(one: Edit, other: Edit) -> bool:
    return one.start == other.start or (one.start < other.end and other.start < one.end)


def _concerns(
    mutant: Mutant,
    batch: Sequence[Mutant],
    finding: Finding,
    contents: dict[Path, bytes],
) -> bool:
    if finding.code not in mutant.rules:
        return False
    if finding.symbol.partition(".")[0] in mutant.spoken:
        return True
    places = [finding.place, *(each.place for each in finding.related)]
    lines = _lines(mutant, batch, contents[mutant.path])
    return any(x.path == mutant.path and x.line in lines for x in places)


def _lines(mutant: Mutant, batch: Sequence[Mutant], content: bytes) -> range:
    """The lines of a damage's zone, as the other damages have moved it."""
    start, end = mutant.zone
    edits = [e for each in batch if each.path == mutant.path for e in each.edits]
    above = [edit for edit in edits if edit[1] <= start and edit[0] < start]
    inside = [edit for edit in edits if start <= edit[0] <= end]
    first = content.count(b"\n", 0, start) + 1 + _grown(content, above)
    return range(
        first, first + content.count(b"\n", start, end) + _grown(content, inside) + 2
    )


def _grown(content: bytes, edits: Sequence[tuple[int, int, str]]) -> int:
    """How many lines more there are after some edits."""
    return sum(t.count("\n") - content.count(b"\n", s, e) for s, e, t in edits)
