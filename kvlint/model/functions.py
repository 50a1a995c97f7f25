# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""One function parsed at its exact span, where a whole file would cost too much."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

import libcst as cst

from kvlint.findings import Place
from kvlint.model.blocks import Blocks, Header
from kvlint.model.syntax import Span, Tree, UnparsableError, parse
from kvlint.sources import Source

_WRAPPER = "if True:\n"
_Known = TypeVar("_Known")


@dataclass(frozen=True, eq=False)
class FunctionText:
    """A function, with the class that it is a method of.

    Attributes:
        source: Its file.
        node: The function.
        class_name: The class; empty for a plain function.
    """

    source: Source
    node: cst.FunctionDef
    class_name: str
    _tree: Tree
    _start: int
    _known: dict[Hashable, object] = field(default_factory=dict)

    def known(self, what: Hashable, find: Callable[[], _Known]) -> _Known:
        """Return what can be told of the function's syntax alone, found out only once.

        Args:
            what: What is told: whatever ``find`` depends on beside the syntax.
            find: Finds it out. What it gives is shared, so nobody may change it.
        """
        if what not in self._known:
            self._known[what] = find()
        return self._known[what]  # type: ignore[return-value]

    @property
    def is_exact(self) -> bool:
        """Whether libcst gives the function back unchanged, and its places are true."""
        return self._tree.is_exact

    def span(self, node: cst.CSTNode) -> Span:
        """Return the characters of a node of the function in its file."""
        span = self._tree.span(node)
        return Span(self._start + span.start, self._start + span.end)

    def code(self, node: cst.CSTNode) -> str:
        """Return the text of a node of the function as it stands in the file."""
        return self._tree.code(node)

    @property
    def extent(self) -> tuple[int, int]:
        """Where it begins in its file, and where it ends."""
        return self._start, self._start + len(self._tree.source.text)

    def place(self, node: cst.CSTNode) -> Place:
        """Return where a node of the function stands in its file."""
        span = self.span(node)
        return self.source.place(span.start, span.end)

    @property
    def symbol(self) -> str:
        """``Class.method``, or the name of a plain function."""
        name = self.node.name.value
        return f"{self.class_name}.{name}" if self.class_name else name


class FunctionIndex(Blocks):
    """The functions of a file, parsed one by one as they are asked for.

    Args:
        source: The file.
        former: The functions that the file had with another text: those that are still
            the same need no parsing again.
    """

    def __init__(self, source: Source, former: FunctionIndex | None = None) -> None:
        """Parse nothing yet."""
        super().__init__(source.text)
        self.source = source
        self._parsed: dict[int, FunctionText | None] = {}
        self._former = {} if former is None else former._by_text()

    def around(self, offsets: Iterable[int]) -> list[FunctionText]:
        """Return the outermost functions that hold some places, each once.

        Args:
            offsets: Places in characters.

        Returns:
            Functions in the order of the text. Places outside every function, and
            functions that libcst does not accept, are left out.
        """
        found: dict[int, FunctionText | None] = {}
        for offset in offsets:
            chain = self.enclosing(offset)
            if chain and chain[-1].start not in found:
                found[chain[-1].start] = self._function(chain)
        return [each for _, each in sorted(found.items()) if each is not None]

    def named(self, name: str, class_name: str = "") -> FunctionText | None:
        """Return the only outermost function of a name.

        Args:
            name: The name.
            class_name: The class around it; empty for a plain function.
        """
        starts = [x.start for x in self._headers if x.name == name and not x.is_class]
        found = [x for x in starts if self.owner(x) == (class_name, name)]
        return next(iter(self.around(found)), None) if len(found) == 1 else None

    def _function(self, chain: list[Header]) -> FunctionText | None:
        header = chain[-1]
        if header.start not in self._parsed:
            class_name = chain[-2].name if len(chain) > 1 else ""
            prefix = _WRAPPER if header.indent else ""
            end = self._end(header)
            text = prefix + self.source.text[header.start : end]
            start = header.start - len(prefix)
            known = self._former.get((class_name, text))
            if known is None:
                found = _parse(self.source, text, start, class_name)
            else:
                found = replace(known, source=self.source, _start=start)
            self._parsed[header.start] = found
        return self._parsed[header.start]

    def _by_text(self) -> dict[tuple[str, str], FunctionText]:
        """The functions that were parsed, by their classes and texts."""
        found = filter(None, self._parsed.values())
        return {(each.class_name, each._tree.source.text): each for each in found}


def _parse(
    source: Source, text: str, start: int, class_name: str
) -> FunctionText | None:
    piece = replace(source, text=text)
    try:
        tree = Tree(piece, parse(piece))
    except UnparsableError:
        return None
    inner: cst.CSTNode = tree.module.body[0]
    if text.startswith(_WRAPPER) and isinstance(inner, cst.If):
        inner = inner.body.body[0]
    if not isinstance(inner, cst.FunctionDef):
        return None
    return FunctionText(source, inner, class_name, tree, start)
