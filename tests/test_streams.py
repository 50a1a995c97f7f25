# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What becomes of an error that nobody foresaw."""

from __future__ import annotations

import signal

import click
import pytest

from kvlint.errors import KvlintError
from kvlint.streams import guarded


@pytest.mark.parametrize(
    ("verbose", "remedy"),
    [(True, "with the traceback above"), (False, "with what --verbose adds")],
)
def test_a_crash_is_one_line_that_says_what_to_report(
    capsys: pytest.CaptureFixture[str], verbose: bool, remedy: str
) -> None:
    with pytest.raises(click.exceptions.Exit) as caught, guarded(verbose=verbose):
        raise ZeroDivisionError("no\nlayers")
    out, err = capsys.readouterr()
    *above, line = err.splitlines()
    assert caught.value.exit_code == 2
    assert line == (
        "error: kvlint crashed: ZeroDivisionError: no layers; this is a fault of "
        f"kvlint, please report it {remedy}"
    )
    assert bool(above) is verbose
    assert out == ""


def test_a_crash_is_told_to_readers_of_documents_too(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told: list[str] = []
    with (
        pytest.raises(click.exceptions.Exit),
        guarded(verbose=False, tell=told.extend),
    ):
        raise ZeroDivisionError
    assert capsys.readouterr().err == f"error: {told[0]}\n"
    assert told[0].startswith("kvlint crashed: ZeroDivisionError")


@pytest.mark.parametrize("becomes", [None, ValueError("odd"), KvlintError("none")])
def test_an_interrupt_that_becomes_something_else_is_heeded(
    becomes: Exception | None, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(click.exceptions.Exit) as caught, guarded():
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            if becomes:
                raise becomes from None
    assert caught.value.exit_code == 130
    assert capsys.readouterr().err == "interrupted\n"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
