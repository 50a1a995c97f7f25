# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV408: code patches vLLM's spec classes instead of writing some of its own."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.findings import Finding, Related, Severity
from kvlint.project import Project
from kvlint.registry import check
from kvlint.uses.patches import Patch
from kvlint.wording import names

_REMEDY = "write a subclass and register that"


@check("KV408")
def patched_spec_class(project: Project) -> Iterator[Finding]:
    """Yield what puts another class in a spec class's place, or patches a member."""
    for patch in project.patches():
        if patch.member:
            yield _member(project, patch)
        else:
            yield _class(patch)


def _class(patch: Patch) -> Finding:
    harm = (
        "modules that imported it before keep vLLM's class, `isinstance` tells the two "
        "apart, and specs of vLLM's class cannot be pickled any more"
        if patch.is_at_home
        else "all other modules keep vLLM's class, and `isinstance` tells the two apart"
    )
    return Finding(
        "KV408",
        Severity.ERROR,
        f"`{patch.symbol}` is replaced in `{patch.module}`: {harm}; {_REMEDY}",
        patch.place,
        patch.symbol,
        related=(Related(patch.spec.place, "vLLM's class"),),
    )


def _member(project: Project, patch: Patch) -> Finding:
    overriders = [
        each.name for each in project.vllm.overriders(patch.spec, patch.member)
    ]
    apart = ""
    if overriders:
        verb = "overrides" if len(overriders) == 1 else "override"
        apart = f", but for {names(overriders)}, which {verb} it"
    return Finding(
        "KV408",
        Severity.WARNING,
        f"`{patch.symbol}` is patched: vLLM's own specs change with it in each process "
        f"that runs this{apart}; {_REMEDY}",
        patch.place,
        patch.symbol,
        related=(Related(patch.spec.place, "vLLM's class"),),
    )
