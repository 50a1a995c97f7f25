# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV213: a field of a spec is annotated as a tuple of one and holds several."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from kvlint.faults.one_tuples import OneTuple, one_tuples
from kvlint.findings import Finding, Related, Severity
from kvlint.mending.requests import fix_or_reason
from kvlint.mending.tuples import any_length
from kvlint.project import Project
from kvlint.registry import check


@check("KV213")
def one_tuple_annotation(project: Project) -> Iterator[Finding]:
    """Yield the fields that hold more than their annotation says."""
    for found in one_tuples(project):
        yield _finding(found)


def _finding(found: OneTuple) -> Finding:
    field = found.field
    fix, unfixable = fix_or_reason(lambda: any_length(found))
    symbol = f"{field.owner.name}.{field.name}"
    head, element = map(
        cst.Module([]).code_for_node,
        (found.written.value, found.written.slice[0].slice),
    )
    return Finding(
        "KV213",
        Severity.WARNING,
        f"`{symbol}` is annotated `{head}[{element}]`, a tuple of exactly one, but may "
        f"hold several; write `{head}[{element}, ...]`",
        field.place,
        symbol,
        related=(Related(found.place, found.shown),),
        fix=fix,
        unfixable=unfixable,
    )
