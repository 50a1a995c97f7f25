# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Fields that a merge is to keep, and the tests that the specs agree on them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import libcst as cst

from kvlint.codestyle import code_style
from kvlint.faults.losses import Loss
from kvlint.faults.takes import Take
from kvlint.findings import Edit, Fix, Safety
from kvlint.mending.bodies import line_start
from kvlint.mending.documents import Doc, Mark
from kvlint.mending.expressions import (
    brackets,
    call,
    comprehension,
    in_optional_parentheses,
    in_parentheses,
    in_parentheses_if_broken,
    operation,
    tuple_of,
    written,
)
from kvlint.mending.holders import UnwritableError
from kvlint.mending.layout import Style, render
from kvlint.model.merging.merges import Build
from kvlint.model.nodes import walk
from kvlint.project import Project
from kvlint.uses.merging import SpecMerge

_EACH = ("spec", "each", "one_spec")


def keep_fields(project: Project, loss: Loss) -> Fix:
    """Return the fix that passes lost fields on, and insists that specs agree on them.

    Args:
        project: The run's project.
        loss: What is lost.

    Raises:
        UnwritableError: No text is sure to be right; the message says why.
    """
    if loss.is_inherited:
        raise UnwritableError("the merge builds specs of other classes too")
    if loss.found.merge.merged_by:
        raise UnwritableError("it takes what it keeps from another merge")
    fields = [*loss.required, *(each.field for each in loss.lost)]
    tested = loss.effect.agreed | loss.effect.verified
    owner = loss.found.member.owner
    untested = [
        each.name
        for each in fields
        if not project.merges.covers(tested, each.name, owner)
    ]
    merge = _Text(project, loss.found)
    edits = _joined(
        [*merge.tests(untested), merge.passing([each.name for each in fields])]
    )
    title = f"Pass {_quoted([each.name for each in fields])} on"
    return Fix(Safety.UNSAFE, title, edits)


