# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``kvlint completion``: what makes a shell complete kvlint's command line."""

from __future__ import annotations

import click

from kvlint.streams import emit, guarded

_EPILOG = """\
\b
To have it in every session:
  bash  echo 'eval "$(kvlint completion bash)"' >>~/.bashrc
  zsh   echo 'eval "$(kvlint completion zsh)"' >>~/.zshrc  # which calls compinit
  fish  kvlint completion fish >~/.config/fish/completions/kvlint.fish
"""


@click.command(epilog=_EPILOG, short_help="Print what completes this command line.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that makes a shell complete kvlint's command line.

    It completes commands, options, formats, rules, releases of vLLM, and files. bash
    must be 4.4 or later.
    """
    with guarded():
        from click.shell_completion import get_completion_class

        made = get_completion_class(shell)
        assert made is not None
        main = ctx.find_root().command
        script = made(main, {}, "kvlint", "_KVLINT_COMPLETE").source()
        # Words for fish may hold commas, as lists of rules do; click cuts them there.
        emit(script.replace('string split ","', 'string split -m 1 ","'))
