# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Calls by which code asks what is installed, such as ``hasattr``."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from kvlint.guards.frames import Frame
from kvlint.guards.installed import Installed, is_standard
from kvlint.guards.names import Evaluator, own_class
from kvlint.guards.values import (
    ASKED,
    EITHER,
    NO,
    THERE,
    UNSEEN,
    UNTOLD,
    YES,
    Outcome,
    Reference,
    Result,
    Value,
)
from kvlint.model.gates import Import
from kvlint.model.syntax import dotted, text_of
from kvlint.vocabulary import OF_EVERY_GROUP

_ROOT = "vllm"
_VERSION = "vllm.__version__"
_INSPECTING = frozenset(
    {
        "distribution",
        "get_annotations",
        "get_distribution",
        "get_type_hints",
        "getargspec",
        "getfullargspec",
        "getsource",
        "signature",
    }
)
_LISTING = frozenset({"dir", "getmembers", "vars"})
_SPEC_WORDS = ("group", "manager", "spec", "tensor")
"""What a name holds, in its last part, that may be bound to a spec or the like."""


class Questions:
    """Answers such calls.

    Args:
        evaluator: Works arguments out.
        installed: The vLLM at hand.
        find: Looks a fully qualified name up.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        installed: Installed,
        find: Callable[[str, Frame], Result],
    ) -> None:
        """Ask nothing yet."""
        self._evaluator, self._installed, self._find = evaluator, installed, find

    def answer(self, node: cst.Call, callee: Result, frame: Frame) -> Result | None:
        """Return what a call answers, None if it asks nothing of what is installed."""
        name = _name(node, callee)
        last = name.rpartition(".")[2]
        arguments = [each.value for each in node.args]
        if last in {"hasattr", "getattr"} and len(arguments) > 1:
            return self._attribute(arguments, frame, last == "hasattr")
        if last in _INSPECTING or name == "dataclasses.fields":
            return Value(UNSEEN, True)
        if last in _LISTING and arguments:
            subject = self._evaluator.value(arguments[0], frame)
            return Value(UNSEEN, True) if _reference(subject) else None
        text = text_of(arguments[0]) if arguments else None
        if text is None:
            return None
        if last == "find_spec":
            return self._module(text)
        if last == "import_module":
            return self._find(text, frame)
        if name.endswith("metadata.version"):
            is_meant = text == _ROOT
            return self._find(_VERSION, frame) if is_meant else Value(UNSEEN, True)
        return None

    def _attribute(
        self, arguments: list[cst.BaseExpression], frame: Frame, asks: bool
    ) -> Result | None:
        subject, asked = arguments[0], self._evaluator.value(arguments[1], frame)
        is_text = isinstance(asked, Value) and isinstance(asked.what, str)
        name = asked.what if is_text and isinstance(asked, Value) else None
        reference = _reference(self._evaluator.value(subject, frame))
        if not asks and len(arguments) < 3:
            if reference and name:
                return self._find(f"{reference}.{name}", frame)
            return None
        if not reference:
            if name in OF_EVERY_GROUP:
                return EITHER
            counts = not _is_of_project(subject, name, frame) and (
                asks or self._is_of_spec(subject, name)
            )
            return Value(ASKED) if counts else EITHER
        is_private = name is not None and name.startswith("_")
        if is_private and not (name or "").startswith("__"):
            return EITHER  # a mark of the project's own
        if is_standard(reference):
            return EITHER
        if name is None or reference.split(".")[0] != _ROOT:
            return UNTOLD if asks else EITHER
        found = self._installed.has(reference, name)
        if found is None:
            return UNTOLD
        if asks:
            return Value(found, True)
        if not found:
            default = self._evaluator.value(arguments[2], frame)
            return Value(default.what, True) if isinstance(default, Value) else UNTOLD
        is_of_module = reference in self._installed.modules
        return Value(Reference(f"{reference}.{name}") if is_of_module else THERE, True)

    def _is_of_spec(self, subject: cst.BaseExpression, name: str | None) -> bool:
        """Whether an instance may be a spec, a group or a manager."""
        last = (dotted(subject) or "").rpartition(".")[2].lower()
        is_named_so = any(each in last for each in _SPEC_WORDS)
        return is_named_so or (
            name is not None and self._installed.knows_attribute(name)
        )

    def _module(self, name: str) -> Result:
        found = None
        if name.split(".")[0] == _ROOT:
            found = self._installed.has_module(name)
        if found is None:
            return UNTOLD
        return Value(Reference(name) if found else None, True)

    def imports(self, node: Import) -> Outcome:
        """Return whether an import succeeds."""
        if isinstance(node, cst.Import):
            names = [dotted(each.name) or "" for each in node.names]
            if all(map(is_standard, names)):
                return EITHER
            return _all([self._installed.has_module(each) for each in names])
        if node.relative or node.module is None:
            return UNTOLD
        module = dotted(node.module) or ""
        if is_standard(module):
            return EITHER
        there = self._installed.has_module(module)
        if isinstance(node.names, cst.ImportStar) or there is False:
            return _all([there])
        return _all(
            [
                self._installed.has(module, dotted(each.name) or "")
                for each in node.names
            ]
        )


def _name(node: cst.Call, callee: Result) -> str:
    """The function that is called, by the fullest name that is known."""
    return _reference(callee) or dotted(node.func) or ""


def _reference(result: Result) -> str:
    """The name of what an expression refers to outside of the project; or nothing."""
    if isinstance(result, Value) and isinstance(result.what, Reference):
        return result.what.name
    return ""


def _all(answers: list[bool | None]) -> Outcome:
    if False in answers:
        return NO
    return UNTOLD if None in answers else YES


def _is_of_project(node: cst.BaseExpression, name: str | None, frame: Frame) -> bool:
    """Whether an attribute is asked that has nothing to do with vLLM.

    That is what a class without bases, or its own methods, set on an instance, private
    marks, and the entries of a model's configuration from Hugging Face.
    """
    if name is not None and name.startswith("_") and not name.startswith("__"):
        return True
    text = dotted(node) or ""
    if any(part.startswith("hf_") for part in text.split(".")):
        return True
    owner = own_class(node, frame)
    if owner is None or not isinstance(owner.node, cst.ClassDef):
        return False
    return not owner.node.bases or name in owner.assigned or name in owner.bindings
