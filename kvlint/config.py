# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Configuration: ``[tool.kvlint]`` and the command line, with every mistake at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from kvlint.errors import KvlintError
from kvlint.findings import Severity
from kvlint.patterns import fits
from kvlint.settings import EVERY_RULE, Agreement, Reader, tools

# A file that does not parse is work undone, not a finding that one may not care for.
_UNPARSABLE = "KV900"


@dataclass(frozen=True, slots=True)
class Config:
    """What is in force.

    Attributes:
        root: The folder of the pyproject that was read, else the working directory.
        select: Codes or their beginnings that are reported.
        ignore: Codes or their beginnings that are not.
        per_file_ignores: Patterns of files, each with codes that do not count there.
        exclude: Patterns of files and folders to leave alone, relative to ``root``.
        roots: Dotted names of further base classes.
        vllm_path: Where vLLM's sources are, if somebody said so.
        vllm_version: The releases that the project is for: versions or specifiers.
        agreement: How the code that a fix inserts checks agreement.
        fail_on: The severity from which findings make the run fail.
        check_tests: Whether test code is checked.
        wrapped_paths: Patterns of files whose code is handed composites.
        unwrapped_paths: Patterns of files whose code never is; they count first.
        baseline: The file with the findings that are not to be told.
        preview: Whether rules in preview count.
        dormant: If not, these rules, which only count where ``select`` has their code.
        recipes: Values to verify with, by class and field.
        path: The file that was read, if one was.
        origins: Where the values come from that are not the default: for each, by the
            name of the attribute, the file or the option.
    """

    root: Path
    select: tuple[str, ...] = (EVERY_RULE,)
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exclude: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    vllm_path: Path | None = None
    vllm_version: tuple[str, ...] = ()
    agreement: Agreement = "assert"
    fail_on: Severity = Severity.ERROR
    check_tests: bool = False
    wrapped_paths: tuple[str, ...] = ()
    unwrapped_paths: tuple[str, ...] = ()
    baseline: Path | None = None
    preview: bool = False
    dormant: frozenset[str] = frozenset()
    recipes: Mapping[str, Mapping[str, tuple[Any, ...]]] = field(default_factory=dict)
    path: Path | None = field(default=None, compare=False)
    origins: Mapping[str, tuple[Path | str, ...]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def selects(self, code: str, path: Path) -> bool:
        """Return whether a rule counts in a file.

        Args:
            code: The rule's full code.
            path: The file.
        """
        here = [
            each
            for pattern, codes in self.per_file_ignores
            if any(map(code.startswith, codes)) and _fits(pattern, self.root, path)
            for each in codes
        ]
        if code == _UNPARSABLE:
            return code not in here and self.selects_somewhere(code)
        if any(map(code.startswith, here)):
            return False
        return self.selects_somewhere(code)

    def sees_composites(self, path: Path) -> bool | None:
        """Return what is said of the group specs that a file's code is handed.

        Args:
            path: The file.

        Returns:
            Whether they may be composites; None if nothing is said of the file.
        """
        if any(_fits(each, self.root, path) for each in self.unwrapped_paths):
            return False
        if any(_fits(each, self.root, path) for each in self.wrapped_paths):
            return True
        return None

    def selects_somewhere(self, code: str) -> bool:
        """Return whether a rule counts in files that ``per_file_ignores`` leaves."""
        return not self.silenced_by(code)

    def silenced_by(self, code: str) -> Literal["", "preview", "select", "ignore"]:
        """Return which setting keeps a rule from counting anywhere, if one does."""
        if code == _UNPARSABLE:
            return "ignore" if code in self.ignore else ""
        if code in self.dormant and code not in self.select:
            return "preview"
        reach = _reach(code, self.select)
        if reach > _reach(code, self.ignore):
            return ""
        return "ignore" if reach >= 0 else "select"


def _reach(code: str, beginnings: Iterable[str]) -> int:
    """Return the length of the longest beginning of a code; -1 without one."""
    return max((len(each) for each in beginnings if code.startswith(each)), default=-1)


def _fits(pattern: str, root: Path, path: Path) -> bool:
    """Return whether a file fits a pattern; ``!`` before it turns it round."""
    relative = os.path.relpath(path, root).replace(os.sep, "/")
    return fits(pattern.removeprefix("!"), relative) != pattern.startswith("!")


def find_pyproject(start: Path) -> Path | None:
    """Return the nearest pyproject.toml with a ``[tool.kvlint]`` table.

    Args:
        start: The folder to begin in; its parents follow.

    Returns:
        The file. One that mentions kvlint but cannot be read as TOML is returned too:
        ``load`` says what is wrong with it.
    """
    start = Path(os.path.abspath(start))
    for folder in (start, *start.parents):
        candidate = folder / "pyproject.toml"
        if not candidate.is_file():
            continue
        try:
            content = candidate.read_bytes()
            # Most files do not mention kvlint: spare them the TOML reader.
            if b"kvlint" in content and "kvlint" in tools(content):
                return candidate
        except (OSError, ValueError):
            return candidate
    return None


def load(
    known: Mapping[str, str],
    *,
    start: Path | None = None,
    path: Path | None = None,
    isolated: bool = False,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    vllm_path: Path | None = None,
    vllm_version: Sequence[str] = (),
    fail_on: str | None = None,
    previews: frozenset[str] = frozenset(),
    preview: bool = False,
) -> Config:
    """Return the configuration of a run.

    Like ruff: ``select`` from the command line takes the place of ``select`` and
    ``ignore`` in the file; ``ignore`` from the command line is added to them.

    Args:
        known: The name of each rule by its code.
        start: Where to look for a pyproject.toml; the working directory by default.
        path: The file that ``--config`` names, instead of looking for one.
        isolated: Whether to read no file at all.
        select: What ``--select`` says, if anything; commas may separate entries.
        ignore: What ``--ignore`` says, likewise.
        vllm_path: What ``--vllm-path`` says, relative to the working directory.
        vllm_version: What ``--vllm-version`` says, once or more.
        fail_on: What ``--fail-on`` says.
        previews: The rules in preview.
        preview: Whether ``--preview`` is given.

    Raises:
        KvlintError: There are mistakes; its message has one line for each.
    """
    reader = Reader(known)
    if path is not None and isolated:
        reader.add("--config", "cannot be given together with --isolated")
    elif path is None and not isolated:
        path = find_pyproject(start or Path.cwd())
        if path is not None:
            reader.read(path, required=False)
    elif path is not None:
        reader.read(path, required=True)
    values = reader.values
    origins: dict[str, tuple[Path | str, ...]] = {}
    if path is not None:
        origins = dict.fromkeys(values, (path,))
    if select:
        origins |= {"select": ("--select",), "ignore": ()}
        values["select"] = reader.codes(_parts(select), "--select")
        values.pop("ignore", None)
    if ignore:
        origins["ignore"] = (*origins.get("ignore", ()), "--ignore")
    values["ignore"] = (
        *values.get("ignore", ()),
        *reader.codes(_parts(ignore), "--ignore"),
    )
    if vllm_path is not None:
        origins["vllm_path"] = ("--vllm-path",)
        values["vllm_path"] = reader.folder(Path.cwd(), vllm_path, "--vllm-path")
    if vllm_version:
        origins["vllm_version"] = ("--vllm-version",)
        values["vllm_version"] = reader.versions(vllm_version, "--vllm-version")
    if fail_on is not None:
        origins["fail_on"] = ("--fail-on",)
        values["fail_on"] = reader.severity(fail_on, "--fail-on")
    if preview:
        origins["preview"] = ("--preview",)
        values["preview"] = True
    if not values.get("preview"):
        values["dormant"] = previews
    if reader.mistakes:
        raise KvlintError("\n".join(reader.mistakes))
    path = path and Path(os.path.abspath(path))
    root = Path.cwd() if path is None else path.parent
    return Config(root, path=path, origins=origins, **values)


def _parts(options: Iterable[str]) -> list[str]:
    return [part.strip() for option in options for part in option.split(",")]
