# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What is made a key of a dictionary or a member of a set."""

from __future__ import annotations

import libcst as cst

from kvlint.model.syntax import dotted

_OF_KEYS = frozenset({"add", "get", "setdefault", "discard"})


def hashed(node: cst.CSTNode, cached: frozenset[str]) -> list[cst.BaseExpression]:
    """Return the expressions that a node hashes, those of comprehensions left out.

    Args:
        node: The node.
        cached: Functions that hash what they are given.
    """
    match node:
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=key))]):
            return [key]
        case cst.Dict(elements=elements):
            return [x.key for x in elements if isinstance(x, cst.DictElement)]
        case cst.Set(elements=elements):
            return [x.value for x in elements if isinstance(x, cst.Element)]
        case cst.Call(func=cst.Attribute(attr=cst.Name(value=name)), args=[first, *_]):
            if name in _OF_KEYS:
                return [first.value]
    if isinstance(node, cst.Call):
        name = (dotted(node.func) or "").rpartition(".")[2]
        if name == "hash" or name in cached:
            return [argument.value for argument in node.args]
    return []
