# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``kvlint audit``: check published distributions by name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kvlint import progress
from kvlint.commands.output_options import output_options
from kvlint.commands.rule_options import release_option, rule_options, severity_option
from kvlint.errors import KvlintError
from kvlint.output import FOR_PEOPLE
from kvlint.streams import FAILED, emit, guarded, wants_colour

if TYPE_CHECKING:
    from kvlint.auditing.audits import Audit
    from kvlint.auditing.cache import Cache, Shelf
    from kvlint.auditing.distributions import Distribution
    from kvlint.auditing.index import Index
    from kvlint.auditing.wanted import Wanted
    from kvlint.config import Config
    from kvlint.destinations import Destination
    from kvlint.findings import Failure
    from kvlint.output.view import View

CLEAN, FOUND = 0, 1
_EPILOG = """\
\b
Examples:
  kvlint audit vllm==0.27.1
  kvlint audit vllm-rbln lmcache --pre
  kvlint audit 'vllm>=0.25,<0.30' --all-releases --statistics

\b
Exit codes:
  0  nothing at or above --fail-on was found
  1  findings
  2  something could not be brought, read or checked
"""
_FILE = click.Path(path_type=Path)


@click.command(epilog=_EPILOG)
@click.argument("requirements", nargs=-1, metavar="REQUIREMENT...")
@click.option(
    "--all-releases",
    is_flag=True,
    help="Check every release that fits, not the newest alone, and tell which has "
    "what.",
)
@click.option("--pre", is_flag=True, help="Let pre-releases count as others do.")
@release_option(
    "Check against this release of vLLM, or a specifier such as '>=0.29,<0.34'.  "
    "[default: what the distribution asks for]"
)
@rule_options(
    select="Report these only: codes, beginnings of codes, names, or ALL, parted by "
    "commas.",
    preview="Also report rules in preview.",
)
@output_options
@click.option(
    "--statistics",
    is_flag=True,
    help="Print the table of counts alone, in place of the findings.",
)
@click.option(
    "--exit-zero", is_flag=True, help="Exit with 0 even if there are findings."
)
@severity_option()
@click.option(
    "--index-url",
    metavar="URL",
    help="The package index.  [default: $UV_DEFAULT_INDEX, $UV_INDEX_URL, "
    "$PIP_INDEX_URL, or PyPI]",
)
@click.option("--offline", is_flag=True, help="Take what was brought before.")
@click.option(
    "--cache-dir",
    type=_FILE,
    help="Where to keep what is brought.  [default: $KVLINT_CACHE_DIR, or kvlint's "
    "folder among the user's caches]",
)
@click.option("--cache-info", is_flag=True, help="Print what is kept there, and exit.")
@click.option("--clear-cache", is_flag=True, help="Remove what is kept there, first.")
@click.option("-v", "--verbose", is_flag=True, help="Tell what was not resolved.")
@click.option("-q", "--quiet", is_flag=True, help="Print findings and errors alone.")
def audit(**given: Any) -> None:
    """Check published distributions by name.

    A requirement is one such as vllm==0.27.1 or vllm-rbln. The sources of each are
    brought from the package index into a cache, Python files and metadata only; nothing
    of them is built, imported or run. They are checked against the vLLM that they ask
    for. Their own kvlint configuration does not count, nor does any here; comments that
    silence findings do.

    Needs `pip install 'kvlint[audit]'`.
    """
    _refuse_contradictions(given)

    def tell(messages: list[str]) -> None:
        from kvlint.reporting import publish_failure

        if given["requirements"]:
            publish_failure(messages, given["output_format"], given["output_file"])

    with guarded(verbose=given["verbose"], tell=tell):
        from kvlint.auditing.cache import Cache, cache_folder

        cache = Cache(cache_folder(given["cache_dir"]))
        if given["cache_info"]:
            _tell_of(cache)
            return
        if given["clear_cache"]:
            _clear(cache, quiet=given["quiet"])
        code = CLEAN
        if given["requirements"]:
            code = _audit(given, cache)
    raise click.exceptions.Exit(code)


def _audit(given: dict[str, Any], cache: Cache) -> int:
    """Bring, check and print; return the exit code."""
    from kvlint import catalogue, config
    from kvlint.auditing.audits import Audit
    from kvlint.auditing.audits import audit as check
    from kvlint.auditing.index import Index
    from kvlint.auditing.wanted import parse_all

    settings = config.load(
        catalogue.names(),
        isolated=True,
        select=given["select"],
        ignore=given["ignore"],
        vllm_version=given["vllm_version"],
        fail_on=given["fail_on"],
        previews=catalogue.previews(),
        preview=given["preview"],
    )
    wanted = parse_all(given["requirements"])
    index = Index(given["index_url"])
    shelf = cache.shelf(index.key)
    if not given["offline"]:
        cache.prepare()
    with progress.shown(quiet=given["quiet"]):
        distributions, failures = _brought(wanted, shelf, index, given)
        done = Audit(tuple(check(distributions, settings)), tuple(failures))
    is_whole = _publish(done, given, shelf)
    code = _exit_code(done, settings, exit_zero=given["exit_zero"])
    return code if is_whole else FAILED


