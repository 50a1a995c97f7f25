# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A package index: which archives of a distribution it has, and bringing one.

It needs pypi-simple, from the extra ``audit``, and imports it only when it asks.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit, urlunsplit

from packaging.version import InvalidVersion, Version

from kvlint.auditing.archives import suffix_of
from kvlint.errors import KvlintError
from kvlint.progress import Step

if TYPE_CHECKING:
    from types import TracebackType

    from pypi_simple import DistributionPackage, PyPISimple

PYPI = "https://pypi.org/simple/"
# In the order in which they count: uv's two, then pip's.
VARIABLES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL")
MOST_BYTES = 4_000_000_000
_CERTIFICATES = ("PIP_CERT", "SSL_CERT_FILE")
_NAME = re.compile(r"^[A-Za-z0-9_.-]+=(?=https?:)")
_SECURE = frozenset({"sha256", "sha384", "sha512"})
_SECONDS = 60


@dataclass(frozen=True)
class Archive:
    """An sdist or a wheel on an index.

    Attributes:
        name: The distribution's name in its normal form.
        version: Which release.
        filename: What the index calls it.
        size: In bytes, if the index says so.
        is_sdist: Whether it is an sdist.
        is_yanked: Whether it was withdrawn.
        package: What pypi-simple says of it.
    """

    name: str
    version: Version
    filename: str
    size: int | None
    is_sdist: bool
    is_yanked: bool
    package: DistributionPackage

    @property
    def rank(self) -> tuple[bool, float, bool, str]:
        """What sorts the archives of a release: an sdist, else the smallest wheel."""
        size = float("inf") if self.size is None else self.size
        is_pure = self.filename.endswith("-none-any.whl")
        return not self.is_sdist, size, not is_pure, self.filename


