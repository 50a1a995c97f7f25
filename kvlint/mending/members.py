# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Fixes that let a composite's member ask the specs it holds."""

from __future__ import annotations

import libcst as cst

from kvlint.findings import Edit, Fix, Safety
from kvlint.mending import delegation as texts
from kvlint.mending.bodies import ClassBody
from kvlint.mending.imports import import_edits
from kvlint.mending.names import missing_imports
from kvlint.mending.requests import delegation_of, order_of, style_of
from kvlint.model.classes import Member, SpecClass, SpecFile
from kvlint.model.syntax import Span
from kvlint.project import Project
from kvlint.specs.contract import Question


def insert_member(project: Project, question: Question) -> Fix:
    """Return the fix that lets a composite answer a question it inherits.

    Raises:
        UnwritableError: No text is sure to be right; the message says why.
    """
    inherited = question.inherited
    assert isinstance(inherited, Member)
    spec = question.composite.spec
    body = ClassBody(spec)
    text = texts.member_text(
        delegation_of(project, question, inherited), style_of(spec), body.indent
    )
    order = order_of(inherited)
    edits = [body.insertion(question.name, order, text)]
    edits += _imports(project, inherited, spec)
    return Fix(Safety.SAFE, f"Insert `{question.symbol}`", tuple(sorted(edits)))


def rewrite_member(
    project: Project, question: Question, own: Member, safety: Safety
) -> Fix:
    """Return the fix that makes a composite's own member ask its specs.

    Comments of the old body are kept, above the new one.

    Raises:
        UnwritableError: No text is sure to be right; the message says why.
    """
    function = own.function
    if function is None:
        raise texts.UnwritableError("it is an attribute, not a function")
    body, style = ClassBody(own.owner), style_of(own.owner)
    span = body.body_span(function)
    text = texts.body_text(delegation_of(project, question, own), style, body.indent)
    kept = _comments(own.owner.file, function, span)
    margin = body.indent + style.indent
    text = "".join(f"{margin}{comment}\n" for comment in kept) + text
    old = own.owner.file.tree.source.text[span.start : span.end]
    if not old.endswith(("\n", "\r")):
        text = text.removesuffix("\n")
    edit = Edit(span.start, span.end, text)
    return Fix(safety, f"Let `{question.symbol}` ask the specs it holds", (edit,))


def _comments(file: SpecFile, function: cst.FunctionDef, span: Span) -> list[str]:
    collector = _Comments()
    function.body.visit(collector)
    return [
        comment.value
        for comment in collector.found
        if span.start <= file.span(comment).start < span.end
    ]


class _Comments(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[cst.Comment] = []

    def visit_Comment(self, node: cst.Comment) -> None:
        self.found.append(node)


def _imports(project: Project, member: Member, spec: SpecClass) -> list[Edit]:
    resolver = project.contract.hierarchy.resolver
    wanted = missing_imports(member, spec.file, resolver)
    return list(import_edits(spec.file, wanted, style_of(spec).line_length))
