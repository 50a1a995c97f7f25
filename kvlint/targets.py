# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Against which releases of vLLM a project is checked, and one report of several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from kvlint.checking import folders_of_roots
from kvlint.contracts.facts import ContractFacts
from kvlint.environment import vllm_folders
from kvlint.findings import Finding, Place, Severity
from kvlint.reports import Job, Report
from kvlint.specs.hierarchy import VLLM_ROOT

_ROOT_FILE = VLLM_ROOT.rpartition(".")[0].replace(".", "/") + ".py"
_MOST_LISTED = 5


@dataclass(frozen=True)
class Targets:
    """What a project is checked against.

    Attributes:
        contracts: Releases from the oldest to the newest; a lone None stands for
            sources on disk.
        why: A line for ``--verbose``.
        assumed: The release, where nothing says which one the project is for.
    """

    contracts: tuple[ContractFacts | None, ...]
    why: str
    assumed: str = ""

    @property
    def releases(self) -> list[str]:
        """The releases by name; none for sources on disk."""
        return [each.release for each in self.contracts if each is not None]


def find_targets(job: Job) -> Targets:
    """Return what a job's project is checked against.

    Raises:
        KvlintError: A release was asked for that kvlint does not know, or there is no
            vLLM where somebody said it is.
    """
    chosen = choose(job)
    if not chosen.releases:
        return Targets((None,), chosen.why)
    from kvlint.contracts import bundle

    contracts = tuple(map(bundle.load, chosen.releases))
    assumed = chosen.releases[-1] if chosen.is_assumed else ""
    return Targets(contracts, chosen.why, assumed)


@dataclass(frozen=True)
class Choice:
    """Which releases a project is checked against.

    Attributes:
        releases: From the oldest to the newest; none if vLLM's sources are at hand.
        why: A line for ``--verbose``.
        is_assumed: Whether nothing says which one the project is for.
    """

    releases: tuple[str, ...]
    why: str
    is_assumed: bool = False


def choose(job: Job) -> Choice:
    """Return the releases that a job's project is checked against, and why these.

    Raises:
        KvlintError: As ``find_targets`` does.
    """
    config = job.config
    if folders_of_roots(job):
        return Choice((), "vLLM: the tree that is checked")
    if config.vllm_path is not None or (job.installed and not config.vllm_version):
        for folder in vllm_folders(config.vllm_path, job.root):
            if (folder / _ROOT_FILE).is_file():
                return Choice((), f"vLLM: the sources in {folder}")
    # Only now: what they import takes longer than many a check.
    from kvlint.contracts import bundle
    from kvlint.contracts.selection import select_releases

    chosen = select_releases(config.vllm_version, bundle.releases(), job.root)
    why = f"vLLM {_listed(chosen.releases)}: {chosen.why}"
    return Choice(chosen.releases, why, chosen.is_assumed)


def _listed(releases: Sequence[str]) -> str:
    if len(releases) <= _MOST_LISTED:
        return ", ".join(releases)
    return f"{releases[0]} to {releases[-1]} ({len(releases)} releases)"


def merged(
    targets: Targets,
    reports: Sequence[Report],
    runs: Sequence[Callable[[Place], bool]],
) -> Report:
    """Return one report of several: each finding once, with its releases.

    Args:
        targets: What the reports are of.
        reports: One for each contract.
        runs: Tell of each whether its release may run the code at a place.
    """
    newest = reports[-1]
    notes = dict.fromkeys([targets.why, *(x for each in reports for x in each.notes)])
    failures = dict.fromkeys(x for each in reports for x in each.failures)
    findings = newest.findings
    if len(reports) > 1:
        findings = _merged_findings(targets, reports, runs)
    return replace(
        newest,
        findings=findings,
        failures=tuple(failures),
        notes=tuple(notes),
        sources={key: text for x in reports for key, text in x.sources.items()},
        against=targets.why,
        assumed=targets.assumed,
    )


def _merged_findings(
    targets: Targets,
    reports: Sequence[Report],
    runs: Sequence[Callable[[Place], bool]],
) -> tuple[Finding, ...]:
    from kvlint.contracts.selection import described

    names = targets.releases
    found: dict[object, list[tuple[str, Finding]]] = {}
    for name, report in zip(names, reports, strict=True):
        for each in report.findings:
            found.setdefault(each.key, []).append((name, each))
    merged = []
    for instances in found.values():
        told = described([name for name, _ in instances], names)
        newest = instances[-1][1]
        fixes = {each.fix for _, each in instances}
        holding = {name for name, _ in instances}
        others = (
            may_run
            for name, may_run in zip(names, runs, strict=True)
            if name not in holding
        )
        if (newest.fix and newest.fix.follows_base) and (
            len(fixes) > 1 or any(may_run(newest.place) for may_run in others)
        ):
            reason = "not all of the releases want the same"
            newest = replace(newest, fix=None, unfixable=reason)
        severe = any(each.severity is Severity.ERROR for _, each in instances)
        merged.append(
            replace(
                newest,
                message=f"{newest.message} (vLLM {told})",
                severity=Severity.ERROR if severe else Severity.WARNING,
            )
        )
    return tuple(sorted(merged, key=attrgetter("key")))
