# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Make the tests see the same surroundings on every machine."""

import os

from hypothesis import HealthCheck, settings

# What pytest's plug-ins, a terminal or a CI sets, and kvlint or a program that the
# tests start would heed. A test that wants one sets it.
for name in (
    "CI",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "FORCE_COLOR",
    "GITHUB_ACTIONS",
    "LINES",
    "NO_COLOR",
    "PY_COLORS",
    "PYTEST_ADDOPTS",
):
    os.environ.pop(name, None)

# A slow machine is no fault, and a run tries what the last one tried: looking further
# is what tests/fuzzing.py is for.
settings.register_profile(
    "kvlint",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("kvlint")
