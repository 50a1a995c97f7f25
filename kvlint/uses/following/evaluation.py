# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which expressions are known to give specs, groups and the like, and of what class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import libcst as cst

from kvlint.model.annotations import read_annotation
from kvlint.model.nodes import children
from kvlint.model.syntax import dotted
from kvlint.uses.following.givers import Givers
from kvlint.uses.following.narrowing import narrow
from kvlint.uses.following.values import (
    ASKED,
    CLASSES,
    Environment,
    Lookup,
    Shape,
    Value,
    either,
    typed,
)

_COPIERS = frozenset({"copy", "deepcopy", "replace"})
_TAKERS = frozenset({"pop", "popleft"})
_SEQUENCES = frozenset({"list", "tuple", "set", "sorted", "reversed", "iter"})


@dataclass(frozen=True)
class Attributes:
    """What attributes of specs, groups and configurations hold.

    Attributes:
        held: By name, such as ``kv_cache_spec``, which is a spec wherever it is read.
        telling: Names that say so on whatever they are read off; by default all of
            them, and of variables too. The others are guesses there.
    """

    held: Environment = field(default_factory=dict)
    telling: frozenset[str] | None = None

    def variable(self, name: str) -> Value | None:
        """Return what a variable holds by its name alone."""
        return self.held.get(name) if self.telling is None else None


@dataclass(frozen=True)
class Values:
    """What expressions of a function give.

    Attributes:
        attributes: What attributes hold, by name.
        lookup: Gives the class that a name means.
        givers: What the file says of its functions.
        class_name: The class around.
    """

    attributes: Attributes
    lookup: Lookup
    givers: Givers | None = None
    class_name: str = ""

    def annotated(self, node: cst.BaseExpression) -> Value | None:
        """Return what an annotation says."""
        return typed(read_annotation(node), self.lookup)

    def value(self, node: cst.BaseExpression, known: Environment) -> Value | None:
        """Return what an expression gives, None if that is not known.

        Args:
            node: The expression.
            known: What names are bound to.
        """
        name = dotted(node)
        if name is not None and name in known:
            return known[name]
        match node:
            case cst.Name(value=text):
                found = self.lookup(text)
                if found is not None:
                    return Value(Shape.CLASS, found)
                return self.attributes.variable(text)
            case cst.Attribute():
                found = self.lookup(name) if name else None
                if found is not None:
                    return Value(Shape.CLASS, found)
                return self._attribute(node, known)
            case cst.Subscript(value=held):
                return _subscripted(node, self.value(held, known))
            case cst.NamedExpr(value=inner):
                return self.value(inner, known)
            case cst.BooleanOperation(left=left, operator=cst.Or(), right=right):
                return self.value(left, known) if _is_empty(right) else None
            case cst.IfExp(body=body, orelse=orelse):
                return either([self.value(body, known), self.value(orelse, known)])
            case cst.ListComp() | cst.SetComp() | cst.GeneratorExp():
                element = self.value(node.elt, self._loop(node.for_in, known))
                return _holding(element, Shape.MANY)
            case cst.DictComp():
                element = self.value(node.value, self._loop(node.for_in, known))
                return _holding(element, Shape.MAPPED)
            case cst.Call():
                return self._called(node, known)
        return None

    def _loop(self, loop: cst.CompFor, known: Environment) -> Environment:
        """What is known where a comprehension works its elements out."""
        inner = dict(known)
        self.bind_item(loop.target, loop.iter, inner)
        for condition in loop.ifs:
            narrow(self, condition.test, inner)
        return self._loop(loop.inner_for_in, inner) if loop.inner_for_in else inner

    def _attribute(self, node: cst.Attribute, known: Environment) -> Value | None:
        name, telling = node.attr.value, self.attributes.telling
        if name == "__class__":
            return _class_of(self.value(node.value, known))
        held = self.attributes.held.get(name)
        if held is None and self.givers is not None:
            said = self.givers.held(node, self.class_name)
            return None if said is None else self.annotated(said)
        if held is None or telling is None or name in telling:
            return held
        owner = self.value(node.value, known)
        is_known = owner is not None and owner.shape in ASKED and not owner.is_guess
        return held if is_known else Value(held.shape, held.of, is_guess=True)

    def _called(self, node: cst.Call, known: Environment) -> Value | None:
        arguments = [each.value for each in node.args]
        if isinstance(node.func, cst.Attribute):
            held = self.value(node.func.value, known)
            if held is not None and held.shape is Shape.MAPPED:
                return _taken_from(held, node.func.attr.value, arguments)
            if node.func.attr.value in _TAKERS:
                return _item(held, {Shape.MANY})
        name = (dotted(node.func) or "").rpartition(".")[2]
        if name == "super":
            instance = known.get("self") or known.get("cls")
            return instance.shaped(Shape.SUPER) if instance else None
        if name == "type" and len(arguments) == 1:
            return _class_of(self.value(arguments[0], known))
        if name == "cast" and len(arguments) == 2:
            return self.annotated(arguments[0])
        if name == "next" and arguments:
            return _item(self.value(arguments[0], known), {Shape.MANY})
        if name in _COPIERS | _SEQUENCES and arguments:
            held = self.value(arguments[0], known)
            is_fit = held is not None and (held.shape is Shape.MANY or name in _COPIERS)
            return held if is_fit else None
        if name == "enumerate" and arguments:
            held = self.value(arguments[0], known)
            return _holding(held, Shape.NUMBERED, of=Shape.MANY)
        made = self.value(node.func, known)
        if made is not None and made.shape in CLASSES:
            return made.shaped(Shape.ONE)
        if self.givers is None or dotted(node.func) in known:
            return None
        said = self.givers.answer(node.func, self.class_name)
        return None if said is None else self.annotated(said)

    def bind(
        self, target: cst.CSTNode, value: Value | None, known: Environment
    ) -> None:
        """Bind a target; what was known of its attributes is forgotten."""
        if isinstance(target, cst.Tuple | cst.List):
            for element in target.elements:
                self.bind(element.value, _unpacked(value, element), known)
            return
        name = dotted(target) if isinstance(target, cst.BaseExpression) else None
        if name is None:
            return
        for each in [each for each in known if each.startswith(f"{name}.")]:
            del known[each]
        if value is None and self.attributes.variable(name) is not None:
            known.pop(name, None)  # its name says what it is
        else:
            known[name] = value

    def bind_item(
        self, target: cst.BaseExpression, node: cst.BaseExpression, known: Environment
    ) -> None:
        """Bind the target of a loop over something."""
        if isinstance(node, cst.Tuple | cst.List | cst.Set):
            given = [(each, self.value(each.value, known)) for each in node.elements]
            found = either(
                _item(value, {Shape.MANY})
                if isinstance(each, cst.StarredElement)
                else value
                for each, value in given
            )
            self.bind(target, found, known)
            return
        iterated = self.value(node, known)
        self.bind(target, None, known)
        if isinstance(node, cst.Call) and dotted(node.func) == "zip":
            parts = target.elements if isinstance(target, cst.Tuple) else ()
            for part, each in zip(parts, node.args, strict=False):
                self.bind_item(part.value, each.value, known)
        if iterated is None:
            return
        if iterated.shape is Shape.MANY:
            self.bind(target, iterated.shaped(Shape.ONE), known)
        elif (
            iterated.shape in {Shape.ITEMS, Shape.NUMBERED}
            and isinstance(target, cst.Tuple)
            and len(target.elements) == 2
        ):
            inner = iterated.shaped(Shape.ONE)
            self.bind(target.elements[1].value, inner, known)


