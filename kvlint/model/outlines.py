# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A file's model without the bodies of its methods, at a fraction of the time."""

from __future__ import annotations

import re
from dataclasses import replace

from kvlint.model.classes import SpecFile
from kvlint.model.functions import block_end
from kvlint.model.reading import model_of
from kvlint.model.syntax import Tree, UnparsableError, parse
from kvlint.sources import Source
from kvlint.vocabulary import REGISTERS

_METHOD = re.compile(r"^([ \t]+)(?:async[ \t]+)?def[ \t]+(?!__init__\b)\w+", re.M)
_TOKEN = re.compile(
    r"#[^\n]*|'''|\"\"\"|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|[()\[\]{}:]", re.S
)
_EMPTY = " ..."


def read_outline(source: Source) -> SpecFile | None:
    """Return the model of a file in which most methods do nothing.

    Constructors are whole, and so are methods that register managers. Every place in
    it is the one in the file: what stands for the rest is as long.

    Returns:
        None where only the whole file can tell.
    """
    text = _without_bodies(source.text)
    try:
        module = parse(replace(source, text=text))
    except UnparsableError:
        return None
    return model_of(Tree(source, module, text))


def _without_bodies(text: str) -> str:
    pieces: list[str] = []
    done = 0
    for header in _METHOD.finditer(text):
        if header.start() < done:
            continue
        start = _header_end(text, header.end())
        line_end = text.find("\n", start) if start >= 0 else -1
        rest = text[start:line_end].strip() if line_end >= 0 else "unknown"
        if rest and not rest.startswith("#"):
            continue
        end = block_end(text, header.start(), len(header[1].expandtabs())) - 1
        if REGISTERS.search(text, start, end):
            continue
        if end - start > len(_EMPTY) and text[end] == "\n":
            pieces += [text[done:start], _EMPTY.ljust(end - start)]
            done = end
    return "".join([*pieces, text[done:]])


def _header_end(text: str, position: int) -> int:
    """Where the colon that ends a header has been passed; -1 if that is not clear."""
    depth = 0
    for token in _TOKEN.finditer(text, position):
        match token[0]:
            case "(" | "[" | "{":
                depth += 1
            case ")" | "]" | "}":
                depth -= 1
            case ":" if depth == 0:
                return token.end()
            case "'''" | '"""':
                return -1
    return -1
