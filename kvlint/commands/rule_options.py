# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The options that say which rules count, against which vLLM, by what configuration."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from kvlint.commands import choices

_Command = TypeVar("_Command", bound=Callable[..., object])

_FILE = click.Path(path_type=Path)
_IGNORE = "Leave these out."
_RELEASES = "A release of vLLM, or a specifier such as '>=0.29,<0.34'. May be repeated."
_FAIL_ON = "From which severity on findings fail the run.  [default: error]"
_SOURCES = "The folder of vLLM's sources."


def rule_options(
    *, select: str, preview: str, ignore: str = _IGNORE
) -> Callable[[_Command], _Command]:
    """Return what gives a command ``--select``, ``--ignore`` and ``--preview``.

    Args:
        select: The help of the first.
        preview: That of the last.
        ignore: That of the one between.
    """

    def decorate(command: _Command) -> _Command:
        command = click.option("--preview", is_flag=True, help=preview)(command)
        for name, told in (("--ignore", ignore), ("--select", select)):
            command = click.option(
                name,
                multiple=True,
                metavar="RULES",
                shell_complete=choices.rule_list,
                help=told,
            )(command)
        return command

    return decorate


def release_option(told: str = _RELEASES) -> Callable[[_Command], _Command]:
    """Return what gives a command ``--vllm-version``, with its help."""
    return click.option(
        "--vllm-version",
        multiple=True,
        metavar="VERSION",
        shell_complete=choices.releases,
        help=told,
    )


def sources_option(told: str = _SOURCES) -> Callable[[_Command], _Command]:
    """Return what gives a command ``--vllm-path``, with its help."""
    return click.option("--vllm-path", type=_FILE, help=told)


def severity_option(told: str = _FAIL_ON) -> Callable[[_Command], _Command]:
    """Return what gives a command ``--fail-on``, with its help."""
    return click.option("--fail-on", type=click.Choice(["error", "warning"]), help=told)


def configuration_options(command: _Command) -> _Command:
    """Give a command ``--config`` and ``--isolated``."""
    isolated = click.option("--isolated", is_flag=True, help="Read no configuration.")
    config = click.option(
        "--config",
        "config_file",
        type=_FILE,
        help="Read [tool.kvlint] of this file, not of the nearest pyproject.toml.",
    )
    return config(isolated(command))