def _item(value: Value | None, shapes: set[Shape]) -> Value | None:
    if value is None or value.shape not in shapes:
        return None
    return value.shaped(Shape.ONE)


def _is_empty(node: cst.BaseExpression) -> bool:
    is_display = isinstance(node, cst.List | cst.Tuple | cst.Dict)
    return is_display and not any(children(node))


def _subscripted(node: cst.Subscript, held: Value | None) -> Value | None:
    is_part = any(isinstance(each.slice, cst.Slice) for each in node.slice)
    if held is not None and is_part:
        return held if held.shape is Shape.MANY else None
    return _item(held, {Shape.MANY, Shape.MAPPED})


def _class_of(value: Value | None) -> Value | None:
    if value is None or value.shape is not Shape.ONE:
        return None
    return value.shaped(Shape.KIND)


def _taken_from(
    mapping: Value, method: str, arguments: Sequence[cst.BaseExpression]
) -> Value | None:
    """What a method of a mapping gives."""
    shapes = {"values": Shape.MANY, "items": Shape.ITEMS, "copy": Shape.MAPPED}
    if method in shapes and not arguments:
        return mapping.shaped(shapes[method])
    defaults = [dotted(each) for each in arguments[1:]]
    is_entry = method in {"get", "pop"} and arguments and defaults in ([], ["None"])
    return mapping.shaped(Shape.ONE) if is_entry else None


def _holding(value: Value | None, shape: Shape, of: Shape = Shape.ONE) -> Value | None:
    if value is None or value.shape is not of:
        return None
    return value.shaped(shape)


def _unpacked(value: Value | None, element: cst.BaseElement) -> Value | None:
    """What an element of a target is bound to."""
    if isinstance(element, cst.StarredElement):
        return _holding(value, Shape.MANY, of=Shape.MANY)
    return _item(value, {Shape.MANY})
