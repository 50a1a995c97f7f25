# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Run kvlint as ``python -m kvlint``."""

from kvlint.cli import main

if __name__ == "__main__":
    main()
