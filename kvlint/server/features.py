# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What the server answers to, as pygls wants to be told."""

from __future__ import annotations

from lsprotocol import types

from kvlint.server.language_server import KvlintServer
from kvlint.server.messages import FIX_ALL, NAME

_SAY_HOW = (
    "**/pyproject.toml",
    "**/.gitignore",
    "**/kvlint-baseline.json",
    "**/requirements*.txt",
    "**/setup.{py,cfg}",
)


def listening() -> KvlintServer:
    """Return a server that answers to what editors say."""
    server = KvlintServer()

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.begin(params.initialization_options)

    @server.feature(types.INITIALIZED)
    async def initialized(_: types.InitializedParams) -> None:
        workspace = server.client_capabilities.workspace
        watching = None if workspace is None else workspace.did_change_watched_files
        if watching is not None and watching.dynamic_registration:
            await _watch(server)
        await ask_for_settings()

    async def ask_for_settings(given: object = None) -> None:
        workspace = server.client_capabilities.workspace
        if workspace is not None and workspace.configuration:
            items = [types.ConfigurationItem(section=NAME)]
            params = types.ConfigurationParams(items)
            (given,) = await server.workspace_configuration_async(params) or [None]
        server.configure(given)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def settings(params: types.DidChangeConfigurationParams) -> None:
        await ask_for_settings(params.settings)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        server.put(document.uri, document.version, document.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        document = server.workspace.get_text_document(params.text_document.uri)
        server.put(document.uri, document.version or 0, document.source)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.close(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        uri = params.text_document.uri
        if uri.endswith("/pyproject.toml"):
            server.notice([types.FileEvent(uri, types.FileChangeType.Changed)])

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: types.DidChangeWatchedFilesParams) -> None:
        server.notice(params.changes)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        speaker = await server.speaker(params.text_document.uri)
        return None if speaker is None else speaker.hover(params.position)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(
            [types.CodeActionKind.QuickFix, FIX_ALL], resolve_provider=True
        ),
    )
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        return await server.actions(params)

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        return await server.resolved(action)

    return server


async def _watch(server: KvlintServer) -> None:
    """Ask the editor to tell of files that others change."""
    patterns = ("**/*.{py,pyi}", *_SAY_HOW)
    options = types.DidChangeWatchedFilesRegistrationOptions(
        [types.FileSystemWatcher(each) for each in patterns]
    )
    method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
    registration = types.Registration("kvlint-files", method, options)
    await server.client_register_capability_async(
        types.RegistrationParams([registration])
    )
