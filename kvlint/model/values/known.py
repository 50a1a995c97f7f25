# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What is known of the classes of values, from annotations, tests and origins."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from kvlint.model.annotations import (
    TypeExpression,
    TypeName,
    TypeSubscript,
    TypeUnion,
    read_annotation,
)
from kvlint.model.syntax import class_names, dotted

_SPEC_GIVERS = frozenset({"get_kv_cache_spec", "copy_with_new_block_size"})
_SPEC_HOLDERS = frozenset({"kv_cache_spec", "first_spec"})
_COPIERS = frozenset({"replace", "copy", "deepcopy"})
_ITEMS = frozenset({"items", "values"})
_OPTIONAL = frozenset({"Optional", "Annotated", "Final"})


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a value.

    Attributes:
        classes: Names of classes, one of which it is an instance of; none for a spec
            of whatever class.
        items: What it holds, if it is a container.
        is_tested: A test says so, so that it may be of a class below as well.
        is_fresh: A layer has just made it, and nobody has changed it since.
    """

    classes: tuple[str, ...] = ()
    items: Known | None = None
    is_tested: bool = False
    is_fresh: bool = False


_SPEC = Known()
_FRESH = Known(is_fresh=True)
_OTHER = Known(("",))
Environment = dict[str, Known]


def text(node: cst.CSTNode) -> str:
    """Return an expression as it is written, on one line."""
    return " ".join(cst.Module([]).code_for_node(node).split())


def bind_name(name: str, found: Known | None, known: Environment) -> None:
    """Let a name mean something else; what was known of its parts is forgotten.

    Args:
        name: The name.
        found: What it is now; None if that is not known.
        known: What is known, which changes.
    """
    for each in [each for each in known if each.startswith((f"{name}.", f"{name}["))]:
        del known[each]
    if found is None:
        known.pop(name, None)
    else:
        known[name] = found


def bind_value(
    target: cst.BaseExpression, value: cst.BaseExpression, known: Environment
) -> None:
    """Bind the target of an assignment.

    Args:
        target: The target.
        value: What it is assigned.
        known: What is known, which changes.
    """
    if isinstance(target, cst.Tuple | cst.List):
        for element in target.elements:
            bind_name(text(element.value), None, known)
        return
    bind_name(text(target), known_value(value, known), known)


def bind_item(
    target: cst.BaseExpression, iterated: cst.BaseExpression, known: Environment
) -> None:
    """Bind the target of a loop over a container, ``items()`` or ``enumerate``.

    Args:
        target: The target.
        iterated: What the loop goes through.
        known: What is known, which changes.
    """
    last = target
    if isinstance(target, cst.Tuple | cst.List):
        for element in target.elements:
            bind_name(text(element.value), None, known)
        last = target.elements[-1].value
    if isinstance(iterated, cst.Call):
        name = (dotted(iterated.func) or "").rpartition(".")[2]
        if name in _ITEMS and isinstance(iterated.func, cst.Attribute):
            iterated = iterated.func.value
        elif name in {"enumerate", "sorted", "reversed", "list"} and iterated.args:
            iterated = iterated.args[0].value
    found = known_value(iterated, known)
    bind_name(text(last), None if found is None else found.items, known)


def known_value(node: cst.BaseExpression, known: Environment) -> Known | None:
    """Return what is known of an expression, None for nothing.

    Args:
        node: The expression.
        known: What is known.
    """
    written = text(node)
    if written in known:
        return known[written]
    match node:
        case cst.Attribute(attr=cst.Name(value=name)) if name in _SPEC_HOLDERS:
            return _SPEC
        case cst.Subscript(value=held):
            found = known_value(held, known)
            return None if found is None else found.items
        case cst.NamedExpr(value=value):
            return known_value(value, known)
        case cst.IfExp(body=body, orelse=orelse):
            one, other = known_value(body, known), known_value(orelse, known)
            return one if one == other else None
        case cst.Call():
            return _made(node, known)
    return None


def _made(call: cst.Call, known: Environment) -> Known | None:
    name = (dotted(call.func) or text(call.func)).rpartition(".")[2]
    if name in _SPEC_GIVERS:
        return _FRESH
    first = call.args[0].value if call.args else None
    if name in _COPIERS and first is not None:
        return known_value(first, known)
    if name == "cast" and len(call.args) == 2 and first is not None:
        return known_type(read_annotation(first))
    if name == "next" and first is not None:
        found = known_value(first, known)
        return None if found is None else found.items
    if name in {"iter", "list", "tuple", "sorted"} and first is not None:
        return known_value(first, known)
    if name == "values" and isinstance(call.func, cst.Attribute):
        return known_value(call.func.value, known)
    made = dotted(call.func)
    return None if made is None else Known((made,))


def known_type(expression: TypeExpression) -> Known | None:
    """Return what an annotation says, None if it says nothing."""
    match expression:
        case TypeName(name):
            return Known((name,))
        case TypeUnion(options):
            classes = [known_type(each) for each in options if _names_type(each)]
            names = [name for each in classes if each for name in each.classes]
            return Known(tuple(names)) if names else None
        case TypeSubscript(head, arguments):
            last = head.rpartition(".")[2]
            if last in _OPTIONAL and arguments:
                return known_type(arguments[0])
            inner = known_type(arguments[-1]) if arguments else None
            if last in {"tuple", "Tuple"} and arguments:
                inner = known_type(arguments[0])
            return Known(_OTHER.classes, inner)
    return _OTHER


def _names_type(expression: TypeExpression) -> bool:
    return isinstance(expression, TypeName | TypeSubscript)


def refine(test: cst.BaseExpression, known: Environment) -> None:
    """Take into account that a test succeeded.

    Args:
        test: The test.
        known: What is known, which changes.
    """
    match test:
        case cst.BooleanOperation(left=left, operator=cst.And(), right=right):
            refine(left, known)
            refine(right, known)
        case cst.Call(func=cst.Name(value="isinstance"), args=[subject, kind]):
            node = subject.value
            if isinstance(node, cst.NamedExpr):
                node = node.target
            known[text(node)] = Known(tuple(class_names(kind.value)), is_tested=True)
        case cst.Comparison(
            left=cst.Call(func=cst.Name(value="type"), args=[subject]),
            comparisons=[cst.ComparisonTarget(operator=operator, comparator=kind)],
        ) if isinstance(operator, cst.Is | cst.Equal):
            known[text(subject.value)] = Known(tuple(class_names(kind)))


def refine_by_failure(test: cst.BaseExpression, known: Environment) -> None:
    """Take into account that a test failed: ``if not isinstance(...): return``.

    Args:
        test: The test.
        known: What is known, which changes.
    """
    match test:
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            refine(inner, known)
        case cst.BooleanOperation(left=left, operator=cst.Or(), right=right):
            refine_by_failure(left, known)
            refine_by_failure(right, known)


def refine_by_pattern(
    pattern: cst.MatchPattern, subject: cst.BaseExpression, known: Environment
) -> None:
    """Take into account that a subject matched: ``case SomeSpec() as spec``.

    Args:
        pattern: The pattern.
        subject: What is matched.
        known: What is known, which changes.
    """
    name = ""
    match pattern:
        case cst.MatchAs(pattern=inner, name=cst.Name(value=name)) if inner is not None:
            pattern = inner
    match pattern:
        case cst.MatchClass(cls=kind):
            found = Known(tuple(class_names(kind)), is_tested=True)
            for each in filter(None, (name, text(subject))):
                bind_name(each, found, known)
