# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A file parsed again after an edit: its other statements are taken as they were.

libcst's nodes do not know where they stand, so a statement whose text has not changed
can stand in another tree. Python reads a file as one statement after another: nothing
before or behind a statement of the module says how it is to be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import libcst as cst
from libcst._nodes.internal import CodegenState

from kvlint.model.acceptance import common_start
from kvlint.model.codegen import Writing
from kvlint.model.syntax import Span, Tree, UnparsableError, parse
from kvlint.sources import Source

_MARK = "pass\n"
"""A statement before what is parsed, and one behind, keep comments with the statements
that they stand above: at the ends of a file, libcst gives them to the file."""


@dataclass(frozen=True, eq=False)
class Part:
    """A statement of a module, with the lines above it.

    Attributes:
        node: The statement.
        module: What says how it is written: a module with the same habits.
    """

    node: cst.SimpleStatementLine | cst.BaseCompoundStatement
    module: cst.Module

    @cached_property
    def writing(self) -> Writing:
        """How it is written, as if nothing stood before it."""
        writing = Writing(self.module)
        self.node._codegen(writing)
        return writing

    @cached_property
    def text(self) -> str:
        """Its text."""
        return self.writing.text


@dataclass(frozen=True, eq=False)
class SplicedTree(Tree):
    """A file's syntax as a row of statements, some of which stood in another tree.

    Attributes:
        parts: The statements.
    """

    parts: tuple[Part, ...] = ()

    @cached_property
    def starts(self) -> list[int]:
        """Where each statement begins in the file, and where the last one ends."""
        starts = [len(_written(self.module, self.module.header))]
        for each in self.parts:
            starts.append(starts[-1] + len(each.text))
        return starts

    @cached_property
    def is_exact(self) -> bool:
        """Whether the tree holds every character of the file."""
        module = self.module
        texts = (each.text for each in self.parts)
        ends = (_written(module, module.header), _written(module, module.footer))
        text = "".join([ends[0], *texts, ends[1]])
        if not module.has_trailing_newline:
            text = text.removesuffix("\n").removesuffix("\r")
        return text == self.source.text

    def span(self, node: cst.CSTNode) -> Span:
        """Return the characters of a node of this tree, without white space around."""
        for part, begin in zip(self.parts, self.starts, strict=False):
            found = part.writing.spans.get(id(node))
            if found is not None:
                return Span(begin + found[0], begin + found[1])
        return super().span(node)


def parse_again(source: Source, former: Tree) -> Tree | None:
    """Return a file's syntax, most of it as it was before an edit.

    Args:
        source: The file.
        former: Its syntax before.

    Returns:
        None if that is not to be had: then all of it must be parsed.
    """
    before = _in_parts(former)
    if before is None or not before.is_exact:
        return None
    old, new = former.source.text, source.text
    same = common_start(old, new)
    behind = common_start(old[same:][::-1], new[same:][::-1])
    count = len(before.parts)
    # One statement on either side is parsed again: what stands next to it may join it.
    first = max(0, sum(end <= same for end in before.starts[1:]) - 1)
    rest = sum(start >= len(old) - behind for start in before.starts[:-1])
    last = min(count, count - rest + 1)
    if first >= last:
        first, last = 0, count
    begin = before.starts[first] if first else 0
    end = before.starts[last] - len(old) + len(new) if last < count else len(new)
    middle = _parsed(source, new[begin:end], before.module, first > 0, last < count)
    if middle is None:
        return None
    module = before.module.with_changes(
        header=before.module.header if first else middle.header,
        footer=before.module.footer if last < count else middle.footer,
        has_trailing_newline=(
            before.module.has_trailing_newline
            if last < count
            else middle.has_trailing_newline
        ),
    )
    parts = (
        *before.parts[:first],
        *(Part(each, before.module) for each in middle.body),
        *before.parts[last:],
    )
    module = module.with_changes(body=[each.node for each in parts])
    tree = SplicedTree(source, module, parts=parts)
    return tree if tree.is_exact else None


def _in_parts(tree: Tree) -> SplicedTree | None:
    if isinstance(tree, SplicedTree):
        return tree
    if tree.outline is not None:
        return None
    parts = tuple(Part(each, tree.module) for each in tree.module.body)
    return SplicedTree(tree.source, tree.module, parts=parts)


def _parsed(
    source: Source, text: str, habits: cst.Module, has_head: bool, has_tail: bool
) -> cst.Module | None:
    """The statements of a piece of a file; None if it is no whole number of them."""
    marked = (_MARK if has_head else "") + text + (_MARK if has_tail else "")
    try:
        parsed = parse(replace(source, text=marked), habits.config_for_parsing)
    except UnparsableError:
        return None
    body: Sequence[cst.SimpleStatementLine | cst.BaseCompoundStatement] = parsed.body
    if has_tail:
        mark = body[-1]
        is_alone = isinstance(mark, cst.SimpleStatementLine) and not mark.leading_lines
        if not is_alone:
            return None
        body = body[:-1]
    if has_head:
        body = body[1:]
    return parsed.with_changes(body=body)


def _written(module: cst.Module, lines: Sequence[cst.EmptyLine]) -> str:
    """The text of lines at an end of a module."""
    state = CodegenState(module.default_indent, module.default_newline)
    for each in lines:
        each._codegen(state)
    return "".join(state.tokens)
