# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""An editor for tests: it starts ``kvlint server`` and speaks to it as editors do."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from kvlint.findings import Edit, apply_edits
from kvlint.sources import Source, decode_source

_PATIENCE = 60.0
_ENVIRONMENTS = ("VIRTUAL_ENV", "CONDA_PREFIX")
_Result = TypeVar("_Result")


class Editor:
    """A client of pygls with its own thread, and the texts that are open in it.

    Args:
        folders: The folders that are open.
        options: The editor's settings for kvlint.
        encodings: How it can count columns, the best first; UTF-16 if it says nothing.
    """

    def __init__(
        self,
        *folders: Path,
        options: object = None,
        encodings: Sequence[types.PositionEncodingKind] = (),
    ) -> None:
        """Start the server."""
        self.texts: dict[str, str] = {}
        self.shown: dict[str, tuple[int | None, list[types.Diagnostic]]] = {}
        self.messages: list[str] = []
        self.seconds = 0.0
        self._versions: dict[str, int] = {}
        self._news = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._client = LanguageClient("an editor of the tests", "1")

        @self._client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
        def published(params: types.PublishDiagnosticsParams) -> None:
            with self._news:
                self.shown[params.uri] = params.version, list(params.diagnostics)
                self._news.notify_all()

        @self._client.feature(types.WINDOW_SHOW_MESSAGE)  # type: ignore[untyped-decorator]
        def told(params: types.ShowMessageParams) -> None:
            with self._news:
                self.messages.append(params.message)
                self._news.notify_all()

        self._await(self._start(folders, options, encodings))

    async def _start(
        self,
        folders: Sequence[Path],
        options: object,
        encodings: Sequence[types.PositionEncodingKind],
    ) -> None:
        environment = {
            name: value
            for name, value in os.environ.items()
            if name not in _ENVIRONMENTS
        }
        await self._client.start_io(
            sys.executable, "-m", "kvlint", "server", env=environment
        )
        general = types.GeneralClientCapabilities(position_encodings=list(encodings))
        edits = types.WorkspaceEditClientCapabilities(document_changes=True)
        started = await self._client.initialize_async(
            types.InitializeParams(
                types.ClientCapabilities(
                    workspace=types.WorkspaceClientCapabilities(workspace_edit=edits),
                    general=general if encodings else None,
                ),
                process_id=os.getpid(),
                initialization_options=options,
                workspace_folders=[
                    types.WorkspaceFolder(each.as_uri(), each.name) for each in folders
                ],
            )
        )
        self.capabilities = started.capabilities
        self._client.initialized(types.InitializedParams())

    def _await(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        return future.result(_PATIENCE)

    def stop(self) -> int:
        """Leave in good order, and return the server's exit code."""

        async def leave() -> int:
            await self._client.shutdown_async(None)
            self._client.exit(None)
            assert self._client._server is not None
            return await self._client._server.wait()

        try:
            return self._await(leave())
        finally:
            self._await(self._client.stop())  # type: ignore[no-untyped-call]
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    @property
    def process(self) -> int:
        """The number of the server's process."""
        assert self._client._server is not None
        return self._client._server.pid

    # What its user does.

    def open(self, path: Path, text: str | None = None) -> list[str]:
        """Open a file, and return what is shown in it.

        Args:
            path: The file.
            text: What is in it; by default what is on disk.
        """
        uri = path.as_uri()
        if text is None:
            text = decode_source(path, path.read_bytes()).text
        self.texts[uri], self._versions[uri] = text, 1
        began = time.perf_counter()
        item = types.TextDocumentItem(uri, "python", 1, text)
        self._client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return self._seen(uri, began)

    def change(self, path: Path, text: str) -> list[str]:
        """Change a text, and return what is shown in it then."""
        uri = path.as_uri()
        self.texts[uri] = text
        self._versions[uri] += 1
        began = time.perf_counter()
        self._client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self._versions[uri], uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )
        return self._seen(uri, began)

    def replace(self, path: Path, old: str, new: str) -> list[str]:
        """Replace a part of a text that it has once."""
        text = self.texts[path.as_uri()]
        assert text.count(old) == 1, old
        return self.change(path, text.replace(old, new))

    def close(self, path: Path) -> None:
        """Close a file."""
        document = types.TextDocumentIdentifier(path.as_uri())
        self._client.text_document_did_close(types.DidCloseTextDocumentParams(document))
        self.until(lambda: not self.shown[path.as_uri()][1])
        del self.texts[path.as_uri()]

    def tell(self, path: Path, what: types.FileChangeType) -> None:
        """Tell that a file on disk was changed."""
        event = types.FileEvent(path.as_uri(), what)
        self._client.workspace_did_change_watched_files(
            types.DidChangeWatchedFilesParams([event])
        )

    def configure(self, settings: object) -> None:
        """Change the editor's settings for kvlint."""
        self._client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"kvlint": settings})
        )

    def actions(
        self, path: Path, only: str | None = None
    ) -> dict[str, types.CodeAction]:
        """Return what can be done about all of a text, by titles."""
        document = types.TextDocumentIdentifier(path.as_uri())
        everything = types.Range(types.Position(0, 0), types.Position(1 << 20, 0))
        context = types.CodeActionContext([], [only] if only else None)
        found = self._await(
            self._client.text_document_code_action_async(
                types.CodeActionParams(document, everything, context)
            )
        )
        actions = [each for each in found or () if isinstance(each, types.CodeAction)]
        return {each.title: each for each in actions}

    def apply(self, path: Path, action: types.CodeAction) -> list[str]:
        """Do what an action says, and return what is shown in the file then."""
        assert action.edit is not None and action.edit.document_changes is not None
        (change,) = action.edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        uri = path.as_uri()
        assert change.text_document.version == self._versions[uri]
        text = self.texts[uri]
        source = decode_source(path, text.encode())
        edits = []
        for each in change.edits:
            assert isinstance(each, types.TextEdit)
            start = self.offset(source, each.range.start)
            end = self.offset(source, each.range.end)
            edits.append(Edit(start, end, each.new_text))
        return self.change(path, apply_edits(text, edits))

    def offset(self, source: Source, position: types.Position) -> int:
        """Return the place in a text of a position, as the encoding has it."""
        encoding = str(self.capabilities.position_encoding or "utf-16")
        codec, size = {"utf-8": ("utf-8", 1)}.get(encoding, ("utf-16-le", 2))
        line = source.line(position.line + 1).encode(codec)
        before = line[: position.character * size].decode(codec)
        return source.line_starts[position.line] + len(before)

    def hover(self, path: Path, line: int, character: int) -> str | None:
        """Return what is said where the mouse points."""
        document = types.TextDocumentIdentifier(path.as_uri())
        position = types.Position(line, character)
        found = self._await(
            self._client.text_document_hover_async(
                types.HoverParams(document, position)
            )
        )
        if found is None:
            return None
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    # What it sees.

    def _seen(self, uri: str, began: float) -> list[str]:
        version = self._versions[uri]
        self.until(lambda: uri in self.shown and self.shown[uri][0] == version)
        self.seconds = time.perf_counter() - began
        return self.codes(uri)

    def codes(self, uri: str | Path) -> list[str]:
        """Return the codes that are shown in a file."""
        uri = uri.as_uri() if isinstance(uri, Path) else uri
        return [str(each.code) for each in self.shown[uri][1]]

    def message(self, path: Path) -> str:
        """Return the message of the first finding that is shown in a file."""
        return self.shown[path.as_uri()][1][0].message

    def until(self, condition: Any) -> None:
        """Wait until something is so."""
        with self._news:
            assert self._news.wait_for(condition, _PATIENCE), self.shown
