# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A file without most of its functions, at a fraction of the time."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from kvlint.model.blocks import block_end
from kvlint.model.classes import SpecFile
from kvlint.model.reach import Judge
from kvlint.model.reading import model_of
from kvlint.model.syntax import Tree, UnparsableError, parse
from kvlint.sources import Source
from kvlint.vocabulary import REGISTERS

_METHOD = re.compile(
    r"^([ \t]+)(?:async[ \t]+)?def[ \t]+(?!__(?:init|new)__\b)\w+", re.M
)
_FUNCTION = re.compile(r"^([ \t]*)(?:async[ \t]+)?def[ \t]+(?!__init__\b)\w+", re.M)
_OF_RELEASES = re.compile(r"version|hasattr|getattr|find_spec|\bimport\b")
_SHORT, _SHORT_METHOD = 1500, 300
"""Characters of functions that may be helpers of conditions."""
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
    text = source.text
    tree = _parsed(
        source, _METHOD, lambda start, end: REGISTERS.search(text, start, end) is None
    )
    return None if tree is None else model_of(tree, judge)


def read_keyhole(source: Source, offset: int | None = None) -> Tree | None:
    """Return the syntax of a file without long functions that decide no condition.

    Left out are long methods, for what conditions ask of an instance its constructor
    sets, and long functions that do not look at the release. What stays is where it is
    in the file.

    Args:
        source: The file.
        offset: A place in characters; the functions around it stay.

    Returns:
        None where only the whole file can tell.
    """
    text = source.text

    def is_left_out(start: int, end: int) -> bool:
        if offset is not None and start <= offset < end:
            return False
        if source.text[start] in " \t":
            return end - start > _SHORT_METHOD
        is_helper = end - start <= _SHORT or _OF_RELEASES.search(text, start, end)
        return not is_helper

    return _parsed(source, _FUNCTION, is_left_out)


def _parsed(
    source: Source, headers: re.Pattern[str], is_left_out: Callable[[int, int], bool]
) -> Tree | None:
    text = _without(source.text, headers, is_left_out)
    try:
        return Tree(source, parse(replace(source, text=text)), text)
    except UnparsableError:
        return None


def _without(
    text: str, headers: re.Pattern[str], is_left_out: Callable[[int, int], bool]
) -> str:
    pieces: list[str] = []
    done = 0
    for header in headers.finditer(text):
        start = _first_decorator(text, header.start(), header[1])
        if start < done:
            continue
        end = block_end(text, header.start(), len(header[1].expandtabs()))
        if not is_left_out(start, end):
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
