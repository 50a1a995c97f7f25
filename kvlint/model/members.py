# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What statements of a class's body add to the class."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from kvlint.model.annotations import TypeSubscript, TypeUnion, read_annotation
from kvlint.model.classes import Field, Member, MemberKind, SpecClass
from kvlint.model.syntax import dotted


def decorator_names(decorators: Sequence[cst.Decorator]) -> list[str]:
    """Return the dotted names of decorators, calls around them taken off."""
    names = []
    for each in decorators:
        node = each.decorator
        while isinstance(node, cst.Call):
            node = node.func
        names.append(dotted(node) or "")
    return names


def add_function(owner: SpecClass, node: cst.FunctionDef, is_conditional: bool) -> None:
    """Add a function of a class's body; setters and overloads add nothing."""
    decorators = tuple(decorator_names(node.decorators))
    lasts = {each.split(".")[-1] for each in decorators}
    if "setter" in lasts:
        owner.settable.add(node.name.value)
    if lasts & {"setter", "deleter", "overload"}:
        return
    kind = MemberKind.METHOD
    if "classmethod" in lasts:
        kind = MemberKind.CLASSMETHOD
    elif "staticmethod" in lasts:
        kind = MemberKind.STATICMETHOD
    elif any(each.endswith("property") for each in lasts):
        kind = MemberKind.PROPERTY
    name = node.name.value
    owner.members[name] = Member(
        owner, name, kind, node, node.name, decorators, is_conditional
    )


def add_attribute(
    owner: SpecClass, name: cst.Name, value: cst.CSTNode, is_conditional: bool
) -> None:
    """Add a name that a class's body assigns, unless it is a field."""
    if name.value in owner.fields:
        return
    node = value if isinstance(value, cst.BaseExpression) else None
    owner.members[name.value] = Member(
        owner,
        name.value,
        MemberKind.ATTRIBUTE,
        node,
        name,
        is_conditional=is_conditional,
    )


def add_field(
    owner: SpecClass, name: cst.Name, node: cst.AnnAssign, is_conditional: bool
) -> None:
    """Add an annotated name of a class's body."""
    annotation = read_annotation(node.annotation.annotation)
    head = annotation.head if isinstance(annotation, TypeSubscript) else ""
    if head.split(".")[-1] == "ClassVar":
        if node.value is not None:
            add_attribute(owner, name, node.value, is_conditional)
        return
    has_default = node.value is not None and not _is_field_without_default(node.value)
    known = owner.fields.get(name.value)
    if known is not None and known.annotation != annotation:
        # Declared in several branches: which one runs is not known.
        annotation = TypeUnion((known.annotation, annotation))
    owner.fields[name.value] = Field(
        owner,
        name.value,
        annotation,
        node.value,
        has_default,
        name,
        is_conditional,
    )


def _is_field_without_default(value: cst.BaseExpression) -> bool:
    if not isinstance(value, cst.Call):
        return False
    if (dotted(value.func) or "").split(".")[-1] != "field":
        return False
    keywords = {each.keyword.value for each in value.args if each.keyword is not None}
    return not keywords & {"default", "default_factory"}
