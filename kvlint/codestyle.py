# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""How a project lays out its code, so that its formatter leaves a fix as it is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

Quote = Literal['"', "'"]

_LINE_LENGTH = 88
# In ruff's own order: the first one in a folder counts.
_RUFF_FILES = (".ruff.toml", "ruff.toml")
_QUOTES: Mapping[object, Quote] = {"double": '"', "single": "'"}
_PRESERVE = "preserve"


@dataclass(frozen=True)
class CodeStyle:
    """How code is laid out.

    Attributes:
        line_length: The most columns of a line.
        quote: What strings are put in.
    """

    line_length: int = _LINE_LENGTH
    quote: Quote = '"'


@dataclass(frozen=True)
class _Settings:
    """What a configuration says, as far as it says something."""

    line_length: int | None = None
    quotes: str | None = None

    def over(self, other: _Settings) -> _Settings:
        """Return these settings, and another's where there are none."""
        return _Settings(
            self.line_length or other.line_length, self.quotes or other.quotes
        )


def code_style(path: Path, text: str) -> CodeStyle:
    """Return the layout of a file.

    Args:
        path: The file: the nearest configuration of ruff or black above it counts.
        text: Its text: where quotes are to be preserved, its own habit counts.

    Returns:
        What is configured, and the defaults of both tools for what is not; a broken
        configuration counts for nothing.
    """
    settings = _of_folder(os.path.dirname(os.path.abspath(path)))
    quote = (
        _habit(text)
        if settings.quotes == _PRESERVE
        else _QUOTES.get(settings.quotes, '"')
    )
    return CodeStyle(settings.line_length or _LINE_LENGTH, quote)


@cache
def _of_folder(folder: str) -> _Settings:
    """Return what the nearest configuration, in a folder or above it, says."""
    pyproject = os.path.join(folder, "pyproject.toml")
    tools = _table(_read(pyproject), "tool") if os.path.isfile(pyproject) else {}
    alone = [os.path.join(folder, name) for name in _RUFF_FILES]
    ruff_file = next(filter(os.path.isfile, alone), None)
    if ruff_file or "ruff" in tools or "black" in tools:
        ruff = _read(ruff_file) if ruff_file else _table(tools, "ruff")
        of_ruff = _of_ruff(ruff, folder, (ruff_file or pyproject,))
        return of_ruff.over(_of_black(_table(tools, "black")))
    above = os.path.dirname(folder)
    return _of_folder(above) if above != folder else _Settings()


def _of_ruff(table: Mapping[str, Any], folder: str, seen: tuple[str, ...]) -> _Settings:
    """Return what a table of ruff's says, and the files that it extends."""
    quotes = _table(table, "format").get("quote-style")
    own = _Settings(
        _length(table.get("line-length")),
        quotes if quotes in [*_QUOTES, _PRESERVE] else None,
    )
    extended = table.get("extend")
    if not isinstance(extended, str):
        return own
    extended = os.path.expanduser(os.path.expandvars(extended))
    file = os.path.abspath(os.path.join(folder, extended))
    if file in seen:
        return own
    content = _read(file)
    if os.path.basename(file) == "pyproject.toml":
        content = _table(_table(content, "tool"), "ruff")
    return own.over(_of_ruff(content, os.path.dirname(file), (*seen, file)))


def _of_black(table: Mapping[str, Any]) -> _Settings:
    skips = table.get("skip-string-normalization") is True
    return _Settings(_length(table.get("line-length")), _PRESERVE if skips else None)


def _read(file: str) -> Mapping[str, Any]:
    import tomllib

    try:
        with open(file, "rb") as content:
            return tomllib.load(content)
    except (OSError, ValueError):
        return {}


def _table(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = table.get(key)
    return value if isinstance(value, dict) else {}


def _length(value: object) -> int | None:
    return value if type(value) is int and value > 0 else None


def _habit(text: str) -> Quote:
    """Return the quote that most strings of a text are in, docstrings left aside."""
    import io
    import tokenize

    counts: dict[Quote, int] = {'"': 0, "'": 0}
    kinds = {tokenize.STRING, getattr(tokenize, "FSTRING_START", tokenize.STRING)}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            opening = token.string.lstrip("bBfFrRtTuU")
            if token.type in kinds and not opening.startswith(('"""', "'''")):
                counts['"' if opening.startswith('"') else "'"] += 1
    except (SyntaxError, tokenize.TokenError):
        pass  # what was seen until there is a good enough sample
    return "'" if counts["'"] > counts['"'] else '"'


def forget() -> None:
    """Read configurations anew the next time: they have changed."""
    _of_folder.cache_clear()
