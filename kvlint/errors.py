# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What kvlint says when it cannot do its work."""


class KvlintError(Exception):
    """A mistake that the user can mend; the command line prints it and exits with 2.

    Args:
        message: One line that names the file, the place and the remedy.
    """
