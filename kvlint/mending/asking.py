# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Statements that ask every wrapped spec and make one answer of theirs."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Literal

from kvlint.mending.answers import Answers, answers_of, literal, literals, message
from kvlint.mending.documents import HARD, Doc, Group, Indent, Mark, Rescued
from kvlint.mending.expressions import (
    brackets,
    call,
    comprehension,
    in_optional_parentheses,
    in_parentheses,
    in_parentheses_if_broken,
    item,
    loose_operation,
    operation,
)
from kvlint.mending.holders import Holder, Names, UnwritableError, walk
from kvlint.mending.layout import Style, columns, overflows, render
from kvlint.mending.rebuilding import SPEC_NAMES
from kvlint.mending.signatures import Signature

Combine = Literal["agree", "sum", "all", "max", "pages"]
Agreement = Literal["assert", "raise"]

PAGE_SIZE = "page_size_bytes"


@dataclass(frozen=True, slots=True)
class Delegation:
    """A composite's member that is to answer for its specs.

    Attributes:
        signature: The member; for a mirrored field, a property with the field's type.
        holders: The fields that hold the specs, at least one.
        composite: The class's name, for the message.
        combine: How the answers become one.
        agreement: What happens where they must agree and do not.
    """

    signature: Signature
    holders: tuple[Holder, ...]
    composite: str
    combine: Combine = "agree"
    agreement: Agreement = "assert"


def require(taken: Collection[str], needed: Collection[str]) -> None:
    """Make sure that no local name hides a name that a text needs.

    Args:
        taken: The local names.
        needed: Builtins and imported names.

    Raises:
        UnwritableError: One does.
    """
    if hidden := sorted(set(taken) & set(needed)):
        raise UnwritableError(f"the name {hidden[0]!r} hides what the fix needs")


class Statements:
    """Statements at one indentation, and the answer that they come to.

    Args:
        delegation: What they do.
        style: The project's layout.
        indent: Their indentation.
        taken: The local names in use.
    """

    def __init__(
        self, delegation: Delegation, style: Style, indent: str, taken: Collection[str]
    ) -> None:
        """Start without statements."""
        self.text = ""
        self._delegation = delegation
        self._style = style
        self._indent = indent
        self._taken = taken
        self._names = Names(taken)
        self._mark = Mark()
        self._spec = self._names.fresh(*SPEC_NAMES)
        owner = delegation.signature.self_name
        self._way = walk(delegation.holders, owner, self._spec, self._names, self._mark)

    def write(self, *statement: Doc, deeper: int = 0) -> None:
        """Add a statement, so many steps further in."""
        margin = self._indent + self._style.indent * deeper
        self.text += render(statement, self._style, margin)

    def answer(self) -> Doc:
        """Write what is needed to know the composite's answer, and return it.

        Raises:
            UnwritableError: A local name hides a builtin that is needed.
        """
        combine = self._delegation.combine
        if combine == "pages":
            return self._pages()
        if self._way.is_single:
            asked = self._delegation.signature.asked_of(self._way.source, self._mark)
            return Rescued(asked, self._mark)
        if combine == "agree":
            return self._agreed()
        return self._over_all(combine, self._delegation.signature.asked_of(self._spec))

    def _over_all(self, function: str, element: Doc) -> Doc:
        require(self._taken, {function})
        inside = comprehension(element, self._way.to(self._spec))
        mark = Mark()
        return Rescued((function, brackets("(", inside, ")", mark)), mark)

    def _pages(self) -> Doc:
        """Write how many pages the largest layer takes; return them in bytes."""
        pages = self._names.fresh("pages", "most_pages", "page_count")
        if self._way.is_single:
            most = self._pages_of(self._way.source)
        else:
            most = self._over_all("max", self._pages_of(self._spec))
        self.write(f"{pages} = ", most)
        own = f"{self._delegation.signature.self_name}.{PAGE_SIZE}"
        return in_parentheses_if_broken(operation(pages, "*", own))

    def _pages_of(self, spec: Doc) -> Doc:
        asked = self._delegation.signature.asked_of(spec)
        division = operation(("-", asked), "//", (spec, f".{PAGE_SIZE}"))
        return ("-", in_parentheses(division))

    def _agreed(self) -> Doc:
        """Write the answers and the insistence on one; return that one."""
        signature = self._delegation.signature
        answers = self._names.fresh("answers", "layer_answers", "all_answers")
        kind = answers_of(signature.returns)
        inside = comprehension(signature.asked_of(self._spec), self._way.to(self._spec))
        left, right = "[]" if kind is Answers.UNKNOWN else "{}"
        self.write(f"{answers} = ", brackets(left, inside, right))
        shown = f"sorted({answers})" if kind is Answers.SORTABLE else answers
        if self._delegation.agreement == "assert":
            self._write_assertion(kind, answers, shown)
        else:
            self._write_raise(kind, answers, shown)
        if kind is Answers.UNKNOWN:
            return Rescued(item(answers, 0, self._mark), self._mark)
        require(self._taken, {"next", "iter", "sorted"})
        answer = call("next", [call("iter", [answers])], self._mark)
        return Rescued(answer, self._mark)

    def _write_assertion(self, kind: Answers, answers: str, shown: str) -> None:
        mark = Mark()
        require(self._taken, {"len", "all"})
        length = call("len", [answers], mark)
        if kind is Answers.UNKNOWN:
            same = self._compared("all", "==", answers, mark)
            there = loose_operation(length, ">", "0", mark)
            test = loose_operation(there, "and", same, mark)
        else:
            test = loose_operation(length, "==", "1", mark)
        start = ("assert ", in_optional_parentheses(test, mark), ", ")
        self._write_message(start, in_parentheses_if_broken, shown)

    def _write_raise(self, kind: Answers, answers: str, shown: str) -> None:
        mark = Mark()
        require(self._taken, {"len", "any", "ValueError"})
        length = call("len", [answers], mark)
        if kind is Answers.UNKNOWN:
            differ = self._compared("any", "!=", answers, mark)
            empty = loose_operation(length, "==", "0", mark)
            test = loose_operation(empty, "or", differ, mark)
        else:
            test = loose_operation(length, "!=", "1", mark)
        self.write("if ", in_optional_parentheses(test, mark), ":")
        self._write_message(("raise ValueError",), in_parentheses, shown, deeper=1)

    def _compared(self, function: str, operator: str, answers: str, mark: Mark) -> Doc:
        answer = self._names.fresh("answer", "each", "one_answer")
        comparison = operation(answer, operator, f"{answers}[0]")
        inside = comprehension(comparison, [f"for {answer} in {answers}"])
        return (function, brackets("(", inside, ")", mark))

    def _write_message(
        self,
        start: tuple[Doc, ...],
        wrapped: Callable[[Doc], Doc],
        shown: str,
        deeper: int = 0,
    ) -> None:
        """Write a statement that ends with the message, as one literal if that fits."""
        style = self._style
        margin = self._indent + style.indent * deeper
        composite, member = self._delegation.composite, self._delegation.signature.name
        text = message(composite, member, shown)
        whole = (*start, wrapped(literal(text, style)))
        if overflows(render(whole, style, margin), style):
            room = style.line_length - columns(margin + style.indent, style)
            lines = [(HARD, each) for each in literals(text, style, room)]
            whole = (*start, Group(("(", Indent(tuple(lines)), HARD, ")"), broken=True))
        self.write(*whole, deeper=deeper)
