# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where specs are built, with which fields, and what their values come from."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from kvlint.findings import Place
from kvlint.model.calls import TextCall, closing
from kvlint.sources import Source

SOMETHING = "..."
"""What stands for a value that is neither a literal, a name nor a call of one."""
COPIERS = ("replace", "__setattr__")
"""What changes fields of a spec that there is."""


@dataclass(frozen=True)
class Build:
    """A constructor call of a spec class.

    Attributes:
        spec: The class's simple name; empty for a changed copy of any spec.
        values: What each field is given, in short: a literal; the last part of a name;
            ``function(name)`` for a call with nothing but that; else three dots.
        is_complete: Whether those are all the fields it is given by keyword.
        copies: Whether it takes its fields from another spec, one by one.
        place: Where it stands.
    """

    spec: str
    values: Mapping[str, str]
    is_complete: bool
    copies: bool
    place: Place


def read_build(spec: str, call: TextCall, source: Source) -> Build:
    """Return what a call's text tells.

    Args:
        spec: The class that it constructs.
        call: The call.
        source: The file, which also has the mappings that the call unpacks.
    """
    values = dict(call.keywords)
    if call.name == COPIERS[1] and call.node is not None:
        _, name, value = call.node.args
        values = {str(name.value): value} if isinstance(name, ast.Constant) else {}
    is_complete = call.node is not None
    for each in call.unpacked:
        entries = _entries(each, source.text, call.start)
        is_complete &= entries is not None
        values |= entries or {}
    short = {name: shortened(value) for name, value in values.items()}
    place = source.place(call.start, call.end)
    return Build(spec, short, is_complete, giver(call) != "", place)


def copies_spec(call: TextCall) -> bool:
    """Return whether a call changes a spec, or a copy of one, going by its name."""
    arguments = [] if call.node is None else call.node.args
    if call.name not in COPIERS or not arguments:
        return False
    if call.name == COPIERS[1]:
        changes = len(arguments) == 3
    else:
        changes = bool(call.keywords or call.unpacked)
    return changes and is_called_spec(ast.unparse(arguments[0]))


def giver(call: TextCall) -> str:
    """Return the spec that gives a call three or more fields, as it is written.

    Going by its name; none if nothing does.
    """
    return next(
        (
            each
            for each, count in givers(call).items()
            if count > 2 and is_called_spec(each)
        ),
        "",
    )


def givers(call: TextCall) -> Counter[str]:
    """Return how many fields each object gives a call, under the fields' own names."""
    given = Counter[str]()
    for name, value in call.keywords.items():
        if isinstance(value, ast.Attribute) and value.attr == name:
            owner = value.value
            text = owner.id if isinstance(owner, ast.Name) else ast.unparse(owner)
            given[text] += 1
    return given


def is_called_spec(name: str) -> bool:
    """Return whether a value's name says that it is a spec: ``layer_spec``."""
    last = re.sub(r"(\[[^]]*\])+$", "", name).rpartition(".")[2].lower()
    return last.rstrip("s0123456789").endswith("spec")


def shortened(value: ast.expr) -> str:
    """Return what a value comes from, in short."""
    match value:
        case ast.Constant() | ast.UnaryOp(operand=ast.Constant()):
            text = ast.unparse(value)
            return text if len(text) < 40 and "\n" not in text else SOMETHING
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
        case ast.Call(ast.Name(name) | ast.Attribute(attr=name) as called, [only], []):
            # What a look-up gives depends on the table, which its name does not tell.
            if name != "get" and _is_dotted(called):
                inner = shortened(only)
                return f"{name}({inner})" if inner.isidentifier() else SOMETHING
    return SOMETHING


def _is_dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _entries(node: ast.expr, text: str, before: int) -> dict[str, ast.expr] | None:
    """The entries of a mapping of keywords that a function holds in a variable."""
    if isinstance(node, ast.Dict | ast.Call):
        return _written_entries(node)
    if not isinstance(node, ast.Name):
        return None
    pattern = re.compile(rf"\b{node.id}\s*(?::[^=\n]+)?=\s*(?:dict\s*(?=\()|(?=\{{))")
    last = None
    start = max(text.rfind("\ndef ", 0, before), text.rfind("\n    def ", 0, before), 0)
    for match in pattern.finditer(text, start, before):
        last = match.end()
    if last is None or re.search(rf"\b{node.id}\b(?!\s*[:=(,)])", text[last:before]):
        return None  # it may be changed on the way
    end = closing(text, last)
    written = text[last:end]
    try:
        code = f"dict{written}" if written[0] == "(" else written
        return _written_entries(ast.parse(code, mode="eval").body)
    except (SyntaxError, ValueError):
        return None


def _written_entries(node: ast.expr) -> dict[str, ast.expr] | None:
    match node:
        case ast.Dict(keys, values):
            found = {
                each.value: value
                for each, value in zip(keys, values, strict=True)
                if isinstance(each, ast.Constant) and isinstance(each.value, str)
            }
            return found if len(found) == len(keys) else None
        case ast.Call(ast.Name("dict"), [], keywords):
            passed = {each.arg: each.value for each in keywords if each.arg}
            return passed if len(passed) == len(keywords) else None
    return None
