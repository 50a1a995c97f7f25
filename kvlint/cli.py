# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The command line's entry: which commands there are, each imported when needed."""

from __future__ import annotations

import os
from importlib import import_module
from types import MappingProxyType
from typing import Any

import click

from kvlint import __version__
from kvlint.streams import interrupted

_COMMANDS = MappingProxyType(
    {
        "audit": "kvlint.commands.audit:audit",
        "baseline": "kvlint.commands.baseline:baseline",
        "check": "kvlint.commands.check:check",
        "completion": "kvlint.commands.completion:completion",
        "config": "kvlint.commands.config:show_config",
        "contract": "kvlint.commands.contract:contract",
        "rule": "kvlint.commands.rules:show_rule",
        "rules": "kvlint.commands.rules:list_rules",
        "server": "kvlint.commands.server:server",
        "verify": "kvlint.commands.verify:verify",
    }
)
"""Where each command is, in the order of the help text."""


class _Commands(click.Group):
    """The commands, of which only the one that is asked for is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def main(self, *args: Any, **kwargs: Any) -> Any:
        if "_KVLINT_COMPLETE" in os.environ:
            import_module("kvlint.commands.joined_values").register()
        return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # before a command has begun, or after its end
            interrupted()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kvlint", message="%(prog)s %(version)s")
def main() -> None:
    """Find and mend KV cache specs of vLLM that do not answer for what they wrap.

    Findings go to standard output, everything else to standard error.
    """
