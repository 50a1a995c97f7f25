# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What shows that a manager was written for a spec class."""

from __future__ import annotations

import libcst as cst

from kvlint.model.annotations import TypeName, read_annotation
from kvlint.model.classes import Member, SpecClass
from kvlint.model.nodes import calls
from kvlint.model.syntax import dotted
from kvlint.specs.hierarchy import Hierarchy
from kvlint.vocabulary import GROUP_ATTRIBUTE

_ENDINGS = "Spec", "Manager"


def kinship(hierarchy: Hierarchy, manager: SpecClass, spec: SpecClass) -> str:
    """Return what shows that a manager is meant for a spec class; empty for nothing.

    It says so where it takes its spec, it insists on that class in its constructor, or
    the two have one name but for the ending: ``RingSpec`` and ``RingManager``.

    Args:
        hierarchy: The managers.
        manager: The manager.
        spec: The spec class.
    """
    constructor = manager.members.get("__init__")
    if constructor is not None:
        if _is_annotated(hierarchy, constructor, spec):
            return "takes one"
        if _insists(hierarchy, constructor, spec):
            return "insists on one"
    field = manager.fields.get(GROUP_ATTRIBUTE)
    annotation = None if field is None else field.annotation
    if isinstance(annotation, TypeName):
        is_it = _means(hierarchy, annotation.name, manager, spec)
        if is_it:
            return "holds one"
    stems = [
        each.name.removesuffix(ending)
        for each, ending in zip((spec, manager), _ENDINGS, strict=True)
        if each.name.endswith(ending)
    ]
    is_named_alike = len(stems) == len(_ENDINGS) and stems[0] == stems[1] != ""
    return "is named after it" if is_named_alike else ""


def _is_annotated(hierarchy: Hierarchy, constructor: Member, spec: SpecClass) -> bool:
    for each in constructor.parameters[:1]:
        if each.annotation is not None:
            expression = read_annotation(each.annotation)
            if isinstance(expression, TypeName):
                return _means(hierarchy, expression.name, constructor.owner, spec)
    return False


def _insists(hierarchy: Hierarchy, constructor: Member, spec: SpecClass) -> bool:
    """Whether a constructor asks whether its spec is of the class."""
    function = constructor.function
    if function is None or not constructor.parameters:
        return False
    subjects = {
        constructor.parameters[0].name,
        f"{constructor.self_name}.{GROUP_ATTRIBUTE}",
    }
    for each in calls(function.body):
        match each:
            case cst.Call(func=cst.Name(value="isinstance"), args=[subject, kind]):
                name = dotted(kind.value) or ""
                is_it = _means(hierarchy, name, constructor.owner, spec)
                if is_it and dotted(subject.value) in subjects:
                    return True
    return False


def _means(
    hierarchy: Hierarchy, name: str, manager: SpecClass, spec: SpecClass
) -> bool:
    meanings = hierarchy.resolver.resolve(name, manager.body_scope, manager.file)
    return meanings == [spec]
