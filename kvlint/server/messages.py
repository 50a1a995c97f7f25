# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Findings and their fixes, as the protocol has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path

from kvlint import catalogue
from kvlint.findings import Edit, Finding, Place, Safety, Severity
from kvlint.model.acceptance import common_start
from kvlint.output.view import View
from kvlint.server.positions import Positions
from kvlint.server.projects import Checked
from kvlint.silencing import CommentLines
from kvlint.sources import Source
from kvlint.suppressions import UNUSED

NAME = "kvlint"
FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.{NAME}"
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
}
_REASON = "TODO: say why"
_METADATA = re.compile(r"```toml\n.*?\n```\n+", re.DOTALL)
_CODE = re.compile(r"KV\d{3}\b")


def uri_of(path: Path) -> str:
    """Return a file's name in the protocol."""
    return from_fs_path(str(path)) or ""


@dataclass(frozen=True)
class Speaker:
    """Says what was found in a file.

    Args:
        uri: What the editor calls it.
        version: Which of the editor's texts was checked.
        checked: What was found.
        encoding: How the editor counts columns.
        has_versions: Whether the editor takes edits for a certain text alone.
    """

    uri: str
    version: int
    checked: Checked
    encoding: types.PositionEncodingKind | str
    has_versions: bool = False

    @property
    def _positions(self) -> Positions:
        return Positions(self.checked.source, self.encoding)

    def diagnostics(self) -> list[types.Diagnostic]:
        """Return what is shown in the text."""
        return [self.diagnostic(each) for each in self.checked.findings]

    def diagnostic(self, finding: Finding) -> types.Diagnostic:
        """Return a finding as it is shown."""
        is_needless = finding.code == UNUSED
        return types.Diagnostic(
            self._positions.range(finding.place),
            View.message(finding),
            severity=_SEVERITIES[finding.severity],
            code=finding.code,
            source=NAME,
            tags=[types.DiagnosticTag.Unnecessary] if is_needless else None,
            related_information=[
                types.DiagnosticRelatedInformation(location, each.message)
                for each in finding.related
                if (location := self._location(each.place)) is not None
            ]
            or None,
        )

    def _location(self, place: Place) -> types.Location | None:
        """Where another place is; None if it is in no file on this computer."""
        own = self.checked.source
        source = self.checked.sources.get(place.path)
        if place.path == own.path:
            return types.Location(self.uri, self._positions.range(place))
        if source is None:
            return None
        positions = Positions(source, self.encoding)
        return types.Location(uri_of(place.path), positions.range(place))

    def hover(self, position: types.Position) -> types.Hover | None:
        """Return the documents of the rules that have something to say at a place."""
        line, column = self._positions.place(position)
        found = [x for x in self.checked.findings if _holds(x.place, line, column)]
        texts = {each.code: _document(each.code) for each in found}
        place = found[0].place if found else None
        if place is None:
            place = self._code_at(line, column)
            if place is None:
                return None
            code = self.checked.source.line(line)[
                place.column - 1 : place.end_column - 1
            ]
            texts = {code: _document(code)}
        content = types.MarkupContent(
            types.MarkupKind.Markdown, "\n\n---\n\n".join(texts.values())
        )
        return types.Hover(content, self._positions.range(place))

    def _code_at(self, line: int, column: int) -> Place | None:
        """The code of a rule that is written in a suppression comment."""
        source = self.checked.source
        if line > len(source.line_starts) or NAME not in source.line(line):
            return None
        for match in _CODE.finditer(source.line(line)):
            is_there = match.start() < column <= match.end() + 1
            if is_there and match[0] in catalogue.names():
                end = match.end() + 1
                return Place(source.path, line, match.start() + 1, line, end)
        return None

    def actions(self, chosen: types.Range) -> Iterator[types.CodeAction]:
        """Yield what can be done about the findings on some lines."""
        first, last = chosen.start.line + 1, chosen.end.line + 1
        found = [
            each
            for each in self.checked.findings
            if each.place.line <= last and first <= each.place.end_line
        ]
        for finding in found:
            if finding.fix is not None:
                is_safe = finding.fix.safety is Safety.SAFE
                yield types.CodeAction(
                    finding.fix.title + ("" if is_safe else " (unsafe)"),
                    kind=types.CodeActionKind.QuickFix,
                    diagnostics=[self.diagnostic(finding)],
                    is_preferred=is_safe,
                    edit=self.edit(finding.fix.edits),
                )
        lines = CommentLines(self.checked.source)
        silenced = set()
        for finding in found:
            line = lines.line_for(finding)
            if line is None or (line, finding.code) in silenced:
                continue
            silenced.add((line, finding.code))
            yield types.CodeAction(
                f"Disable {finding.code} for this line",
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[self.diagnostic(finding)],
                edit=self.edit(lines.edits(line, [finding.code], _REASON)),
            )

    @property
    def is_mendable(self) -> bool:
        """Whether a finding can be mended safely."""
        return any(
            each.fix is not None and each.fix.safety is Safety.SAFE
            for each in self.checked.findings
        )

    def mending(self, after: Source) -> types.WorkspaceEdit:
        """Return the edit that makes one text of another."""
        return self.edit([_difference(self.checked.source.text, after.text)])

    def edit(self, edits: Sequence[Edit]) -> types.WorkspaceEdit:
        """Return edits of the file."""
        texts = [self._positions.edit(each) for each in edits]
        if not self.has_versions:
            return types.WorkspaceEdit(changes={self.uri: texts})
        document = types.OptionalVersionedTextDocumentIdentifier(self.uri, self.version)
        return types.WorkspaceEdit(
            document_changes=[types.TextDocumentEdit(document, texts)]
        )


def _document(code: str) -> str:
    """A rule's document for people who have met it."""
    return _METADATA.sub("", catalogue.rules()[code].text, count=1).strip()


def _holds(place: Place, line: int, column: int) -> bool:
    begins, ends = (place.line, place.column), (place.end_line, place.end_column)
    return begins <= (line, column) <= ends


def _difference(before: str, after: str) -> Edit:
    """The shortest stretch that makes one text of another."""
    start = common_start(before, after)
    same = common_start(before[start:][::-1], after[start:][::-1])
    return Edit(start, len(before) - same, after[start : len(after) - same])
