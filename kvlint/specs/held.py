# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What an attribute holds that a constructor sets from an annotated value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import libcst as cst

from kvlint.model.classes import Member, ParameterKind, SpecClass
from kvlint.model.shapes import Many, Mapped, Maybe, Shape
from kvlint.model.syntax import dotted
from kvlint.model.values.settings import find_settings

MAPPINGS = frozenset(
    "dict Dict Mapping MutableMapping OrderedDict defaultdict DefaultDict "  # noqa: SIM905
    "MappingProxyType ChainMap".split()
)
ITERABLES = frozenset(
    "list List Sequence MutableSequence set Set frozenset FrozenSet AbstractSet "  # noqa: SIM905
    "MutableSet Iterable Collection Reversible deque Deque ValuesView".split()
)


@dataclass(frozen=True)
class Held:
    """How a value holds specs.

    Attributes:
        shape: In what containers.
        wrapped: Which classes its type names.
    """

    shape: Shape
    wrapped: tuple[SpecClass, ...]


def held_by_settings(
    member: Member, read: Callable[[cst.BaseExpression], Held | None]
) -> Iterator[tuple[str, Held]]:
    """Yield attributes that a constructor sets from annotated values.

    Args:
        member: ``__init__`` or ``__post_init__``.
        read: Reads an annotation.
    """
    if member.function is None:
        return
    parameters = {
        each.name: _given(each.kind, read(each.annotation))
        for each in member.parameters
        if each.annotation is not None
    }
    for setting in find_settings(member.function, member.self_name):
        if setting.annotation is not None:
            held = read(setting.annotation)
        else:
            held = _taken_from(setting.value, parameters)
        if held is not None:
            yield setting.name, held


def _given(kind: ParameterKind, held: Held | None) -> Held | None:
    """What a parameter is that may gather several values of its annotation."""
    if held is not None and kind == "var-positional":
        return Held(Many(held.shape, "tuple"), held.wrapped)
    if held is not None and kind == "var-keyword":
        return Held(Mapped(held.shape), held.wrapped)
    return held


def _taken_from(
    value: cst.BaseExpression | None, parameters: dict[str, Held | None]
) -> Held | None:
    """How a value made from a parameter holds specs."""
    match value:
        case cst.Name(value=name):
            return parameters.get(name)
        case cst.BooleanOperation(left=left, operator=cst.Or()):
            return _surely(_taken_from(left, parameters))
        case cst.IfExp(body=body, orelse=orelse):
            held = _taken_from(body, parameters) or _taken_from(orelse, parameters)
            return _surely(held)
        case cst.Subscript(value=inner):
            return _item(_taken_from(inner, parameters))
        case cst.ListComp(elt=elt) | cst.SetComp(elt=elt) | cst.GeneratorExp(elt=elt):
            held = _taken_from(value.for_in.iter, parameters)
            same = dotted(value.for_in.target) == dotted(elt)
            return _as_many(held, _CONTAINERS[type(value)]) if same else None
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            return _gathered([_member(each, parameters) for each in elements], value)
        case cst.Dict(elements=elements):
            return _gathered([_member(each, parameters) for each in elements], value)
        case cst.DictComp(value=entry, for_in=loop):
            return _entries(loop, entry, parameters)
        case cst.Call():
            return _made_by(value, parameters)
    return None


def _made_by(call: cst.Call, parameters: dict[str, Held | None]) -> Held | None:
    maker = dotted(call.func) or ""
    if maker.endswith(".values") and not call.args:
        return _as_many(parameters.get(maker.removesuffix(".values")), "Iterable")
    if len(call.args) != 1:
        return None
    held = _taken_from(call.args[0].value, parameters)
    if held is None:
        return None
    if maker in MAPPINGS:
        return held if isinstance(held.shape, Mapped) else None
    if maker in ITERABLES | {"tuple", "sorted"} and isinstance(held.shape, Many):
        return _as_many(held, "list" if maker == "sorted" else maker)
    return None


def _member(
    element: cst.BaseElement | cst.BaseDictElement, parameters: dict[str, Held | None]
) -> Held | None:
    """What an element adds to a display: itself, or each of what is unpacked there."""
    held = _taken_from(element.value, parameters)
    if isinstance(element, cst.StarredElement | cst.StarredDictElement):
        return _item(held)
    return held


def _gathered(members: list[Held | None], display: cst.BaseExpression) -> Held | None:
    """What a display holds whose elements are all of one shape."""
    held = [each for each in members if each is not None]
    shapes = {each.shape for each in held}
    if len(held) < len(members) or len(shapes) != 1:
        return None
    wrapped = tuple(dict.fromkeys(x for each in held for x in each.wrapped))
    shape = shapes.pop()
    if isinstance(display, cst.Dict):
        return Held(Mapped(shape), wrapped)
    return Held(Many(shape, _CONTAINERS[type(display)]), wrapped)


def _entries(
    loop: cst.CompFor, entry: cst.BaseExpression, parameters: dict[str, Held | None]
) -> Held | None:
    """A mapping gone through by ``items()`` whose values stay what they are."""
    function = loop.iter.func if isinstance(loop.iter, cst.Call) else None
    if not isinstance(function, cst.Attribute) or function.attr.value != "items":
        return None
    target = loop.target
    if not isinstance(target, cst.Tuple) or len(target.elements) != 2:
        return None
    if dotted(target.elements[1].value) != dotted(entry):
        return None
    return _surely(_taken_from(function.value, parameters))


_CONTAINERS: dict[type[cst.CSTNode], str] = {
    cst.List: "list",
    cst.Tuple: "tuple",
    cst.ListComp: "list",
    cst.SetComp: "set",
    cst.GeneratorExp: "Iterable",
}


def _surely(held: Held | None) -> Held | None:
    """What is left of a value that may be None when a default stands in for that."""
    if held is not None and isinstance(held.shape, Maybe):
        return Held(held.shape.inner, held.wrapped)
    return held


def _item(held: Held | None) -> Held | None:
    """One entry of a container."""
    match held:
        case Held(Many(inner)) | Held(Mapped(values=inner)) if inner is not None:
            return Held(inner, held.wrapped)
    return None


def _as_many(held: Held | None, container: str) -> Held | None:
    """What a container made of another one's entries holds."""
    entry = _item(held)
    if held is None or entry is None:
        return None
    return Held(Many(entry.shape, container), held.wrapped)
