# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What running the code says of the findings of the checker."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from kvlint.config import Config
from kvlint.errors import KvlintError
from kvlint.findings import Failure, Finding, Proof
from kvlint.reports import Job, Report
from kvlint.verifying.results import ClassResult, MemberResult, Status, Verified
from kvlint.verifying.subjects import MERGE
from kvlint.verifying.targets import Wanted
from kvlint.verifying.telling import case_entry, case_text
from kvlint.verifying.verifying import Conditions, verify

_PROVABLE = re.compile(r"KV[12]\d\d")
_OF_MEMBERS = re.compile(r"KV10[1-5]")
_OF_MERGES = {"KV201": True, "KV202": False}
"""Rules on merges, and whether the layers agree on the field that is lost."""


def proven(
    report: Report,
    job: Job,
    python: Path | None,
    config: Config,
    folder: Path,
    announce: Callable[[Path], None],
) -> Report:
    """Return a report whose findings of KV1xx and KV2xx say whether they show.

    Args:
        report: What the checker found.
        job: What was checked.
        python: The interpreter to run the code with; None to look for one.
        config: What is in force.
        folder: The working directory.
        announce: Called with the interpreter before it is started.

    Returns:
        The report, with a failure if the code cannot be run.
    """
    asked = frozenset(
        (each.place.path, each.symbol.partition(".")[0])
        for each in report.findings
        if _OF_MEMBERS.fullmatch(each.code) or each.code in _OF_MERGES
    )
    found = Verified((), (), "", "")
    if asked:
        conditions = Conditions(python, only=asked)
        wanted = Wanted((), job)
        try:
            found = verify(wanted, conditions, config, folder, announce)
        except KvlintError as error:
            failure = Failure(f"--verify: {error}")
            return replace(report, failures=(*report.failures, failure))
    return marked(report, found.classes)


def marked(report: Report, classes: Sequence[ClassResult]) -> Report:
    """Return a report whose findings say what is known of their classes.

    Args:
        report: What the checker found.
        classes: What running the code has shown.
    """
    found = (_marked(each, classes) for each in report.findings)
    return replace(report, findings=tuple(found))


def _marked(finding: Finding, classes: Iterable[ClassResult]) -> Finding:
    if not _PROVABLE.fullmatch(finding.code):
        return finding
    name, _, member = finding.symbol.partition(".")
    for each in classes:
        if each.class_name.endswith(f":{name}"):
            found = list(_members(finding, member, each))
            if found:
                return replace(finding, proof=_proof(found))
    why = "verify does not try this rule"
    if _OF_MEMBERS.fullmatch(finding.code) or finding.code in _OF_MERGES:
        why = "no such spec could be made"
    return replace(finding, proof=Proof(False, f"not reproduced: {why}"))


def _members(
    finding: Finding, member: str, found: ClassResult
) -> Iterator[MemberResult]:
    """What was tried of a finding's member, the disagreements that it tells first."""
    if _OF_MEMBERS.fullmatch(finding.code):
        yield from (each for each in found.members if each.member == member)
    elif finding.code in _OF_MERGES:
        agreed = _OF_MERGES[finding.code]
        for each in found.members:
            example = each.example
            if example is None or not each.member.startswith(MERGE):
                continue
            if example.is_sure is agreed and f"`{example.part}`" in finding.message:
                yield each
        for each in found.members:
            if each.member.startswith(MERGE):
                yield replace(each, status=Status.AGREES, example=None)


def _proof(found: list[MemberResult]) -> Proof:
    first = found[0]
    if first.example is not None and first.status is Status.DISAGREES:
        text = case_text(first.member, first.example)
        return Proof(True, text, case_entry(first.example))
    if first.status is Status.NOT_TRIED:
        return Proof(False, f"not reproduced: {first.reason}")
    if first.status is Status.ABSTRACT:
        return Proof(False, "not reproduced: it raises NotImplementedError on purpose")
    return Proof(False, f"not reproduced in {first.cases} cases")
