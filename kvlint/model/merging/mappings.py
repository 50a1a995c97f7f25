# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Keywords that a function keeps in mappings before it passes them on."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from kvlint.model.syntax import dotted, text_of

Entries = dict[str, cst.BaseExpression]


class Mappings:
    """The local mappings of a function whose keys are all known.

    Args:
        texts: Gives the texts that a tuple, a list or a name for one is made of.
    """

    def __init__(
        self, texts: Callable[[cst.BaseExpression], frozenset[str] | None]
    ) -> None:
        """Begin with none."""
        self._texts = texts
        self._known: dict[str, Entries | None] = {}

    def assign(self, name: str, value: cst.BaseExpression) -> None:
        """Note what a name is bound to."""
        found = self.entries(value)
        if found is not None or name in self._known:
            self._known[name] = found

    def add(self, target: cst.Subscript, value: cst.BaseExpression) -> None:
        """Note ``mapping["key"] = value``."""
        name = dotted(target.value) or ""
        known = self._known.get(name)
        index = target.slice[0].slice
        key = text_of(index.value) if isinstance(index, cst.Index) else None
        if known is not None and key is not None:
            known[key] = value
        elif known is not None:
            self._known[name] = None

    def forget(self, node: cst.BaseExpression) -> None:
        """Give a mapping up that is changed in another way."""
        name = dotted(node) or ""
        if name in self._known:
            self._known[name] = None

    def entries(self, node: cst.BaseExpression) -> Entries | None:
        """Return the entries of a mapping, None unless all its keys are known."""
        match node:
            case cst.Name(value=name):
                known = self._known.get(name)
                return None if known is None else dict(known)
            case cst.Dict(elements=elements):
                pairs = [_pair(each) for each in elements]
            case cst.Call(func=cst.Name(value="dict"), args=args):
                pairs = [
                    (each.keyword.value, each.value) if each.keyword else None
                    for each in args
                ]
            case cst.DictComp(
                key=cst.Name(value=name),
                value=cst.Call(func=cst.Name(value="getattr"), args=[owner, read]),
                for_in=cst.CompFor(
                    target=cst.Name(value=bound), iter=told, ifs=[], inner_for_in=None
                ),
            ) if name == bound == dotted(read.value):
                texts = self._texts(told)
                if texts is None:
                    return None
                return {
                    each: cst.Attribute(owner.value, cst.Name(each)) for each in texts
                }
            case _:
                return None
        known_pairs = [each for each in pairs if each is not None]
        return dict(known_pairs) if len(known_pairs) == len(pairs) else None


def _pair(
    element: cst.BaseDictElement,
) -> tuple[str, cst.BaseExpression] | None:
    if not isinstance(element, cst.DictElement):
        return None
    key = text_of(element.key)
    return None if key is None else (key, element.value)
