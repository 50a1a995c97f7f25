# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Whether a file does anything with a class but define it and speak of it."""

from __future__ import annotations

import re

import libcst as cst

from kvlint.model.classes import SpecFile
from kvlint.model.nodes import children
from kvlint.model.syntax import dotted, text_of

_LOOKS = frozenset({"cast", "isinstance", "issubclass", "super"})
"""Functions that ask about a class and hand it to nobody."""
_PATH = re.compile(r"[\w.:]+")


def hands_on(file: SpecFile, name: str) -> bool:
    """Return whether a file constructs a class, or gives it to other code.

    To import it, to inherit from it, to annotate with it and to ask whether something
    is one does not count, nor what the class does itself.

    Args:
        file: The file.
        name: The class's simple name.
    """
    return _Search(name).finds(file.tree.module)


class _Search:
    def __init__(self, name: str) -> None:
        self._name = name
        self._pattern = re.compile(rf"\b{re.escape(name)}\b")

    def finds(self, node: cst.CSTNode) -> bool:
        match node:
            case cst.Annotation() | cst.Import():
                return False
            case cst.ImportFrom():
                return self._is_renamed(node)
            case cst.ClassDef(name=cst.Name(value=name)):
                own = name == self._name
                parts = node.decorators if own else (*node.decorators, node.body)
                return any(map(self.finds, parts))
            case cst.Expr(value=cst.SimpleString() | cst.ConcatenatedString()):
                return False  # a docstring
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]):
                return name != "__all__" and self.finds(node.value)
            case cst.Call() if dotted(node.func) in _LOOKS:
                return False
            case cst.Attribute():
                return node.attr.value == self._name or self._is_elsewhere(node.value)
            case cst.Name(value=name):
                return name == self._name
            case cst.SimpleString():
                text = text_of(node) or ""
                is_path = _PATH.fullmatch(text) is not None
                return is_path and self._pattern.search(text) is not None
            case cst.Arg() | cst.Param():
                value = node.value if isinstance(node, cst.Arg) else node.default
                return value is not None and self.finds(value)
        return any(map(self.finds, children(node)))

    def _is_elsewhere(self, receiver: cst.BaseExpression) -> bool:
        """Whether what an attribute is read of hands the class on."""
        return not isinstance(receiver, cst.Name) and self.finds(receiver)

    def _is_renamed(self, node: cst.ImportFrom) -> bool:
        if isinstance(node.names, cst.ImportStar):
            return False
        return any(
            each.name.value == self._name and each.asname is not None
            for each in node.names
        )
