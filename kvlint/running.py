# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A run of ``kvlint check``: from options to a report, with fixes written."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path

from kvlint import catalogue, config, discovery, engine, progress, writing
from kvlint.destinations import Destination
from kvlint.errors import KvlintError
from kvlint.findings import Failure, Severity
from kvlint.reports import Job, Report
from kvlint.sources import Source, decode_source

STDIN = Path("-")
_UNNAMED = Path("<stdin>")


@dataclass(frozen=True)
class Options:
    """What the command line of ``kvlint check`` said.

    Attributes:
        paths: Files and folders; ``-`` alone is standard input.
        stdin_filename: What to call standard input.
        fix: Whether to write fixes.
        unsafe_fixes: Whether unsafe ones count.
        add_ignore: The reason for comments that silence what is found; None for none.
        diff: Whether to show instead of write.
        select: Codes and names of rules; empty for what the configuration says.
        ignore: The same, to leave out.
        preview: Whether rules in preview count.
        fail_on: The severity from which on findings fail the run.
        baseline: A file with findings that do not count.
        no_baseline: Whether those of the configuration's own count.
        since: The revision that a change may go into, if only what it brought counts.
        vllm_path: Where vLLM is.
        vllm_version: Which releases of vLLM are meant.
        config_file: The configuration to read.
        isolated: Whether to read no configuration.
        output_format: The name of a format.
        output_file: The files for reports.
        statistics: Whether to count in place of showing.
        exit_zero: Whether findings do not fail the run.
        verbose: Whether to tell what could not be resolved.
        quiet: Whether to print findings and errors alone.
        verify: Whether to run the code and see which findings show.
        python: The interpreter to run it with.
    """

    paths: tuple[Path, ...] = ()
    stdin_filename: Path | None = None
    fix: bool = False
    unsafe_fixes: bool = False
    add_ignore: str | None = None
    diff: bool = False
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    preview: bool = False
    fail_on: Severity | None = None
    baseline: Path | None = None
    no_baseline: bool = False
    since: str | None = None
    vllm_path: Path | None = None
    vllm_version: tuple[str, ...] = ()
    config_file: Path | None = None
    isolated: bool = False
    output_format: str = "full"
    output_file: tuple[Destination, ...] = ()
    statistics: bool = False
    exit_zero: bool = False
    verbose: bool = False
    quiet: bool = False
    verify: bool = False
    python: Path | None = None

    @property
    def reads_stdin(self) -> bool:
        """Whether standard input is what is checked."""
        return self.paths == (STDIN,)

    @property
    def changes(self) -> bool:
        """Whether texts are changed, be it files, standard input or only a patch."""
        return self.fix or self.diff or self.add_ignore is not None

    @property
    def writes(self) -> bool:
        """Whether files are changed."""
        return self.changes and not self.diff and not self.reads_stdin


@dataclass(frozen=True)
class Outcome:
    """What came of a run.

    Attributes:
        report: Findings, failures, and changes, written or not.
        fail_on: The severity from which on findings fail the run.
        stdin: What standard input gave, if it was read.
    """

    report: Report
    fail_on: Severity
    stdin: bytes = b""


def run(
    options: Options,
    folder: Path,
    stdin: bytes = b"",
    announce: Callable[[Path], None] = lambda python: None,
) -> Outcome:
    """Check, and mend if asked to.

    Args:
        options: What the command line said.
        folder: The working directory.
        stdin: What standard input gave, if it is what is checked.
        announce: Called with the interpreter before code is run with it.

    Raises:
        KvlintError: The options or the configuration are wrong. What concerns single
            files is in the report.
    """
    path = _stdin_path(options, folder)
    job, failures = planned(options, folder)
    settings = job.config
    if path:
        try:
            job = _instead_of(job, decode_source(path, stdin))
        except KvlintError as error:
            report = Report((), (Failure(str(error), path),), (), files_checked=1)
            return Outcome(report, settings.fail_on, stdin)
    job = replace(job, sifts=_sifts(job, options, folder))
    plural = "" if len(job.files) == 1 else "s"
    with progress.Step(f"Checking {len(job.files):,} file{plural}"):
        report = _report(job, options)
    if options.writes:
        report = _written(report, job)
    if options.verify:
        from kvlint.verifying.requirements import require_hypothesis

        require_hypothesis()
        from kvlint.verifying.proofs import proven

        with progress.Step("Running the code"):
            report = proven(report, job, options.python, settings, folder, announce)
    if not path:  # else they are of the folder, which nobody asked about
        report = replace(report, failures=(*failures, *report.failures))
    return Outcome(report, settings.fail_on, stdin)


