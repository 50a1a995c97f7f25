# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What other releases of vLLM know of a name that the one at hand does not have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kvlint.contracts.history import history
from kvlint.model.classes import SpecClass
from kvlint.project import Project


@dataclass(frozen=True)
class Elsewhere:
    """Where a name is.

    Attributes:
        gone: The first release without it; empty if it is still to come.
        added: The first later release that has it.
        successor: What likely stands for it at hand.
    """

    gone: str = ""
    added: str = ""
    successor: str = ""

    @property
    def told(self) -> str:
        """When that is, as words."""
        if self.gone:
            return f"since vLLM {self.gone}"
        return f"before vLLM {self.added}"


def elsewhere(
    project: Project, specs: Sequence[SpecClass], name: str, at_hand: Iterable[str]
) -> Elsewhere | None:
    """Return what other releases know of a name of classes, or of some below them.

    Args:
        project: The project.
        specs: The classes.
        name: A name that they do not have.
        at_hand: Names that may stand for it.

    Returns:
        None if no release ever had it there.
    """
    known = history()
    release = project.vllm.release or known.releases[-1]
    family, mro = project.followed.family, project.contract.hierarchy.mro
    kin = [each for spec in specs for each in (*mro(spec), *family(spec).below)]
    names = {*at_hand}
    owners = dict.fromkeys(each.name for each in kin if project.vllm.defines(each))
    for owner in owners:
        past = known.past(owner, name, release)
        if past is not None:
            new = past.successor or ""
            if new not in names:
                return Elsewhere(gone=past.gone)
            return Elsewhere(gone=past.renamed or past.gone, successor=new)
    for owner in owners:
        added = known.future(owner, name, release)
        if added is not None:
            return Elsewhere(added=added)
    return None
