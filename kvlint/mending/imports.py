# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Adding imports to a file, where its own stand and in their style."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import libcst as cst

from kvlint.findings import Edit
from kvlint.mending.names import Import, module_name
from kvlint.model.classes import SpecFile
from kvlint.model.module_places import package_root
from kvlint.model.syntax import dotted

_Order = tuple[int, bool, str]


def import_edits(
    target: SpecFile, imports: Iterable[Import], line_length: int
) -> tuple[Edit, ...]:
    """Return the edits that give a file some imports.

    Args:
        target: The file.
        imports: What it lacks.
        line_length: How long a line may become.
    """
    wanted = list(imports)
    lazy = [each for each in wanted if not each.at_run_time]
    eager = [each for each in wanted if each.at_run_time]
    block = _type_checking_block(target)
    edits: list[Edit] = []
    if lazy and block is None:
        eager.append(Import("typing", "TYPE_CHECKING", "TYPE_CHECKING", True))
        if "TYPE_CHECKING" in target.scope.names:
            eager.pop()
    elif lazy and block is not None:
        edits += _added(target, block.body.body, lazy, line_length, _indent(block))
    if eager:
        edits += _added(target, target.tree.module.body, eager, line_length, "")
    if lazy and block is None:
        edits.append(_new_block(target, lazy))
    return _merged(edits)


def _type_checking_block(target: SpecFile) -> cst.If | None:
    for statement in target.tree.module.body:
        if isinstance(statement, cst.If) and isinstance(
            statement.body, cst.IndentedBlock
        ):
            test = dotted(statement.test) or ""
            if test.rpartition(".")[2] == "TYPE_CHECKING":
                return statement
    return None


def _indent(block: cst.If) -> str:
    body = block.body
    own = body.indent if isinstance(body, cst.IndentedBlock) else None
    return own if own is not None else "    "


@dataclass(frozen=True)
class _Statement:
    """An import statement of a block.

    Attributes:
        node: The line.
        small: The statement on it.
        module: What it imports, or imports from.
        order: Where import sorters put it.
    """

    node: cst.SimpleStatementLine
    small: cst.Import | cst.ImportFrom
    module: str
    order: tuple[int, bool, str]


def _order(target: SpecFile, module: str, level: int, is_from: bool) -> _Order:
    """How import sorters order statements: section, plain before ``from``, name."""
    head = module.split(".")[0]
    own = package_root(target.path)
    if level:
        section = 4
    elif head == "__future__":
        section = 0
    elif head in sys.stdlib_module_names:
        section = 1
    else:
        beside = (own / head).is_dir() or (own / f"{head}.py").is_file()
        section = 3 if beside or head in target.path.parent.parts else 2
    return section, is_from, module


def _statements(target: SpecFile, body: Sequence[cst.CSTNode]) -> list[_Statement]:
    found = []
    for node in body:
        if not isinstance(node, cst.SimpleStatementLine) or len(node.body) != 1:
            continue
        small = node.body[0]
        if isinstance(small, cst.Import):
            module = dotted(small.names[0].name) or ""
            order = _order(target, module, 0, False)
        elif isinstance(small, cst.ImportFrom):
            module = dotted(small.module) or "" if small.module is not None else ""
            order = _order(target, module, len(small.relative), True)
        else:
            continue
        found.append(_Statement(node, small, module, order))
    return found


def _added(
    target: SpecFile,
    body: Sequence[cst.CSTNode],
    wanted: Sequence[Import],
    line_length: int,
    indent: str,
) -> list[Edit]:
    """Names added to imports that there are, and new imports in their places."""
    statements = _statements(target, body)
    edits: list[Edit] = []
    fresh: list[tuple[_Order, str]] = []
    by_module: dict[str, list[Import]] = {}
    for each in wanted:
        if each.name:
            by_module.setdefault(each.module, []).append(each)
        else:
            renamed = "" if each.bound == each.module.split(".")[0] else each.bound
            clause = f"{each.module} as {renamed}" if renamed else each.module
            text = f"{indent}import {clause}\n"
            fresh.append((_order(target, each.module, 0, False), text))
    for module, names in by_module.items():
        existing = _extendable(target, statements, module)
        grown = existing and _extended(target, existing, names, line_length)
        if grown:
            edits.append(grown)
            continue
        clauses = sorted((each.clause for each in names), key=_name_order)
        text = f"{indent}from {module} import {', '.join(clauses)}\n"
        fresh.append((_order(target, module, 0, True), text))
    return edits + _inserted(target, body, statements, sorted(fresh))


