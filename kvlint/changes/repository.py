# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A git repository, of which is only read: where a change began and what it touches.

Nothing of what a repository's own configuration names is run: no hook, filter, monitor,
differ or remote helper. So plumbing alone is asked, and nothing is fetched.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath

from kvlint.errors import KvlintError
from kvlint.walking import SUFFIXES, upwards

_KEPT = ("GIT_CONFIG_", "GIT_CEILING_", "GIT_DISCOVERY_", "GIT_EXEC_PATH")
"""Variables that count. The others, which git sets for its hooks, name one repository,
one index or one object store, which may be another than the one that is checked."""
_QUIET = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}
_OPTIONS = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_PLAIN_DIFF = (
    "--raw",
    "-r",
    "-z",
    "--no-abbrev",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=all",
)
_FILTERS = r"^filter\..*\.(clean|process)$"
_FILE_MODES = (b"100644", b"100755")
_METADATA = frozenset({"pyproject.toml", "setup.cfg", "PKG-INFO", "METADATA"})
_LINE_END = re.compile(rb"\r\n?")
_FETCH = "fetch it: `git fetch --unshallow`, or `fetch-depth: 0` of actions/checkout"


class Repository:
    """The repository that a folder is in.

    Args:
        folder: A folder of its working tree.

    Raises:
        KvlintError: There is no repository, or no git.
    """

    def __init__(self, folder: Path) -> None:
        """Look up where it begins."""
        self._folder = folder
        self.top = self._find_top()

    def merge_base(self, revision: str) -> str:
        """Return the commit at which a change began that may go into a revision.

        Args:
            revision: A branch, a tag, a hash or whatever else git takes for a commit.

        Raises:
            KvlintError: There is no such commit, or it has none in common with HEAD.
        """
        other, named = self._commit(revision), f'"{" ".join(revision.splitlines())}"'
        if other is None:
            raise KvlintError(f"--since: there is no commit {named}; {self._try()}")
        if (head := self._commit("HEAD")) is None:
            raise KvlintError("--since: nothing is committed here yet")
        found = self._git("merge-base", other, head, may_fail=True).split()
        if not found:
            told = f"HEAD and {named} have no commit in common"
            raise KvlintError(f"--since: {told}; {self._try()}")
        return found[0].decode()

    def _try(self) -> str:
        """What to do about a commit that is not there."""
        if self._git("rev-parse", "--is-shallow-repository").strip() == b"true":
            return f"this clone is shallow: {_FETCH}"
        return "name a branch, tag or hash that `git log` knows, such as origin/main"

    def changes(self, base: str) -> dict[Path, bytes | None]:
        """Return what a commit has of the files that are not so in the working tree.

        Files that are staged, changed, or new and not ignored all count; of submodules
        nothing does.

        Args:
            base: The commit's hash.

        Returns:
            The content of each Python file, and of what may say which vLLM is meant;
            None for those that it does not have as ordinary files.

        Raises:
            KvlintError: git fails, or this clone lacks some contents.
        """
        blobs: dict[Path, bytes | None] = {}
        for name in _texts(
            self._git("ls-files", "--others", "--exclude-standard", "-z")
        ):
            if is_read(name):
                blobs[self.top / name] = None
        fields = iter(_texts(self._git("diff-index", *_PLAIN_DIFF, base, "--")))
        for field, name in zip(fields, fields, strict=False):
            mode, _, blob, *_ = os.fsencode(field.removeprefix(":")).split()
            if is_read(name):
                blobs[self.top / name] = blob if mode in _FILE_MODES else None
        contents = self._contents({each for each in blobs.values() if each is not None})
        found = {path: blob and contents[blob] for path, blob in blobs.items()}
        return {path: text for path, text in found.items() if _differs(path, text)}

    def _contents(self, blobs: set[bytes]) -> Mapping[bytes, bytes]:
        asked = b"".join(each + b"\n" for each in sorted(blobs))
        answer = self._git("cat-file", "--batch", stdin=asked)
        found, at = {}, 0
        while at < len(answer):
            end = answer.index(b"\n", at)
            name, *rest = answer[at:end].split()
            if rest[0] != b"blob":
                raise KvlintError(
                    "--since: this clone is partial and lacks files of the base; "
                    "`git diff` against it brings them"
                )
            start = end + 1
            at = start + int(rest[1])
            found[name] = answer[start:at]
            at += 1
        return found

    def _commit(self, revision: str) -> str | None:
        """Return the hash of a commit, None if there is none of that name."""
        if "\n" in revision:
            return None
        # By standard input, so that no name is ever taken for an option.
        asked = os.fsencode(f"{revision}^{{commit}}\n")
        fields = self._git("cat-file", "--batch-check", stdin=asked).split()
        is_commit = len(fields) == 3 and fields[1] == b"commit"
        return fields[0].decode() if is_commit else None

    def _find_top(self) -> Path:
        """The working tree's folder, spelled as the folder is that was given."""
        told = self._git("rev-parse", "--show-toplevel", plain=True)
        top = os.fsdecode(told.removesuffix(b"\n"))
        for each in upwards(os.fspath(self._folder)):
            if os.path.samefile(each, top):
                return Path(each)
        raise KvlintError(
            f"--since: a symlink leads to {self._folder} in {top}; run kvlint there"
        )

    @cached_property
    def _unfiltered(self) -> list[str]:
        """Options that turn off filters, which git would run to compare files."""
        told = self._git(
            "config", "-z", "--name-only", "--get-regexp", _FILTERS, plain=True
        )
        names = list(dict.fromkeys(_texts(told)))
        odd = next((each for each in names if "=" in each), None)
        if odd is not None:
            raise KvlintError(f"--since: git's {odd!r} cannot be turned off; unset it")
        filters = dict.fromkeys(each.rpartition(".")[0] for each in names)
        return [
            part
            for each in filters
            for key in ("clean=", "process=", "required=false")
            for part in ("-c", f"{each}.{key}")
        ]

    def _git(
        self,
        *arguments: str,
        stdin: bytes = b"",
        plain: bool = False,
        may_fail: bool = False,
    ) -> bytes:
        """Return what git prints.

        Args:
            arguments: The command and its arguments.
            stdin: What it reads.
            plain: Whether it needs no working tree, and may find nothing.
            may_fail: Whether it may find nothing.

        Raises:
            KvlintError: It fails.
        """
        folder, unfiltered = self._folder, []
        if not plain:
            folder, unfiltered = self.top, self._unfiltered
        environment = {k: v for k, v in os.environ.items() if _is_kept(k)} | _QUIET
        try:
            ran = subprocess.run(
                ["git", *_OPTIONS, *unfiltered, *arguments],
                cwd=folder,
                env=environment,
                input=stdin,
                capture_output=True,
                check=False,
            )
        except OSError as error:
            told = f"git cannot be run: {error.strerror}"
            raise KvlintError(f"--since: {told}") from error
        nothing = ran.returncode == 1 and not ran.stderr
        if ran.returncode and not (nothing and (plain or may_fail)):
            told = ran.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
            raise KvlintError(
                f"--since: {told.removeprefix('fatal: ') or 'git failed'}"
            )
        return ran.stdout


def _is_kept(variable: str) -> bool:
    return not variable.startswith("GIT_") or variable.startswith(_KEPT)


def _texts(output: bytes) -> Iterator[str]:
    return (os.fsdecode(each) for each in output.split(b"\0")[:-1])


def is_read(name: str) -> bool:
    """Return whether kvlint reads a file.

    Args:
        name: Its path, which tells whether it is code, or may say what vLLM is meant.
    """
    if name.endswith(SUFFIXES):
        return True
    path = PurePosixPath(name)
    lists = path.name.startswith("requirements") or path.parent.name == "requirements"
    return path.name in _METADATA or (path.suffix == ".txt" and lists)


def _differs(path: Path, before: bytes | None) -> bool:
    """Whether a file is not as it was, but for the ends of its lines."""
    try:
        now = path.read_bytes()
    except OSError:
        return before is not None
    return before is None or _LINE_END.sub(b"\n", now) != _LINE_END.sub(b"\n", before)
