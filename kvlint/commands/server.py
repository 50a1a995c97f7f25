# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``kvlint server``: findings and fixes in an editor."""

from __future__ import annotations

import click

from kvlint.errors import KvlintError
from kvlint.streams import emit, guarded


@click.command()
@click.option("-v", "--verbose", is_flag=True, help="Log what is said and done.")
def server(verbose: bool) -> None:
    """Serve an editor, as the language server protocol has it.

    The editor starts this and speaks to it over standard input and output; the log goes
    to standard error. Settings come from the project's configuration and the editor's.

    Needs `pip install 'kvlint[lsp]'`.
    """
    with guarded():
        try:
            import pygls  # noqa: F401
        except ImportError as error:
            raise KvlintError(
                "the language server needs one more package: "
                "`pip install 'kvlint[lsp]'`"
            ) from error
        _serve(verbose=verbose)


def _serve(*, verbose: bool) -> None:
    import gc
    import logging
    import os
    import signal

    # Syntax trees are many objects, and hardly any of them garbage.
    gc.set_threshold(500_000, 50, 100)
    from kvlint.server.features import listening

    level = logging.INFO if verbose else logging.WARNING
    logging.basicConfig(level=level, format="kvlint: %(levelname)s: %(message)s")

    def stop(*_: object) -> None:
        # Nothing is lost, and the thread that waits for input cannot be told to stop.
        emit("interrupted\n", err=True)
        os._exit(130)

    signal.signal(signal.SIGINT, stop)
    listening().start_io()
