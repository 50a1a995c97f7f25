# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What kvlint itself needs to verify."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from tempfile import TemporaryDirectory

from kvlint.errors import KvlintError


def require_hypothesis() -> None:
    """Make sure that Hypothesis is there.

    Raises:
        KvlintError: It is not.
    """
    if find_spec("hypothesis") is None:
        raise KvlintError("verify needs Hypothesis: pip install 'kvlint[verify]'")


@contextmanager
def hypothesis_elsewhere() -> Iterator[None]:
    """Let Hypothesis keep its files in a folder that goes, not where kvlint runs."""
    from hypothesis.configuration import set_hypothesis_home_dir

    with TemporaryDirectory(prefix="kvlint-") as folder:
        set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            set_hypothesis_home_dir(None)
