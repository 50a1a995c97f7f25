# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which conditions stand before a statement: around it, and left early above it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from kvlint.model.reach import Reach
from kvlint.model.syntax import dotted

Statement = cst.BaseStatement | cst.BaseSmallStatement
Import = cst.Import | cst.ImportFrom

_IMPORT_ERRORS = frozenset({"ImportError", "ModuleNotFoundError"})
_MEMBER_ERRORS = frozenset({"AttributeError"})
_CALL_ERRORS = frozenset({"TypeError"})
_ANY_ERROR = frozenset({"", "BaseException", "Exception"})
_LEAVING = (cst.Return, cst.Raise, cst.Continue, cst.Break)


@dataclass(frozen=True, slots=True, eq=False)
class Test:
    """A condition that must hold, or must not.

    Attributes:
        node: The condition.
        wanted: Its answer that leads on.
    """

    node: cst.BaseExpression
    wanted: bool


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """Imports that must succeed, or one of which must fail.

    Attributes:
        imports: The imports.
        wanted: They all succeed.
        is_needed: Where one fails, an error ends it all, as it would without ``try``.
    """

    imports: tuple[Import, ...]
    wanted: bool
    is_needed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A case of a ``match`` that must be the one taken."""

    statement: cst.Match
    number: int


@dataclass(frozen=True, slots=True, eq=False)
class Chance:
    """A condition that says nothing of the release, or nothing that can be told."""

    reach: Reach


Gate = Test | Attempt | Case | Chance
Gates = tuple[Gate, ...]

_LOOSE = Chance(Reach.REACHED)
_UNTOLD = Chance(Reach.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Block:
    """Statements that follow each other.

    Attributes:
        statements: The statements.
        gates: The conditions that all of them stand behind.
        attempts: A failing import among them ends the block, and is caught.
        is_needed: It is caught only to raise another error.
    """

    statements: Sequence[Statement]
    gates: Gates = ()
    attempts: bool = False
    is_needed: bool = False

    def steps(self) -> Iterator[tuple[Statement, Gates]]:
        """Yield each statement, and what it stands behind in this block.

        An import that may fail stands behind itself.
        """
        gates = self.gates
        for each in self.statements:
            if self.attempts and (found := imports((each,))):
                gates += (Attempt(found, True, self.is_needed),)
            yield each, gates
            gates += passed(each)


def arms(statement: Statement) -> list[Block]:
    """Return the blocks of a compound statement that opens no scope."""
    match statement:
        case cst.If(test=test, body=body):
            rest = Test(test, False)
            blocks = [_block(body, Test(test, True))]
            if isinstance(statement.orelse, cst.If):
                blocks += [
                    Block(each.statements, (rest, *each.gates))
                    for each in arms(statement.orelse)
                ]
            elif statement.orelse is not None:
                blocks.append(_block(statement.orelse.body, rest))
            return blocks
        case cst.Try() | cst.TryStar():
            return _Try(statement).arms()
        case cst.With(items=items, body=body):
            return [_suppressing(items, body)]
        case cst.While(test=test, body=body, orelse=orelse):
            blocks = [_block(body, Test(test, True), _LOOSE)]
        case cst.For(body=body, orelse=orelse):
            blocks = [_block(body, _LOOSE)]
        case cst.Match(cases=cases):
            return [
                _block(each.body, Case(statement, number))
                for number, each in enumerate(cases)
            ]
        case _:
            return []
    if orelse is not None:
        blocks.append(_block(orelse.body, _LOOSE))
    return blocks


def passed(statement: Statement) -> Gates:
    """Return what is known behind a statement: a block was not left in it."""
    match statement:
        case cst.SimpleStatementLine(body=body):
            return tuple(
                Test(each.test, True) for each in body if isinstance(each, cst.Assert)
            )
        case cst.If(test=test, body=body, orelse=orelse):
            if leaves(body.body):
                further = passed(orelse) if isinstance(orelse, cst.If) else ()
                return (Test(test, False), *further)
            if isinstance(orelse, cst.Else) and leaves(orelse.body.body):
                return (Test(test, True),)
        case cst.Try() | cst.TryStar():
            return _Try(statement).passed()
    return ()


def leaves(statements: Sequence[cst.CSTNode]) -> bool:
    """Return whether a block is always left at its end by a jump."""
    if not statements:
        return False
    match statements[-1]:
        case cst.SimpleStatementLine(body=body):
            return leaves(body)
        case cst.Expr(value=cst.Call(func=function)):
            return dotted(function) in {"sys.exit", "exit", "pytest.skip"}
        case cst.If(body=body, orelse=cst.Else(body=other)):
            return leaves(body.body) and leaves(other.body)
        case cst.If(body=body, orelse=cst.If() as other):
            return leaves(body.body) and leaves((other,))
        case cst.With(body=body):
            return leaves(body.body)
        case last:
            return isinstance(last, _LEAVING)


def imports(statements: Iterable[cst.CSTNode]) -> tuple[Import, ...]:
    """Return the imports among statements themselves."""
    return tuple(
        small
        for each in statements
        for small in (each.body if isinstance(each, cst.SimpleStatementLine) else ())
        if isinstance(small, Import)
    )


def _tolerated(body: Sequence[cst.CSTNode]) -> frozenset[str]:
    """The errors by which code learns that vLLM lacks what it asks for.

    A call fails so that passes too much. Around definitions that says nothing.
    """
    defines = any(isinstance(each, cst.ClassDef | cst.FunctionDef) for each in body)
    calls = frozenset() if defines else _CALL_ERRORS
    return _IMPORT_ERRORS | _MEMBER_ERRORS | calls


class _Try:
    """A ``try``: whether it guards imports, members, or neither."""

    def __init__(self, statement: cst.Try | cst.TryStar) -> None:
        self._statement = statement
        self._body = statement.body.body
        self._imports = imports(self._body)
        self._handlers: list[cst.ExceptHandler | cst.ExceptStarHandler] = []
        if self._imports:
            self._handlers = self._catching(_IMPORT_ERRORS | self._broad())
        self._guards_imports = bool(self._handlers)
        if not self._handlers:
            self._handlers = self._catching(_tolerated(self._body))
        # A handler that only raises is no other way to go.
        self._is_needed = all(map(_raises, self._handlers))

    def _broad(self) -> frozenset[str]:
        """What else stands for a failing import of vLLM, if the body begins with it."""
        first = imports(self._body[:1])
        is_meant = first and all(map(_is_of_vllm, first))
        return _ANY_ERROR if is_meant else frozenset()

    def _catching(
        self, errors: frozenset[str]
    ) -> list[cst.ExceptHandler | cst.ExceptStarHandler]:
        return [each for each in self._statement.handlers if caught(each.type) & errors]

    def _gate(self, wanted: bool) -> Gate:
        if self._guards_imports:
            return Attempt(self._imports, wanted, self._is_needed)
        return _LOOSE if wanted and self._is_needed else _UNTOLD

    def arms(self) -> list[Block]:
        node = self._statement
        body = _block(node.body, *(() if self._handlers else (_LOOSE,)))
        if self._guards_imports:
            body = Block(self._body, (), True, self._is_needed)
        elif self._handlers:
            body = _block(node.body, self._gate(True), _LOOSE)
        blocks = [body]
        for each in node.handlers:
            gate = self._gate(False) if each in self._handlers else _LOOSE
            blocks.append(_block(each.body, gate))
        if node.orelse is not None:
            gate = self._gate(True) if self._handlers else _LOOSE
            blocks.append(_block(node.orelse.body, gate))
        if node.finalbody is not None:
            blocks.append(_block(node.finalbody.body))
        return blocks

    def passed(self) -> Gates:
        if not self._handlers:
            return ()
        if all(leaves(each.body.body) for each in self._handlers):
            return (self._gate(True),)
        orelse = self._statement.orelse
        if leaves(self._body) or (orelse and leaves(orelse.body.body)):
            return (self._gate(False),)
        return ()


def caught(node: cst.BaseExpression | None) -> set[str]:
    """Return the last names of what ``except`` catches; an empty one for all."""
    if isinstance(node, cst.Tuple):
        return {name for each in node.elements for name in caught(each.value)}
    name = "" if node is None else dotted(node)
    return set() if name is None else {name.rpartition(".")[2]}


def _raises(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> bool:
    last = handler.body.body[-1]
    small = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last
    return isinstance(small, cst.Raise)


def _is_of_vllm(node: Import) -> bool:
    if isinstance(node, cst.ImportFrom):
        names = [dotted(node.module) or ""] if node.module and not node.relative else []
    else:
        names = [dotted(each.name) or "" for each in node.names]
    return any(name.split(".")[0] == "vllm" for name in names)


def _suppressing(items: Sequence[cst.WithItem], body: cst.BaseSuite) -> Block:
    """The block of a ``with``: ``suppress`` is a ``try`` in other words."""
    errors: set[str] = set()
    for each in items:
        call = each.item
        name = dotted(call.func) or "" if isinstance(call, cst.Call) else ""
        if isinstance(call, cst.Call) and name.rpartition(".")[2] == "suppress":
            errors |= {name for x in call.args for name in caught(x.value)}
    if errors & _IMPORT_ERRORS and imports(body.body):
        return Block(body.body, (), True)
    if errors & _tolerated(body.body):
        return _block(body, _UNTOLD)
    return _block(body, _LOOSE)


def _block(suite: cst.BaseSuite, *gates: Gate) -> Block:
    return Block(suite.body, gates)