class Index:
    """A package index.

    Args:
        url: What ``--index-url`` says. Else the variables of uv and pip count, then it
            is PyPI.

    Attributes:
        url: Its address, without a login.

    Raises:
        KvlintError: The address is none of http or https.
    """

    def __init__(self, url: str | None = None) -> None:
        """Ask nothing yet."""
        named = [url, *map(os.environ.get, VARIABLES), PYPI]
        parts = urlsplit(_NAME.sub("", next(each for each in named if each)))
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise KvlintError(
                f"{parts.geturl()}: no package index; its address begins with https://"
            )
        host = parts.netloc.rpartition("@")[2]
        path = parts.path.rstrip("/") + "/"
        self.url = urlunsplit((parts.scheme, host, path, parts.query, ""))
        self._origin = (parts.scheme, host)
        self._login = ""
        if parts.username is not None:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            self._login = f"Basic {base64.b64encode(pair.encode()).decode()}"

    @property
    def key(self) -> str:
        """What tells this index from others, fit to be a folder's name."""
        if self.url == PYPI:
            return "pypi"
        host = re.sub(r"[^a-z0-9.-]", "-", self._origin[1].lower()).strip(".")
        return f"{host}-{hashlib.sha256(self.url.encode()).hexdigest()[:8]}"

    def archives(self, name: str) -> list[Archive]:
        """Return the sdists and wheels of a distribution.

        Args:
            name: The distribution's name in its normal form.

        Raises:
            KvlintError: There is no such distribution, the index cannot be asked, or
                the extra is not installed.
        """
        with self._asked(name) as client:
            page = client.get_project_page(
                name, timeout=_SECONDS, headers=self._headers(self.url)
            )
        found = []
        for each in page.packages:
            is_known = each.package_type in ("sdist", "wheel")
            if not is_known or not suffix_of(each.filename):
                continue
            try:
                version = Version(each.version or "")
            except InvalidVersion:
                continue  # no version is meant by that today
            is_sdist = each.package_type == "sdist"
            archive = Archive(
                name, version, each.filename, each.size, is_sdist, each.is_yanked, each
            )
            found.append(archive)
        return found

    def download(self, archive: Archive, target: Path) -> None:
        """Bring an archive and compare it with the index's hash of it.

        Args:
            archive: What to bring.
            target: The file to write; it is there only if all went well.

        Raises:
            KvlintError: It cannot be had, has no hash or another one, or is too large.
        """
        package = archive.package
        if not _SECURE & {*package.digests}:
            raise KvlintError(
                f"{archive.filename}: not brought: the index gives no SHA-2 hash of it"
            )
        with self._asked(archive.filename) as client:
            client.download_package(
                package,
                target,
                progress=_Meter.of(archive.filename),
                timeout=_SECONDS,
                headers=self._headers(package.url),
            )

    def _headers(self, url: str) -> dict[str, str] | None:
        """The login, for the index's own host alone."""
        parts = urlsplit(url)
        own = (parts.scheme, parts.netloc.rpartition("@")[2]) == self._origin
        return {"Authorization": self._login} if self._login and own else None

    @contextmanager
    def _asked(self, what: str) -> Iterator[PyPISimple]:
        """Give a client, whose errors become one line."""
        try:
            import ssl

            import pypi_simple
            import requests
        except ImportError as error:
            raise KvlintError(
                "to bring distributions kvlint needs one more package: "
                "`pip install 'kvlint[audit]'`"
            ) from error
        session = requests.Session()
        session.headers["User-Agent"] = f"kvlint {pypi_simple.client.USER_AGENT}"
        # The system's own store, as pip has it; requests knows only what it brings.
        system = ssl.get_default_verify_paths().cafile
        certificates = [*map(os.environ.get, _CERTIFICATES), system]
        session.verify = next((each for each in certificates if each), True)
        try:
            with (
                warnings.catch_warnings(
                    action="ignore", category=pypi_simple.UnexpectedRepoVersionWarning
                ),
                pypi_simple.PyPISimple(self.url, session=session) as client,
            ):
                yield client
        except pypi_simple.NoSuchProjectError as error:
            message = f"{what}: there is no such distribution on {self.url}"
            raise KvlintError(message) from error
        except pypi_simple.DigestMismatchError as error:
            raise KvlintError(
                f"{what}: not used: it is not what the index says ({error.algorithm} "
                f"{error.actual_digest[:16]}…, not {error.expected_digest[:16]}…)"
            ) from error
        except requests.Timeout as error:
            message = f"{what}: no answer from {self.url} in {_SECONDS} seconds"
            raise KvlintError(message) from error
        except requests.HTTPError as error:
            status = error.response.status_code if error.response is not None else "?"
            message = f"{what}: {self.url} answers with HTTP {status}"
            raise KvlintError(message) from error
        except requests.RequestException as error:
            reason = type(error).__name__
            message = f"{what}: cannot reach {self.url} ({reason})"
            raise KvlintError(message) from error
        except (OSError, ValueError, pypi_simple.UnsupportedRepoVersionError) as error:
            told = shorten(str(error), 200, placeholder=" …")
            raise KvlintError(f"{what}: cannot be brought: {told}") from error


class _Meter:
    """Counts what is downloaded, tells it, and stops what has no end."""

    def __init__(self, filename: str, size: int | None) -> None:
        self._filename, self._step, self._brought = filename, Step(""), 0
        self._of = "" if size is None else f" of {_megabytes(size)}"
        self.update(0 if size is None or size <= MOST_BYTES else size)

    @classmethod
    def of(cls, filename: str) -> Callable[[int | None], _Meter]:
        return lambda size: cls(filename, size)

    def __enter__(self) -> _Meter:
        self._step.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._step.__exit__()

    def update(self, increment: int) -> None:
        self._brought += increment
        if self._brought > MOST_BYTES:
            most = MOST_BYTES // 1_000_000
            raise KvlintError(f"{self._filename}: refused: it has over {most:,} MB")
        self._step.text = f"{_megabytes(self._brought)}{self._of}"


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:,.1f} MB"
