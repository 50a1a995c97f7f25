# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The fix that lets a composite take a field over from its specs."""

from __future__ import annotations

import libcst as cst

from kvlint.findings import Edit, Fix, Safety
from kvlint.mending import delegation as texts
from kvlint.mending.bodies import ClassBody
from kvlint.mending.requests import holders_of, require_answering, style_of
from kvlint.model.classes import Field, SpecClass
from kvlint.project import Project
from kvlint.specs.contract import Question

_POST_INIT = "__post_init__"


def mirror_field(project: Project, question: Question, field: Field) -> Fix:
    """Return the fix that lets a composite take a field over from its specs.

    Raises:
        UnwritableError: No text is sure to be right; the message says why.
    """
    spec = question.composite.spec
    body, style = ClassBody(spec), style_of(spec)
    require_answering(project, question)
    own = spec.members.get(_POST_INIT)
    taken = set() if own is None else {each.name for each in own.parameters}
    margin = body.indent + style.indent
    holders = holders_of(question.composite)
    guard = _guard(holders, margin, "self" if own is None else own.self_name)
    statements = guard + texts.mirror_text(
        texts.Delegation(
            texts.Signature(
                field.name,
                returns=_annotation(field),
                is_property=True,
                self_name="self" if own is None else own.self_name,
            ),
            holders,
            spec.name,
            agreement=project.config.agreement,
        ),
        style,
        margin + style.indent if guard else margin,
        frozen=_is_frozen(project, spec),
        taken=taken,
    )
    if own is None:
        edit = body.before_methods(
            _post_init(project, spec, body.indent, style.indent, statements)
        )
    else:
        if own.function is None:
            raise texts.UnwritableError(f"`{_POST_INIT}` is not a plain method")
        end = body.body_span(own.function).end
        text = spec.file.tree.source.text
        closed = text[:end].endswith(("\n", "\r"))
        edit = Edit(end, end, statements if closed else "\n" + statements[:-1])
    return Fix(Safety.UNSAFE, f"Take `{field.name}` over in `{_POST_INIT}`", (edit,))


def _guard(holders: tuple[texts.Holder, ...], margin: str, owner: str) -> str:
    """``if self.layers:``, so that a composite without specs can still be made."""
    if len(holders) > 1 or isinstance(holders[0].shape, texts.One):
        return ""
    return f"{margin}if {owner}.{holders[0].field}:\n"


def _post_init(
    project: Project, spec: SpecClass, indent: str, step: str, statements: str
) -> str:
    """A ``__post_init__`` around statements, which calls the base's if it has one."""
    above = project.contract.hierarchy.mro(spec)[1:]
    inherited = next(
        (each.members[_POST_INIT] for each in above if _POST_INIT in each.members), None
    )
    lines = [f"{indent}def {_POST_INIT}(self) -> None:\n"]
    if inherited is not None:
        if inherited.returns is None:
            lines = [f"{indent}def {_POST_INIT}(self):\n"]
        lines.append(f"{indent}{step}super().{_POST_INIT}()\n")
    return "".join([*lines, statements])


def _annotation(field: Field) -> str | None:
    for statement in field.owner.node.body.body:
        if isinstance(statement, cst.SimpleStatementLine):
            for small in statement.body:
                if isinstance(small, cst.AnnAssign) and small.target is field.node:
                    return cst.Module([]).code_for_node(small.annotation.annotation)
    return None


def _is_frozen(project: Project, spec: SpecClass) -> bool:
    return any(
        "frozen=True"
        in cst.Module([]).code_for_node(decorator.decorator).replace(" ", "")
        for each in project.contract.hierarchy.mro(spec)
        for decorator in each.node.decorators
    )
