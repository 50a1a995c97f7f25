# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The protocol: what an editor says and asks, and what it is told."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from kvlint import __version__
from kvlint.server.complaints import complaints
from kvlint.server.editor_settings import read_settings
from kvlint.server.messages import FIX_ALL, NAME, Speaker, uri_of
from kvlint.server.session import Answer, Session
from kvlint.server.worker import Worker
from kvlint.walking import SUFFIXES

_PATIENCE = 10.0
"""Seconds that a question waits for the text to be checked that it is about."""


class KvlintServer(LanguageServer):
    """A server for one editor, with the folders that it has open."""

    def __init__(self) -> None:
        """Listen to nobody yet."""
        # pygls takes form feeds for line ends, which editors do not: so they send
        # whole texts, and nobody has to agree on lines.
        super().__init__(NAME, __version__, types.TextDocumentSyncKind.Full)
        self._answers: dict[Path, tuple[str, Answer]] = {}
        self._uris: dict[Path, str] = {}
        self._complained: dict[Path, list[types.Diagnostic]] = {}
        self._problems: dict[Path, str] = {}
        self._worker: Worker | None = None
        self._options: Any = None

    # What the editor says.

    def begin(self, options: object) -> None:
        """Start to work."""
        self._options = options
        loop = asyncio.get_running_loop()
        self._worker = Worker(
            Session(self._settings(options)),
            lambda answer: _call(loop, self._take, answer),
            lambda session: _call(loop, self._complain, dict(session.problems)),
        )

    def configure(self, options: object) -> None:
        """Go by other settings."""
        settings = self._settings(options if options else self._options)
        self.worker.do(lambda session: session.use(settings))

    def put(self, uri: str, version: int, text: str) -> None:
        """Take the text of a file."""
        path = _path(uri)
        if path is not None and path.name.endswith(SUFFIXES):
            self._uris[path] = uri
            self.worker.do(lambda session: session.put(path, version, text))

    def close(self, uri: str) -> None:
        """Take notice that a file is closed."""
        path = _path(uri)
        if path in self._uris:
            self.worker.do(lambda session: session.close(path))

    def notice(self, changes: Sequence[types.FileEvent]) -> None:
        """Take notice of changed files."""
        same: list[Path] = []
        other: list[Path] = []
        for each in changes:
            path = _path(each.uri)
            if path is not None:
                is_changed = each.type is types.FileChangeType.Changed
                is_code = path.name.endswith(SUFFIXES) and path.name != "setup.py"
                (same if is_changed and is_code else other).append(path)
        self.worker.do(lambda session: session.change_on_disk(same, is_other=False))
        self.worker.do(lambda session: session.change_on_disk(other, is_other=True))

    @property
    def worker(self) -> Worker:
        """Who does the work."""
        assert self._worker is not None
        return self._worker

    def _settings(self, options: object) -> Any:
        settings, mistakes = read_settings(options)
        for each in mistakes:
            self._show(each)
        return settings

    # What it is told.

    def _take(self, answer: Answer) -> None:
        uri = self._uris.get(answer.path)
        if uri is None:
            return
        if answer.checked is None or answer.version is None:
            self._answers.pop(answer.path, None)
            self._publish(uri, [])
            return
        before = self._answers.get(answer.path)
        self._answers[answer.path] = uri, answer
        if before is None or before[1] != answer:
            diagnostics = self._speaker(uri, answer).diagnostics()
            self._publish(uri, diagnostics, answer.version)

    def _complain(self, problems: dict[Path, str]) -> None:
        if problems == self._problems:
            return
        for root, message in problems.items():
            if self._problems.get(root) != message:
                self._show(message)
        found = complaints(problems)
        for path in {*self._complained, *found}:
            self._publish(uri_of(path), found.get(path, []))
        self._problems, self._complained = problems, found

    def _show(self, message: str) -> None:
        text = f"kvlint: {message}"
        self.window_show_message(types.ShowMessageParams(types.MessageType.Error, text))

    def _publish(
        self,
        uri: str,
        diagnostics: Sequence[types.Diagnostic],
        version: int | None = None,
    ) -> None:
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, diagnostics, version)
        )

    # What it asks.

    async def speaker(self, uri: str) -> Speaker | None:
        """Return who speaks about the text that the editor shows, None if nobody."""
        path = _path(uri)
        if path not in self._uris or self._worker is None:
            return None
        version = self.workspace.get_text_document(uri).version
        until = time.monotonic() + _PATIENCE
        while True:
            is_idle = self._worker.is_idle
            await asyncio.sleep(0)  # what the worker has said by then is heard
            _, answer = self._answers.get(path, (uri, None))
            if answer is not None and answer.version == version:
                return self._speaker(uri, answer)
            if is_idle or time.monotonic() > until:
                return None
            await asyncio.sleep(0.005)

    async def actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """Return what can be done about a part of a text."""
        speaker = await self.speaker(params.text_document.uri)
        if speaker is None:
            return []
        only = params.context.only
        found: list[types.CodeAction] = []
        if _is_wanted(types.CodeActionKind.QuickFix.value, only):
            found += speaker.actions(params.range)
        if _is_wanted(FIX_ALL, only) and speaker.is_mendable:
            action = types.CodeAction("Fix all that kvlint can fix safely", FIX_ALL)
            action.data = {"uri": speaker.uri}
            if not self._resolves_edits:
                action = await self.resolved(action)
            found.append(action)
        return found

    async def resolved(self, action: types.CodeAction) -> types.CodeAction:
        """Return an action with its edit."""
        data = action.data
        uri = data.get("uri") if isinstance(data, dict) else getattr(data, "uri", None)
        path = _path(uri) if isinstance(uri, str) else None
        speaker = await self.speaker(uri) if isinstance(uri, str) else None
        if speaker is None or path is None:
            return action
        work = self.worker.do(lambda session: session.mended(path))
        after = await asyncio.wrap_future(work)
        if after is not None:
            action.edit = speaker.mending(after)
        return action

    def _speaker(self, uri: str, answer: Answer) -> Speaker:
        assert answer.checked is not None
        return Speaker(
            uri,
            answer.version or 0,
            answer.checked,
            self.workspace.position_encoding or types.PositionEncodingKind.Utf16,
            self._takes_versions,
        )

    @property
    def _takes_versions(self) -> bool:
        workspace = self.client_capabilities.workspace
        edits = None if workspace is None else workspace.workspace_edit
        return bool(edits is not None and edits.document_changes)

    @property
    def _resolves_edits(self) -> bool:
        document = self.client_capabilities.text_document
        action = None if document is None else document.code_action
        support = None if action is None else action.resolve_support
        return support is not None and "edit" in support.properties


def _is_wanted(kind: str, only: Sequence[str] | None) -> bool:
    """Whether an editor that asks for some kinds of actions asks for this one."""
    if only is None:
        return True
    wanted = [getattr(each, "value", each) for each in only]
    return any(f"{kind}.".startswith(f"{each}.") or not each for each in wanted)


def _path(uri: str) -> Path | None:
    """The file that a URI names; None if it names none on this computer."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return None if path is None else Path(os.path.abspath(path))


def _call(loop: asyncio.AbstractEventLoop, function: Any, *arguments: object) -> None:
    """Call something in the thread that listens, unless that has stopped."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(function, *arguments)
