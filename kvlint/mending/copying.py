# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The fix that lets a composite's copier copy the specs in it."""

from __future__ import annotations

import libcst as cst

from kvlint.findings import Fix, Safety
from kvlint.mending import delegation as texts
from kvlint.mending.bodies import ClassBody
from kvlint.mending.imports import import_edits
from kvlint.mending.names import missing_imports, name_from_dataclasses
from kvlint.mending.requests import (
    holders_of,
    order_of,
    require_answering,
    require_same_kind,
    signature_of,
    style_of,
)
from kvlint.model.answering.bodies import body_statements, returned
from kvlint.model.classes import Field, Member
from kvlint.model.syntax import dotted
from kvlint.project import Project
from kvlint.specs.contract import Question


def copy_member(project: Project, question: Question) -> Fix:
    """Return the fix that lets a composite's copier copy the specs in it.

    Raises:
        UnwritableError: No text is sure to be right; the message says why.
    """
    inherited = question.inherited
    assert isinstance(inherited, Member)
    spec = question.composite.spec
    body, style = ClassBody(spec), style_of(spec)
    require_same_kind(question, inherited)
    _require_fields(project, question)
    require_answering(project, question)
    replace, needed = name_from_dataclasses("replace", spec.file)
    text = texts.copier_text(
        texts.Delegation(
            signature_of(inherited, spec.file),
            holders_of(question.composite),
            spec.name,
        ),
        style,
        body.indent,
        replace=replace,
        changes=_changes(inherited),
    )
    resolver = project.contract.hierarchy.resolver
    wanted = [*missing_imports(inherited, spec.file, resolver), *needed]
    edits = [
        body.insertion(question.name, order_of(inherited), text),
        *import_edits(spec.file, wanted, style.line_length),
    ]
    title = f"Insert `{question.symbol}`, which copies the specs too"
    return Fix(Safety.UNSAFE, title, tuple(sorted(edits)))


def _require_fields(project: Project, question: Question) -> None:
    """``replace`` sets fields alone."""
    for holder in question.composite.holders:
        definition = project.contract.definition(question.composite.spec, holder.name)
        if not isinstance(definition, Field):
            raise texts.UnwritableError(
                f"`{holder.name}` is no field, so `replace` cannot set it"
            )


def _changes(copier: Member) -> list[tuple[str, str]]:
    """What an inherited copier passes to ``replace``: fields and values."""
    statements = body_statements(copier.function) if copier.function else []
    if len(statements) != 1:
        raise texts.UnwritableError(f"`{copier.name}` does more than copy")
    value = returned(statements[0])
    assert isinstance(value, cst.Call)
    if any(argument.keyword is None for argument in value.args[1:]):
        raise texts.UnwritableError(f"what `{copier.name}` changes is not spelled out")
    names = {each.name for each in copier.parameters}
    changes = []
    for argument in value.args[1:]:
        name = dotted(argument.value)
        if name not in names or argument.keyword is None:
            raise texts.UnwritableError(
                f"`{copier.name}` works out what it changes; copy that by hand"
            )
        changes.append((argument.keyword.value, name))
    return changes
