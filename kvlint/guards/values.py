# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What expressions in conditions come to: values, or how a condition may turn out."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import libcst as cst
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from kvlint.model.reach import Reach


class Outcome(NamedTuple):
    """How a condition may turn out.

    Attributes:
        true: Whether it may be met in the release at hand.
        false: Whether it may not be.
    """

    true: Reach
    false: Reach

    def __invert__(self) -> Outcome:
        """Return the outcome of ``not``."""
        return Outcome(self.false, self.true)

    def __and__(self, other: Outcome) -> Outcome:
        """Return the outcome of ``and``."""
        return Outcome(min(self.true, other.true), max(self.false, other.false))

    def __or__(self, other: Outcome) -> Outcome:
        """Return the outcome of ``or``."""
        return ~(~self & ~other)


YES = Outcome(Reach.REACHED, Reach.NEVER)
NO = ~YES
EITHER = Outcome(Reach.REACHED, Reach.REACHED)
"""It does not look at the release."""
UNTOLD = Outcome(Reach.UNKNOWN, Reach.UNKNOWN)
"""It looks at the release, but how it turns out cannot be told."""


@dataclass(frozen=True)
class Value:
    """A value.

    Attributes:
        what: What it is.
        of_release: It depends on the release, as literals do not.
    """

    what: Any
    of_release: bool = False


class Opaque:
    """Something that is there, and that no operation is worked out on."""


@dataclass(frozen=True)
class Reference(Opaque):
    """Something of another package: a module, class or function."""

    name: str


THERE = Opaque()
"""An attribute that is there, be it true or not."""
UNSEEN = Opaque()
"""What the release decides, and nobody knows: its version, or what it looks like."""
ASKED = Opaque()
"""An attribute that an instance is asked for, or whether there is one."""
Result = Value | Outcome


def unclear(parts: Iterable[Result]) -> Result:
    """Return what an operation comes to that is not worked out.

    A version among its operands makes it depend on the release; an answer to a
    question does not, for what comes of that is mostly something else.
    """
    return Value(UNSEEN, True) if any(map(_carries, parts)) else EITHER


def _carries(part: Result) -> bool:
    if not isinstance(part, Value) or not part.of_release:
        return False
    is_answer = part.what is None or isinstance(part.what, bool | Opaque)
    return part.what is UNSEEN or not is_answer


def looks(result: Result) -> bool:
    """Return whether a result depends on the release."""
    return result.of_release if isinstance(result, Value) else result != EITHER


def outcome(result: Result) -> Outcome:
    """Return how a result turns out as a condition."""
    if isinstance(result, Outcome):
        return result
    if result.what is ASKED:
        return UNTOLD
    if not result.of_release:
        return EITHER
    if result.what is THERE or result.what is UNSEEN:
        return UNTOLD
    return YES if result.what else NO


def either(results: Sequence[Result], is_untold: bool = False) -> Result:
    """Return what comes of several results of which one holds.

    Args:
        results: The results.
        is_untold: Which one depends on the release, in a way that cannot be told.
    """
    if not results:
        return EITHER
    first = results[0]
    if all(each == first for each in results):
        return UNTOLD if is_untold and len(results) == 1 else first
    if is_untold or UNTOLD in results:
        return UNTOLD
    texts = [
        each
        for each in results
        if isinstance(each, Value) and looks(each) and not isinstance(each.what, bool)
    ]
    if len(texts) == 1 and results.count(EITHER) == len(results) - 1:
        return texts[0]  # somebody may set another release by hand
    if not any(map(looks, results)):
        return EITHER
    turns = [outcome(decided(each)) for each in results]
    return Outcome(max(each.true for each in turns), max(each.false for each in turns))


def decided(result: Result) -> Result:
    """Return a result that counts for what it is, also where it is a literal."""
    if isinstance(result, Value) and not isinstance(result.what, Opaque):
        return Value(result.what, True)
    return result


def remembered(result: Result) -> Result:
    """Return what of a result counts where it was put away, or given back by a call.

    What an instance was asked there is nothing that its code is written for.
    """
    return EITHER if result == Value(ASKED) else result


def worked_out(function: Callable[..., Any], parts: Iterable[Result]) -> Result:
    """Return what an operation on values comes to.

    Args:
        function: The operation.
        parts: Its operands.
    """
    operands = list(parts)
    values = [each.what for each in operands if isinstance(each, Value)]
    opaque = any(isinstance(each, Opaque) for each in values)
    if len(values) < len(operands) or opaque:
        return unclear(operands)
    try:
        return Value(function(*values), any(map(looks, operands)))
    except (
        ArithmeticError,
        AttributeError,
        InvalidSpecifier,
        InvalidVersion,
        LookupError,
        TypeError,
        ValueError,
    ):
        return unclear(operands)


def compared(left: Result, sign: cst.BaseCompOp, right: Result) -> Result:
    """Return what a comparison comes to."""
    identity = isinstance(sign, cst.Is | cst.IsNot)
    if identity and right == Value(None):
        if outcome(left) == UNTOLD and left != Value(THERE, True):
            return UNTOLD
        if isinstance(left, Value):
            is_none = left.what is None
            answer = is_none if isinstance(sign, cst.Is) else not is_none
            return Value(answer, left.of_release)
    function = _COMPARISONS.get(type(sign))
    if function is None:
        return unclear((left, right))
    return worked_out(function, (left, right))


def _within(item: object, container: Any) -> bool:
    return item in container


_COMPARISONS: Mapping[type[cst.BaseCompOp], Callable[..., Any]] = {
    cst.Equal: operator.eq,
    cst.NotEqual: operator.ne,
    cst.Is: operator.eq,
    cst.IsNot: operator.ne,
    cst.LessThan: operator.lt,
    cst.LessThanEqual: operator.le,
    cst.GreaterThan: operator.gt,
    cst.GreaterThanEqual: operator.ge,
    cst.In: _within,
    cst.NotIn: lambda item, container: item not in container,
}

VERSION_MAKERS = frozenset(
    {"LooseVersion", "StrictVersion", "Version", "parse", "parse_version"}
)
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **dict.fromkeys(VERSION_MAKERS, Version),
    "SpecifierSet": SpecifierSet,
    "all": all,
    "any": any,
    "bool": bool,
    "int": int,
    "len": len,
    "list": list,
    "map": lambda function, items: tuple(map(function, items)),
    "str": str,
    "tuple": tuple,
}
"""Functions that are worked out, by their last names."""

METHODS: Mapping[type, frozenset[str]] = {
    str: frozenset(
        {
            "endswith",
            "lstrip",
            "partition",
            "removeprefix",
            "removesuffix",
            "replace",
            "rpartition",
            "rsplit",
            "rstrip",
            "split",
            "startswith",
            "strip",
        }
    ),
    SpecifierSet: frozenset({"contains"}),
}
ATTRIBUTES = frozenset(
    {
        "base_version",
        "dev",
        "is_devrelease",
        "is_postrelease",
        "is_prerelease",
        "local",
        "major",
        "micro",
        "minor",
        "post",
        "pre",
        "public",
        "release",
    }
)
"""What is read off a ``packaging.version.Version``."""


def version_tuple(release: str) -> tuple[int | str, ...]:
    """Return what ``vllm.__version_tuple__`` holds in a release."""
    version = Version(release)
    tags = ["".join(map(str, version.pre))] if version.pre else []
    tags += [f"dev{version.dev}"] if version.dev is not None else []
    return (*version.release, *tags)
