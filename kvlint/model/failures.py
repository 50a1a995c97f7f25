# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What catches the failure of a name or an argument that is not there."""

from __future__ import annotations

import libcst as cst

from kvlint.model.syntax import dotted

_FAILURES = frozenset({"AttributeError", "TypeError", "Exception", "BaseException"})
_SUPPRESSORS = frozenset({"suppress", "raises"})


def catches(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> bool:
    """Return whether a handler is for such a failure."""
    return handler.type is None or any(map(_is_failure, caught_types(handler.type)))


def suppresses(item: cst.WithItem) -> bool:
    """Return whether a context is, such as ``suppress(AttributeError)``."""
    match item.item:
        case cst.Call(func=function, args=arguments):
            name = (dotted(function) or "").rpartition(".")[2]
            failures = (_is_failure(each.value) for each in arguments)
            return name in _SUPPRESSORS and any(failures)
    return False


def caught_types(node: cst.BaseExpression | None) -> list[cst.BaseExpression]:
    """Return the types that a handler names."""
    if isinstance(node, cst.Tuple):
        return [each.value for each in node.elements]
    return [] if node is None else [node]


def _is_failure(node: cst.BaseExpression) -> bool:
    return (dotted(node) or "").rpartition(".")[2] in _FAILURES
