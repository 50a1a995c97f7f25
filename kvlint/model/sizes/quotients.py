# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Numbers of blocks worked out as a length divided by a block size."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from kvlint.model.functions import FunctionText
from kvlint.model.values.origins import Origin, called_name, expanded, name_of

_LENGTH = re.compile(r"(^|_)model_len(gth)?$")
_BLOCK = re.compile(r"(^|_)(block_size|page_size)s?$")
_CEILING = re.compile(r"^_*(\w+_)?(cdiv|ceil_?div|div_?(round_?)?up|div_?ceil)$", re.I)
_FLAT = frozenset(["max", "min", "int", "list", "tuple", "sorted"])
_ALIGNING = re.compile(r"align|round_up|pad_to|block_table_width", re.I)


@dataclass(frozen=True, eq=False)
class Quotient:
    """A length divided by a block size.

    Attributes:
        node: The division.
        block: What it divides by.
        function: The function that it is in.
        is_aligned: What is made of it is rounded up to an alignment.
    """

    node: cst.BaseExpression
    block: cst.BaseExpression
    function: FunctionText
    is_aligned: bool


@dataclass(frozen=True)
class Quotients:
    """Finds the divisions that a value is made of.

    Attributes:
        origins: What a dotted name may stand for.
        answer: The method by which specs answer; what may be its answer is left alone.
    """

    origins: Callable[[str], list[Origin]]
    answer: str

    def of(self, value: cst.BaseExpression, function: FunctionText) -> list[Quotient]:
        """Return the divisions; none if the value may be a spec's own answer.

        Args:
            value: An expression.
            function: The function that it is in.
        """
        for node, _ in expanded(value, self.origins):
            if called_name(node) == self.answer:
                return []
        return list(self._in(value, function, frozenset(), is_aligned=False))

    def _in(
        self,
        node: cst.BaseExpression,
        function: FunctionText,
        seen: frozenset[str],
        *,
        is_aligned: bool,
    ) -> Iterator[Quotient]:
        division = _division(node)
        divides = division is not None and self._divides(*division)
        if division is not None and divides and not self._is_divided(division[0], node):
            yield Quotient(node, division[1], function, is_aligned)
            return
        name = name_of(node)
        if name is not None and name not in seen:
            for each in self.origins(name):
                yield from self._in(
                    each.value, each.function, seen | {name}, is_aligned=is_aligned
                )
        rounds = bool(_ALIGNING.search(called_name(node))) or (
            division is not None and not divides
        )
        for part in _parts(node):
            yield from self._in(part, function, seen, is_aligned=is_aligned or rounds)

    def _is_divided(self, over: cst.BaseExpression, by: cst.BaseExpression) -> bool:
        """Whether what a division divides is a number of blocks already."""
        return any(
            isinstance(node, cst.BaseExpression)
            and node is not by
            and (division := _division(node)) is not None
            and self._divides(*division)
            for node, _ in expanded(over, self.origins)
        )

    def _divides(self, over: cst.BaseExpression, by: cst.BaseExpression) -> bool:
        """Whether a length is divided by a block size."""
        return self._mentions(over, _LENGTH) and self._mentions(by, _BLOCK)

    def _mentions(self, value: cst.BaseExpression, pattern: re.Pattern[str]) -> bool:
        return any(
            pattern.search(name.rpartition(".")[2])
            for node, _ in expanded(value, self.origins)
            if (name := name_of(node)) is not None
        )


def _division(
    node: cst.BaseExpression,
) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    """What an expression divides by what, if it gives a whole number."""
    match node:
        case cst.BinaryOperation(left=left, operator=cst.FloorDivide(), right=right):
            return left, right
        case cst.Call(args=[over, by]) if _CEILING.match(called_name(node)):
            return over.value, by.value
        case cst.Call(
            args=[
                cst.Arg(
                    value=cst.BinaryOperation(
                        left=left, operator=cst.Divide(), right=right
                    )
                )
            ]
        ) if called_name(node) == "ceil":
            return left, right
    return None


def _parts(node: cst.BaseExpression) -> Sequence[cst.BaseExpression]:
    """What an expression makes its value of, as far as widths are concerned."""
    if (division := _division(node)) is not None:
        return division[:1]
    match node:
        case cst.Call(args=args):
            values = [each.value for each in args]
            if called_name(node) in _FLAT:
                return values
            return values[:1] if _ALIGNING.search(called_name(node)) else ()
        case cst.BinaryOperation(left=left, right=right):
            return left, right
        case cst.UnaryOperation(expression=inner):
            return (inner,)
        case cst.IfExp(body=body, orelse=orelse):
            return body, orelse
        case cst.List() | cst.Tuple():
            return [each.value for each in node.elements]
        case cst.ListComp() | cst.GeneratorExp():
            return (node.elt,)
    return ()