def _inserted(
    target: SpecFile,
    body: Sequence[cst.CSTNode],
    statements: Sequence[_Statement],
    fresh: Sequence[tuple[_Order, str]],
) -> list[Edit]:
    """New statements in their sections, with a blank line around a new section."""
    texts: dict[int, str] = {}
    sections: dict[int, int] = {}
    for order, text in fresh:
        section = [each for each in statements if each.order[0] == order[0]]
        later = [each for each in section if each.order > order]
        lower = [each for each in statements if each.order[0] < order[0]]
        before, after = "", ""
        if later:
            at = _line_start(target, target.span(later[0].node).start)
        elif section:
            at = _next_line(target, target.span(section[-1].node).end)
        elif lower:
            at = _next_line(target, target.span(lower[-1].node).end)
            before = "\n"
        elif statements:
            at = _line_start(target, target.span(statements[0].node).start)
            after = "\n"
        else:
            at, before, after = _top(target, body)
        if sections.get(at) == order[0]:
            before = ""
            texts[at] = texts[at].removesuffix(after) if after else texts[at]
        texts[at] = texts.get(at, "") + before + text + after
        sections[at] = order[0]
    return [Edit(at, at, text) for at, text in texts.items()]


def _top(target: SpecFile, body: Sequence[cst.CSTNode]) -> tuple[int, str, str]:
    """Where the first import of a file goes, and the blank lines around it."""
    first = body[0]
    is_docstring = isinstance(first, cst.SimpleStatementLine) and isinstance(
        first.body[0], cst.Expr
    )
    if is_docstring:
        return _next_line(target, target.span(first).end), "\n", ""
    return _line_start(target, target.span(first).start), "", "\n\n"


def _extendable(
    target: SpecFile, statements: Sequence[_Statement], module: str
) -> cst.ImportFrom | None:
    own = module_name(target).split(".")
    for each in statements:
        if not isinstance(each.small, cst.ImportFrom):
            continue
        name, level = each.module, len(each.small.relative)
        if level:
            kept = own[: len(own) - level]
            name = ".".join([*kept, *filter(None, [each.module])])
        if name == module and not isinstance(each.small.names, cst.ImportStar):
            return each.small
    return None


def _extended(
    target: SpecFile, node: cst.ImportFrom, names: Sequence[Import], line_length: int
) -> Edit | None:
    """Names added to a ``from`` import, sorted in; None if that gets too long."""
    assert not isinstance(node.names, cst.ImportStar)
    texts = [target.tree.code(each).rstrip(", \t") for each in node.names]
    first, last = target.span(node.names[0]), target.span(node.names[-1])
    between = target.tree.source.text[first.start : last.end]
    clauses = [each.clause for each in names]
    if "\n" not in between and "\r" not in between:
        start = target.span(node)
        joined = ", ".join(sorted({*texts, *clauses}, key=_name_order))
        grown = len(joined) - len(between.rstrip(", \t"))
        if start.end - start.start + grown > line_length:
            return None
        return Edit(first.start, first.start + len(between.rstrip(", \t")), joined)
    margin = _margin(target, first.start)
    for alias, text in zip(node.names, texts, strict=True):
        if _name_order(clauses[0]) < _name_order(text):
            at = target.span(alias).start
            return Edit(at, at, "".join(f"{each},\n{margin}" for each in clauses))
    end = last.start + len(texts[-1])
    return Edit(end, end, "".join(f",\n{margin}{each}" for each in clauses))


def _name_order(text: str) -> tuple[int, str]:
    """Constants, then classes, then the rest, as isort orders names."""
    if text.isupper():
        return 0, text
    return (1 if text[:1].isupper() else 2), text


def _margin(target: SpecFile, offset: int) -> str:
    text = target.tree.source.text
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    return text[start:offset]


def _new_block(target: SpecFile, lazy: Sequence[Import]) -> Edit:
    """``if TYPE_CHECKING:`` behind the file's imports."""
    statements = _statements(target, target.tree.module.body)
    lines = [
        f"    from {each.module} import {each.clause}\n"
        if each.name
        else f"    import {each.module}\n"
        for each in sorted(lazy)
    ]
    text = "\nif TYPE_CHECKING:\n" + "".join(lines)
    at = _next_line(target, target.span(statements[-1].node).end) if statements else 0
    rest = target.tree.source.text[at:]
    is_close = rest.strip() and not rest.startswith(("\n", "\r"))
    return Edit(at, at, text + "\n\n" if is_close else text)


def _line_start(target: SpecFile, offset: int) -> int:
    text = target.tree.source.text
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def _next_line(target: SpecFile, offset: int) -> int:
    text = target.tree.source.text
    end = text.find("\n", offset)
    return len(text) if end < 0 else end + 1


def _merged(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Insertions at one place become one, in their order."""
    merged: dict[tuple[int, int], Edit] = {}
    for edit in edits:
        key = (edit.start, edit.end)
        known = merged.get(key)
        text = edit.text if known is None else known.text + edit.text
        merged[key] = Edit(edit.start, edit.end, text)
    return tuple(sorted(merged.values()))
