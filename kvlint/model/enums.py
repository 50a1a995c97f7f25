# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Enums: their members, and which of them are other names of the same."""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from textwrap import dedent

import libcst as cst

from kvlint.findings import Place
from kvlint.model.blocks import block_end
from kvlint.model.classes import SpecClass, SpecFile
from kvlint.model.nodes import walk
from kvlint.model.scopes import DefinedClass
from kvlint.model.syntax import dotted, text_of

_ENUMS = frozenset({"Enum", "Flag", "IntEnum", "IntFlag", "ReprEnum", "StrEnum"})
_OWN_VALUES = frozenset({"__new__", "_generate_next_value_"})
_CHECKED = frozenset({"unique", "verify"})
_ON_PURPOSE = re.compile(
    r"alias|synonym|deprecat|legacy|backward|compat|obsolete|formerly|renamed|"
    r"same (as|value)|(old|other|another|second|short) name",
    re.I,
)
"""Words by which people say that a member is another name of one."""


@dataclass(frozen=True)
class AliasedMember:
    """A member of an enum that Python takes for another name of an earlier one.

    Attributes:
        owner: The enum.
        name: Its name.
        first: The name of the earlier one.
        value: The value of both, as the later one writes it.
        place: Where its name stands.
        first_place: Where the earlier one's does.
    """

    owner: SpecClass
    name: str
    first: str
    value: str
    place: Place
    first_place: Place


def is_enum(found: SpecClass, seen: frozenset[SpecClass] = frozenset()) -> bool:
    """Return whether a class is an enum, by the name of a base or through one."""
    for name in found.bases:
        if name is None:
            continue
        if name.rpartition(".")[2] in _ENUMS:
            return True
        bindings, _ = found.scope.lookup(name)
        for each in bindings:
            if (
                isinstance(each, DefinedClass)
                and each.defined not in {found, *seen}
                and is_enum(each.defined, seen | {found})
            ):
                return True
    return False


def aliased_members(found: SpecClass) -> Iterator[AliasedMember]:
    """Yield the members of an enum that share a value with an earlier one by accident.

    Only values that are written out count. An alias by name (``OLD = NEW``) is meant,
    and so is one that a comment, a text below it or the enum's docstring calls one.

    Args:
        found: The enum.
    """
    lasts = {each.rpartition(".")[2] for each in found.decorators}
    if lasts & _CHECKED or _OWN_VALUES & found.members.keys():
        return
    if _ON_PURPOSE.search(found.node.get_docstring() or ""):
        return
    known: dict[Hashable, cst.Name] = {}
    statements = list(found.node.body.body)
    for number, statement in enumerate(statements):
        for target, value in _assigned(statement):
            try:
                literal = ast.literal_eval(found.file.tree.code(value))
                first = known.get(literal)
            except (SyntaxError, TypeError, ValueError):
                continue
            if first is None:
                known[literal] = target
            elif not _is_meant(found, statement, statements[number + 1 :]):
                yield AliasedMember(
                    found,
                    target.value,
                    first.value,
                    found.file.tree.code(value),
                    found.file.place(target),
                    found.file.place(first),
                )


def _assigned(node: cst.CSTNode) -> Iterator[tuple[cst.Name, cst.BaseExpression]]:
    if isinstance(node, cst.SimpleStatementLine):
        for small in node.body:
            match small:
                case cst.Assign(targets=[cst.AssignTarget(cst.Name(name) as target)]):
                    if not name.startswith("_"):
                        yield target, small.value


def _is_meant(
    found: SpecClass, statement: cst.CSTNode, following: list[cst.CSTNode]
) -> bool:
    texts = [_comments(found, statement)]
    match following:
        case [cst.SimpleStatementLine(body=[cst.Expr(value=text)]), *_]:
            texts.append(text_of(text) or "")
    return any(map(_ON_PURPOSE.search, texts))


def _comments(found: SpecClass, statement: cst.CSTNode) -> str:
    """The comments above a statement, up to an empty line, and behind it."""
    assert isinstance(statement, cst.SimpleStatementLine)
    lines: list[str] = []
    for line in statement.leading_lines:
        lines = [*lines, line.comment.value] if line.comment is not None else []
    number = found.file.place(statement).end_line
    return "\n".join([*lines, found.file.tree.source.line(number)])


def may_share_values(text: str, name: str) -> bool:
    """Return whether members of an enum may share a value: a quick look at a file.

    Args:
        text: The file.
        name: The name of the enum.
    """
    pattern = rf"^([ \t]*)class\s+{name}\s*\([^)]*(?:Enum|Flag)"
    return any(
        _repeats(
            text[
                each.start() : block_end(text, each.start(), len(each[1].expandtabs()))
            ]
        )
        for each in re.finditer(pattern, text, re.M)
    )


def _repeats(text: str) -> bool:
    """Whether a class gives a value twice."""
    known: set[Hashable] = set()
    try:
        (found,) = ast.parse(dedent(text)).body
        statements = found.body if isinstance(found, ast.ClassDef) else []
    except (SyntaxError, ValueError):
        return True  # newer syntax
    for each in statements:
        if isinstance(each, ast.Assign):
            try:
                literal = ast.literal_eval(each.value)
                if literal in known:
                    return True
                known.add(literal)
            except (TypeError, ValueError):
                continue
    return False


def compared_names(file: SpecFile, enum: str) -> set[str]:
    """Return the members of an enum that a file compares with something.

    Args:
        file: The file.
        enum: The name of the enum.
    """
    found: set[str] = set()
    for each in _speaking_of(file, file.tree.module, enum):
        if isinstance(each, cst.Comparison | cst.MatchValue):
            for part in walk(each):
                if isinstance(part, cst.Attribute):
                    owner, _, name = (dotted(part) or "").rpartition(".")
                    if owner.rpartition(".")[2] == enum:
                        found.add(name)
    return found


def _speaking_of(
    file: SpecFile, block: cst.Module | cst.BaseSuite, enum: str
) -> Iterator[cst.CSTNode]:
    """The nodes of the statements, not those of classes as a whole, that name it."""
    for each in block.body:
        if isinstance(each, cst.ClassDef):
            yield from _speaking_of(file, each.body, enum)
        elif enum in file.tree.code(each):
            yield from walk(each)
