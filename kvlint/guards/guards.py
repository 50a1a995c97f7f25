# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Whether the release at hand runs the code at a place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import libcst as cst

from kvlint.errors import KvlintError
from kvlint.findings import Place
from kvlint.guards.conditions import Conditions
from kvlint.guards.frames import Frame
from kvlint.guards.installed import Installed
from kvlint.guards.modules import Modules
from kvlint.model.gates import Block, Gate, Gates, Test, arms
from kvlint.model.nodes import children
from kvlint.model.reach import Reach, Standing
from kvlint.model.syntax import Tree
from kvlint.model.workspace import Workspace
from kvlint.sources import Source

_PRIVATE = re.compile(r"_(?!_)")
_CODE = re.compile(r"[^\s#]|#.*")
_Outer = list[tuple[Gates, Frame]]


class Guards:
    """Judges places and definitions by the release at hand.

    Args:
        workspace: The files.
        installed: The vLLM at hand.
        is_own: Tells the project's files: conditions are followed into no others.
    """

    def __init__(
        self, workspace: Workspace, installed: Installed, is_own: Callable[[Path], bool]
    ) -> None:
        """Look at nothing yet."""
        self._workspace, self._installed = workspace, installed
        self._modules = Modules(workspace, is_own)
        self._conditions = Conditions(installed, self._modules)
        self._callers: dict[tuple[Path, str], Reach] = {}

    def depend_on(self, path: Path) -> bool:
        """Return whether another text of a file may change what was judged so far.

        What depends on the file in which it stands alone is judged with that.
        """
        return path in self._modules.asked or self._installed.was_read_from(path)

    def standing(
        self, tree: Tree, owners: Sequence[cst.ClassDef], gates: Gates
    ) -> Standing:
        """Return how a definition of a module, or of a class in it, stands.

        Args:
            tree: Its file.
            owners: The classes around it, outermost first.
            gates: The conditions around it, inside of the innermost class.
        """
        frame = self._modules.frame(tree)
        for each in owners:
            frame = frame.enter(each)
        return self._conditions.standing(gates, frame)

    def at(self, place: Place) -> Reach:
        """Return whether the code at a place is run.

        Of a comment, what counts is the statement that it stands at or above. In a
        private function of a module, what counts too is who calls it.
        """
        if not place.path.is_absolute():
            return Reach.REACHED
        try:
            source = self._workspace.source(place.path)
        except KvlintError:
            return Reach.REACHED
        return self._at(source, _code_at(source, place))

    def _at(self, source: Source, offset: int) -> Reach:
        tree = self._workspace.keyhole(source.path, offset)
        if tree is None:
            return Reach.REACHED
        outer = _Descent(tree, offset).to_place(self._modules.frame(tree))
        reach = min(
            (self._conditions.standing(*each).reach for each in outer),
            default=Reach.REACHED,
        )
        if reach is Reach.REACHED and any(
            self._conditions.is_marked_off(frame) for _, frame in outer
        ):
            return Reach.UNKNOWN
        for _, frame in outer if reach is Reach.REACHED else ():
            node, parent = frame.node, frame.parent
            if isinstance(node, cst.FunctionDef) and parent and not parent.parent:
                return self._called(source, node.name.value)
        return reach

    def _called(self, source: Source, name: str) -> Reach:
        """Whether what a file calls a function by is run; a public one may be anyway.

        Args:
            source: The file.
            name: The function of the module.
        """
        if not _PRIVATE.match(name) or self._is_known_elsewhere(source, name):
            return Reach.REACHED
        key = source.path, name
        if key not in self._callers:
            self._callers[key] = Reach.NEVER  # what it calls itself does not count
            found = [
                self._at(source, offset) for offset in _mentions(source.text, name)
            ]
            self._callers[key] = max(found, default=Reach.REACHED)
        return self._callers[key]

    def _is_known_elsewhere(self, source: Source, name: str) -> bool:
        return any(
            name.encode() in self._workspace.content(path)
            for path in self._workspace.kept
            if path != source.path
        )


def _mentions(text: str, name: str) -> Iterator[int]:
    """Where a text speaks of a name, but for its definition and comments."""
    for match in re.finditer(rf"\b{name}\b", text):
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if "#" not in before and not before.rstrip().endswith("def"):
            yield match.start()


def _code_at(source: Source, place: Place) -> int:
    """The offset of a place; of a comment, that of the code that it is about."""
    start = source.line_starts[place.line - 1] + place.column - 1
    if not source.text.startswith("#", start):
        return start
    for match in _CODE.finditer(source.text, source.line_starts[place.line - 1]):
        if not match[0].startswith("#"):
            return match.start()
    return start


class _Descent:
    """The way from a module down to a place, with the conditions on it."""

    def __init__(self, tree: Tree, offset: int) -> None:
        self._tree, self._offset = tree, offset
        self._found: _Outer = []

    def to_place(self, frame: Frame) -> _Outer:
        """Return the conditions of each frame that the place is in."""
        self._block(frame.block, frame)
        return self._found

    def _holds(self, node: cst.CSTNode) -> bool:
        """Whether a node is around the place."""
        span = self._tree.span(node)
        return span.start <= self._offset < span.end

    def _block(self, block: Block, frame: Frame) -> None:
        for statement, gates in block.steps():
            if self._is_among((statement,)):
                self._found.append((gates, frame))
                self._inside(statement, frame)
                return

    def _inside(self, node: cst.CSTNode, frame: Frame) -> None:
        """Look below a statement."""
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            inner = frame.enter(node)
            if self._is_among(inner.block.statements):
                self._block(inner.block, inner)
                return
        for block in arms(node) if isinstance(node, cst.BaseCompoundStatement) else ():
            if self._is_among(block.statements):
                self._block(block, frame)
                return
        self._expression(node, frame)

    def _is_among(self, statements: Sequence[cst.CSTNode]) -> bool:
        # libcst leaves decorators out of what they stand at.
        return any(
            self._holds(each) or any(map(self._holds, getattr(each, "decorators", ())))
            for each in statements
        )

    def _expression(self, node: cst.CSTNode, frame: Frame) -> None:
        for child, gates in _parts(node):
            if self._holds(child):
                if gates:
                    self._found.append((gates, frame))
                self._expression(child, frame)
                return


def _parts(node: cst.CSTNode) -> Iterable[tuple[cst.CSTNode, Gates]]:
    """The nodes below one, with the conditions before each."""
    match node:
        case cst.If(test=test, orelse=orelse):
            yield test, ()
            if orelse is not None:
                yield orelse, (Test(test, False),)
        case cst.IfExp(test=test, body=body, orelse=orelse):
            yield test, ()
            yield body, (Test(test, True),)
            yield orelse, (Test(test, False),)
        case cst.BooleanOperation(left=left, operator=sign, right=right):
            yield left, ()
            yield right, (Test(left, isinstance(sign, cst.And)),)
        case cst.ListComp() | cst.SetComp() | cst.GeneratorExp() | cst.DictComp():
            gates = _filters(node.for_in)
            parts = (node.key, node.value) if isinstance(node, cst.DictComp) else ()
            for each in parts or (node.elt,):  # type: ignore[union-attr]
                yield each, gates
            yield node.for_in, ()
        case _:
            for child in children(node):
                # libcst leaves a default out of where its parameter is.
                inner = children(child) if isinstance(child, cst.Param) else (child,)
                yield from ((each, ()) for each in inner)


def _filters(loop: cst.CompFor) -> tuple[Gate, ...]:
    own = tuple(Test(each.test, True) for each in loop.ifs)
    return own + (_filters(loop.inner_for_in) if loop.inner_for_in else ())
