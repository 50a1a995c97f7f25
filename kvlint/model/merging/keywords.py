# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which keywords a call passes, also out of a mapping that its function fills."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted, text_of

_TAKES_OUT = frozenset({"pop"})
_LOOKS = frozenset({"copy", "get", "items", "keys", "values"})


@dataclass(frozen=True, slots=True)
class Passed:
    """The keywords of a call.

    Attributes:
        always: Those that it passes whatever happens.
        sometimes: Those that it may pass.
        dropped: Those that it may not hand on though its function is given them.
        is_open: It may pass others.
    """

    always: tuple[str, ...] = ()
    sometimes: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    is_open: bool = False


def passed(call: cst.Call, function: cst.FunctionDef, rest: str = "") -> Passed:
    """Return the keywords that a call passes.

    Args:
        call: The call.
        function: What it stands in.
        rest: The mapping of the function's own further keywords: whatever is in it is
            no news.
    """
    always = [each.keyword.value for each in call.args if each.keyword is not None]
    sometimes: list[str] = []
    dropped: list[str] = []
    is_open = False
    for each in call.args:
        if each.star != "**":
            continue
        if isinstance(each.value, cst.Name):
            found = _Mapping(function, each.value.value)
            found.look()
            is_open |= found.is_open or (not found.is_made and each.value.value != rest)
            always += found.always
            sometimes += found.sometimes
            dropped += found.dropped
        else:
            keys = _keys(each.value)
            is_open |= keys is None
            always += keys or ()
    kept = dict.fromkeys(name for name in always if name not in dropped)
    others = dict.fromkeys(x for x in [*always, *sometimes] if x not in kept)
    return Passed(tuple(kept), tuple(others), tuple(dropped), is_open)


class _Mapping:
    """What a function puts into a mapping of keywords."""

    def __init__(self, function: cst.FunctionDef, name: str) -> None:
        self._function, self._name = function, name
        self._certain = {
            small
            for line in function.body.body
            if isinstance(line, cst.SimpleStatementLine)
            for small in line.body
        }
        self.always: list[str] = []
        self.sometimes: list[str] = []
        self.dropped: list[str] = []
        self.is_made = self.is_open = False

    def look(self) -> None:
        for node in walk(self._function.body):
            match node:
                case cst.Assign(targets=targets, value=value):
                    for each in targets:
                        self._set(each.target, value, node)
                case cst.AnnAssign(target=target, value=cst.BaseExpression() as value):
                    self._set(target, value, node)
                case cst.AugAssign(target=target) if self._is_it(target):
                    self.is_open = True
                case cst.Del(target=target):
                    self.dropped += self._key(target)
                case cst.Call():
                    self._call(node)

    def _set(
        self, target: cst.BaseExpression, value: cst.BaseExpression, node: cst.CSTNode
    ) -> None:
        names = self.always if node in self._certain else self.sometimes
        if self._is_it(target):
            keys = _keys(value)
            self.is_open |= keys is None
            names += keys or ()
            self.is_made = True
        else:
            names += self._key(target)

    def _call(self, call: cst.Call) -> None:
        method = call.func
        if isinstance(method, cst.Attribute) and self._is_it(method.value):
            key = text_of(call.args[0].value) if call.args else None
            if method.attr.value in _TAKES_OUT and key is not None:
                self.dropped.append(key)
            elif method.attr.value not in _LOOKS:
                self.is_open = True
        self.is_open |= any(self._is_it(x.value) and not x.star for x in call.args)

    def _is_it(self, node: cst.BaseExpression) -> bool:
        return dotted(node) == self._name

    def _key(self, target: cst.BaseExpression) -> Iterator[str]:
        """The key of an entry of the mapping."""
        if not isinstance(target, cst.Subscript) or not self._is_it(target.value):
            return
        index = target.slice[0].slice
        key = text_of(index.value) if isinstance(index, cst.Index) else None
        if key is None:
            self.is_open = True
        else:
            yield key


def _keys(value: cst.BaseExpression) -> list[str] | None:
    """The keys of a mapping that is written out, None if not all are known."""
    if isinstance(value, cst.Call) and dotted(value.func) == "dict":
        names = [x.keyword.value for x in value.args if x.keyword is not None]
        return names if len(names) == len(value.args) else None
    if not isinstance(value, cst.Dict):
        return None
    keys = [
        text_of(each.key)
        for each in value.elements
        if isinstance(each, cst.DictElement)
    ]
    known = [each for each in keys if each is not None]
    return known if len(known) == len(value.elements) else None
