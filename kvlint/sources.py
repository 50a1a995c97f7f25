# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Source files: reading, counting and writing them without losing a byte."""

from __future__ import annotations

import codecs
import re
import tokenize
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kvlint.errors import KvlintError
from kvlint.findings import Edit, Place, apply_edits

_LINE_END = re.compile(r"\r\n?|\n")
_BRACKET = re.compile(r"([(\[{])|[)\]}]")
_DEEPEST = 200
_LONG = 9_000
"""How much may stand in a row: 2,250 terms of a sum, at four each, are no trouble."""
_LONG_LINE = re.compile(rf"[^\n]{{{_LONG // 4}}}")
_TOKEN = re.compile(
    r"""[^\S\r\n]+|\#[^\r\n]*|\\(?:\r\n?|\n)
    |(?P<level>(?:\b[A-Za-z]{1,2})?(?:
        \'\'\'(?s:\\.|.)*?\'\'\'|\"\"\"(?s:\\.|.)*?\"\"\"
        |'(?:\\(?s:.)|[^'\\\r\n])*'|"(?:\\(?s:.)|[^"\\\r\n])*")
        |[-+~]|\b(?:and|or|not|in|is|if|else|for|lambda|await)\b)
    |(?P<word>\w+)|(?P<opened>[(\[{])|(?P<closed>[)\]}])|(?P<comma>[,;])
    |(?P<end>[\r\n])|(?P<operator>[^\w\s()\[\]{},;'"#~+-]+)""",
    re.X,
)
_BYTES_LINE_END = re.compile(rb"\r\n?|\n")


@dataclass(frozen=True)
class Source:
    """A file as it was read.

    Attributes:
        path: Where it was read from.
        content: Its bytes.
        text: Its characters, without a BOM, line ends as they are.
        encoding: The codec of the text, from a BOM or a PEP 263 line.
        has_bom: Whether the file begins with a UTF-8 BOM.
    """

    path: Path
    content: bytes
    text: str
    encoding: str
    has_bom: bool

    @cached_property
    def line_starts(self) -> list[int]:
        """Offsets in characters at which lines begin."""
        if not self._ends_lines_alike:
            return [0, *(match.end() for match in _LINE_END.finditer(self.text))]
        starts, start = [0], 0
        while start := self.text.find("\n", start) + 1:
            starts.append(start)
        return starts

    @cached_property
    def newline(self) -> str:
        """The line end that most of its lines have."""
        both = self.text.count("\r\n")
        counts = {
            "\n": self.text.count("\n") - both,
            "\r\n": both,
            "\r": self.text.count("\r") - both,
        }
        return max(counts, key=lambda each: counts[each])

    def place(self, start: int, end: int) -> Place:
        """Return the place of the characters ``start:end``."""
        return Place(self.path, *self._position(start), *self._position(end))

    def _position(self, offset: int) -> tuple[int, int]:
        """Line and column of a character; of a few, without looking at all lines."""
        if self._ends_lines_alike:
            before = self.text.rfind("\n", 0, offset)
            return self.text.count("\n", 0, offset) + 1, offset - before
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    @cached_property
    def _ends_lines_alike(self) -> bool:
        return "\r" not in self.text

    def offsets(self, place: Place) -> tuple[int, int]:
        """Return the offsets in characters that a place was made of."""
        starts = self.line_starts
        return (
            starts[place.line - 1] + place.column - 1,
            starts[place.end_line - 1] + place.end_column - 1,
        )

    def line(self, number: int) -> str:
        """Return a line by its number from 1, without its line end."""
        starts = self.line_starts
        end = starts[number] if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r\n")

    def native(self, text: str) -> str:
        """Return a text with the file's own line ends, wherever it came from."""
        return _LINE_END.sub(self.newline, text)

    def edited(self, edits: list[Edit]) -> Source:
        """Return the file with edits made, in its own line ends and encoding.

        Raises:
            KvlintError: The new text has no form in the file's encoding.
        """
        native = [Edit(x.start, x.end, self.native(x.text)) for x in edits]
        text = apply_edits(self.text, native)
        bom = codecs.BOM_UTF8 if self.has_bom else b""
        try:
            # Some codecs write one text in several ways: not every byte would stay.
            if bom + self.text.encode(self.encoding) != self.content:
                raise KvlintError(
                    f"{self.path}: cannot write the fix: the file's encoding "
                    f"({self.encoding}) does not give back the bytes as they are"
                )
            content = bom + text.encode(self.encoding)
        except UnicodeError as error:
            reason = getattr(error, "reason", error)
            raise KvlintError(
                f"{self.path}: cannot write the fix in the file's encoding "
                f"({self.encoding}): {reason}"
            ) from error
        return Source(self.path, content, text, self.encoding, self.has_bom)


