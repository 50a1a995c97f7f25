# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What is the matter with a place of a project when vLLM is bumped."""

from __future__ import annotations

from dataclasses import dataclass, replace

import libcst as cst


@dataclass(frozen=True)
class Verdict:
    """What is the matter with a place.

    Attributes:
        node: The place.
        is_due: It must change; else it is worth a look.
        message: What is the matter, in words.
        symbol: The class, member or field of vLLM.
    """

    node: cst.CSTNode
    is_due: bool
    message: str
    symbol: str

    def softened(self) -> Verdict:
        """Return what is left of it where the code allows for another release."""
        more = "; it is guarded, see that the guard is right"
        told = self.message.endswith(more)
        message = self.message if told else self.message + more
        return replace(self, is_due=False, message=message)