def _report(job: Job, options: Options) -> Report:
    if options.add_ignore is not None:
        from kvlint import ignoring

        ignoring.check_reason(options.add_ignore)
        return ignoring.silence(job, options.add_ignore)
    if options.changes:
        return engine.mend(job, unsafe=options.unsafe_fixes)
    return engine.check(job)


def planned(options: Options, folder: Path) -> tuple[Job, tuple[Failure, ...]]:
    """Return what is to be looked at, and which paths cannot be.

    Args:
        options: What the command line said.
        folder: The working directory.

    Raises:
        KvlintError: The options or the configuration are wrong.
    """
    paths = tuple(folder / each for each in options.paths)
    if path := _stdin_path(options, folder):
        paths = (next(each for each in path.parents if each.is_dir()),)
    root = discovery.project_root(paths or (folder,))
    settings = config.load(
        catalogue.names(),
        start=root,
        path=options.config_file,
        isolated=options.isolated,
        select=options.select,
        ignore=options.ignore,
        vllm_path=options.vllm_path,
        vllm_version=options.vllm_version,
        fail_on=options.fail_on,
        previews=catalogue.previews(),
        preview=options.preview,
    )
    with progress.Step("Looking for files"):
        found = discovery.discover(paths or (folder,), settings, root)
    job = Job(found.files, found.named, found.project_files, root, settings)
    return job, found.failures


def _stdin_path(options: Options, folder: Path) -> Path | None:
    """Return what standard input is called, if it is what is checked."""
    if not options.reads_stdin:
        return None
    return Path(os.path.abspath(folder / (options.stdin_filename or _UNNAMED)))


def _instead_of(job: Job, buffer: Source) -> Job:
    """Return a job on a text that stands in for a file, whether or not there is one."""
    return replace(
        job,
        files=(buffer.path,),
        named=frozenset({buffer.path}),
        project_files=tuple(sorted({*job.project_files, buffer.path})),
        buffers={buffer.path: buffer},
    )


def _sifts(
    job: Job, options: Options, folder: Path
) -> tuple[Callable[[Report], Report], ...]:
    """Return what takes findings out of a report that nobody wants to hear of.

    Raises:
        KvlintError: What it needs is not to be had.
    """
    sifts: list[Callable[[Report], Report]] = []
    named = options.baseline or (None if options.no_baseline else job.config.baseline)
    if named:
        from kvlint import baselines

        sifts.append(baselines.read(Path(os.path.abspath(folder / named)), job))
    if options.since is not None:
        from kvlint.changes.since import Since

        settings = options.config_file or job.config.root / "pyproject.toml"
        path = Path(os.path.abspath(folder / settings))
        fixed = options.isolated or options.vllm_version
        sifts.append(Since(job, options.since, None if fixed else path))
    return tuple(sifts)


def _written(report: Report, job: Job) -> Report:
    """Write the changed files; what was found in those that resist, remains."""
    failed: dict[Path, Failure] = {}
    for change in report.changes:
        try:
            _require_inside(change.before.path, job)
            writing.write(change.before, change.after)
        except KvlintError as error:
            path = change.before.path
            failed[path] = Failure(str(error), path)
    for folder in {change.before.path.parent for change in report.changes}:
        writing.sweep(folder)
    if not failed:
        return report
    # Their findings are told by the text that is still there.
    again = engine.check(replace(job, files=tuple(failed)))
    findings = [each for each in report.findings if each.place.path not in failed]
    return replace(
        report,
        findings=tuple(sorted([*findings, *again.findings], key=attrgetter("key"))),
        failures=(*report.failures, *failed.values()),
        changes=tuple(
            each for each in report.changes if each.before.path not in failed
        ),
        mended=tuple(each for each in report.mended if each.place.path not in failed),
        sources={**report.sources, **again.sources},
    )


def _require_inside(path: Path, job: Job) -> None:
    """Refuse a symlink that leads out of the project, unless the user named it."""
    target = path.resolve()
    if path in job.named or target == path or target.is_relative_to(job.root.resolve()):
        return
    if path.is_relative_to(job.root):
        raise KvlintError(
            f"{path}: not written: it is a symlink to {target}, outside of the "
            "project; name it to have it mended"
        )
