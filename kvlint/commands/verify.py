# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``kvlint verify``: make real specs, and show where groups answer otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kvlint import progress
from kvlint.commands.rule_options import configuration_options, sources_option
from kvlint.errors import KvlintError
from kvlint.streams import FAILED, announce_run, emit, guarded, wants_colour

if TYPE_CHECKING:
    from kvlint.verifying.results import Verified

AGREED, DISAGREED = 0, 1
_EPILOG = """\
\b
Examples:
  kvlint verify vllm.v1.kv_cache_interface:UniformTypeKVCacheSpecs
  kvlint verify plugin/ --python ~/vllm/bin/python
  kvlint verify vllm/ --write-test tests/test_groups.py

\b
Exit codes:
  0  all groups answer as their layers do, as far as was tried
  1  some do not
  2  something could not be imported, made or asked
"""
_FILE = click.Path(path_type=Path)


@click.command(epilog=_EPILOG)
@click.argument("targets", nargs=-1, metavar="[MODULE:CLASS|PATH]...")
@click.option(
    "--python",
    type=_FILE,
    metavar="INTERPRETER",
    help="The Python that has what vLLM imports, or its environment.  [default: the "
    "active environment, the project's .venv, or kvlint's own]",
)
@sources_option()
@click.option(
    "--stand-in",
    "stand_ins",
    multiple=True,
    metavar="MODULE",
    help="Import something empty in place of this module. May be repeated.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=120.0,
    show_default=True,
    metavar="SECONDS",
    help="For how long the interpreter may run.",
)
@click.option(
    "--memory-limit",
    type=click.IntRange(min=1),
    default=4096,
    show_default=True,
    metavar="MB",
    help="How much memory it may take.",
)
@click.option(
    "--cases",
    type=click.IntRange(min=1),
    default=40,
    show_default=True,
    help="How many to try for each class of layers.",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="Another number tries other cases.",
)
@click.option(
    "--output-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print what was found.",
)
@click.option(
    "--write-test",
    type=_FILE,
    metavar="FILE",
    help="Write a pytest module that fails as long as groups answer otherwise.",
)
@configuration_options
@click.option(
    "-v", "--verbose", is_flag=True, help="Show also what the interpreter prints."
)
@click.option("-q", "--quiet", is_flag=True, help="Print results and errors alone.")
def verify(**given: Any) -> None:
    """Import specs, make groups of layers, and compare what both answer.

    This runs the code that it is given, in a process of its own with limits of time and
    memory. A target is a class, or a file or folder whose classes are meant; by default
    the working directory. A composite is asked with layers of all classes that it may
    hold, a class of layers in vLLM's composites that may hold it.

    Needs `pip install 'kvlint[verify]'`, and torch and vLLM where --python is.
    """
    if given["verbose"] and given["quiet"]:
        raise click.UsageError("--verbose and --quiet cannot both be had")
    with guarded(verbose=given["verbose"]):
        code = _verify(given)
    raise click.exceptions.Exit(code)


def _verify(given: dict[str, Any]) -> int:
    from kvlint.verifying.requirements import require_hypothesis

    require_hypothesis()
    from kvlint import catalogue, config, discovery
    from kvlint.verifying.process import Limits
    from kvlint.verifying.searching import Effort
    from kvlint.verifying.targets import read_targets
    from kvlint.verifying.verifying import Conditions
    from kvlint.verifying.verifying import verify as verify_targets

    folder = Path.cwd()
    there = [folder / each for each in given["targets"] if (folder / each).exists()]
    settings = config.load(
        catalogue.names(),
        start=discovery.project_root(there or [folder]),
        path=given["config_file"],
        isolated=given["isolated"],
        vllm_path=given["vllm_path"],
    )
    conditions = Conditions(
        given["python"],
        given["stand_ins"],
        Limits(given["timeout"], given["memory_limit"] << 20),
        Effort(given["cases"], given["seed"]),
        with_rows=given["write_test"] is not None,
        shown=given["verbose"],
    )
    wanted = read_targets(given["targets"], folder, settings)
    test = given["write_test"] and folder / given["write_test"]
    if test:
        _refuse_foreign(test)
    with progress.shown(quiet=given["quiet"]), progress.Step("Asking"):
        found = verify_targets(wanted, conditions, settings, folder, announce_run)
    _publish(found, given, folder)
    if test:
        _write_test(found, test)
    if found.failures:
        return FAILED
    return DISAGREED if found.disagrees else AGREED


def _refuse_foreign(path: Path) -> None:
    """Refuse to write over a file that kvlint has not written.

    Raises:
        KvlintError: There is such a file.
    """
    from kvlint.verifying.regression import MARK

    try:
        if path.exists() and MARK.encode() not in path.read_bytes():
            raise KvlintError(f"{path}: is there already, and not written by kvlint")
    except OSError as error:
        raise KvlintError(f"{path}: cannot read: {error.strerror}") from error


def _write_test(found: Verified, path: Path) -> None:
    """Write a test of what was found.

    Raises:
        KvlintError: It cannot be written.
    """
    from kvlint.codestyle import code_style
    from kvlint.output.view import counted
    from kvlint.verifying.regression import disagreements, module_text

    results = disagreements(found)
    if not results:
        emit("note: there is no disagreement to write a test of\n", err=True)
        return
    try:
        text = module_text(results, found.header, code_style(path, ""))
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise KvlintError(f"{path}: cannot write: {error.strerror}") from error
    told = counted(len(results), "disagreement")
    emit(f"note: wrote a test of {told} to {path}\n", err=True)


def _publish(found: Verified, given: dict[str, Any], folder: Path) -> None:
    from kvlint.output import verified
    from kvlint.output.view import View, printable

    if given["output_format"] == "json":
        emit(verified.document(found))
    else:
        emit(verified.render(found, View(folder, {}, wants_colour(err=False))))
    for failure in found.failures:
        emit(f"error: {printable(failure)}\n", err=True)
    for note in found.notes:
        emit(f"note: {printable(note)}\n", err=True)
    if not given["quiet"]:
        emit(verified.summary(found), err=True)
