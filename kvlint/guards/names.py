# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What names and attributes in conditions come to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import libcst as cst

from kvlint.guards.frames import Binding, Frame, Function, Namespace
from kvlint.guards.installed import Installed
from kvlint.guards.modules import Modules
from kvlint.guards.naming import speaks_of_release
from kvlint.guards.values import (
    ATTRIBUTES,
    EITHER,
    UNSEEN,
    Reference,
    Result,
    Value,
    either,
    remembered,
    unclear,
    version_tuple,
    worked_out,
)
from kvlint.model.gates import Gates
from kvlint.model.reach import Reach, Standing
from kvlint.model.syntax import dotted

_TEXTS = frozenset(
    {
        "vllm.__version__",
        "vllm._version.__version__",
        "vllm._version.version",
        "vllm.version.__version__",
    }
)
_TUPLES = frozenset(
    {
        "vllm.__version_tuple__",
        "vllm._version.__version_tuple__",
        "vllm._version.version_tuple",
        "vllm.version.__version_tuple__",
    }
)
_INSPECTED = frozenset(
    {"__annotations__", "__code__", "__dataclass_fields__", "__dict__", "__version__"}
)
"""Attributes by which code looks at what is installed."""
_UNSEEN = Value(UNSEEN, True)


class Evaluator(Protocol):
    """What works expressions out."""

    def value(self, node: cst.BaseExpression, frame: Frame) -> Result:
        """Return what an expression comes to in a frame."""

    def run(self, function: Function) -> Result:
        """Return what a function gives that is passed nothing but an instance."""

    def standing(self, gates: Gates, frame: Frame) -> Standing:
        """Return how code stands behind conditions of a frame."""

    def tells(self, gates: Gates, frame: Frame) -> bool:
        """Return whether the release decides one of some conditions."""


