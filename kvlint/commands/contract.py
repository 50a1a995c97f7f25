# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``kvlint contract``: what a release of vLLM asks of specs, and what changed."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kvlint import progress
from kvlint.commands import choices
from kvlint.errors import KvlintError
from kvlint.streams import emit, guarded, wants_colour

if TYPE_CHECKING:
    from kvlint.contracts.facts import ContractFacts
    from kvlint.contracts.upgrading.checklist import Checklist
    from kvlint.output.view import View

_FILE = click.Path(path_type=Path)
_WIDTH = 100
"""Columns of a page that is no terminal."""


def _formats(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option(
        "--format",
        "output_format",
        type=click.Choice(names),
        default=names[0],
        show_default=True,
        help="How to print it.",
    )


@click.group("contract", short_help="Tell what vLLM asks of specs, and what changes.")
def contract() -> None:
    """Show what vLLM asks of KV cache specs, and what changes between releases.

    A release is a version that comes with kvlint, the folder of vLLM's sources, or a
    file that `kvlint contract export` wrote.
    """


@contract.command()
@click.argument("sources", type=_FILE)
@click.option("--release", help="Which release it is.  [default: what the tree says]")
@click.option("-o", "--output", type=_FILE, help="Write this file.")
def export(sources: Path, release: str | None, output: Path | None) -> None:
    """Write the facts of a vLLM tree as JSON: no source text, the same every time."""
    with guarded():
        text = _exported(sources, release).to_json()
        if output is None:
            emit(text)
            return
        from kvlint.writing import write_report

        write_report(output, text.encode())


@contract.command()
@click.argument(
    "release",
    metavar="[SOURCES|VERSION]",
    required=False,
    shell_complete=choices.releases_or_trees,
)
@_formats("text", "json", "markdown", "html")
def show(release: str | None, output_format: str) -> None:
    """Show the spec classes of a release, and who answers what.

    By default that is the newest release that comes with kvlint.
    """
    with guarded():
        from kvlint.contracts import bundle
        from kvlint.contracts.matrix import matrix
        from kvlint.output.contracts import html, json, markdown, text

        found = matrix(_facts(release or bundle.newest()))
        match output_format:
            case "json":
                emit(json.matrix_document(found))
            case "markdown":
                emit(markdown.render(found))
            case "html":
                emit(html.render(found))
            case _:
                signs = text.glyphs(sys.stdout.encoding)
                emit(text.render(found, _view(), _width(), signs))


@contract.command()
@click.argument("before", metavar="A", shell_complete=choices.releases_or_trees)
@click.argument("after", metavar="B", shell_complete=choices.releases_or_trees)
@_formats("text", "json", "markdown")
@click.option("--exit-code", is_flag=True, help="Exit with 1 if anything changed.")
def diff(before: str, after: str, output_format: str, exit_code: bool) -> None:
    """Show what changed from release A to release B for specs and their managers."""
    with guarded():
        from kvlint.contracts.differences import difference
        from kvlint.output.contracts import changes, json, text

        found = difference(_facts(before), _facts(after))
        match output_format:
            case "json":
                emit(json.difference_document(found))
            case "markdown":
                emit(changes.render_markdown(found))
            case _:
                signs = text.glyphs(sys.stdout.encoding)
                emit(changes.render(found, _view(), _width(), signs))
        if exit_code and found.changes:
            raise click.exceptions.Exit(1)


@contract.command()
@click.option(
    "--from",
    "before",
    required=True,
    metavar="A",
    shell_complete=choices.releases_or_trees,
    help="What it is now.",
)
@click.option(
    "--to",
    "after",
    metavar="B",
    shell_complete=choices.releases_or_trees,
    help="What it shall be.  [default: the newest]",
)
@click.argument("paths", nargs=-1, type=_FILE)
@_formats("text", "json", "markdown")
def upgrade(
    before: str, after: str | None, paths: tuple[Path, ...], output_format: str
) -> None:
    """Show what of a project a bump of vLLM from A to B touches, each with its place.

    Exits with 1 if something must change. What is read under a condition on the
    release, or is no more than odd, is told as worth a look.
    """
    with guarded():
        from kvlint.contracts import bundle
        from kvlint.output.contracts import checklist, json
        from kvlint.output.view import printable

        found = _checklist(_facts(before), _facts(after or bundle.newest()), paths)
        match output_format:
            case "json":
                emit(json.checklist_document(found, _view()))
            case "markdown":
                emit(checklist.render_markdown(found, _view()))
            case _:
                emit(checklist.render(found, _view()))
        for failure in found.failures:
            emit(f"warning: {printable(failure)}\n", err=True)
        if output_format == "text":
            emit(f"{checklist.summary(found)}\n", err=True)
        if found.due:
            raise click.exceptions.Exit(1)


def _checklist(
    before: ContractFacts, after: ContractFacts, paths: tuple[Path, ...]
) -> Checklist:
    from kvlint import catalogue, config, discovery
    from kvlint.contracts.upgrading.checklist import checklist

    wanted = [Path.cwd() / each for each in paths] or [Path.cwd()]
    root = discovery.project_root(wanted)
    settings = config.load(catalogue.names(), start=root)
    found = discovery.discover(wanted, settings, root)
    if found.failures:
        raise KvlintError("\n".join(each.message for each in found.failures))
    files = [
        each
        for each in found.files
        if settings.check_tests
        or each in found.named
        or not discovery.is_test_file(each, root)
    ]
    with progress.shown(), progress.Step(f"Looking at {len(files):,} files"):
        return checklist(before, after, files, root)


def _facts(named: str) -> ContractFacts:
    """Return the facts of a release by its version, its folder or its file.

    Raises:
        KvlintError: It is none of these.
    """
    from packaging.version import InvalidVersion, Version

    from kvlint.contracts import bundle

    try:
        version = Version(named)
    except InvalidVersion:
        version = None
    for release in bundle.releases():
        if version is not None and Version(release) == Version(version.public):
            return bundle.load(release)
    path = Path(named)
    if path.is_dir():
        return _exported(path)
    if path.is_file():
        from kvlint.contracts.facts import from_json

        try:
            return from_json(path.read_bytes(), named)
        except OSError as error:
            raise KvlintError(f"{named}: cannot read: {error.strerror}") from error
    if version is not None:
        return bundle.load(str(version))
    known = bundle.releases()
    raise KvlintError(
        f"{named}: neither a release from {known[0]} to {known[-1]}, nor the folder of "
        "vLLM's sources, nor a file that `kvlint contract export` wrote"
    )


def _exported(folder: Path, release: str | None = None) -> ContractFacts:
    from kvlint.contracts.export import export as export_facts

    with progress.shown(), progress.Step(f"Reading {folder}"):
        return export_facts(folder, release)


def _view() -> View:
    from kvlint.output.view import View

    return View(Path.cwd(), {}, colour=wants_colour(err=False))


def _width() -> int:
    return shutil.get_terminal_size((_WIDTH, 0)).columns
