# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Every check's look at a project, by this process and by copies of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from kvlint.findings import Failure, Finding
from kvlint.project import Project
from kvlint.registry import Check, checks
from kvlint.sharing import helpers_at_hand, shared

_TOGETHER = (
    ("KV101", "KV102", "KV103", "KV104", "KV105", "KV201", "KV202", "KV203", "KV206"),
    ("KV301", "KV302", "KV308", "KV309", "KV311", "KV312", "KV313"),
    ("KV406", "KV407"),
    ("KV401", "KV402", "KV403", "KV404", "KV405", "KV207", "KV212"),
    ("KV303", "KV304", "KV305"),
    ("KV210",),
)
"""Rules whose checks build on the same look at the project, the longest look first."""
_WORTH_SHARING = 25
"""Files at hand from which on a copy of the process saves more time than it takes."""


class StaleError(Exception):
    """Nobody waits any more for what is being worked out."""


@dataclass(frozen=True)
class Seen:
    """What came of some checks: plain data.

    Attributes:
        outcomes: By the code of each check its findings, and why it crashed, if it did.
        unread: Files that could not be read or parsed by then.
    """

    outcomes: Mapping[str, tuple[list[Finding], Failure | None]]
    unread: frozenset[Path]


def look(project: Project, is_stale: Callable[[], bool]) -> Seen:
    """Run every check that is selected anywhere.

    Args:
        project: What the checks ask.
        is_stale: Tells whether what they find is still wanted.

    Raises:
        StaleError: It is not.
    """
    known = checks()
    selected = [each for each in known if project.config.selects_somewhere(each)]
    is_worth_it = len(project.workspace.kept) >= _WORTH_SHARING
    tasks = [
        partial(_seen, project, {code: known[code] for code in group}, is_stale)
        for group in _grouped(selected)
    ]
    seen = shared(tasks, helpers_at_hand() if is_worth_it else 0)
    outcomes = {code: came for each in seen for code, came in each.outcomes.items()}
    return Seen(
        {code: outcomes[code] for code in selected},
        frozenset(path for each in seen for path in each.unread),
    )


def _grouped(codes: Sequence[str]) -> list[list[str]]:
    """Codes in groups that are best left to one process."""
    groups = [[each for each in group if each in codes] for group in _TOGETHER]
    together = {code for group in groups for code in group}
    alone = [[each] for each in codes if each not in together]
    return [*filter(None, groups), *alone]


def _seen(
    project: Project, some: Mapping[str, Check], is_stale: Callable[[], bool]
) -> Seen:
    outcomes = {}
    for code, run_check in some.items():
        if is_stale():
            raise StaleError
        outcomes[code] = _outcome(project, code, run_check)
    return Seen(outcomes, frozenset(project.workspace.failures))


def _outcome(
    project: Project, code: str, run_check: Check
) -> tuple[list[Finding], Failure | None]:
    try:
        found = [
            _trusted(project, finding)
            for finding in run_check(project)
            if project.config.selects(code, finding.place.path)
        ]
    except Exception as error:  # a faulty check must not stop the others
        what = f"{type(error).__name__}: {error}"
        message = f"the check of {code} crashed ({what}); please report this"
        return [], Failure(message, code=code)
    return found, None


def _trusted(project: Project, finding: Finding) -> Finding:
    """A finding without its fix where the tree is not the file to the letter."""
    if finding.fix is None or finding.fix.is_exact:
        return finding
    file = project.workspace.parsed(finding.place.path)
    if file is not None and file.tree.is_exact:
        return finding
    reason = "libcst does not give this file back unchanged"
    return replace(finding, fix=None, unfixable=reason)
