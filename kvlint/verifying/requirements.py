# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What kvlint itself needs to verify."""

from __future__ import annotations

from importlib.util import find_spec

from kvlint.errors import KvlintError


def require_hypothesis() -> None:
    """Make sure that Hypothesis is there.

    Raises:
        KvlintError: It is not.
    """
    if find_spec("hypothesis") is None:
        raise KvlintError("verify needs Hypothesis: pip install 'kvlint[verify]'")
