# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Run kvlint as ``python -m kvlint``."""

import sys

if __name__ == "__main__":
    # Python puts the working directory first: what is checked must not be imported.
    if not sys.flags.safe_path:
        del sys.path[0]
    from kvlint.cli import main

    main()