def read_source(path: Path) -> Source:
    """Read a file.

    Raises:
        KvlintError: It cannot be read, or its bytes do not fit its encoding.
    """
    try:
        return decode_source(path, path.read_bytes())
    except OSError as error:
        raise KvlintError(f"{path}: cannot read: {error.strerror}") from error


def decode_source(path: Path, content: bytes) -> Source:
    """Decode a file's bytes as Python does, by BOM or PEP 263 line.

    Args:
        path: What to call it.
        content: Its bytes.

    Raises:
        KvlintError: The bytes do not fit the encoding, or there is no such encoding.
    """
    has_bom = content.startswith(codecs.BOM_UTF8)
    try:
        # tokenize knows line feeds alone, Python also a file of carriage returns.
        lines = (line + b"\n" for line in _BYTES_LINE_END.split(content, 2)[:2])
        encoding, _ = tokenize.detect_encoding(lambda: next(lines, b""))
        encoding = "utf-8" if encoding == "utf-8-sig" else encoding
        text = content[len(codecs.BOM_UTF8) * has_bom :].decode(encoding)
    except (SyntaxError, UnicodeError, LookupError) as error:
        reason = getattr(error, "msg", None) or str(error)
        raise KvlintError(f"{path}: cannot decode: {reason}") from error
    return Source(path, content, text, encoding, has_bom)


def nests_too_deep(text: str) -> bool:
    """Return whether a text nests deeper than anybody writes.

    That is more brackets inside each other than Python allows, or thousands of
    operators, calls or texts in a row, each of which libcst nests in the next. Its
    parser, or whoever walks its tree, overflows the stack on them, and the whole
    process dies: ask this first.
    """
    depth = deepest = longest = start = 0
    for match in _BRACKET.finditer(text):
        if match[1]:
            if not depth:
                start = match.start()
            depth += 1
            deepest = max(deepest, depth)
        elif depth:
            depth -= 1
            if not depth:
                longest = max(longest, match.end() - start)
    if depth:
        longest = max(longest, len(text) - start)
    # Those in strings and comments do not count: this may take too much for nested.
    may_be_endless = (
        longest > _LONG or text.count("\\\n") > _LONG // 5 or _LONG_LINE.search(text)
    )
    if deepest <= _DEEPEST and not may_be_endless:
        return False
    return _nests_too_deep(text)


def _nests_too_deep(text: str) -> bool:
    """The same, by the tokens: for each open bracket, how deep what is in it may be."""
    depths = [0]
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "level":
            depths[-1] += 3
        elif kind == "operator":
            depths[-1] += 2
        elif kind == "word":
            depths[-1] += 1
        elif kind == "opened":
            depths[-1] += 3
            depths.append(0)
            if len(depths) > _DEEPEST + 1:
                return True
        elif kind == "closed":
            if len(depths) > 1:
                depths.pop()
        elif kind == "comma" or (kind == "end" and len(depths) == 1):
            depths[-1] = 0
        if depths[-1] > _LONG:
            return True
    return False
