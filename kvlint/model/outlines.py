# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A file's model without most of its methods, at a fraction of the time."""

from __future__ import annotations

import re
from dataclasses import replace

from kvlint.model.classes import SpecFile
from kvlint.model.functions import block_end
from kvlint.model.reach import Judge
from kvlint.model.reading import model_of
from kvlint.model.syntax import Tree, UnparsableError, parse
from kvlint.sources import Source
from kvlint.vocabulary import REGISTERS

_METHOD = re.compile(
    r"^([ \t]+)(?:async[ \t]+)?def[ \t]+(?!__(?:init|new)__\b)\w+", re.M
)
_LEFT_OUT = "..."


def read_outline(source: Source, judge: Judge | None = None) -> SpecFile | None:
    """Return the model of a file without most of its methods.

    Constructors stay, and so do methods that register managers. Every place in it is
    the one in the file: what stands for the rest is as long.

    Args:
        source: The file.
        judge: Tells what of it the release at hand runs.

    Returns:
        None where only the whole file can tell.
    """
    text = _without_methods(source.text)
    try:
        module = parse(replace(source, text=text))
    except UnparsableError:
        return None
    return model_of(Tree(source, module, text), judge)


def _without_methods(text: str) -> str:
    pieces: list[str] = []
    done = 0
    for header in _METHOD.finditer(text):
        start = _first_decorator(text, header.start(), header[1])
        if start < done or REGISTERS.search(text, start, header.end()):
            continue
        end = block_end(text, header.start(), len(header[1].expandtabs()))
        if REGISTERS.search(text, start, end):
            continue
        has_line_end = text[end - 1] == "\n"
        length = end - start - has_line_end
        stand_in = header[1] + _LEFT_OUT
        pieces += [text[done:start], stand_in.ljust(length), "\n" * has_line_end]
        done = end
    return "".join([*pieces, text[done:]])


def _first_decorator(text: str, start: int, indent: str) -> int:
    """Where the decorators of a method begin that takes up whole lines."""
    while start > 0:
        above = text.rfind("\n", 0, start - 1) + 1
        line = text[above : start - 1]
        if line.startswith(f"{indent}@"):
            start = above
        elif line.startswith((f"{indent})", f"{indent}]", f"{indent}}}")):
            return -1  # a decorator of several lines may end here
        else:
            break
    return start
