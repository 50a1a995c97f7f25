# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Keywords that a local mapping holds, to be passed on as ``**common``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from kvlint.model.syntax import text_of

Keyword = tuple[str, cst.CSTNode]


@dataclass(frozen=True)
class Keywords:
    """What is known of a mapping's keys.

    Attributes:
        passed: Those that it holds, with their places.
        perhaps: Those that it holds under a condition alone.
        is_open: There may be others.
    """

    passed: tuple[Keyword, ...] = ()
    perhaps: frozenset[str] = frozenset()
    is_open: bool = False

    @property
    def names(self) -> set[str]:
        """Those that it holds for sure."""
        return {name for name, _ in self.passed}

    def with_key(self, name: str | None, node: cst.CSTNode) -> Keywords:
        """Return the mapping with a key more, None for one that is not known."""
        if name is None:
            return replace(self, is_open=True)
        rest = self.without(name)
        return replace(rest, passed=(*rest.passed, (name, node)))

    def without(self, name: str) -> Keywords:
        """Return the mapping without a key."""
        passed = tuple(each for each in self.passed if each[0] != name)
        return replace(self, passed=passed, perhaps=self.perhaps - {name})

    def updated(self, other: Keywords) -> Keywords:
        """Return the mapping with another's keys."""
        found = self
        for name, node in other.passed:
            found = found.with_key(name, node)
        return Keywords(
            found.passed,
            (self.perhaps | other.perhaps) - found.names,
            self.is_open or other.is_open,
        )


Mappings = dict[str, Keywords]
"""The mappings that local names are bound to."""

_OPEN = Keywords(is_open=True)


def keywords_of(
    node: cst.BaseExpression, known: Mapping[str, Keywords]
) -> Keywords | None:
    """Return the keys of a mapping that an expression gives, None if it is not known.

    Args:
        node: Such as ``dict(a=1)``, ``{"a": 1}``, ``base | {"a": 1}``.
        known: The mappings that names are bound to.
    """
    match node:
        case cst.Name(value=name):
            return known.get(name)
        case cst.Dict(elements=elements):
            return _displayed(elements, known)
        case cst.Call(func=cst.Name(value="dict"), args=arguments):
            return _added(Keywords(), arguments, known)
        case cst.Call(func=cst.Attribute(value=value, attr=cst.Name(value="copy"))):
            return keywords_of(value, known)
        case cst.BinaryOperation(left=left, operator=cst.BitOr(), right=right):
            both = [keywords_of(each, known) for each in (left, right)]
            if both[0] is None and both[1] is None:
                return None
            return (both[0] or _OPEN).updated(both[1] or _OPEN)
    return None


def _displayed(
    elements: Sequence[cst.BaseDictElement], known: Mapping[str, Keywords]
) -> Keywords:
    found = Keywords()
    for element in elements:
        if isinstance(element, cst.DictElement):
            found = found.with_key(text_of(element.key), element.key)
        else:
            found = found.updated(keywords_of(element.value, known) or _OPEN)
    return found


def _added(
    found: Keywords, arguments: Iterable[cst.Arg], known: Mapping[str, Keywords]
) -> Keywords:
    """What ``dict(...)`` and ``update(...)`` are given."""
    for each in arguments:
        if each.keyword is not None:
            found = found.with_key(each.keyword.value, each.keyword)
        else:
            found = found.updated(keywords_of(each.value, known) or _OPEN)
    return found


def called(call: cst.Call, known: Mappings) -> bool:
    """Note what a method of a known mapping does to it.

    Returns:
        Whether it was one.
    """
    match call.func:
        case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=method)):
            pass
        case _:
            return False
    if name not in known:
        return False
    first = call.args[0].value if call.args else None
    key = text_of(first) if first is not None else None
    if method == "update":
        known[name] = _added(known[name], call.args, known)
    elif method == "setdefault" and first is not None:
        known[name] = known[name].with_key(key, first)
    elif method == "pop" and key is not None:
        known[name] = known[name].without(key)
    elif method not in {"get", "keys", "values", "items", "copy"}:
        known[name] = _OPEN
    return True


def set_entry(target: cst.CSTNode, known: Mappings) -> None:
    """Note ``common["x"] = ...``."""
    match target:
        case cst.Subscript(value=cst.Name(value=name)) if name in known:
            key = _key(target)
            known[name] = known[name].with_key(key, target.slice[0])


def drop_entry(target: cst.CSTNode, known: Mappings) -> None:
    """Note ``del common["x"]``, or ``del common``."""
    match target:
        case cst.Subscript(value=cst.Name(value=name)) if name in known:
            key = _key(target)
            known[name] = _OPEN if key is None else known[name].without(key)


def _key(node: cst.Subscript) -> str | None:
    match node.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=value))]:
            return text_of(value)
    return None


def let_out(name: str, known: Mappings) -> None:
    """Note that a mapping is used otherwise, so that anybody may add to it."""
    if name in known:
        known[name] = replace(known[name], is_open=True)


def joined(ends: Sequence[Mappings]) -> Mappings:
    """Return what is known where branches meet."""
    first, *rest = ends
    found = {}
    for name, keywords in first.items():
        others = [end[name] for end in rest if name in end]
        if len(others) == len(rest):
            found[name] = _joined([keywords, *others])
    return found


def _joined(ends: Sequence[Keywords]) -> Keywords:
    if all(each == ends[0] for each in ends):
        return ends[0]
    names = [each.names for each in ends]
    always = set.intersection(*names)
    passed = tuple(each for each in ends[0].passed if each[0] in always)
    perhaps = set.union(*names, *(each.perhaps for each in ends)) - always
    return Keywords(passed, frozenset(perhaps), any(each.is_open for each in ends))
