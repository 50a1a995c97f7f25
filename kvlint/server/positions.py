# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Places as kvlint counts them, and as editors do."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types

from kvlint.findings import Edit, Place
from kvlint.sources import Source

_CODECS = {
    types.PositionEncodingKind.Utf8: ("utf-8", 1),
    types.PositionEncodingKind.Utf16: ("utf-16-le", 2),
    types.PositionEncodingKind.Utf32: ("utf-32-le", 4),
}


@dataclass(frozen=True)
class Positions:
    """Turns places in one file into an editor's, and back.

    Args:
        source: The file.
        encoding: The units in which the editor counts columns.
    """

    source: Source
    encoding: types.PositionEncodingKind | str = types.PositionEncodingKind.Utf16

    def range(self, place: Place) -> types.Range:
        """Return what an editor calls a place."""
        return types.Range(
            self._position(place.line, place.column),
            self._position(place.end_line, place.end_column),
        )

    def edit(self, edit: Edit) -> types.TextEdit:
        """Return what an editor calls an edit, with the line ends of the file."""
        place = self.source.place(edit.start, edit.end)
        return types.TextEdit(self.range(place), self.source.native(edit.text))

    def place(self, position: types.Position) -> tuple[int, int]:
        """Return the line and column, from 1, of a position in an editor."""
        number = position.line + 1
        if number > len(self.source.line_starts):
            return number, 1
        codec, size = self._codec
        text = self.source.line(number).encode(codec, "surrogatepass")
        before = text[: position.character * size]
        return number, len(before.decode(codec, "ignore")) + 1

    def _position(self, line: int, column: int) -> types.Position:
        if line > len(self.source.line_starts):
            return types.Position(line - 1, 0)
        codec, size = self._codec
        before = self.source.line(line)[: column - 1]
        units = len(before.encode(codec, "surrogatepass")) // size
        return types.Position(line - 1, units)

    @property
    def _codec(self) -> tuple[str, int]:
        return _CODECS[types.PositionEncodingKind(self.encoding)]
