# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""From the contract to what a fix is asked for, or why there can be none."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from kvlint.codestyle import code_style
from kvlint.findings import Fix
from kvlint.mending import delegation as texts
from kvlint.mending.names import needs_quotes
from kvlint.model.annotations import NOTHING, TypeName, read_annotation
from kvlint.model.classes import Member, MemberKind, SpecClass, SpecFile
from kvlint.model.shapes import is_clear
from kvlint.project import Project
from kvlint.specs.contract import Composite, Question
from kvlint.specs.hierarchy import last_name
from kvlint.vocabulary import Combine


def fix_or_reason(make: Callable[[], Fix]) -> tuple[Fix | None, str]:
    """Return a fix, or why there is none."""
    try:
        return make(), ""
    except texts.UnwritableError as error:
        return None, str(error)


def delegation_of(
    project: Project, question: Question, member: Member
) -> texts.Delegation:
    """Return the request for a member that answers a question for its composite.

    Args:
        project: The run's project.
        question: What it answers.
        member: Whose signature it has.

    Raises:
        UnwritableError: The specs cannot all be asked in that way.
    """
    require_same_kind(question, member)
    require_answering(project, question)
    _require_plain_answer(project, member)
    return texts.Delegation(
        signature_of(member, question.composite.spec.file),
        holders_of(question.composite),
        question.composite.name,
        _combine(question.combine),
        project.config.agreement,
    )


def _require_plain_answer(project: Project, member: Member) -> None:
    """Layers can agree on a number, not on a spec that each makes of itself."""
    annotation = NOTHING if member.returns is None else read_annotation(member.returns)
    if not isinstance(annotation, TypeName):
        return
    hierarchy, owner = project.contract.hierarchy, member.owner
    meanings = hierarchy.resolver.resolve(annotation.name, owner.body_scope, owner.file)
    gives_spec = any(
        isinstance(each, SpecClass) and hierarchy.is_spec(each) for each in meanings
    )
    if gives_spec or last_name(annotation.name) == "Self":
        raise texts.UnwritableError(
            f"`{member.name}` gives a spec, on which layers cannot agree"
        )


def _combine(combine: Combine) -> texts.Combine:
    match combine:
        case Combine.SUM:
            return "sum"
        case Combine.PAGES:
            return "pages"
        case Combine.ALL:
            return "all"
        case Combine.MAX:
            return "max"
        case _:
            return "agree"


def require_same_kind(question: Question, member: Member) -> None:
    """Every layer must be asked in the same way."""
    if member.function is not None and member.function.asynchronous is not None:
        raise texts.UnwritableError(f"`{member.name}` is a coroutine")
    is_called = member.kind is MemberKind.METHOD
    for overrider in question.overriders:
        definition = overrider.definition
        other = isinstance(definition, Member) and definition.kind is MemberKind.METHOD
        if other != is_called:
            how = "called" if other else "read"
            raise texts.UnwritableError(
                f"`{overrider.name}.{question.name}` is {how}, the inherited one is not"
            )


def require_answering(project: Project, question: Question) -> None:
    """Whatever the annotation admits must have the member."""
    for holder in question.composite.holders:
        for spec in holder.wrapped:
            if project.contract.definition(spec, question.name) is None:
                raise texts.UnwritableError(
                    f"`{holder.name}` may hold a `{spec.name}`, which has no "
                    f"`{question.name}`"
                )


def holders_of(composite: Composite) -> tuple[texts.Holder, ...]:
    """Return where a composite holds its specs.

    Raises:
        UnwritableError: In which form is known only when the code runs.
    """
    holders = []
    for holder in composite.holders:
        if not is_clear(holder.shape):
            raise texts.UnwritableError(
                f"`{holder.name}` may hold specs in more than one form, or none"
            )
        holders.append(texts.Holder(holder.name, holder.shape))
    return tuple(holders)


def signature_of(member: Member, target: SpecFile) -> texts.Signature:
    """Return a member's signature as text for another file."""
    module = member.owner.file.tree.module

    def written(node: cst.BaseExpression | None) -> str | None:
        if node is None:
            return None
        text = module.code_for_node(node)
        if not needs_quotes(node, member, target):
            return text
        quote = code_style(target.path, target.tree.source.text).quote
        inner = "'" if quote == '"' else '"'
        return quote + text.replace(quote, inner) + quote

    return texts.Signature(
        member.name,
        tuple(
            texts.Parameter(
                each.name, each.kind, written(each.annotation), written(each.default)
            )
            for each in member.parameters
        ),
        written(member.returns),
        member.kind is not MemberKind.METHOD,
        member.self_name,
    )


def order_of(member: Member) -> list[str]:
    """The methods of a member's class in the order of its text."""
    body = member.owner.node.body.body
    return [each.name.value for each in body if isinstance(each, cst.FunctionDef)]


def style_of(spec: SpecClass) -> texts.Style:
    """Return the layout of the text around a class: its project's, and its indent."""
    style = code_style(spec.file.path, spec.file.tree.source.text)
    body = spec.node.body
    step = body.indent if isinstance(body, cst.IndentedBlock) else None
    indent = spec.file.tree.module.default_indent if step is None else step
    return texts.Style(style.line_length, indent, style.quote)
