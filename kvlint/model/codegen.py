# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A tree written out as text, and where each of its nodes comes to stand."""

from __future__ import annotations

from types import TracebackType

import libcst as cst
from libcst._nodes.internal import CodegenState


class Writing(CodegenState):
    """What libcst writes, and the places of nodes in it.

    This is what its own provider of spans notes (libcst 1.9), in half the time: that
    one hashes every node, and through a wrapper it would walk the tree twice.

    Args:
        module: The tree, all of whose nodes outlive this.
    """

    def __init__(self, module: cst.Module) -> None:
        """Begin at the start of the text."""
        super().__init__(module.default_indent, module.default_newline)
        self.position = 0
        self.spans: dict[int, tuple[int, int]] = {}
        self._starts: list[int] = []

    @property
    def text(self) -> str:
        """What is written."""
        return "".join(self.tokens)

    def span(self, node: cst.CSTNode) -> tuple[int, int]:
        """Return where a node begins and ends, without white space around.

        Raises:
            KeyError: It is no node of the tree.
        """
        return self.spans[id(node)]

    # What libcst calls as it writes.

    def add_indent_tokens(self) -> None:
        """Write the indentation."""
        for token in self.indent_tokens:
            self.add_token(token)

    def add_token(self, value: str) -> None:
        """Write a piece of text."""
        self.tokens.append(value)
        self.position += len(value)

    def before_codegen(self, node: cst.CSTNode) -> None:
        """Note where a node begins, white space around it included."""
        self._starts.append(self.position)

    def after_codegen(self, node: cst.CSTNode) -> None:
        """Note where it ends, unless it has told its place without white space."""
        self.spans.setdefault(id(node), (self._starts.pop(), self.position))

    def record_syntactic_position(  # type: ignore[override]
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> _Recorded:
        """Return a context in which what is written is a node without white space.

        Args:
            node: The node.
            start_node: The node whose beginning is its own; None for the first that is
                written.
            end_node: Likewise, the end.
        """
        return _Recorded(self, node, start_node, end_node)


class _Recorded:
    """The time while a node is written without the white space around it."""

    __slots__ = ("_end_node", "_node", "_start", "_start_node", "_writing")

    def __init__(
        self,
        writing: Writing,
        node: cst.CSTNode,
        start_node: cst.CSTNode | None,
        end_node: cst.CSTNode | None,
    ) -> None:
        self._writing, self._node = writing, node
        self._start_node, self._end_node = start_node, end_node
        self._start = 0

    def __enter__(self) -> None:
        self._start = self._writing.position

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        writing, start, end = self._writing, self._start, self._writing.position
        if self._start_node is not None:
            start = writing.span(self._start_node)[0]
        if self._end_node is not None:
            end = writing.span(self._end_node)[1]
        writing.spans[id(self._node)] = start, end


def write(module: cst.Module) -> Writing:
    """Return what libcst writes for a tree.

    Args:
        module: The tree.
    """
    writing = Writing(module)
    module._codegen(writing)
    return writing