def _brought(
    wanted: Sequence[Wanted], shelf: Shelf, index: Index, given: dict[str, Any]
) -> tuple[list[Distribution], list[Failure]]:
    """Return what could be brought, and why the rest could not."""
    from kvlint.auditing.distributions import Choice, fetch, plan
    from kvlint.findings import Failure

    choice = Choice(given["pre"], given["all_releases"], given["offline"])
    found: dict[Path, Distribution] = {}
    failures: dict[str, Failure] = {}
    for each in wanted:
        try:
            with progress.Step(f"Asking for {each.name}"):
                planned = plan(each, shelf, index, choice)
        except KvlintError as error:
            failures[str(error)] = Failure(str(error))
            continue
        for release in planned:
            try:
                with progress.Step(f"Bringing {release.distribution}"):
                    one = fetch(release, index)
            except KvlintError as error:
                failures[str(error)] = Failure(str(error))
            else:
                found.setdefault(one.folder, one)
    return list(found.values()), list(failures.values())


def _publish(done: Audit, given: dict[str, Any], shelf: Shelf) -> bool:
    """Print the report or write it, and to standard error what else there is to say.

    Returns:
        Whether every file could be written.
    """
    from kvlint import catalogue
    from kvlint.output import audits
    from kvlint.output.summary import failure_line
    from kvlint.output.view import View, printable
    from kvlint.reporting import write_all

    names = catalogue.names()
    output_format: str = given["output_format"]
    files: tuple[Destination, ...] = given["output_file"]

    def view(*, colour: bool) -> View:
        return View(shelf.folder, names, colour, unsafe=True, mends=False)

    def page(*, colour: bool) -> str:
        if given["statistics"]:
            return audits.table(done, view(colour=colour))
        return audits.render(done, output_format, view(colour=colour))

    texts = [
        audits.render(done, each.output_format, view(colour=False))
        if each.output_format
        else page(colour=False)
        for each in files
    ]
    if all(each.output_format for each in files):
        emit(page(colour=wants_colour(err=False)))
    is_whole = write_all(files, texts)
    if given["verbose"]:
        lines = [f"the sources are in {shelf.folder}"]
        for each in done.audited:
            lines += [f"{each.distribution}: {note}" for note in each.report.notes]
        emit("".join(f"note: {printable(line)}\n" for line in lines), err=True)
    aside = view(colour=wants_colour(err=True))
    for failure in done.all_failures:
        emit(failure_line(failure, aside), err=True)
    if not given["quiet"]:
        emit(audits.summary(done), err=True)
    return is_whole


def _exit_code(done: Audit, settings: Config, *, exit_zero: bool) -> int:
    if done.all_failures:
        return FAILED
    fatal = any(
        finding.severity.reaches(settings.fail_on)
        for each in done.audited
        for finding in each.report.findings
    )
    return FOUND if fatal and not exit_zero else CLEAN


def _tell_of(cache: Cache) -> None:
    releases = cache.releases()
    emit(f"{cache.folder}\n")
    for each in releases:
        emit(f"  {each.relative_to(cache.folder).as_posix()}\n")
    plural = "" if len(releases) == 1 else "s"
    emit(f"{len(releases)} distribution{plural}, {_megabytes(cache.size())}\n")


def _clear(cache: Cache, *, quiet: bool) -> None:
    size = cache.size()
    cache.clear()
    if not quiet:
        emit(f"Removed {_megabytes(size)} from {cache.folder}\n", err=True)


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:,.1f} MB"


def _refuse_contradictions(given: dict[str, Any]) -> None:
    """Refuse options that cannot be had together, or nothing to do.

    Raises:
        click.UsageError: So it is.
    """
    nothing = not (given["requirements"] or given["cache_info"] or given["clear_cache"])
    output_format: str = given["output_format"]
    refusals: dict[str, bool] = {
        "name a distribution, such as vllm==0.27.1": nothing,
        f"--statistics is for people: leave out --output-format {output_format}": (
            given["statistics"] and output_format not in FOR_PEOPLE
        ),
        "--verbose and --quiet cannot both be had": given["verbose"] and given["quiet"],
    }
    for message, refused in refusals.items():
        if refused:
            raise click.UsageError(message)
