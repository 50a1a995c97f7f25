# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The options that say how and where to findings are told."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from kvlint.destinations import Destination, parse
from kvlint.errors import KvlintError
from kvlint.output import FORMATS

_Command = TypeVar("_Command", bound=Callable[..., object])


def output_options(command: _Command) -> _Command:
    """Give a command ``--output-format`` and ``--output-file``."""
    for option in (_FILE, _FORMAT):
        command = option(command)
    return command


def _parsed(
    ctx: click.Context, parameter: click.Parameter, words: tuple[str, ...]
) -> tuple[Destination, ...]:
    try:
        return parse(words, FORMATS)
    except KvlintError as error:
        raise click.BadParameter(str(error)) from error


_FORMAT = click.option(
    "--output-format",
    type=click.Choice(list(FORMATS)),
    default="full",
    show_default=True,
    help="How to print findings.",
)
_FILE = click.option(
    "-o",
    "--output-file",
    multiple=True,
    metavar="[FORMAT=]FILE",
    callback=_parsed,
    help="Write what would be printed to this file instead; with a format, write a "
    "report of its own beside that. May be repeated.",
)
