# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The first lines of methods, read without the rest of their file: a quick look."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

import libcst as cst

from kvlint.model.classes import Parameter, ParameterKind

_HEADER = re.compile(r"^([ \t]*)(class|def|async[ \t]+def)[ \t]+(\w+)", re.M)
_DECORATORS = re.compile(r"(?:^[ \t]+@[^\n]*\n)+\Z", re.M)
_TOKEN = re.compile(
    r"#[^\n]*|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|[()\[\]{}:]", re.S
)
_KINDS = frozenset({"cached_property", "classmethod", "property", "staticmethod"})
_SOME_DEFAULT = cst.Ellipsis()


@dataclass(frozen=True, slots=True)
class MethodHeader:
    """How a method begins.

    Attributes:
        kinds: Decorators that say how it is asked; none for a plain method.
        parameters: Those that callers see, without types; a default is there or not.
    """

    kinds: frozenset[str]
    parameters: tuple[Parameter, ...]


Headers = Mapping[str, Mapping[str, MethodHeader | None]]
"""The methods of classes by their names, None for those that cannot be read so."""


def read_headers(text: str) -> Headers:
    """Return the methods of the classes at the top of a file."""
    found: dict[str, dict[str, MethodHeader | None]] = {}
    methods: dict[str, MethodHeader | None] | None = None
    depth = 0
    for match in _HEADER.finditer(text):
        indent = len(match[1].expandtabs())
        if not indent:
            is_class = match[2] == "class"
            methods = found.setdefault(match[3], {}) if is_class else None
            depth = 0
        elif methods is not None and (not depth or indent == depth):
            depth = indent
            methods[match[3]] = _header(text, match)
    return found


def _header(text: str, match: re.Match[str]) -> MethodHeader | None:
    end = _end(text, match.end())
    try:
        (node,) = ast.parse(text[match.start(2) : end] + " ...").body
    except (SyntaxError, ValueError):
        return None
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    above = _DECORATORS.search(text, max(0, match.start() - 500), match.start())
    words = re.findall(r"\w+", above[0]) if above else ()
    kinds = _KINDS.intersection(words)
    bound = 0 if "staticmethod" in kinds else 1
    return MethodHeader(kinds, _parameters(node.args)[bound:])


def _end(text: str, position: int) -> int:
    """Where the colon that ends a header has been passed."""
    depth = 0
    for token in _TOKEN.finditer(text, position):
        if token[0] in "([{":
            depth += 1
        elif token[0] in ")]}":
            depth -= 1
        elif token[0] == ":" and not depth:
            return token.end()
    return len(text)


def _parameters(arguments: ast.arguments) -> tuple[Parameter, ...]:
    ordered = [*arguments.posonlyargs, *arguments.args]
    required = len(ordered) - len(arguments.defaults)
    found = [
        _parameter(
            each.arg,
            "positional-only" if at < len(arguments.posonlyargs) else "positional",
            at >= required,
        )
        for at, each in enumerate(ordered)
    ]
    if arguments.vararg:
        found.append(_parameter(arguments.vararg.arg, "var-positional", False))
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append(_parameter(each.arg, "keyword-only", default is not None))
    if arguments.kwarg:
        found.append(_parameter(arguments.kwarg.arg, "var-keyword", False))
    return tuple(found)


def _parameter(name: str, kind: ParameterKind, has_default: bool) -> Parameter:
    return Parameter(name, kind, None, _SOME_DEFAULT if has_default else None)