class Names:
    """Looks names up.

    Args:
        evaluator: Works out what they are bound to.
        installed: The vLLM at hand.
        modules: The project's modules.

    Attributes:
        guessed: How often a name has been read while it was being worked out.
    """

    def __init__(
        self, evaluator: Evaluator, installed: Installed, modules: Modules
    ) -> None:
        """Look at nothing yet."""
        self._evaluator, self._installed = evaluator, installed
        self._modules = modules
        self._open: set[tuple[Frame, str]] = set()
        self.guessed = 0

    def name(self, name: str, frame: Frame) -> Result:
        """Return what a name comes to, as it is read in a frame."""
        owner = frame.owner(name)
        if owner is None and name == "vllm":
            return self._upstream(name)
        if owner is None:
            return _UNSEEN if speaks_of_release(name) else EITHER
        if owner.given is not None and name in owner.given:
            return owner.given[name]
        if name not in owner.known:
            if self._is_open(owner, name):
                return EITHER
            pairs = [(owner, each) for each in owner.bindings[name]]
            found = self._bound(pairs)
            if found == EITHER and speaks_of_release(name):
                found = _UNSEEN
            self._close(owner, name, found)
        return owner.known[name]

    def _is_open(self, owner: Frame, name: str) -> bool:
        """Whether a name is being worked out: what it is bound to may ask for it."""
        if (owner, name) in self._open:
            self.guessed += 1
            return True
        self._open.add((owner, name))
        return False

    def _close(self, owner: Frame, name: str, found: Result) -> None:
        self._open.remove((owner, name))
        owner.known[name] = found

    def _bound(self, bindings: Sequence[tuple[Frame, Binding]]) -> Result:
        """What comes of all that binds a name: what is certain hides what was."""
        found: list[Result] = []
        is_told = is_untold = False
        for frame, each in bindings:
            standing = self._evaluator.standing(each.gates, frame)
            is_told |= self._evaluator.tells(each.gates, frame)
            if standing.reach is Reach.NEVER:
                continue
            if standing.is_certain:
                found, is_untold = [], False
            is_untold |= standing.reach is Reach.UNKNOWN
            found.append(self._binding(each, frame))
        result = either(found, is_untold)
        if is_told and isinstance(result, Value):
            return Value(result.what, True)
        return result

    def _binding(self, binding: Binding, frame: Frame) -> Result:
        match binding.node:
            case cst.Import():
                return self.dotted(binding.name, frame)
            case cst.ImportFrom():
                return self._imported(binding.node, binding.name, frame)
            case cst.FunctionDef():
                return Value(Function(binding.node, frame))
            case cst.ClassDef():
                return Value(Namespace(frame.enter(binding.node)))
            case None:
                return EITHER
            case node:
                found = self._evaluator.value(node, frame)
                if isinstance(node, cst.List):
                    return EITHER  # it may be filled later
                if binding.item is None:
                    return found
                return worked_out(lambda x: x[binding.item], (found,))

    def _imported(self, node: cst.ImportFrom, name: str, frame: Frame) -> Result:
        module = dotted(node.module) or "" if node.module is not None else ""
        level = len(node.relative)
        if not level and module.split(".")[0] == "vllm":
            return self._upstream(f"{module}.{name}")
        path = frame.tree.source.path
        found = self._modules.find(module, path, level)
        if found is not None and found is not frame and name in found.bindings:
            return self.name(name, found)
        inner = f"{module}.{name}" if module else name
        found = self._modules.find(inner, path, level)
        return Value(Reference(inner) if found is None else Namespace(found))

    def _upstream(self, name: str) -> Result:
        """What something of vLLM comes to, by its dotted name."""
        release = self._installed.release
        if name in _TEXTS | _TUPLES and release is None:
            return _UNSEEN
        if name in _TEXTS:
            return Value(release, True)
        if name in _TUPLES:
            return Value(version_tuple(release or ""), True)
        return Value(Reference(name))

    def dotted(self, name: str, frame: Frame) -> Result:
        """Return what a fully qualified name comes to."""
        if name.split(".")[0] == "vllm":
            return self._upstream(name)
        path = frame.tree.source.path
        module = self._modules.find(name, path)
        if module is not None:
            return Value(Namespace(module))
        head, _, last = name.rpartition(".")
        module = self._modules.find(head, path) if head else None
        if module is not None and last in module.bindings:
            return self.name(last, module)
        return Value(Reference(name))

    def attribute(self, node: cst.Attribute, frame: Frame) -> Result:
        """Return what an attribute comes to."""
        name, base = node.attr.value, self._evaluator.value(node.value, frame)
        is_version = isinstance(base, Value) and not isinstance(base.what, str)
        match base:
            case Value(Reference(origin)):
                found = self.dotted(f"{origin}.{name}", frame)
                is_foreign = found == Value(Reference(f"{origin}.{name}"))
                return _UNSEEN if is_foreign and name in _INSPECTED else found
            case Value(Namespace(inner)) if name in inner.bindings:
                return self.name(name, inner)
            case Value() if is_version and name in ATTRIBUTES:
                return worked_out(lambda value: getattr(value, name), (base,))
        if name in _INSPECTED or speaks_of_release(name):
            found = self._of_instance(node, frame)
            return _UNSEEN if found == EITHER else found
        found = unclear((base,))
        return self._of_instance(node, frame) if found == EITHER else found

    def _of_instance(self, node: cst.Attribute, frame: Frame) -> Result:
        """An attribute of the class that the method around belongs to."""
        owner, name = own_class(node.value, frame), node.attr.value
        if owner is None:
            return EITHER
        if name in owner.bindings:
            return self._read(self.name(name, owner))
        key = f"self.{name}"
        if key not in owner.known:
            if self._is_open(owner, key):
                return EITHER
            found = [
                self._binding(each, at) for at, each in owner.assigned.get(name, ())
            ]
            # Who assigns last is not known, so nothing is hidden.
            self._close(owner, key, remembered(either(found)))
        return owner.known[key]

    def _read(self, found: Result) -> Result:
        """What reading a member gives: of a property, its answer."""
        if isinstance(found, Value) and isinstance(found.what, Function):
            lasts = [dotted(x.decorator) or "" for x in found.what.node.decorators]
            if any(each.rpartition(".")[2].endswith("property") for each in lasts):
                return self._evaluator.run(found.what)
        return found


def own_class(node: cst.BaseExpression, frame: Frame) -> Frame | None:
    """Return the class around, if an expression is a method's instance or class."""
    owner = frame.method_of
    if owner is None or not isinstance(node, cst.Name):
        return None
    return owner if node.value in {"self", "cls"} else None