def _joined(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Edits as one where the first goes in right before what the second changes."""
    if len(edits) == 2 and edits[0].end == edits[1].start:
        first, second = edits
        return (Edit(first.start, second.end, first.text + second.text),)
    return tuple(edits)


def compare_fields(project: Project, take: Take) -> Fix:
    """Return the fix that insists that specs agree on what is taken of the first.

    Args:
        project: The run's project.
        take: The fields.

    Raises:
        UnwritableError: No text is sure to be right; the message says why.
    """
    if take.arbitrary:
        raise UnwritableError("what is taken from a set is for you to decide")
    fields = [each.name for each in take.firsts]
    edits = tuple(_Text(project, take.found).tests(fields))
    return Fix(Safety.UNSAFE, f"Compare {_quoted(fields)}", edits)


def _quoted(fields: Sequence[str]) -> str:
    return ", ".join(f"`{each}`" for each in fields)


class _Text:
    """The text of a merge, as a fix changes it."""

    def __init__(self, project: Project, found: SpecMerge) -> None:
        self._member, self._merge = found.member, found.merge
        self._file = found.member.owner.file
        self._text = self._file.tree.source.text
        assert found.build is not None
        self._build: Build = found.build
        self._is_probed = project.is_probed(found.member.name)
        known = code_style(self._file.path, self._text)
        step = self._file.tree.module.default_indent
        self._style = Style(known.line_length, step, known.quote)
        self._first = self._merge.first
        if not re.fullmatch(r"\w+(\[0\])?", self._first):
            raise UnwritableError("it has no name for the first spec")

    def passing(self, fields: Sequence[str]) -> Edit:
        """Pass fields of the first spec to the constructor, behind all others."""
        node = self._build.call
        span = self._file.span(node)
        last = self._file.span(node.args[-1].value)
        new = [f"{each}={self._first}.{each}" for each in fields]
        tail = self._text[last.end : span.end]
        if "\n" in tail and re.match(r"\s*,[^\n]*\n", tail):
            argument = node.args[-1]
            start = self._file.span(argument.keyword or argument.value).start
            begin = line_start(self._text, start)
            indent = self._text[begin:start]
            at = last.end + tail.index(",") + 1
            if not indent.strip():
                lines = "".join(f"\n{indent}{each}," for each in new)
                at = self._line_end(at)
                return Edit(at, at, lines)
        if "#" in self._text[span.start : span.end]:
            raise UnwritableError("a comment stands among the arguments")
        return self._rewritten(node, new)

    def _rewritten(self, node: cst.Call, new: list[str]) -> Edit:
        span = self._file.span(node)
        begin, end = line_start(self._text, span.start), self._line_end(span.end)
        before, behind = self._text[begin : span.start], self._text[span.end : end]
        indent = before[: len(before) - len(before.lstrip())]
        arguments: list[Doc] = [
            (f"{each.keyword.value}=", written(self._code(each.value), self._style))
            if each.keyword is not None
            else f"{each.star}{self._code(each.value)}"
            for each in node.args
        ]
        function = self._code(node.func)
        doc = (before.lstrip(), call(function, [*arguments, *new]), behind)
        return Edit(begin, end, render(doc, self._style, indent).removesuffix("\n"))

    def tests(self, fields: Sequence[str]) -> Iterator[Edit]:
        """Insist, before the constructor is called, that specs agree on fields."""
        if not fields:
            return
        statement = self._statement()
        start = self._file.span(statement).start
        begin = line_start(self._text, start)
        indent = self._text[begin:start]
        if indent.strip():
            raise UnwritableError("the call shares its line with other statements")
        yield Edit(begin, begin, "".join(self._tests(fields, indent)))

    def _tests(self, fields: Sequence[str], indent: str) -> Iterator[str]:
        each = next(name for name in _EACH if name not in self._taken())
        if len(fields) < 3:
            for field in fields:
                message = f"the specs of a group must have the same {field}"
                sides = f"{each}.{field}", f"{self._first}.{field}"
                yield self._test(each, *sides, self._literal(message), indent)
            return
        quote = self._style.quote
        listed = [f"{quote}{field}{quote}" for field in fields]
        loop: Doc = ("for name in ", tuple_of(listed), ":")
        yield render(loop, self._style, indent)
        message = "f" + self._literal("the specs of a group must have the same {name}")
        sides = f"getattr({each}, name)", f"getattr({self._first}, name)"
        yield self._test(each, *sides, message, indent + self._style.indent)

    def _test(self, each: str, one: str, other: str, message: str, indent: str) -> str:
        mark = Mark()
        loop = f"for {each} in {self._merge.specs}"
        if not self._merge.raises:
            same = comprehension(operation(one, "==", other), [loop])
            test = ("all", brackets("(", same, ")", mark))
            doc: Doc = (
                *("assert ", in_optional_parentheses(test, mark), ", "),
                in_parentheses_if_broken(message),
            )
            return render(doc, self._style, indent)
        differ = comprehension(operation(one, "!=", other), [loop])
        test = ("any", brackets("(", differ, ")", mark))
        error = "AssertionError" if self._is_probed else "ValueError"
        header = ("if ", in_optional_parentheses(test, mark), ":")
        raised = (f"raise {error}", in_parentheses(message))
        deeper = indent + self._style.indent
        return render(header, self._style, indent) + render(raised, self._style, deeper)

    def _statement(self) -> cst.CSTNode:
        """The statement that calls the constructor."""
        assert self._member.function is not None
        for node in walk(self._member.function.body):
            is_simple = isinstance(node, cst.SimpleStatementLine)
            if is_simple and any(x is self._build.call for x in walk(node)):
                return node
        raise UnwritableError("the call does not stand in a statement of its own")

    def _taken(self) -> set[str]:
        """Names that a comprehension must not hide."""
        return {self._merge.specs, self._first.partition("[")[0]}

    def _literal(self, text: str) -> str:
        return f"{self._style.quote}{text}{self._style.quote}"

    def _code(self, node: cst.CSTNode) -> str:
        span = self._file.span(node)
        return self._text[span.start : span.end]

    def _line_end(self, offset: int) -> int:
        ends = [each for mark in "\r\n" if (each := self._text.find(mark, offset)) >= 0]
        return min(ends, default=len(self._text))
