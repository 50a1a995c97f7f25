# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A package index on this machine, with archives that are made as they are needed."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import tarfile
import threading
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

JSON = "application/vnd.pypi.simple.v1+json"


def sdist(top: str, files: Mapping[str, str], *more: tarfile.TarInfo) -> bytes:
    """Return a .tar.gz.

    Args:
        top: The folder that everything is in.
        files: Texts by path below that folder.
        more: Members without content, as they are.
    """
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for path, text in files.items():
            member = tarfile.TarInfo(f"{top}/{path}" if top else path)
            content = text.encode()
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for member in more:
            archive.addfile(member)
    return made.getvalue()


def wheel(files: Mapping[str, str], *more: tuple[zipfile.ZipInfo, str]) -> bytes:
    """Return a zip file of texts by path, and further members as they are."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files.items():
            archive.writestr(path, text)
        for info, text in more:
            archive.writestr(info, text)
    return made.getvalue()


@dataclass
class LocalIndex:
    """What the index has, and what was asked of it.

    Attributes:
        url: Its address.
        files: The archives by name.
        pages: What the index says of them, by the distribution's name.
        asked: The paths of the requests so far.
        logins: The header ``Authorization`` of each request, if it had one.
        fault: The status that every request gets; 0 for none.
        torn: Whether only the first half of each archive arrives.
        stalled: Whether the second half waits for ``go_on``.
        go_on: See there.
        anywhere: The host that archives are on, if it is another.
    """

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    pages: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    logins: list[str | None] = field(default_factory=list)
    fault: int = 0
    torn: bool = False
    stalled: bool = False
    go_on: threading.Event = field(default_factory=threading.Event)
    anywhere: str = ""

    def add(
        self,
        filename: str,
        content: bytes,
        *,
        hashes: Mapping[str, str] | None = None,
        yanked: bool = False,
        size: int | None = None,
    ) -> None:
        """Publish an archive.

        Args:
            filename: Whose first part is the distribution's name.
            content: The archive.
            hashes: What the index says of it; by default what is right.
            yanked: Whether it was withdrawn.
            size: What the index says of it; by default what is right.
        """
        right = {"sha256": hashlib.sha256(content).hexdigest()}
        self.files[filename] = content
        self.pages.setdefault(filename.split("-")[0].replace("_", "-"), []).append(
            {
                "filename": filename,
                "url": f"{self.anywhere}/files/{filename}",
                "hashes": right if hashes is None else hashes,
                "yanked": yanked,
                "size": len(content) if size is None else size,
            }
        )

    def release(self, name: str, version: str, files: Mapping[str, str]) -> None:
        """Publish an sdist of some texts."""
        top = f"{name.replace('-', '_')}-{version}"
        self.add(f"{top}.tar.gz", sdist(top, files))

    def answer(self, path: str) -> tuple[str, bytes] | None:
        """Return what the index says to a request: its type, and bytes."""
        *_, kind, name = path.strip("/").split("/")
        if kind == "files" and name in self.files:
            return "application/octet-stream", self.files[name]
        if kind == "simple" and name in self.pages:
            page = {
                "meta": {"api-version": "1.1"},
                "name": name,
                "files": self.pages[name],
                "versions": [],
            }
            return JSON, json.dumps(page).encode()
        return None


@contextlib.contextmanager
def served() -> Iterator[LocalIndex]:
    """Serve an empty index on this machine alone."""
    index = LocalIndex()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            index.asked.append(self.path)
            index.logins.append(self.headers.get("Authorization"))
            found = index.answer(self.path)
            if index.fault or found is None:
                self.send_error(index.fault or 404)
                return
            kind, content = found
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            half = len(content) // 2 if kind != JSON else 0
            self.wfile.write(content[:half])
            if index.stalled and half:
                self.wfile.flush()
                index.go_on.wait()
            if not (index.torn and half):
                with contextlib.suppress(ConnectionError):
                    self.wfile.write(content[half:])

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        index.url = f"http://127.0.0.1:{server.server_port}/simple/"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield index
        finally:
            server.shutdown()
            thread.join()
