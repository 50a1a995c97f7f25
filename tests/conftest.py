# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Make the tests see the same surroundings on every machine."""

import os

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
